//! `castellan uci`: the engine for chess programs.
//!
//! One thread reads commands and answers those that need no search. A search runs on another
//! thread and owns the engine until it is done. Invariant: every accepted `go` gets exactly one
//! `bestmove`, and no input ends the session before `quit` or the end of input.

mod options;
mod search;
#[cfg(test)]
mod tests;

use std::io::{self, BufRead, Write};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::thread::Scope;

use castellan_engine::Engine;
use castellan_rules::Line;
use castellan_uci::{
    EngineReply, Go, GuiCommand, Id, MAX_LINE_BYTES, PositionCommand, Report, SetOption,
};
use clap::Args;

use crate::CommandStatus;
use crate::input_lines::{InputLine, read_line};
use options::UciSettings;
use search::Search;

/// Run as a UCI engine
///
/// Reads commands of the Universal Chess Interface from standard input until `quit` or the end of
/// input.
#[derive(Args)]
#[command(after_help = "Example:\n  printf 'uci\\nisready\\nquit\\n' | castellan uci")]
pub(crate) struct UciArgs {}

/// Runs the command.
pub(crate) fn run(_args: &UciArgs) -> anyhow::Result<CommandStatus> {
    run_session(&mut io::stdin().lock(), io::stdout())?;
    Ok(CommandStatus::Success)
}

/// The output, written one whole line at a time by any thread.
struct Output<W: Write>(Mutex<W>);

impl<W: Write> Output<W> {
    fn send(&self, reply: &EngineReply) {
        // If a thread panicked between two lines, the output is still usable. A client that is
        // gone also closes the input, which ends the session.
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(output, "{reply}").and_then(|()| output.flush());
    }

    fn explain(&self, text: String) {
        self.send(&EngineReply::Info(Box::new(Report::of_text(text))));
    }
}

/// Executes commands until `quit` or the end of input.
fn run_session(input: &mut impl BufRead, output: impl Write + Send) -> io::Result<()> {
    let output = Output(Mutex::new(output));
    std::thread::scope(|scope| {
        let mut session = Session::new(scope, &output);
        while let Some(line) = read_line(input, MAX_LINE_BYTES)? {
            let (InputLine::Text(line) | InputLine::NotUtf8(line)) = line else {
                session.output.explain("the line is too long and was ignored".into());
                continue;
            };
            if line.trim().is_empty() {
                continue;
            }
            let mut skipped = Vec::new();
            let mut note = |_at: usize, word: &str| skipped.push(word.to_owned());
            let command = GuiCommand::parse_reporting_skipped(&line, &mut note);
            if !skipped.is_empty() {
                output.explain(format!("unknown words: {}", skipped.join(" ")));
            }
            match command {
                Ok(GuiCommand::Quit) => break,
                Ok(command) => session.execute(command),
                Err(error) => output.explain(error.to_string()),
            }
        }
        session.stop();
        Ok(())
    })
}

/// A session with one chess program.
struct Session<'scope, 'env, W: Write + Send> {
    scope: &'scope Scope<'scope, 'env>,
    output: &'env Output<W>,
    settings: UciSettings,
    line: Line,
    /// `None` while a search is running, or until the next search creates it.
    engine: Option<Engine>,
    search: Option<Search<'scope>>,
}

impl<'scope, 'env, W: Write + Send> Session<'scope, 'env, W> {
    fn new(
        scope: &'scope Scope<'scope, 'env>,
        output: &'env Output<W>,
    ) -> Session<'scope, 'env, W> {
        let settings = UciSettings::new();
        let line = Line::default();
        Session { scope, output, settings, line, engine: None, search: None }
    }

    fn execute(&mut self, command: GuiCommand) {
        match command {
            GuiCommand::Uci => self.introduce(),
            GuiCommand::IsReady => self.output.send(&EngineReply::ReadyOk),
            GuiCommand::SetOption(option) => self.set(&option),
            GuiCommand::UciNewGame => {
                self.settings.begin_game();
                self.with_engine("ucinewgame", Engine::clear);
            }
            GuiCommand::Position(position) => self.set_position(&position),
            GuiCommand::Go(go) => self.go(&go),
            GuiCommand::Stop => {
                if let Some(search) = &self.search {
                    search.signals.stop.store(true, Ordering::Relaxed);
                }
            }
            GuiCommand::PonderHit => {
                if let Some(search) = &self.search {
                    search.signals.pondering.store(false, Ordering::Relaxed);
                }
            }
            // There is nothing to register, and errors are always reported.
            GuiCommand::Debug(_) | GuiCommand::Register(_) | GuiCommand::Quit => {}
        }
    }

    fn introduce(&self) {
        let name = format!("Castellan {}", env!("CARGO_PKG_VERSION"));
        self.output.send(&EngineReply::Id(Id::Name(name)));
        self.output.send(&EngineReply::Id(Id::Author("the Castellan authors".into())));
        for option in options::all() {
            self.output.send(&EngineReply::Option(option));
        }
        self.output.send(&EngineReply::UciOk);
    }

    fn set_position(&mut self, position: &PositionCommand) {
        match position.to_line() {
            Ok(line) => self.line = line,
            Err(error) => self.output.explain(format!("position not changed: {error}")),
        }
    }

    fn set(&mut self, option: &SetOption) {
        if option.is_named(options::CLEAR_HASH) {
            return self.with_engine(options::CLEAR_HASH, Engine::clear);
        }
        let before = self.settings.clone();
        match self.settings.set(option) {
            Err(why) => self.output.explain(why),
            Ok(()) if self.settings.has_same_engine(&before) => {}
            // The engine is recreated when it is needed next.
            Ok(()) => {
                self.collect();
                self.engine = None;
                if self.search.is_some() {
                    self.settings = before;
                    self.output
                        .explain(format!("{} cannot be changed during a search", option.name));
                }
            }
        }
    }

    /// Applies an action to the engine, unless it is searching.
    fn with_engine(&mut self, what: &str, act: impl FnOnce(&mut Engine)) {
        self.collect();
        if self.search.is_some() {
            return self.output.explain(format!("{what} is not possible during a search"));
        }
        if let Some(engine) = &mut self.engine {
            act(engine);
        }
    }

    fn go(&mut self, go: &Go) {
        self.collect();
        if self.search.is_some() {
            return self.output.explain("a search is already running".into());
        }
        let engine = self.engine.take().unwrap_or_else(|| self.new_engine());
        let (output, line) = (self.output, self.line.clone());
        let started = Search::start(self.scope, engine, line, go, &self.settings, |reply| {
            output.send(&reply);
        });
        match started {
            Ok(search) => self.search = Some(search),
            Err(why) => self.output.explain(why),
        }
    }

    fn new_engine(&self) -> Engine {
        let mut engine = Engine::new(self.settings.engine);
        engine.set_network(self.settings.network().cloned());
        engine
    }

    /// Takes the engine back if its search is done.
    fn collect(&mut self) {
        if self.search.as_ref().is_some_and(Search::is_done) {
            self.engine = self.search.take().and_then(Search::into_engine);
        }
    }

    /// Stops the search, if there is one, and waits for its end.
    fn stop(&mut self) {
        if let Some(search) = self.search.take() {
            search.signals.stop.store(true, Ordering::Relaxed);
            self.engine = search.into_engine();
        }
    }
}
