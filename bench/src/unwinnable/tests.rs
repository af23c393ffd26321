use super::*;

#[test]
fn nobody_contradicts_the_verdicts_that_are_built_in() {
    let questions = question::load(None, question::HARD).unwrap();
    let mut tally = [Tally::default(); 2];
    for question in questions {
        let answers = CONTESTANTS.map(|contestant| vec![(contestant.full)(&question, 20_000)]);
        compare(&[question], &answers, &mut tally).unwrap();
    }
    assert!(tally[0].yes > 0 && tally[0].no > 0);
}

#[test]
fn a_contradiction_is_an_error() {
    let questions = question::load(None, "4k3/8/8/8/8/8/8/4K3 w - -;dead\n").unwrap();
    let mut tally = [Tally::default(); 2];
    let answers = [vec![[Some(true), None]], vec![[None, None]]];
    let error = compare(&questions, &answers, &mut tally).unwrap_err().to_string();
    assert!(error.contains("castellan contradicts the file"), "{error}");
}
