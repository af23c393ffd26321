//! The property of PGN.

use std::ops::Range;

use castellan_pgn::{
    Blocks, Flow, Game, GameResult, Mode, Problem, Severity, Tags, Visitor, game_starts,
    line_and_column, parse_games, read,
};

/// Checks PGN on any bytes. Reading terminates; splitting the input between games reports the
/// same; a strict reader builds the same games as a lenient one; and what is written parses back
/// to the same games and is written again as the same text.
pub fn pgn(data: &[u8]) {
    let whole = calls(data, 0);
    assert_blocks_tell(data, &whole);
    let games = parse_games(data, Mode::Lenient);
    assert_in_order(data, &games);
    assert_strict_alike(data, &games);
    assert_round_trip(&games);
}

/// The calls of a visitor.
#[derive(PartialEq, Eq, Debug)]
enum VisitorCall {
    Game(usize),
    Tag(Vec<u8>, Vec<u8>, usize),
    Moves(usize),
    Number(u32, usize),
    Move(Vec<u8>, usize),
    Nag(u8, usize),
    Comment(Vec<u8>, usize),
    Variation(usize),
    VariationEnd(usize),
    Result(GameResult, usize),
    Problem(Problem),
    GameEnd(Range<usize>),
}

/// Records all calls, with offsets as if the source began at `offset`.
struct Recorder {
    offset: usize,
    calls: Vec<VisitorCall>,
    depth: usize,
}

impl Recorder {
    fn note(&mut self, call: VisitorCall) -> Flow {
        self.calls.push(call);
        Flow::Continue
    }
}

impl Visitor for Recorder {
    fn begin_game(&mut self, at: usize) -> Flow {
        self.depth = 0;
        self.note(VisitorCall::Game(self.offset + at))
    }

    fn tag(&mut self, name: &[u8], value: &[u8], at: usize) -> Flow {
        self.note(VisitorCall::Tag(name.to_vec(), value.to_vec(), self.offset + at))
    }

    fn begin_moves(&mut self, at: usize) -> Flow {
        self.note(VisitorCall::Moves(self.offset + at))
    }

    fn move_number(&mut self, number: u32, at: usize) {
        self.note(VisitorCall::Number(number, self.offset + at));
    }

    fn mv(&mut self, text: &[u8], at: usize) -> Flow {
        assert!(!text.is_empty(), "a move without letters at {at}");
        self.note(VisitorCall::Move(text.to_vec(), self.offset + at))
    }

    fn nag(&mut self, nag: u8, at: usize) {
        self.note(VisitorCall::Nag(nag, self.offset + at));
    }

    fn comment(&mut self, text: &[u8], at: usize) {
        self.note(VisitorCall::Comment(text.to_vec(), self.offset + at));
    }

    fn begin_variation(&mut self, at: usize) -> Flow {
        self.depth += 1;
        self.note(VisitorCall::Variation(self.offset + at))
    }

    fn end_variation(&mut self, at: usize) {
        self.depth = self.depth.checked_sub(1).expect("a variation ends only if it has begun");
        self.note(VisitorCall::VariationEnd(self.offset + at));
    }

    fn result(&mut self, result: GameResult, at: usize) {
        self.note(VisitorCall::Result(result, self.offset + at));
    }

    fn problem(&mut self, mut problem: Problem) {
        problem.at += self.offset;
        self.note(VisitorCall::Problem(problem));
    }

    fn end_game(&mut self, range: Range<usize>) -> Flow {
        assert_eq!(self.depth, 0, "every variation that begins also ends");
        self.note(VisitorCall::GameEnd(self.offset + range.start..self.offset + range.end))
    }
}

fn calls(data: &[u8], offset: usize) -> Vec<VisitorCall> {
    let mut recorder = Recorder { offset, calls: Vec::new(), depth: 0 };
    read(data, &mut recorder);
    recorder.calls
}

/// Checks that the parts report the same as the whole, whether split at game starts or by the
/// streaming reader.
fn assert_blocks_tell(data: &[u8], whole: &[VisitorCall]) {
    let mut cuts: Vec<usize> = game_starts(data).collect();
    assert!(cuts.is_sorted_by(|one, next| one < next), "{cuts:?}");
    cuts.insert(0, 0);
    cuts.push(data.len());
    let parts = cuts.windows(2).flat_map(|cut| calls(&data[cut[0]..cut[1]], cut[0]));
    assert_eq!(parts.collect::<Vec<_>>(), whole, "cut at {cuts:?}");

    let mut blocks = Blocks::new(data);
    let (mut streamed, mut offset) = (Vec::new(), 0);
    while let Some(block) = blocks.next().expect("memory can be read") {
        assert_eq!(block.offset, offset);
        let at = usize::try_from(offset).expect("the input is short");
        assert_eq!(block.line, line_and_column(data, at).0);
        streamed.extend(calls(&block.bytes, at));
        offset += block.bytes.len() as u64;
        blocks.recycle(block.bytes);
    }
    assert_eq!(offset, data.len() as u64);
    assert_eq!(streamed, whole);
}

/// Checks that games follow one another, and that problems lie within the source.
fn assert_in_order(data: &[u8], games: &[Game]) {
    let mut end = 0;
    for game in games {
        assert!(end <= game.range.start && game.range.start <= game.range.end, "{:?}", game.range);
        end = game.range.end;
        assert!(game.problems.iter().all(|problem| problem.at <= data.len()));
    }
    assert!(end <= data.len());
}

/// Checks that strict mode reports more but changes nothing else.
fn assert_strict_alike(data: &[u8], games: &[Game]) {
    let strict = parse_games(data, Mode::Strict);
    assert_eq!(strict.len(), games.len());
    let is_broken = |problem: &&Problem| problem.kind.severity() == Severity::Broken;
    for (one, other) in games.iter().zip(&strict) {
        assert_same_game(one, other);
        assert_eq!(one.tags, other.tags);
        assert_eq!(one.range, other.range);
        let broken: Vec<&Problem> = other.problems.iter().filter(is_broken).collect();
        assert_eq!(one.problems.iter().collect::<Vec<_>>(), broken);
    }
}

fn assert_same_game(one: &Game, other: &Game) {
    assert_eq!(one.start().to_fen(), other.start().to_fen());
    assert_eq!(one.tree(), other.tree());
    assert_eq!(one.result, other.result);
}

/// Checks that what is written parses back to the same games without broken parts, and is written
/// again as the same text.
fn assert_round_trip(games: &[Game]) {
    let text: String = games.iter().map(Game::to_string).collect();
    let again = parse_games(text.as_bytes(), Mode::Lenient);
    assert_eq!(again.len(), games.len(), "{text}");
    for (game, copy) in games.iter().zip(&again) {
        assert_same_game(game, copy);
        assert!(kept_tags(&game.tags, &copy.tags), "{:?}\n{:?}", game.tags, copy.tags);
        let is_bad_fen = game.problems.iter().any(is_about_start);
        assert!(is_bad_fen || copy.problems.is_empty(), "{:?}\n{text}", copy.problems);
    }
    let written: String = again.iter().map(Game::to_string).collect();
    assert_eq!(written, text);
}

/// Returns `true` for a bad FEN, which is kept as it is, so that the problem remains.
fn is_about_start(problem: &Problem) -> bool {
    matches!(problem.kind, castellan_pgn::ProblemKind::BadFen(_))
}

/// Returns `true` if every tag is kept, except for those that the writer sets itself: the result
/// and the starting position.
fn kept_tags(before: &Tags, after: &Tags) -> bool {
    const SETTLED: [&str; 3] = ["Result", "SetUp", "FEN"];
    let others = before.iter().filter(|tag| !SETTLED.contains(&tag.name()));
    others.into_iter().all(|tag| after.iter().any(|kept| kept == tag))
}
