//! Rust text split into code and comments, and code split into tokens.
//!
//! This module recognizes comments and literals, so that a brace in a string misleads no check. It
//! does not parse the grammar: the checks guess from tokens, which is enough for code that rustfmt
//! has formatted. Invariant: both halves have as many lines as the source.

/// A source file in two halves; each field has the other half blanked out.
pub(super) struct RustSource {
    /// The code, without comments and without the content of literals.
    pub(super) code: String,
    /// The comments alone.
    pub(super) comments: String,
}

/// A word (name, keyword or number), `::`, or a single other character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    /// Counted from 1.
    pub(super) line: usize,
}

impl RustSource {
    /// Splits a source text; it need not compile.
    pub(super) fn new(source: &str) -> RustSource {
        let mut splitter = Splitter {
            rest: source,
            done: RustSource { code: String::new(), comments: String::new() },
        };
        while !splitter.rest.is_empty() {
            splitter.step();
        }
        splitter.done
    }

    /// Returns the tokens of the code, in order.
    pub(super) fn tokens(&self) -> Vec<Token<'_>> {
        let mut tokens = Vec::new();
        for (index, line) in self.code.lines().enumerate() {
            let mut rest = line.trim_start();
            while let Some(first) = rest.chars().next() {
                let length = match first {
                    _ if is_word(first) => word_length(rest),
                    ':' if rest.starts_with("::") => 2,
                    _ => first.len_utf8(),
                };
                tokens.push(Token { text: &rest[..length], line: index + 1 });
                rest = rest[length..].trim_start();
            }
        }
        tokens
    }
}

impl Token<'_> {
    /// Returns whether this is a name, a keyword or a number.
    pub(super) fn is_word(&self) -> bool {
        self.text.starts_with(is_word)
    }
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn word_length(text: &str) -> usize {
    text.find(|c| !is_word(c)).unwrap_or(text.len())
}

/// The kind of a part of the source.
enum Part {
    Code,
    Comment,
    Literal,
}

struct Splitter<'a> {
    rest: &'a str,
    done: RustSource,
}

impl Splitter<'_> {
    /// Consumes the next part of the source. Words are consumed whole, so that the last letter of a
    /// name is not taken for the prefix of a literal.
    fn step(&mut self) {
        let rest = self.rest;
        let (part, length) = if rest.starts_with("//") {
            (Part::Comment, rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            (Part::Comment, block_comment_length(rest))
        } else if let Some(length) = raw_string_length(rest) {
            (Part::Literal, length)
        } else if rest.starts_with('"') {
            (Part::Literal, quoted_length(rest, '"'))
        } else if let Some(length) = char_length(rest) {
            (Part::Literal, length)
        } else {
            let single = rest.chars().next().map_or(0, char::len_utf8);
            (Part::Code, word_length(rest).max(single))
        };
        self.take(&part, length);
    }

    fn take(&mut self, part: &Part, length: usize) {
        let (piece, rest) = self.rest.split_at(length);
        let blank: String = piece.chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
        let code = if matches!(part, Part::Code) { piece } else { &blank };
        let comment = if matches!(part, Part::Comment) { piece } else { &blank };
        self.done.code.push_str(code);
        self.done.comments.push_str(comment);
        self.rest = rest;
    }
}

/// Returns the length of the block comment that begins here. Block comments nest.
fn block_comment_length(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// Returns the length of a raw string such as `r#"…"#`, if one begins here.
fn raw_string_length(text: &str) -> Option<usize> {
    let prefix = ["r", "br", "cr"].into_iter().find(|prefix| {
        text.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(['"', '#']))
    })?;
    let after_prefix = &text[prefix.len()..];
    let hashes = after_prefix.len() - after_prefix.trim_start_matches('#').len();
    // A name such as `r#type` has hashes and no quote.
    let content = after_prefix[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = prefix.len() + hashes + 1;
    Some(content.find(&end).map_or(text.len(), |length| start + length + end.len()))
}

/// Returns the length of a literal that begins and ends with `quote`.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of a character literal, or `None` if a lifetime begins here.
fn char_length(text: &str) -> Option<usize> {
    let content = text.strip_prefix('\'')?;
    let mut chars = content.chars();
    let first = chars.next()?;
    (first == '\\' || chars.next() == Some('\'')).then(|| quoted_length(text, '\''))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        let split = RustSource::new(source);
        let words: Vec<&str> = split.tokens().iter().map(|token| token.text).collect();
        assert_eq!(words, expected, "{source}");
    }

    #[test]
    fn comments_are_no_code() {
        check("a // b\nc", &["a", "c"]);
        check("a /* b /* c */ d */ e", &["a", "e"]);
        check("/// a\n//! b\nc", &["c"]);
    }

    #[test]
    fn literals_are_no_code() {
        check(r#"a("} \" {", b)"#, &["a", "(", ",", "b", ")"]);
        check(r##"a(r#"one " two"#, b)"##, &["a", "(", ",", "b", ")"]);
        check(r#"bar"{""#, &["bar"]);
        check("x('{', '\\'', '\"')", &["x", "(", ",", ",", ")"]);
    }

    #[test]
    fn lifetimes_and_raw_names_are_code() {
        check("&'a str", &["&", "'", "a", "str"]);
        check("r#type::b", &["r", "#", "type", "::", "b"]);
    }

    #[test]
    fn comment_signs_in_strings_begin_no_comment() {
        check(r#"a("//"); b"#, &["a", "(", ")", ";", "b"]);
        check("// \"\na", &["a"]);
    }

    #[test]
    fn lines_are_kept() {
        let split = RustSource::new("/* one\ntwo */ a \"x\ny\"\nb");
        let lines: Vec<usize> = split.tokens().iter().map(|token| token.line).collect();
        assert_eq!(lines, [2, 4]);
        assert_eq!(split.comments.lines().count(), 4);
    }

    #[test]
    fn unfinished_text_ends() {
        check("a \"b", &["a"]);
        check("a /* b", &["a"]);
        check("a r#\"b", &["a"]);
        check("a '\\", &["a"]);
    }
}
