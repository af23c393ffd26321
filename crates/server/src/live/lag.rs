//! How long messages are on the wire, measured by the server itself.
//!
//! Owns: when to ping and what the answers say. A client can only make its lag look longer, by
//! answering late; what that buys is bounded by the quota in `castellan-game`.

use castellan_game::Moment;

/// A client that is sent moves is pinged so often at most.
const BUSY_PAUSE_MS: u64 = 4_000;
/// A client that is sent nothing is pinged so often, so that dead connections are noticed.
const IDLE_PAUSE_MS: u64 = 20_000;
/// A ping that is not answered for so long is not answered at all.
const SILENCE_MS: u64 = 40_000;
/// No connection counts as slower.
const MOST_MS: u32 = 5_000;

/// The pings of one socket.
#[derive(Debug)]
pub(crate) struct Lag {
    number: u32,
    sent: Moment,
    is_answered: bool,
    average: Option<f32>,
}

impl Lag {
    /// Of a socket that has just been opened.
    pub(crate) fn new(now: Moment) -> Lag {
        Lag { number: 0, sent: now, is_answered: true, average: None }
    }

    /// Whether a message that is sent anyway should take a ping along.
    pub(crate) fn is_due_with_message(&self, now: Moment) -> bool {
        let is_known = self.average.is_some();
        self.is_answered && (!is_known || now.since_ms(self.sent) >= BUSY_PAUSE_MS)
    }

    /// When the socket has to be looked at again: to ping it, or to give it up.
    pub(crate) fn next_look(&self) -> Moment {
        self.sent.plus_ms(if self.is_answered { IDLE_PAUSE_MS } else { SILENCE_MS })
    }

    /// Whether a ping has gone unanswered for too long.
    pub(crate) fn is_silent(&self, now: Moment) -> bool {
        !self.is_answered && now.since_ms(self.sent) >= SILENCE_MS
    }

    /// What a ping that is sent now carries.
    pub(crate) fn ping(&mut self, now: Moment) -> [u8; 4] {
        self.number = self.number.wrapping_add(1);
        self.sent = now;
        self.is_answered = false;
        self.number.to_be_bytes()
    }

    /// Takes an answer; the average lag if it is one to the last ping.
    pub(crate) fn pong(&mut self, payload: &[u8], now: Moment) -> Option<u32> {
        if self.is_answered || payload != self.number.to_be_bytes() {
            return None;
        }
        self.is_answered = true;
        let sample = now.since_ms(self.sent).min(u64::from(MOST_MS)) as f32;
        // The first measurement counts in full, later ones by an eighth: one late packet is no lag.
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
        assert_eq!(lag.pong(&0_u32.to_be_bytes(), at(1)), None, "nothing was asked");
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
    fn no_answer_is_later_than_the_most() {
        let mut lag = Lag::new(at(0));
        let ping = lag.ping(at(0));
        assert_eq!(lag.pong(&ping, at(3_600_000)), Some(MOST_MS));
    }

    #[test]
    fn a_socket_is_given_up_only_after_an_unanswered_ping() {
        let mut lag = Lag::new(at(0));
        assert_eq!(lag.next_look(), at(IDLE_PAUSE_MS));
        assert!(!lag.is_silent(at(10 * SILENCE_MS)));
        lag.ping(at(IDLE_PAUSE_MS));
        assert_eq!(lag.next_look(), at(IDLE_PAUSE_MS + SILENCE_MS));
        assert!(lag.is_silent(lag.next_look()));
    }
}
