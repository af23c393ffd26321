//! The opening explorer: what was played in a position, and how those games ended.

use std::collections::HashMap;

use castellan_rules::{CastlingSpelling, UciMove, san};
use serde::Serialize;

use super::filter::FilteredList;
use super::index::{Index, Row};
use super::replay::PackedMove;

/// The moves that were played in the position of the filter.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Exploration {
    /// The games that reach the position, also those that end there.
    all: ResultCounts,
    /// The moves, most frequent first.
    moves: Vec<ExploredMove>,
}

/// A move with the games in which it was played.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct ExploredMove {
    san: String,
    uci: String,
    score: ResultCounts,
}

/// The results of games, their years, and the ratings of their players.
#[derive(Clone, Copy, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct ResultCounts {
    games: u32,
    white: u32,
    draws: u32,
    black: u32,
    /// Average rating of the players who were to move; 0 if none is known.
    elo: u32,
    /// First and last year; 0 if none is known.
    first_year: u32,
    last_year: u32,
}

/// The sums of which a [`ResultCounts`] consists.
#[derive(Clone, Copy, Default)]
struct Sum {
    score: ResultCounts,
    elos: u64,
    rated: u32,
}

impl Sum {
    fn add(&mut self, row: &Row, is_white: bool) {
        let score = &mut self.score;
        score.games += 1;
        match row.result.as_str() {
            "1-0" => score.white += 1,
            "1/2-1/2" => score.draws += 1,
            "0-1" => score.black += 1,
            _ => {}
        }
        let elo = row.elos[usize::from(!is_white)];
        self.elos += u64::from(elo);
        self.rated += u32::from(elo > 0);
        let year = row.date.year();
        if year > 0 {
            let is_first = score.first_year == 0 || year < score.first_year;
            score.first_year = if is_first { year } else { score.first_year };
            score.last_year = score.last_year.max(year);
        }
    }

    fn score(self) -> ResultCounts {
        let elo = self.elos.checked_div(self.rated.into()).unwrap_or(0);
        ResultCounts { elo: u32::try_from(elo).unwrap_or(0), ..self.score }
    }
}

impl Exploration {
    /// Counts each game of the list once, where it reaches the position first. Without a position in
    /// the filter there is nothing to count.
    pub(super) fn new(list: &FilteredList, index: &Index) -> Exploration {
        let mut all = Sum::default();
        let mut sums: HashMap<PackedMove, Sum> = HashMap::new();
        let Some(search) = list.position() else {
            return Exploration { all: all.score(), moves: Vec::new() };
        };
        let is_white = search.position.turn().fold(true, false);
        for at in (0..).map_while(|at| list.row(at, index)) {
            let (Some(row), Some(ply)) = (index.row(at), search.ply(at)) else { continue };
            all.add(row, is_white);
            let next = index.moves_of(at).and_then(|(_, moves)| moves.get(usize::from(ply)));
            if let Some(&mv) = next {
                sums.entry(mv).or_default().add(row, is_white);
            }
        }
        let castling = CastlingSpelling::for_game(search.position.is_chess960());
        let explored = |(packed, sum): (PackedMove, Sum)| {
            let mv = packed.unpack(&search.position)?;
            let uci = UciMove::from_move(mv, castling).to_string();
            Some(ExploredMove { san: san::write(&search.position, mv), uci, score: sum.score() })
        };
        let mut moves: Vec<ExploredMove> = sums.into_iter().filter_map(explored).collect();
        moves.sort_by(|a, b| (b.score.games, &a.uci).cmp(&(a.score.games, &b.uci)));
        Exploration { all: all.score(), moves }
    }
}
