//! What the tests of several modules begin with.

use castellan_rules::fen;

use crate::{Case, Finding};

/// The case of a FEN.
#[track_caller]
pub(crate) fn case(text: &str) -> Case {
    let setup = fen::parse(text).expect("the test gives a FEN");
    Case::of(&setup).expect("the test gives possible men")
}

/// What an argument finds.
pub(crate) fn found(examine: impl FnOnce(&mut Vec<Finding>)) -> Vec<Finding> {
    let mut findings = Vec::new();
    examine(&mut findings);
    findings
}

/// Findings as `code value value`.
pub(crate) fn told(findings: &[Finding]) -> Vec<String> {
    let line = |finding: &Finding| {
        let values: String = finding.values.iter().map(|value| format!(" {value}")).collect();
        format!("{}{values}", finding.code.name())
    };
    findings.iter().map(line).collect()
}
