//! The clock times of a game that was played or is to be continued.

use castellan_rules::Color;

use crate::{ClockTime, Command, Comment, CommentParts, Game, NodeId};

impl Game {
    /// Returns the commands in the comments after a move.
    pub fn commands(&self, at: NodeId) -> impl Iterator<Item = Command> {
        let comments = self.tree().notes(at).after.iter();
        comments.flat_map(|comment| CommentParts::parse(comment.as_str()).commands)
    }

    /// Sets a command on a move: it replaces the first command of its kind, or comes before the
    /// text of the first comment.
    pub fn set_command(&mut self, at: NodeId, command: Command) {
        let comments = &mut self.notes_mut(at).after;
        let parts = |comment: &Comment| CommentParts::parse(comment.as_str());
        let is_there = |comment: &Comment| {
            parts(comment).commands.iter().any(|old| old.is_same_kind(&command))
        };
        let place = comments.iter().position(is_there).unwrap_or(0);
        let mut changed = comments.get(place).map(parts).unwrap_or_default();
        changed.set(command);
        let Some(comment) = Comment::new(&changed.to_string()) else { return };
        match comments.get_mut(place) {
            Some(old) => *old = comment,
            None => comments.push(comment),
        }
    }

    /// Returns the time left on the mover's clock after a move, if a comment gives it.
    pub fn clock(&self, at: NodeId) -> Option<ClockTime> {
        self.commands(at).find_map(|command| match command {
            Command::Clock(time) => Some(time),
            _ => None,
        })
    }

    /// Sets the time left on the mover's clock after a move.
    pub fn set_clock(&mut self, at: NodeId, time: ClockTime) {
        self.set_command(at, Command::Clock(time));
    }

    /// Sets the clock times after the moves of the main line and at the end (White's and Black's)
    /// and, if they are given, the times that the moves took, all in milliseconds. A comment with
    /// the right time is unchanged.
    pub fn set_clocks(&mut self, after_moves: &[u64], elapsed: Option<&[u64]>, at_end: [u64; 2]) {
        let nodes: Vec<NodeId> = self.main_line().collect();
        for (at, (place, &shown_ms)) in nodes.into_iter().zip(after_moves.iter().enumerate()) {
            if self.clock(at).map(ClockTime::milliseconds) != Some(shown_ms) {
                self.set_clock(at, ClockTime::from_milliseconds(shown_ms));
            }
            if let Some(&spent_ms) = elapsed.and_then(|elapsed| elapsed.get(place)) {
                self.set_command(at, Command::Elapsed(ClockTime::from_milliseconds(spent_ms)));
            }
        }
        for (color, ms) in Color::ALL.into_iter().zip(at_end) {
            self.set_final_clock(color, ClockTime::from_milliseconds(ms));
        }
    }

    /// Returns the time left on a player's clock at the end: the tag `WhiteClock` or
    /// `BlackClock`, or the last comment on that player's moves with a clock time.
    ///
    /// The tag contains `h:mm:ss` with as many decimals as needed, like the comments. A letter
    /// and a slash before it, as in `W/0:03:12`, are accepted but never written.
    pub fn final_clock(&self, color: Color) -> Option<ClockTime> {
        let from_tag = self.tags.get(clock_tag(color)).and_then(|value| {
            let time = value.split_once('/').map_or(value, |(_, time)| time);
            ClockTime::parse(time.trim())
        });
        from_tag.or_else(|| {
            let its_moves = self.positions().filter(|(_, after)| after.turn() != color);
            its_moves.filter_map(|(at, _)| self.clock(at)).last()
        })
    }

    /// Sets the time left on a player's clock at the end.
    pub fn set_final_clock(&mut self, color: Color, time: ClockTime) {
        self.tags.set(clock_tag(color), &time.to_string());
    }
}

fn clock_tag(color: Color) -> &'static str {
    color.fold("WhiteClock", "BlackClock")
}
