//! Network lag, measured by the server itself.
//!
//! This module decides when to ping and evaluates the pongs. A client can only make its lag look
//! longer, by answering late. The lag quota in `castellan-game` limits what it can gain by that.

use castellan_game::Moment;

/// Shortest time between pings to a client that is being sent messages.
const BUSY_PAUSE_MS: u64 = 4_000;
/// Time between pings to an idle client, so that dead connections are noticed.
const IDLE_PAUSE_MS: u64 = 20_000;
/// How long a ping may go unanswered before the connection counts as dead.
const SILENCE_MS: u64 = 40_000;
/// Maximum lag that counts for a connection.
const MAX_LAG_MS: u32 = 5_000;

/// The ping state of one connection.
#[derive(Debug)]
pub(crate) struct Lag {
    /// Number of the last ping, which is its payload.
    number: u32,
    /// When the last ping was sent.
    sent: Moment,
    is_answered: bool,
    /// Average lag in milliseconds; `None` before the first pong.
    average: Option<f32>,
}

impl Lag {
    /// Creates the state of a connection that has just been opened.
    pub(crate) fn new(now: Moment) -> Lag {
        Lag { number: 0, sent: now, is_answered: true, average: None }
    }

    /// Returns `true` if a ping should go out together with a message that is being sent.
    pub(crate) fn is_due_with_message(&self, now: Moment) -> bool {
        let is_known = self.average.is_some();
        self.is_answered && (!is_known || now.since_ms(self.sent) >= BUSY_PAUSE_MS)
    }

    /// Returns when the connection has to be checked again, either to ping it or to give it up.
    pub(crate) fn next_check(&self) -> Moment {
        self.sent.plus_ms(if self.is_answered { IDLE_PAUSE_MS } else { SILENCE_MS })
    }

    /// Returns `true` if a ping has gone unanswered for too long.
    pub(crate) fn is_silent(&self, now: Moment) -> bool {
        !self.is_answered && now.since_ms(self.sent) >= SILENCE_MS
    }

    /// Starts a ping and returns its payload.
    pub(crate) fn ping(&mut self, now: Moment) -> [u8; 4] {
        self.number = self.number.wrapping_add(1);
        self.sent = now;
        self.is_answered = false;
        self.number.to_be_bytes()
    }

    /// Handles a pong. Returns the average lag if the pong answers the last ping.
    pub(crate) fn pong(&mut self, payload: &[u8], now: Moment) -> Option<u32> {
        if self.is_answered || payload != self.number.to_be_bytes() {
            return None;
        }
        self.is_answered = true;
        let sample = now.since_ms(self.sent).min(u64::from(MAX_LAG_MS)) as f32;
        // The first sample counts in full and later ones by an eighth, because a single late
        // packet is not lag.
        let average = self.average.map_or(sample, |average| average + (sample - average) / 8.0);
        self.average = Some(average);
        Some(average.round() as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Moment {
        Moment::from_millis(ms)
    }

    #[test]
    fn only_the_answer_to_the_last_ping_counts_and_only_once() {
        let mut lag = Lag::new(at(0));
        assert_eq!(lag.pong(&0_u32.to_be_bytes(), at(1)), None, "no ping was sent");
        let first = lag.ping(at(10));
        let second = lag.ping(at(20));
        assert_eq!(lag.pong(&first, at(1000)), None);
        assert_eq!(lag.pong(&second, at(70)), Some(50));
        assert_eq!(lag.pong(&second, at(3000)), None);
    }

    #[test]
    fn one_late_answer_moves_the_average_by_an_eighth() {
        let mut lag = Lag::new(at(0));
        let ping = lag.ping(at(0));
        assert_eq!(lag.pong(&ping, at(40)), Some(40));
        let ping = lag.ping(at(100));
        assert_eq!(lag.pong(&ping, at(940)), Some(140));
    }

    #[test]
    fn a_late_answer_counts_as_the_maximum_lag() {
        let mut lag = Lag::new(at(0));
        let ping = lag.ping(at(0));
        assert_eq!(lag.pong(&ping, at(3_600_000)), Some(MAX_LAG_MS));
    }

    #[test]
    fn a_socket_is_given_up_only_after_an_unanswered_ping() {
        let mut lag = Lag::new(at(0));
        assert_eq!(lag.next_check(), at(IDLE_PAUSE_MS));
        assert!(!lag.is_silent(at(10 * SILENCE_MS)));
        lag.ping(at(IDLE_PAUSE_MS));
        assert_eq!(lag.next_check(), at(IDLE_PAUSE_MS + SILENCE_MS));
        assert!(lag.is_silent(lag.next_check()));
    }
}
