use super::*;

#[test]
fn no_solver_contradicts_the_built_in_verdicts() {
    let positions = positions::load(None, positions::HARD).unwrap();
    let solve = |solver: Solver| positions.iter().map(|at| (solver.full)(at, 20_000)).collect();
    let counts = compare(&positions, &SOLVERS.map(solve)).unwrap();
    assert!(counts[0].yes > 0 && counts[0].no > 0);
}

#[test]
fn a_contradiction_is_an_error() {
    let positions = positions::load(None, "4k3/8/8/8/8/8/8/4K3 w - -;dead\n").unwrap();
    let answers = [vec![[Some(true), None]], vec![[None, None]]];
    let error = compare(&positions, &answers).err().expect("bare kings are dead").to_string();
    assert!(error.contains("castellan contradicts the file"), "{error}");
}
