//! Encodes a whole game in a link that is short enough for a message.
//!
//! This module defines the format. A move is one byte: its index among the legal moves, sorted by
//! their UCI notation. Everything else has a code above the 218 moves that a position can have at
//! most. The bytes are encoded in URL-safe base64. A link is untrusted input, so it is parsed
//! defensively.
//!
//! ```text
//! 1, result, start, tags, then moves and codes until the end
//! start    0, or 1 and the text of a FEN
//! tags     how many, then for each a name (0 and a text, or a number) and a text
//! text     how many bytes, then the bytes
//! ```
//!
//! A variation is enclosed by two codes after the move that it is an alternative to, as in PGN.

use base64::DecodeError;
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine};
use castellan_pgn::{ClockTime, Comment, Game, GameResult, NodeId, Played, start_position};
use castellan_rules::{CastlingSpelling, Color, EnPassantField, FenStyle, Move, Position, UciMove};

/// Maximum length of a link: about what every program accepts.
pub(crate) const MAX_LINK_CHARS: usize = 8_000;

const VERSION: u8 = 1;
const NULL: u8 = 218;
const BEGIN: u8 = 219;
const END: u8 = 220;
const GLYPH: u8 = 221;
const COMMENT: u8 = 222;
const CLOCK: u8 = 223;
const COMMENT_BEFORE: u8 = 224;

/// Tags that are encoded as a number, from 1.
const NAMES: [&str; 12] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "WhiteElo",
    "BlackElo",
    "TimeControl",
    "WhiteClock",
    "BlackClock",
    "Ending",
];
/// Tags whose values follow from the rest of the link.
const IMPLIED: [&str; 3] = ["Result", "FEN", "SetUp"];
const RESULTS: [GameResult; 4] = [
    GameResult::Open,
    GameResult::Win(Color::White),
    GameResult::Win(Color::Black),
    GameResult::Draw,
];

/// The game does not fit into a link.
#[derive(Debug)]
pub(crate) struct TooLong {
    chars: usize,
}

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the link would be {} characters long; the limit is {MAX_LINK_CHARS}", self.chars)
    }
}

/// Why a link is invalid.
#[derive(Debug)]
pub(crate) struct BadLink {
    at: usize,
    why: &'static str,
}

impl std::fmt::Display for BadLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "byte {}: {}", self.at, self.why)
    }
}

/// Encodes a game as the text of a link.
pub(crate) fn write(game: &Game) -> Result<String, TooLong> {
    let mut out = vec![VERSION];
    let result = RESULTS.iter().position(|result| *result == game.result).unwrap_or(0);
    out.push(result as u8);
    write_start(&mut out, game.start());
    write_tags(&mut out, game);
    write_notes(&mut out, game, NodeId::ROOT);
    write_moves(&mut out, game);
    let link = BASE64_URL_SAFE_NO_PAD.encode(&out);
    if link.len() > MAX_LINK_CHARS {
        return Err(TooLong { chars: link.len() });
    }
    Ok(link)
}

fn write_start(out: &mut Vec<u8>, start: &Position) {
    let style = FenStyle { en_passant: EnPassantField::Always, ..FenStyle::default() };
    let fen = start.to_fen_in(style);
    if fen == Position::start().to_fen_in(style) {
        out.push(0);
    } else {
        out.push(1);
        write_text(out, &fen);
    }
}

fn write_tags(out: &mut Vec<u8>, game: &Game) {
    let is_worth_it = |name: &str, value: &str| {
        !IMPLIED.contains(&name) && !castellan_pgn::SEVEN_TAGS.contains(&(name, value))
    };
    let tags: Vec<_> =
        game.tags.iter().filter(|tag| is_worth_it(tag.name(), tag.value())).collect();
    write_number(out, tags.len() as u64);
    for tag in tags {
        match NAMES.iter().position(|name| *name == tag.name()) {
            Some(place) => out.push(place as u8 + 1),
            None => {
                out.push(0);
                write_text(out, tag.name());
            }
        }
        write_text(out, tag.value());
    }
}

/// A pending part of the moves; the next one is at the end of the list.
enum Step {
    Line(NodeId, Position),
    Variation(NodeId, Position),
    Close,
}

fn write_moves(out: &mut Vec<u8>, game: &Game) {
    let tree = game.tree();
    let mut steps = vec![Step::Line(NodeId::ROOT, *game.start())];
    while let Some(step) = steps.pop() {
        match step {
            Step::Line(at, position) => {
                let Some(first) = tree.next(at) else { continue };
                write_move(out, game, first, &position);
                let after = tree.played(first).and_then(|played| played.after(&position));
                steps.push(Step::Line(first, after.unwrap_or(position)));
                let others: Vec<NodeId> = tree.children(at).skip(1).collect();
                steps.extend(others.iter().rev().map(|at| Step::Variation(*at, position)));
            }
            Step::Variation(at, position) => {
                out.push(BEGIN);
                for comment in &tree.notes(at).before {
                    out.push(COMMENT_BEFORE);
                    write_text(out, comment.as_str());
                }
                write_move(out, game, at, &position);
                let after = tree.played(at).and_then(|played| played.after(&position));
                steps.push(Step::Close);
                steps.push(Step::Line(at, after.unwrap_or(position)));
            }
            Step::Close => out.push(END),
        }
        if out.len() > MAX_LINK_CHARS {
            break;
        }
    }
}

fn write_move(out: &mut Vec<u8>, game: &Game, at: NodeId, position: &Position) {
    let place = match game.tree().played(at) {
        Some(Played::Move(mv)) => sorted(position).iter().position(|other| *other == mv),
        _ => None,
    };
    out.push(place.map_or(NULL, |place| place as u8));
    write_notes(out, game, at);
}

fn write_notes(out: &mut Vec<u8>, game: &Game, at: NodeId) {
    let notes = game.tree().notes(at);
    for glyph in &notes.nags {
        out.extend([GLYPH, *glyph]);
    }
    for comment in &notes.after {
        match plain_clock(comment.as_str()) {
            Some(ms) => {
                out.push(CLOCK);
                write_number(out, ms);
            }
            None => {
                out.push(COMMENT);
                write_text(out, comment.as_str());
            }
        }
    }
}

/// Returns the time of a comment that consists only of a clock time in our own spelling.
fn plain_clock(comment: &str) -> Option<u64> {
    let time = ClockTime::parse(comment.strip_prefix("[%clk ")?.strip_suffix(']')?)?;
    let ms = time.milliseconds();
    (clock_comment(ms) == comment).then_some(ms)
}

fn clock_comment(ms: u64) -> String {
    format!("[%clk {}]", ClockTime::from_milliseconds(ms))
}

fn sorted(position: &Position) -> Vec<Move> {
    let mut moves: Vec<Move> = position.legal_moves().iter().copied().collect();
    // In this notation no two moves look alike, not even in Chess960.
    let uci = |mv: &Move| UciMove::from_move(*mv, CastlingSpelling::KingTakesRook).to_string();
    moves.sort_by_cached_key(uci);
    moves
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    write_number(out, text.len() as u64);
    out.extend(text.as_bytes());
}

/// Writes seven bits at a time, lowest first; the high bit says that more follow.
fn write_number(out: &mut Vec<u8>, mut number: u64) {
    while number > 127 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Decodes the game of a link.
pub(crate) fn read(link: &str) -> Result<Game, BadLink> {
    if link.len() > MAX_LINK_CHARS {
        return Err(BadLink { at: MAX_LINK_CHARS, why: "the link is too long" });
    }
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(link).map_err(|error| match error {
        DecodeError::InvalidByte(at, _) => {
            BadLink { at, why: "this character is not allowed in a link" }
        }
        DecodeError::InvalidLastSymbol(at, _) => BadLink { at, why: "the last character is wrong" },
        DecodeError::InvalidLength(at) => BadLink { at, why: "the link ends too early" },
        DecodeError::InvalidPadding => BadLink { at: link.len(), why: "a link has no padding" },
    })?;
    let mut reader = Reader { bytes: &bytes, at: 0 };
    if reader.byte()? != VERSION {
        return Err(reader.wrong("the link has an unknown version"));
    }
    let result = reader.byte()?;
    let result = RESULTS.get(usize::from(result)).ok_or_else(|| reader.wrong("unknown result"))?;
    let start = reader.start()?;
    let mut game = Game::new(start);
    game.result = *result;
    reader.tags(&mut game)?;
    reader.moves(&mut game)?;
    Ok(game)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn wrong(&self, why: &'static str) -> BadLink {
        BadLink { at: self.at, why }
    }

    fn byte(&mut self) -> Result<u8, BadLink> {
        let byte = self.bytes.get(self.at).ok_or_else(|| self.wrong("the link ends too early"))?;
        self.at += 1;
        Ok(*byte)
    }

    fn number(&mut self) -> Result<u64, BadLink> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        Err(self.wrong("the number is too large"))
    }

    fn text(&mut self) -> Result<&'a str, BadLink> {
        let length = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| self.wrong("the text ends too early"))?;
        let text = std::str::from_utf8(&self.bytes[self.at..end]);
        let text = text.map_err(|_| self.wrong("the text is not UTF-8"))?;
        self.at = end;
        Ok(text)
    }

    fn start(&mut self) -> Result<Position, BadLink> {
        match self.byte()? {
            0 => Ok(Position::start()),
            1 => start_position(self.text()?)
                .map_err(|_| self.wrong("the starting position is invalid")),
            _ => Err(self.wrong("unknown kind of starting position")),
        }
    }

    fn tags(&mut self, game: &mut Game) -> Result<(), BadLink> {
        for _ in 0..self.number()? {
            let name = match usize::from(self.byte()?) {
                0 => self.text()?,
                number => NAMES.get(number - 1).ok_or_else(|| self.wrong("unknown tag name"))?,
            };
            let value = self.text()?;
            game.tags.push(name, value);
        }
        Ok(())
    }

    fn moves(&mut self, game: &mut Game) -> Result<(), BadLink> {
        let mut lines = vec![NodeId::ROOT];
        let mut waiting: Vec<Comment> = Vec::new();
        while self.at < self.bytes.len() {
            let code = self.byte()?;
            let at =
                *lines.last().ok_or_else(|| self.wrong("a variation ends that was not started"))?;
            match code {
                ..=NULL => {
                    let added = self.mv(game, at, code)?;
                    if !waiting.is_empty() {
                        game.notes_mut(added).before = std::mem::take(&mut waiting);
                    }
                    if let Some(line) = lines.last_mut() {
                        *line = added;
                    }
                }
                BEGIN => {
                    let parent = game.tree().parent(at);
                    lines.push(parent.ok_or_else(|| self.wrong("a variation without a move"))?);
                }
                END if lines.len() > 1 => {
                    lines.pop();
                }
                COMMENT_BEFORE => waiting.extend(Comment::new(self.text()?)),
                _ => self.note(game, at, code)?,
            }
        }
        Ok(())
    }

    fn mv(&self, game: &mut Game, at: NodeId, code: u8) -> Result<NodeId, BadLink> {
        let position = game.position(at);
        let played = match code {
            NULL => Played::Null,
            _ => {
                let mv = sorted(&position).get(usize::from(code)).copied();
                Played::Move(mv.ok_or_else(|| self.wrong("the move does not exist"))?)
            }
        };
        game.add(at, played).map_err(|_| self.wrong("the move cannot be added"))
    }

    fn note(&mut self, game: &mut Game, at: NodeId, code: u8) -> Result<(), BadLink> {
        match code {
            GLYPH => {
                let glyph = self.byte()?;
                game.notes_mut(at).nags.push(glyph);
            }
            COMMENT => {
                let text = self.text()?;
                game.notes_mut(at).after.extend(Comment::new(text));
            }
            CLOCK => {
                let comment = clock_comment(self.number()?);
                game.notes_mut(at).after.extend(Comment::new(&comment));
            }
            _ => return Err(self.wrong("unknown code")),
        }
        Ok(())
    }
}
