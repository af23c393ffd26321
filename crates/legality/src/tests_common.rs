//! Helpers shared by the tests of several modules.

use castellan_rules::fen;

use crate::{Case, Finding};

/// Parses a FEN into a case.
#[track_caller]
pub(crate) fn case(text: &str) -> Case {
    let setup = fen::parse(text).expect("the test gives a FEN");
    Case::of(&setup).expect("the test gives possible pieces")
}

/// Returns the findings that an argument adds.
pub(crate) fn found(examine: impl FnOnce(&mut Vec<Finding>)) -> Vec<Finding> {
    let mut findings = Vec::new();
    examine(&mut findings);
    findings
}

/// Formats findings as `code value value`.
pub(crate) fn summaries(findings: &[Finding]) -> Vec<String> {
    let line = |finding: &Finding| {
        let values: String = finding.values.iter().map(|value| format!(" {value}")).collect();
        format!("{}{values}", finding.code.name())
    };
    findings.iter().map(line).collect()
}
