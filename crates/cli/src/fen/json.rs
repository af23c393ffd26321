//! One JSON object a line, in the order of the input.

use std::io::{self, BufReader, BufWriter, Read, Write};

use anyhow::Context;
use serde::Serialize;

use super::examination::Examination;
use super::finding::Finding;
use crate::input_lines::{InputLine, read_line};
use crate::{Verdict, limits};

/// What is written of one FEN.
#[derive(Serialize)]
struct Object<'a> {
    fen: &'a str,
    verdict: &'static str,
    findings: &'a [Finding],
}

/// Writes the object of one FEN and a line end.
pub(super) fn write_object(examination: &Examination, out: &mut impl Write) -> io::Result<()> {
    let object = Object {
        fen: &examination.fen,
        verdict: examination.verdict_word(),
        findings: &examination.findings,
    };
    serde_json::to_writer(&mut *out, &object)?;
    out.write_all(b"\n")
}

/// Answers every line of the input, the empty ones too, so that answers and questions match.
pub(super) fn run(input: impl Read, out: impl Write) -> anyhow::Result<Verdict> {
    let mut input = BufReader::new(input);
    let mut out = BufWriter::new(out);
    let mut verdict = Verdict::Fine;
    let mut is_first = true;
    while let Some(line) = next_line(&mut input, &mut out)? {
        let examination = match line {
            InputLine::Text(text) => {
                // Some editors put a mark in front of UTF-8.
                let mark = text.strip_prefix('\u{feff}').filter(|_| is_first);
                Examination::of_text(mark.unwrap_or(&text))
            }
            InputLine::NotUtf8(text) => Examination::of_broken_text(&text),
            InputLine::TooLong(beginning) => Examination::of_long_text(&beginning),
        };
        is_first = false;
        if examination.verdict() == Verdict::Found {
            verdict = Verdict::Found;
        }
        write_object(&examination, &mut out)?;
    }
    out.flush()?;
    Ok(verdict)
}

/// The next line. Whoever waits for an answer before the next question gets it; a file is
/// answered in large pieces.
fn next_line<R: Read>(
    input: &mut BufReader<R>,
    out: &mut impl Write,
) -> anyhow::Result<Option<InputLine>> {
    if !input.buffer().contains(&b'\n') {
        out.flush()?;
    }
    read_line(input, limits::FEN_BYTES).context("cannot read the input")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(input: &[u8]) -> (Verdict, Vec<serde_json::Value>) {
        let mut out = Vec::new();
        let verdict = run(input, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        (verdict, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    #[test]
    fn the_object_is_as_documented() {
        let mut out = Vec::new();
        let fen = "4k3/8/8/1B6/8/8/8/4K3 w - -";
        write_object(&Examination::of_text(fen), &mut out).unwrap();
        let expected = "{\"fen\":\"4k3/8/8/1B6/8/8/8/4K3 w - -\",\"verdict\":\"illegal\",\
            \"findings\":[{\"code\":\"opponent-in-check\",\"severity\":\"error\",\
            \"squares\":[\"b5\",\"e8\"],\"column\":23,\
            \"text\":\"the side that is not to move is in check\"}]}\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn every_line_has_its_answer() {
        let fen = b"\xef\xbb\xbf4k3/8/8/8/8/8/8/4K3 w - -\r\n";
        let long = [b"x".repeat(100_000), b"\n".to_vec()].concat();
        let input = [fen.as_slice(), b"\n", b"\xff\n", &long, &fen[3..]].concat();
        let (verdict, objects) = answer(&input);
        let code = |object: &serde_json::Value| {
            object["findings"].get(0).map_or("fine".into(), |finding| finding["code"].clone())
        };
        let codes: Vec<_> = objects.iter().map(code).collect();
        assert_eq!(codes, ["fine", "empty", "not-utf8", "too-long", "fine"]);
        assert_eq!(objects[0]["fen"], "4k3/8/8/8/8/8/8/4K3 w - -");
        assert_eq!(verdict, Verdict::Found);
        assert_eq!(answer(&fen[3..]).0, Verdict::Fine);
        assert_eq!(answer(b"").1.len(), 0);
    }
}
