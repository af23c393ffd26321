//! Recognizes passwords that attackers try first.
//!
//! Instead of a long list, this module knows how such passwords are made: a well-known word with
//! digits and signs around it or in place of letters, a walk along the keyboard, or a repetition.
//! It does not measure strength, and accepts every other password.

/// Words that people choose, in English and in the languages of our page, and words from chess.
/// They are compared after [`plain`].
const WORDS: &str = "\
    admin administrator alexander amanda andrea andrew anthony apple asshole baseball \
    basketball batman benjamin bobbyfischer butterfly capablanca carlsen castellan changeme \
    charlie checkmate chelsea chess chessmaster chocolate chopin computer cookie daniel \
    default diamond donald dragon fischer flower football freedom fuckyou google grandmaster \
    haslo hello heslo hunter iloveyou internet jennifer jessica jordan joshua kasparov killer \
    knight letmein lichess liverpool login lovely magnus master michael michelle monkey \
    mustang nicole password passwort pokemon princess root sachy salasana samsung secret \
    shadow shakki starwars sunshine superman szachy trustno welcome";

/// Rows along which people walk on a keyboard, and the alphabet.
const ROWS: [&str; 7] = [
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890",
    "qwertyuiop",
    "qwertzuiop",
    "asdfghjkl",
    "zxcvbnm",
    "yxcvbnm",
];

/// Returns `true` if attackers try a password first.
pub(crate) fn is_common(password: &str) -> bool {
    let letters: Vec<char> = password.to_lowercase().chars().collect();
    is_repetition(&letters) || is_walk(&letters) || is_word(&letters)
}

/// Returns `true` for a few characters again and again.
fn is_repetition(letters: &[char]) -> bool {
    let repeats_after = |length: usize| {
        letters.iter().zip(letters.iter().skip(length)).all(|(one, later)| one == later)
    };
    (1..=4).any(repeats_after)
}

/// Returns `true` for a walk along rows, with a jump for every six characters at most.
fn is_walk(letters: &[char]) -> bool {
    let jumps = letters.windows(2).filter(|pair| !is_step(pair[0], pair[1])).count();
    jumps <= letters.len() / 6
}

fn is_step(from: char, to: char) -> bool {
    let are_next = |row: &str| {
        let mut pairs = row.chars().zip(row.chars().skip(1));
        pairs.any(|pair| pair == (from, to) || pair == (to, from))
    };
    from == to || ROWS.iter().any(|row| are_next(row))
}

/// Returns `true` for a word, once or twice, with digits and signs around it.
fn is_word(letters: &[char]) -> bool {
    let is_letter = |letter: &char| letter.is_alphabetic();
    let (Some(first), Some(last)) =
        (letters.iter().position(is_letter), letters.iter().rposition(is_letter))
    else {
        return false;
    };
    let word: String = letters[first..=last].iter().filter_map(|letter| plain(*letter)).collect();
    let half = word.len() / 2;
    let is_known = |word: &str| WORDS.split(' ').any(|known| known == word);
    is_known(&word)
        || word.get(..half).is_some_and(|start| word[half..] == *start && is_known(start))
}

/// Returns the letter that a digit or a sign stands for, or `None` for one that separates words.
fn plain(letter: char) -> Option<char> {
    Some(match letter {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other if other.is_alphabetic() => other,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_that_many_people_choose_are_common() {
        let passwords = "12345678, 1234567890, 87654321, 11111111, 12121212, abcabcabc, aaaaaaaa1, password, \
            Password1, passw0rd, P@ssw0rd!, password123, p4$$w0rd2026, qwertyui, QWERTY123456, \
            qwertzuiop, asdfghjkl, abcd1234, iloveyou, I love you!, letmein123, welcome1, \
            chess2024, ChessChess, Lichess!1, checkmate, Magnus 1990, salasana1, heslo1234";
        for password in passwords.split(", ") {
            assert!(is_common(password), "{password}");
        }
    }

    #[test]
    fn original_passwords_are_not_common() {
        let passwords = "correct horse, correct horse battery staple, another good one, šestřiči, Nf3 Nf6 c4 \
            g6, chess is my life, kT7#pq!2, tulip-anvil-09, the password is blue, ŽltýKôň \
            spieva, 🐎🐎🏰🏰♟♟♞♞, mypasswordischess";
        for password in passwords.split(", ") {
            assert!(!is_common(password), "{password}");
        }
    }

    #[test]
    fn the_words_are_in_order_and_plain() {
        assert!(WORDS.split(' ').is_sorted());
        for word in WORDS.split(' ') {
            assert!(word.chars().all(|letter| plain(letter) == Some(letter)), "{word}");
        }
    }
}
