//! Read-only API: games, players, and PGN.

mod export;
mod games;
mod players;
mod record;
mod running;

pub(crate) use export::{__path_export_games, __path_game_pgn, export_games, game_pgn, pgn_of};
pub(crate) use games::{
    __path_game, __path_list_games, __path_longest_games, game, list_games, longest_games,
};
pub(crate) use players::{__path_find_player, __path_player, RatingRow, find_player, player};
pub(crate) use record::find as find_game;
pub(crate) use running::{__path_running_games, running_games};

/// Visits the responses that the page reads.
#[cfg(test)]
pub(crate) fn visit_types(visitor: &mut impl ts_rs::TypeVisitor) {
    visitor.visit::<games::GameList>();
    visitor.visit::<players::FoundPlayer>();
    visitor.visit::<running::Now>();
}
