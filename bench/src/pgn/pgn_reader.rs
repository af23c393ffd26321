//! pgn-reader, with shakmaty for the moves.

use std::io::Cursor;
use std::ops::ControlFlow;

use anyhow::{Result, anyhow};
use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

use super::{PgnCounts, PgnReader};

pub(super) const READER: PgnReader = PgnReader { name: "pgn-reader", tokens, moves };

fn tokens(source: &[u8]) -> Result<PgnCounts> {
    let mut counts = PgnCounts::default();
    let mut reader = Reader::new(Cursor::new(source));
    while let Some((moves, comments)) = reader.read_game(&mut PeerCounter)? {
        counts.games += 1;
        counts.moves += moves;
        counts.comments += comments;
    }
    Ok(counts)
}

fn moves(source: &[u8]) -> Result<PgnCounts> {
    let mut counts = PgnCounts::default();
    let mut reader = Reader::new(Cursor::new(source));
    while let Some(moves) = reader.read_game(&mut PeerPlayer)? {
        counts.games += 1;
        counts.moves += moves.map_err(|text| anyhow!("pgn-reader cannot read {text}"))?;
    }
    Ok(counts)
}

/// A visitor that counts moves and comments.
struct PeerCounter;

impl Visitor for PeerCounter {
    type Tags = ();
    type Movetext = (u64, u64);
    type Output = (u64, u64);

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, _tags: ()) -> ControlFlow<Self::Output, Self::Movetext> {
        ControlFlow::Continue((0, 0))
    }

    fn san(&mut self, counts: &mut Self::Movetext, _san: SanPlus) -> ControlFlow<Self::Output> {
        counts.0 += 1;
        ControlFlow::Continue(())
    }

    fn comment(
        &mut self,
        counts: &mut Self::Movetext,
        _comment: RawComment<'_>,
    ) -> ControlFlow<Self::Output> {
        counts.1 += 1;
        ControlFlow::Continue(())
    }

    /// Ignores a part of a long comment; only the last part counts.
    fn partial_comment(
        &mut self,
        _counts: &mut Self::Movetext,
        _comment: RawComment<'_>,
    ) -> ControlFlow<Self::Output> {
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _counts: &mut Self::Movetext) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(false))
    }

    fn end_game(&mut self, counts: Self::Movetext) -> Self::Output {
        counts
    }
}

/// A visitor that plays the moves of the main lines.
struct PeerPlayer;

impl Visitor for PeerPlayer {
    type Tags = Chess;
    type Movetext = (Chess, u64);
    type Output = Result<u64, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(Chess::default())
    }

    fn tag(
        &mut self,
        position: &mut Chess,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        if name == b"FEN" {
            let fen = Fen::from_ascii(value.as_bytes()).ok();
            match fen.and_then(|fen| fen.into_position(CastlingMode::Chess960).ok()) {
                Some(start) => *position = start,
                None => return ControlFlow::Break(Err(format!("{value:?}"))),
            }
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: Chess) -> ControlFlow<Self::Output, Self::Movetext> {
        ControlFlow::Continue((start, 0))
    }

    fn begin_variation(
        &mut self,
        _movetext: &mut Self::Movetext,
    ) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn san(&mut self, movetext: &mut Self::Movetext, san: SanPlus) -> ControlFlow<Self::Output> {
        let (position, moves) = movetext;
        match san.san.to_move(position) {
            Ok(mv) => position.play_unchecked(mv),
            Err(_) => return ControlFlow::Break(Err(san.to_string())),
        }
        *moves += 1;
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (_position, moves): Self::Movetext) -> Self::Output {
        Ok(moves)
    }
}
