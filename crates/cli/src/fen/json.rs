//! Writes one JSON object per line, in the order of the input.
//!
//! Lines that are already available are distributed among threads; a client that waits for each
//! answer before it sends the next line gets it at once.

use std::collections::BTreeMap;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use anyhow::Context;
use castellan_legality::message::{Language, report_text, sentence};
use castellan_legality::{Report, Severity};
use serde::Serialize;

use super::deadline::{Deadline, ListProgress};
use super::examine::{self, FenRequest};
use crate::input_lines::{InputLine, read_line};
use crate::{CommandStatus, limits};

/// The JSON object for one FEN.
#[derive(Serialize)]
struct FenJson<'a> {
    fen: &'a str,
    verdict: &'static str,
    findings: Vec<FindingJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<String>,
}

/// The JSON object for one finding.
#[derive(Serialize)]
struct FindingJson {
    code: &'static str,
    severity: &'static str,
    squares: Vec<String>,
    column: usize,
    text: String,
}

/// Writes the object for one FEN and a line break.
pub(super) fn write_object(
    report: &Report,
    language: Language,
    out: &mut impl Write,
) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &object(report, language))?;
    out.write_all(b"\n")
}

fn object(report: &Report, language: Language) -> FenJson<'_> {
    let found = report.findings.iter().map(|finding| FindingJson {
        code: finding.code.name(),
        severity: match finding.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        squares: finding.squares.into_iter().map(|square| square.to_string()).collect(),
        column: finding.column,
        text: sentence(finding, language),
    });
    let (verdict, game) = match &report.verdict {
        castellan_legality::Verdict::Malformed => ("malformed", None),
        castellan_legality::Verdict::Illegal => ("illegal", None),
        castellan_legality::Verdict::Legal { moves } => {
            ("legal", Some(report_text::movetext(moves)))
        }
        castellan_legality::Verdict::Unknown { .. } => ("unknown", None),
    };
    FenJson { fen: &report.fen, verdict, findings: found.collect(), game }
}

/// Answers every line of the input, including empty ones, so that answers and lines match.
pub(super) fn run(
    input: impl Read,
    out: impl Write,
    request: &FenRequest,
) -> anyhow::Result<CommandStatus> {
    let mut input = BufReader::with_capacity(limits::FEN_INPUT_BYTES, input);
    let mut out = BufWriter::new(out);
    let mut status = CommandStatus::Success;
    let mut is_first = true;
    let mut progress = ListProgress::new();
    loop {
        let mut lines = next_lines(&mut input)?;
        if lines.is_empty() {
            return Ok(status);
        }
        if is_first {
            strip_mark(&mut lines[0]);
        }
        is_first = false;
        status = status.max(answer_all(&lines, request, &mut out, &mut progress)?);
        out.flush()?;
    }
}

/// Waits for the next line, and also returns the following ones that are already buffered. The
/// result is empty at the end of input.
fn next_lines<R: Read>(input: &mut BufReader<R>) -> anyhow::Result<Vec<InputLine>> {
    let mut lines = Vec::new();
    loop {
        let line = read_line(input, limits::FEN_BYTES).context("cannot read the input")?;
        let is_end = line.is_none();
        lines.extend(line);
        let has_more = input.buffer().contains(&b'\n');
        if is_end || !has_more || lines.len() >= limits::FEN_LINES_AT_ONCE {
            return Ok(lines);
        }
    }
}

/// Strips the byte order mark that some editors put at the start of UTF-8 files.
fn strip_mark(line: &mut InputLine) {
    if let InputLine::Text(text) = line
        && let Some(rest) = text.strip_prefix('\u{feff}')
    {
        *text = rest.into();
    }
}

/// Answers lines on all cores. Answers are written in order, each as soon as all before it are.
fn answer_all(
    lines: &[InputLine],
    request: &FenRequest,
    out: &mut impl Write,
    progress: &mut ListProgress,
) -> io::Result<CommandStatus> {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(lines.len());
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads {
            let (next, sender) = (&next, sender.clone());
            scope.spawn(move || {
                while let Some((index, line)) = take(next, lines) {
                    // The receiver is gone once an answer could not be written.
                    if sender.send((index, answer_one(line, request))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        write_in_order(&receiver, out, progress)
    })
}

/// Returns the next line that no thread has taken, with its index.
fn take<'a>(next: &AtomicUsize, lines: &'a [InputLine]) -> Option<(usize, &'a InputLine)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    lines.get(index).map(|line| (index, line))
}

type LineAnswer = (CommandStatus, io::Result<Vec<u8>>);

fn answer_one(line: &InputLine, request: &FenRequest) -> LineAnswer {
    let deadline = Deadline::new(request.time, None);
    let report = examine::of_line(line, request.doctor, &deadline);
    let mut text = Vec::new();
    let written = write_object(&report, request.language, &mut text);
    (examine::command_status(&report), written.map(|()| text))
}

fn write_in_order(
    answers: &mpsc::Receiver<(usize, LineAnswer)>,
    out: &mut impl Write,
    progress: &mut ListProgress,
) -> io::Result<CommandStatus> {
    let mut waiting = BTreeMap::new();
    let mut written = 0;
    let mut status = CommandStatus::Success;
    for (index, answer) in answers {
        waiting.insert(index, answer);
        while let Some((found, text)) = waiting.remove(&written) {
            out.write_all(&text?)?;
            written += 1;
            progress.count();
            status = status.max(found);
        }
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use castellan_legality::{Doctor, Effort};

    use super::*;

    const QUICK: FenRequest = FenRequest {
        doctor: Doctor { effort: Effort::Quick, is_chess960: false },
        time: None,
        language: Language::English,
    };

    fn answer(input: &[u8]) -> (CommandStatus, Vec<serde_json::Value>) {
        let mut out = Vec::new();
        let verdict = run(input, &mut out, &QUICK).unwrap();
        let text = String::from_utf8(out).unwrap();
        (verdict, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    #[test]
    fn the_object_is_as_documented() {
        let fen = b"4k3/8/8/1B6/8/8/8/4K3 w - -";
        let (_, objects) = answer(fen);
        let keys: Vec<&String> = objects[0].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["fen", "findings", "verdict"]);
        assert_eq!(objects[0]["fen"], "4k3/8/8/1B6/8/8/8/4K3 w - -");
        assert_eq!(objects[0]["verdict"], "illegal");
        let finding = &objects[0]["findings"][0];
        assert_eq!(finding["code"], "opponent-in-check");
        assert_eq!(finding["severity"], "error");
        assert!(finding["squares"].as_array().unwrap().contains(&"e8".into()));
        assert_eq!(finding["column"], 23);
        assert!(finding["text"].is_string());
    }

    #[test]
    fn every_line_has_its_answer() {
        let fen = b"\xef\xbb\xbf4k3/8/8/8/8/8/4P3/4K3 w - -\r\n";
        let long = [b"x".repeat(100_000), b"\n".to_vec()].concat();
        let input = [fen.as_slice(), b"\n", b"\xff\n", &long, &fen[3..]].concat();
        let (verdict, objects) = answer(&input);
        let code = |object: &serde_json::Value| {
            object["findings"].get(0).map_or("fine".into(), |finding| finding["code"].clone())
        };
        let codes: Vec<_> = objects.iter().map(code).collect();
        assert_eq!(codes, ["fine", "empty", "not-utf8", "too-long", "fine"]);
        assert_eq!(objects[0]["fen"], "4k3/8/8/8/8/8/4P3/4K3 w - -");
        assert_eq!(verdict, CommandStatus::Found);
        assert_eq!(answer(&fen[3..]).0, CommandStatus::Success);
        assert_eq!(answer(b"").1.len(), 0);
    }

    #[test]
    fn answers_keep_the_order_of_the_questions() {
        let fens: Vec<String> =
            (0..5000).map(|number| format!("4k3/8/8/8/8/8/4P3/4K3 w - - 0 {number}")).collect();
        let (_, objects) = answer(fens.join("\n").as_bytes());
        let answered: Vec<&str> =
            objects.iter().map(|object| object["fen"].as_str().unwrap()).collect();
        assert_eq!(answered, fens);
    }
}
