//! Formats the progress of a match and its final result.

use std::fmt::Write;
use std::time::Duration;

use super::ending::Fault;
use super::score::MatchScore;
use super::settings::MatchSettings;
use super::statistics::{Decision, Elo, Sprt};

/// Formats the progress of the match in one line.
pub(super) fn progress(
    settings: &MatchSettings,
    score: &MatchScore,
    played: u64,
    time: Duration,
) -> String {
    let MatchScore { wins, draws, losses, .. } = score;
    let games = score.games();
    let mut line = format!("{games}/{} +{wins} ={draws} -{losses}", settings.games);
    if games > 0 {
        let share = 100.0 * score.points() / games as f64;
        let _ = write!(line, " {share:.1} %");
    }
    if let Some(Elo { difference, error }) = score.pairs.elo() {
        let _ = write!(line, ", Elo {difference:+.1} +- {error:.1}");
    }
    if let Some(sprt) = settings.sprt {
        let (ratio, bound) = (sprt.ratio(&score.pairs), Sprt::bound());
        let _ = write!(line, ", LLR {ratio:.2} ({:.2} to {bound:.2})", -bound);
    }
    let minutes = time.as_secs_f64() / 60.0;
    if played > 0 && minutes > 0.0 {
        let _ = write!(line, ", {:.1} games/min", played as f64 / minutes);
    }
    line
}

/// Formats the result. The last three lines are for programs: numbers in fixed positions.
pub(super) fn result(settings: &MatchSettings, score: &MatchScore) -> String {
    let [a, b] = &settings.engines;
    let mut text = format!("{} against {}, {}\n", a.name, b.name, settings.search_limit);
    let MatchScore { wins, draws, losses, .. } = score;
    let _ = writeln!(text, "games {} wins {wins} draws {draws} losses {losses}", score.games());
    // The pairs of games in which engine A scored 0, 1/2, 1, 1 1/2 and 2 points.
    let [zero, half, one, one_and_a_half, two] = score.pairs.0;
    let _ = writeln!(text, "pairs {zero} {half} {one} {one_and_a_half} {two}");
    for (engine, counts) in settings.engines.iter().zip(score.faults) {
        if counts.iter().any(|count| *count > 0) {
            let listed = Fault::ALL.into_iter().zip(counts);
            let listed = listed.map(|(fault, count)| format!("{} {count}", fault.as_str()));
            let listed = listed.collect::<Vec<_>>().join(", ");
            let _ = writeln!(text, "faults of {}: {listed}", engine.name);
        }
    }
    let games = score.games();
    let share = if games == 0 { 0.0 } else { score.points() / games as f64 };
    let _ = writeln!(text, "score {:.1} {games} {share:.4}", score.points());
    let _ = match score.pairs.elo() {
        Some(Elo { difference, error }) => writeln!(text, "elo {difference:.2} {error:.2}"),
        None => writeln!(text, "elo none"),
    };
    let _ = writeln!(text, "{}", sprt_line(settings, score));
    text
}

/// Formats the log-likelihood ratio of the SPRT, its bounds and the decision.
fn sprt_line(settings: &MatchSettings, score: &MatchScore) -> String {
    let Some(sprt) = settings.sprt else { return "llr none".to_owned() };
    let word = match sprt.decision(&score.pairs) {
        Decision::Open => "open",
        Decision::Rejected => "rejected",
        Decision::Accepted => "accepted",
    };
    let bound = Sprt::bound();
    format!("llr {:.3} {:.3} {bound:.3} {word}", sprt.ratio(&score.pairs), -bound)
}
