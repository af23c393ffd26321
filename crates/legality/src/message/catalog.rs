//! The message files as tables, which are read when a message is first needed.
//!
//! A file has one message per line: its name, ` = `, and its template. Empty lines and lines that
//! begin with `#` are ignored. Tests check that there are no other lines, and that no message is
//! missing or defined twice. Reading the files at compile time would be possible, but takes the
//! compiler several seconds in every build.

use std::sync::LazyLock;

use super::Language;

/// One message of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) template: &'static str,
}

/// Returns all messages of a language, in the order of its file.
pub(super) fn entries(language: Language) -> &'static [Entry] {
    match language {
        Language::English => &ENGLISH,
        Language::Slovak => &SLOVAK,
        Language::Czech => &CZECH,
        Language::Polish => &POLISH,
        Language::Finnish => &FINNISH,
    }
}

/// Returns the template with a name: the English one if the language lacks it, or the name itself
/// if there is none at all.
pub(super) fn template(name: &'static str, language: Language) -> &'static str {
    let find = |language| entries(language).iter().find(|entry| entry.name == name);
    find(language).or_else(|| find(Language::English)).map_or(name, |entry| entry.template)
}

macro_rules! catalog {
    ($name:ident $path:literal) => {
        static $name: LazyLock<Vec<Entry>> =
            LazyLock::new(|| messages(include_str!($path)).filter_map(Result::ok).collect());
    };
}

catalog!(ENGLISH "../../messages/en.txt");
catalog!(SLOVAK "../../messages/sk.txt");
catalog!(CZECH "../../messages/cs.txt");
catalog!(POLISH "../../messages/pl.txt");
catalog!(FINNISH "../../messages/fi.txt");

/// Returns the messages of a file; `Err` with the line if it is not a message.
fn messages(file: &'static str) -> impl Iterator<Item = Result<Entry, &'static str>> {
    let lines = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| match line.split_once(" = ") {
        Some((name, template)) if !template.is_empty() => Ok(Entry { name, template }),
        _ => Err(line),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whatever_its_line_ends() {
        let expected =
            [Entry { name: "b", template: "c" }, Entry { name: "d-e", template: "f = g" }];
        for file in ["# a\n\nb = c\nd-e = f = g", "# a\r\n\r\nb = c\r\nd-e = f = g\r\n"] {
            assert_eq!(messages(file).collect::<Result<Vec<_>, _>>(), Ok(expected.to_vec()));
        }
        let wrong = messages("b = c\nd =\ne = ").filter_map(Result::err);
        assert_eq!(wrong.collect::<Vec<_>>(), ["d =", "e = "]);
    }

    #[test]
    fn every_line_of_the_files_is_a_message() {
        let files = [
            include_str!("../../messages/en.txt"),
            include_str!("../../messages/sk.txt"),
            include_str!("../../messages/cs.txt"),
            include_str!("../../messages/pl.txt"),
            include_str!("../../messages/fi.txt"),
        ];
        for file in files {
            assert_eq!(messages(file).find_map(Result::err), None);
        }
    }
}
