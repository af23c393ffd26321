//! `castellan fen`.

use castellan_testkit::play::{GameShape, random_games};
use castellan_testkit::random::SplitMix64;
use serde_json::Value;

use crate::shell::{binary, castellan};

const CHECKED: &str = "4k3/8/8/1B6/8/8/8/4K3 w - -";
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn objects(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

#[test]
fn a_good_fen_is_drawn_and_explained() {
    let ran = castellan(&["fen", START], b"");
    assert_eq!(ran.code, 0);
    assert_eq!(ran.err, "");
    assert!(ran.out.contains(" 1   R  N  B  Q  K  B  N  R\n"), "{}", ran.out);
    assert!(ran.out.contains("\nTo move     White\n"), "{}", ran.out);
    assert!(ran.out.contains("\nVerdict     legal: this is the start position\n"), "{}", ran.out);
    assert!(ran.out.ends_with("\nNothing wrong was found\n"), "{}", ran.out);
    assert!(!ran.out.contains('\x1b'), "there is no terminal here");
}

#[test]
fn the_quotes_may_be_left_out() {
    let words: Vec<&str> = ["fen"].into_iter().chain(START.split(' ')).collect();
    assert_eq!(castellan(&words, b"").out, castellan(&["fen", START], b"").out);
    let words = ["fen", "--json", "4k3/8/8/8/8/8/8/4K3", "w", "-", "-", "-1", "1"];
    let object = &objects(&castellan(&words, b"").out)[0];
    assert_eq!(object["fen"], "4k3/8/8/8/8/8/8/4K3 w - - -1 1");
    assert_eq!(object["verdict"], "malformed");
}

#[test]
fn findings_give_1() {
    let ran = castellan(&["fen", CHECKED], b"");
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("\nVerdict     illegal: "), "{}", ran.out);
    assert!(ran.out.contains("\n  1  error  the king on e8 is in check"), "{}", ran.out);
    assert_eq!(castellan(&["fen", "hello"], b"").code, 1);
    assert_eq!(castellan(&["fen", ""], b"").code, 1);
}

#[test]
fn sentences_are_in_the_language_that_is_asked_for() {
    let check = |words: &[&str], locale: &str, expected: &str| {
        let words: Vec<&str> = ["fen", CHECKED].iter().chain(words).copied().collect();
        let output = binary(&words).env("LC_ALL", locale).output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        assert!(out.contains(expected), "{out}");
    };
    check(&[], "C", "To move ");
    check(&[], "sk_SK.UTF-8", "Na ťahu ");
    check(&[], "de_DE.UTF-8", "To move ");
    check(&["--lang", "pl"], "sk_SK.UTF-8", "Na posunięciu ");
    check(&["--lang", "fi"], "C", "Siirtovuoro ");
    check(&["--lang", "cs", "--json"], "C", "král na e8 je v šachu");
}

#[test]
fn the_board_can_be_had_as_a_picture() {
    let path = std::env::temp_dir().join(format!("castellan-fen-{}.svg", std::process::id()));
    let name = path.to_str().unwrap();
    let ran = castellan(&["fen", CHECKED, "--svg", name, "--lang", "sk"], b"");
    let picture = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    assert!(ran.out.contains("Verdikt"), "the report comes too: {}", ran.out);
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{picture}");
    assert!(picture.contains("biely: Ke1, Sb5"), "{picture}");
    assert_eq!(castellan(&["fen", CHECKED, "--svg", "-", "--lang", "sk"], b"").out, picture);
    let ran = castellan(&["fen", CHECKED, "--svg", "/nowhere/board.svg"], b"");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    let ran = castellan(&["fen", "hello", "--svg", "-"], b"");
    assert_eq!(
        (ran.code, ran.out.as_str(), ran.err.as_str()),
        (1, "", "there is no board to draw\n")
    );
}

#[test]
fn json_answers_each_line_in_order() {
    let input = format!("{START}\n\n4k3/8/8/8/8/8/4P3/4K3 w - -\n8/8 w - -\n");
    let ran = castellan(&["fen", "--json"], input.as_bytes());
    let objects = objects(&ran.out);
    let verdicts: Vec<&Value> = objects.iter().map(|object| &object["verdict"]).collect();
    assert_eq!(verdicts[0], "legal");
    assert_eq!(objects[0]["game"], "");
    assert_eq!((verdicts[1], verdicts[3]), (&"malformed".into(), &"malformed".into()));
    assert!(objects[1].get("game").is_none());
    let fens: Vec<&Value> = objects.iter().map(|object| &object["fen"]).collect();
    assert_eq!(fens, input.lines().collect::<Vec<&str>>());
    assert_eq!(ran.code, 1);
    assert_eq!(castellan(&["fen", "--json"], START.as_bytes()).code, 0);
    assert_eq!(castellan(&["fen", "--json"], b"").out, "");
}

#[test]
fn json_takes_a_fen_as_argument_too() {
    let ran = castellan(&["fen", "--json", START], b"ignored");
    assert_eq!(objects(&ran.out)[0]["fen"], START);
    assert_eq!(ran.out.lines().count(), 1);
}

#[test]
fn positions_of_games_are_never_called_illegal() {
    let games = random_games(7, GameShape::default()).take(20);
    let fens: Vec<String> = games
        .flat_map(|game| game.positions().map(|position| position.to_fen()).collect::<Vec<_>>())
        .collect();
    let ran = castellan(&["fen", "--json", "--effort", "quick"], fens.join("\n").as_bytes());
    let objects = objects(&ran.out);
    assert_eq!(objects.len(), fens.len());
    for object in objects {
        assert!(object["verdict"] == "unknown" || object["verdict"] == "legal", "{object}");
    }
}

#[test]
fn no_input_makes_it_panic() {
    let mut rng = SplitMix64::new(960);
    let mut input = Vec::new();
    for _ in 0..20_000 {
        input.extend(spoiled(START, &mut rng));
        input.push(b'\n');
    }
    // A line of its own that would take all memory if it were kept.
    input.extend(b"k".repeat(3_000_000));
    let newlines = input.iter().filter(|&&byte| byte == b'\n').count();
    let ran = castellan(&["fen", "--json", "--effort", "quick"], &input);
    let objects = objects(&ran.out);
    assert_eq!((ran.code, objects.len()), (1, newlines + 1));
    assert_eq!(objects[newlines]["findings"][0]["code"], "too-long");
}

/// A FEN with a few bytes changed, taken out or put in.
fn spoiled(fen: &str, rng: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = fen.as_bytes().to_vec();
    for _ in 0..rng.below(4) {
        let at = rng.below(bytes.len());
        let letters = b"kKqQrRpPwb-/ 0123456789acegh\n\xff\xc3";
        let byte = *rng.pick(letters).expect("there are letters");
        match rng.below(3) {
            0 => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            _ => drop(bytes.remove(at)),
        }
    }
    bytes
}

#[test]
fn whoever_asks_line_by_line_is_answered_line_by_line() {
    use std::io::{BufRead, BufReader, Write};
    let mut child = binary(&["fen", "--json"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        writeln!(stdin, "{START}").unwrap();
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert!(line.contains("legal"), "{line}");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    use std::io::Write;
    let mut child = binary(&["fen", "--json"]).spawn().unwrap();
    drop(child.stdout.take());
    // It may be gone before all is written.
    let _ = child.stdin.take().unwrap().write_all(format!("{START}\n").repeat(1000).as_bytes());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), err.as_str()), (Some(0), ""));
}
