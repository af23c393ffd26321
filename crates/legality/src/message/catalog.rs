//! The message files as tables, built at compile time.
//!
//! A file has one message per line: its name, ` = `, and its template. Empty lines and lines that
//! begin with `#` are ignored. Any other line fails to compile, so reading cannot fail at run
//! time. A test checks that no message is missing or defined twice.

use super::Language;

/// One message of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) template: &'static str,
}

/// Returns all messages of a language, in the order of its file.
pub(super) const fn entries(language: Language) -> &'static [Entry] {
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
        static $name: [Entry; count(include_str!($path))] = read(include_str!($path));
    };
}

catalog!(ENGLISH "../../messages/en.txt");
catalog!(SLOVAK "../../messages/sk.txt");
catalog!(CZECH "../../messages/cs.txt");
catalog!(POLISH "../../messages/pl.txt");
catalog!(FINNISH "../../messages/fi.txt");

const fn count(file: &'static str) -> usize {
    let mut rest = file;
    let mut count = 0;
    while !rest.is_empty() {
        let (line, after) = split_line(rest);
        rest = after;
        count += is_message(line) as usize;
    }
    count
}

const fn read<const N: usize>(file: &'static str) -> [Entry; N] {
    let mut entries = [Entry { name: "", template: "" }; N];
    let mut rest = file;
    let mut done = 0;
    while !rest.is_empty() {
        let (line, after) = split_line(rest);
        rest = after;
        if is_message(line) {
            entries[done] = split_message(line);
            done += 1;
        }
    }
    entries
}

const fn is_message(line: &str) -> bool {
    !line.is_empty() && line.as_bytes()[0] != b'#'
}

/// Splits off the first line, without its line ending.
const fn split_line(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() && bytes[end] != b'\n' {
        end += 1;
    }
    let next = if end < bytes.len() { end + 1 } else { end };
    if end > 0 && bytes[end - 1] == b'\r' {
        end -= 1;
    }
    (text.split_at(end).0, text.split_at(next).1)
}

const fn split_message(line: &'static str) -> Entry {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at + 3 < bytes.len() {
        if bytes[at] == b' ' && bytes[at + 1] == b'=' && bytes[at + 2] == b' ' {
            return Entry { name: line.split_at(at).0, template: line.split_at(at + 3).1 };
        }
        at += 1;
    }
    panic!("a line of a message file has no \" = \" with something after it");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whatever_its_line_ends() {
        const UNIX: &str = "# a\n\nb = c\nd-e = f = g";
        const DOS: &str = "# a\r\n\r\nb = c\r\nd-e = f = g\r\n";
        let expected =
            [Entry { name: "b", template: "c" }, Entry { name: "d-e", template: "f = g" }];
        assert_eq!(read::<{ count(UNIX) }>(UNIX), expected);
        assert_eq!(read::<{ count(DOS) }>(DOS), expected);
    }
}
