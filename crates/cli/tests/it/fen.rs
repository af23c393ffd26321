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
    assert!(ran.out.ends_with("\nNo problems found\n"), "{}", ran.out);
    assert!(!ran.out.contains('\x1b'), "there is no terminal here");
}

#[test]
fn the_quotes_may_be_left_out() {
    let args: Vec<&str> = ["fen"].into_iter().chain(START.split(' ')).collect();
    assert_eq!(castellan(&args, b"").out, castellan(&["fen", START], b"").out);
    let args = ["fen", "--json", "4k3/8/8/8/8/8/8/4K3", "w", "-", "-", "-1", "1"];
    let object = &objects(&castellan(&args, b"").out)[0];
    assert_eq!(object["fen"], "4k3/8/8/8/8/8/8/4K3 w - - -1 1");
    assert_eq!(object["verdict"], "malformed");
}

#[test]
fn findings_give_1() {
    let ran = castellan(&["fen", CHECKED], b"");
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("\nVerdict     illegal: "), "{}", ran.out);
    assert!(
        ran.out.contains("\n  1  error  it is White’s move, but the black king on e8"),
        "{}",
        ran.out
    );
    assert_eq!(castellan(&["fen", "hello"], b"").code, 1);
    assert_eq!(castellan(&["fen", ""], b"").code, 1);
}

#[test]
fn sentences_are_in_the_language_that_is_asked_for() {
    let check = |args: &[&str], locale: &str, expected: &str| {
        let args: Vec<&str> = ["fen", CHECKED].iter().chain(args).copied().collect();
        let output = binary(&args).env("LC_ALL", locale).output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        assert!(out.contains(expected), "{out}");
    };
    check(&[], "C", "To move ");
    check(&[], "sk_SK.UTF-8", "Na ťahu ");
    check(&[], "de_DE.UTF-8", "To move ");
    check(&["--lang", "pl"], "sk_SK.UTF-8", "Na posunięciu ");
    check(&["--lang", "fi"], "C", "Siirtovuoro ");
    check(&["--lang", "cs", "--json"], "C", "černý král na e8 je v šachu");
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
    // A line that would use up all memory if it were stored.
    input.extend(b"k".repeat(3_000_000));
    let newlines = input.iter().filter(|&&byte| byte == b'\n').count();
    let ran = castellan(&["fen", "--json", "--effort", "quick"], &input);
    let objects = objects(&ran.out);
    assert_eq!((ran.code, objects.len()), (1, newlines + 1));
    assert_eq!(objects[newlines]["findings"][0]["code"], "too-long");
}

/// Returns a FEN with a few bytes changed, removed or inserted.
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
fn a_client_that_sends_line_by_line_is_answered_line_by_line() {
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
    // The process may exit before everything is written.
    let _ = child.stdin.take().unwrap().write_all(format!("{START}\n").repeat(1000).as_bytes());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), err.as_str()), (Some(0), ""));
}

/// Returns the report on a FEN, without line breaks.
fn said(fen: &str, options: &[&str]) -> String {
    let args: Vec<&str> = ["fen", "--ascii", fen].iter().chain(options).copied().collect();
    let ran = castellan(&args, b"");
    assert_eq!(ran.err, "");
    ran.out
}

/// Returns the words of a report, with each line break and indent replaced by a single space.
fn flat(report: &str) -> String {
    report.split_whitespace().collect::<Vec<&str>>().join(" ")
}

#[track_caller]
fn check_says(fen: &str, options: &[&str], expected: &[&str]) {
    let report = said(fen, options);
    for part in expected {
        let is_said = report.contains(part) || flat(&report).contains(part);
        assert!(is_said, "{part:?} is not in\n{report}");
    }
}

#[test]
fn castling_letters_mean_standard_chess() {
    let fen = "4k3/8/8/8/8/8/8/R2K3R w KQ - 0 29";
    check_says(
        fen,
        &[],
        &[
            " 1   R  .  . [K][.] .  .  R\n",
            "Castling “KQ” is wrong",
            "White can only castle with the king on e1, but it is on d1; if this is Chess960, \
             write “HA”",
            "fixes everything: 4k3/8/8/8/8/8/8/R2K3R w - - 0 29",
        ],
    );
    // A FEN is read as Chess960 if the option says so, or if its letters have no other meaning.
    for (fen, options) in [(fen, &["--chess960"][..]), (&fen.replace("KQ", "HA"), &[])] {
        check_says(
            fen,
            options,
            &["with the rook on h1, with the rook on a1", "No problems found"],
        );
    }
}

#[test]
fn a_castling_rook_stands_in_its_corner() {
    check_says(
        "r3k3/8/8/8/8/8/8/1R2K3 w Q - 0 29",
        &[],
        &[
            " 1  [.][R] .  .  K  .  .  .\n",
            " 8   r  .  .  .  k  .  .  .\n",
            "White can only castle with the rook on a1, but it is on b1",
            "write “B”",
            "fixes everything: r3k3/8/8/8/8/8/8/1R2K3 w - - 0 29",
        ],
    );
}

#[test]
fn a_king_off_its_rank_is_marked_and_mended() {
    let fen = "rnbqkbnr/pppppppp/8/8/8/4K3/PPPPPPPP/RNBQ1BNR w KQkq - 38 20";
    check_says(
        fen,
        &[],
        &[
            " 3   .  .  .  . [K] .  .  .\n",
            " 1   R  N  B  Q [.] B  N  R\n",
            "Castling Black: kingside, queenside; “KQ” is wrong",
            "White can only castle with the king on e1, but it is on e3",
            "fixes finding 1: rnbqkbnr/pppppppp/8/8/8/4K3/PPPPPPPP/RNBQ1BNR w kq - 38 20",
        ],
    );
}

#[test]
fn castling_in_words_agrees_with_the_errors() {
    let fen = "rnbqkbnr/pppppppp/8/8/8/7P/PPPPPPP1/RNBQKBN1 w KQkq - 0 20";
    check_says(
        fen,
        &[],
        &["Castling White: queenside; Black: kingside, queenside; “K” is wrong", "rook on h1"],
    );
}

#[test]
fn a_wrong_letter_is_marked_on_the_board() {
    check_says(
        "rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        &[],
        &[" 7   p  p  p  p [.] p  p  p\n", "column 14: “x” is neither a piece letter"],
    );
}

#[test]
fn adjacent_kings_are_wrong_and_not_in_check() {
    check_says(
        "8/8/8/3kK3/8/8/8/8 w - - 0 40",
        &[],
        &[" 5   .  .  . [k][K] .  .  .\n", "the kings on d5 and e5 stand next to each other"],
    );
    check_says("4k3/8/8/8/4R3/8/8/3K4 b - - 0 40", &[], &[" 8   .  .  .  . (k) .  .  .\n"]);
}

#[test]
fn the_clock_counts_all_moves_while_nothing_has_happened() {
    let start = START.strip_suffix("0 1").unwrap();
    check_says(
        &format!("{start}1 20"),
        &[],
        &[
            "nothing has been captured and no pawn has moved, so the half-move clock must be 38",
            &format!("fixes everything: {start}38 20"),
        ],
    );
    check_says(&format!("{start}38 20"), &[], &["No problems found"]);
}

#[test]
fn messages_name_the_pieces_that_explain_a_finding() {
    let check = |fen: &str, expected: &str| check_says(fen, &[], &[expected]);
    check(
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 30",
        "Black has just moved, but none of its pieces can have moved: the pieces on a8, e8 and \
         h8 have never moved, because they may still castle",
    );
    check(
        "rn1qkbnr/pppppppp/b7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 2 20",
        "the bishop on a6 cannot have come from c8: the pieces on b7 and d7, which shut it in, \
         have never moved",
    );
    check(
        "rnbqkbnr/pppppppp/8/8/8/6R1/PPPPPPPP/RNBQKBN1 w Qkq - 2 20",
        "the rook on g3 cannot have come from h1: the pieces on f1, g2 and h2, which shut it in, \
         have never moved",
    );
    check(
        &START.replace(" w ", " b "),
        "it must be White’s move: White has made an even number of moves and Black an even number",
    );
    check(
        "4k3/4R3/8/8/8/8/4r3/4K3 w - - 0 40",
        "the white king on e1 is in check from e2 and the black king on e8 from e7",
    );
}

#[test]
fn repairs_that_fix_everything_come_first() {
    let fen = "4k3/8/8/8/8/8/8/R3K3 w KQ - 99 1";
    let report = flat(&said(fen, &[]));
    let (all, some) = (report.find("fixes everything"), report.find("fixes finding"));
    assert!(all.zip(some).is_some_and(|(all, some)| all < some), "{report}");
}

#[test]
fn lines_are_read_without_an_argument() {
    let input = format!("{START}\n\n{CHECKED}\n");
    let ran = castellan(&["fen"], input.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    assert_eq!(ran.out.matches("\nVerdict ").count(), 2, "{}", ran.out);
    assert!(ran.out.contains("legal: this is the start position"), "{}", ran.out);
    assert!(ran.out.contains("illegal: no game can reach this position"), "{}", ran.out);
    let ran = castellan(&["fen"], START.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(castellan(&["fen"], b"").out, "");
}

/// Runs the program at a terminal, where it prompts for each FEN.
#[cfg(target_os = "linux")]
#[test]
fn a_fen_is_asked_for_at_a_terminal() {
    use std::io::{Read, Write};
    use std::process::Stdio;

    let flags = rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY;
    let ours = rustix::pty::openpt(flags).unwrap();
    rustix::pty::grantpt(&ours).unwrap();
    rustix::pty::unlockpt(&ours).unwrap();
    let name = rustix::pty::ptsname(&ours, Vec::new()).unwrap();
    let theirs =
        std::fs::File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let mut child = binary(&["fen", "--ascii"])
        .env("LC_ALL", "C")
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut keyboard = std::fs::File::from(ours);
    // Ctrl-D ends the input.
    write!(keyboard, "{CHECKED}\n\x04").unwrap();
    let (mut out, mut err) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(err.starts_with("Enter one FEN per line; press Ctrl-D to finish\nFEN> "), "{err}");
    assert_eq!(err.matches("FEN> ").count(), 2, "{err}");
    assert!(out.contains("the black king on e8 is in check from b5"), "{out}");
}
