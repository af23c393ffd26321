//! Tests of Glickman's worked example and of properties that hold for all ratings.

use proptest::prelude::*;

use super::*;

fn rating(points: f64, deviation: f64) -> Rating {
    Rating::new(points, deviation, START_VOLATILITY).expect("within bounds")
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

fn glickmans_games() -> [RatedGame; 3] {
    [
        (rating(1400.0, 30.0), Score::Win),
        (rating(1550.0, 100.0), Score::Loss),
        (rating(1700.0, 300.0), Score::Loss),
    ]
    .map(|(opponent, score)| RatedGame { opponent, score })
}

#[test]
fn glickmans_worked_example() {
    let after = rating(1500.0, 200.0).after_period(&glickmans_games(), 1.0);
    assert_near(after.points(), 1464.06, 0.01);
    assert_near(after.deviation(), 151.52, 0.01);
    assert_near(after.volatility(), 0.05999, 0.00001);
}

#[test]
fn glickmans_steps_3_and_4() {
    let evidence = Evidence::of(0.0, &glickmans_games()).unwrap();
    // The paper continues with numbers rounded to four digits, so its results are only that
    // exact.
    assert_near(evidence.variance, 1.7785, 0.001);
    assert_near(evidence.variance * evidence.surprise, -0.4834, 0.001);
}

#[test]
fn a_regular_player_is_provisional_again_after_a_year_away() {
    let player = rating(1800.0, 50.0);
    assert!(player.after_days(180.0).deviation() <= PROVISIONAL_DEVIATION);
    assert!(player.after_days(366.0).deviation() > PROVISIONAL_DEVIATION);
    assert_eq!(player.after_days(366.0).points(), 1800.0);
}

#[test]
fn an_upset_makes_a_player_more_erratic() {
    let weak = rating(1200.0, 60.0);
    let game = |score| RatedGame { opponent: rating(2200.0, 60.0), score };
    assert!(weak.after_game(game(Score::Win), 0.0).volatility() > weak.volatility());
    assert!(weak.after_game(game(Score::Loss), 0.0).volatility() <= weak.volatility());
}

#[test]
fn invalid_ratings_are_refused() {
    assert!(Rating::new(f64::NAN, 50.0, 0.06).is_err());
    assert!(Rating::new(1500.0, 0.0, 0.06).is_err());
    assert!(Rating::new(1500.0, 50.0, 0.0).is_err());
    assert!(Rating::new(1500.0, 50.0, 0.06).is_ok());
    let text = r#"{"points":-1.0,"deviation":50.0,"volatility":0.06}"#;
    assert!(serde_json::from_str::<Rating>(text).is_err());
}

fn any_rating() -> impl Strategy<Value = Rating> {
    (0.0..=MAX_POINTS, 1.0..=MAX_DEVIATION, 0.001..=MAX_VOLATILITY)
        .prop_map(|(points, deviation, volatility)| Rating { points, deviation, volatility })
}

fn any_score() -> impl Strategy<Value = Score> {
    prop_oneof![Just(Score::Win), Just(Score::Draw), Just(Score::Loss)]
}

proptest! {
    #[test]
    fn every_game_leads_to_a_rating(
        player in any_rating(), opponent in any_rating(), score in any_score(), days: f64,
    ) {
        let after = player.after_game(RatedGame { opponent, score }, days);
        let checked = Rating::new(after.points(), after.deviation(), after.volatility());
        prop_assert_eq!(checked, Ok(after));
        prop_assert!(after.deviation() >= MIN_DEVIATION);
    }

    #[test]
    fn a_winner_does_not_fall_and_a_loser_does_not_rise(
        player in any_rating(), opponent in any_rating(),
    ) {
        let points = |score| player.after_game(RatedGame { opponent, score }, 0.0).points();
        prop_assert!(points(Score::Win) >= player.points() - 1e-9);
        prop_assert!(points(Score::Loss) <= player.points() + 1e-9);
        prop_assert!(points(Score::Win) >= points(Score::Draw));
        prop_assert!(points(Score::Draw) >= points(Score::Loss));
    }

    #[test]
    fn time_alone_makes_less_sure_and_changes_nothing_else(
        player in any_rating(), days in 0.0..10_000.0,
    ) {
        let after = player.after_days(days);
        prop_assert!(after.deviation() >= player.deviation() - 1e-9);
        prop_assert!((after.points() - player.points()).abs() < 1e-6);
        prop_assert_eq!(after.volatility(), player.volatility());
    }

    #[test]
    fn ratings_read_back(player in any_rating()) {
        let text = serde_json::to_string(&player).unwrap();
        let back: Rating = serde_json::from_str(&text).unwrap();
        prop_assert!((back.points() - player.points()).abs() < 1e-9);
        prop_assert!((back.deviation() - player.deviation()).abs() < 1e-9);
    }
}
