//! One file with all license texts, each text once.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A third-party package and its license.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Notice {
    pub(super) name: String,
    /// Empty if unknown.
    pub(super) version: String,
    /// An SPDX expression.
    pub(super) license: String,
    pub(super) texts: Vec<String>,
}

const INTRODUCTION: &str = "\
Third-party software in Castellan

The castellan program, and the page inside it, contain the packages listed here. Their license
texts follow the list. The notices of the Rust standard library are in the file
rust-standard-library.html.
";

/// Writes the list of packages and then the texts.
pub(super) fn write(mut notices: Vec<Notice>) -> String {
    notices.sort();
    notices.dedup();
    let mut out = format!("{INTRODUCTION}\n");
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for notice in &notices {
        let title = format!("{} {}", notice.name, notice.version);
        let title = title.trim_end();
        let _ = writeln!(out, "{title}: {}", notice.license);
        for text in &notice.texts {
            users.entry(normalize(text)).or_default().push(title.to_owned());
        }
    }
    let mut texts: Vec<(Vec<String>, String)> =
        users.into_iter().map(|(text, users)| (users, text)).collect();
    texts.sort();
    let rule = "=".repeat(80);
    for (users, text) in texts {
        let _ = write!(out, "\n{rule}\n{}\n{rule}\n\n{text}\n", users.join("\n"));
    }
    out
}

/// Removes differences between copies of a text that do not change its meaning.
fn normalize(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').trim_matches(['\n', '\r']);
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(name: &str, texts: &[&str]) -> Notice {
        Notice {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            license: "MIT".to_owned(),
            texts: texts.iter().map(|&text| text.to_owned()).collect(),
        }
    }

    #[test]
    fn a_text_is_written_once_with_all_crates_that_use_it() {
        let report = write(vec![
            notice("b", &["the text  \r\nof two\r\n"]),
            notice("a", &["\nthe text\nof two", "another"]),
            notice("b", &["the text  \r\nof two\r\n"]),
        ]);
        assert_eq!(report.matches("the text\nof two").count(), 1);
        assert_eq!(report.matches("another").count(), 1);
        assert!(report.contains("=\na 1.0.0\nb 1.0.0\n="), "{report}");
        assert!(report.contains("a 1.0.0: MIT\nb 1.0.0: MIT\n"), "{report}");
    }
}
