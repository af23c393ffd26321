//! An engine that plays at random, and misbehaves on request.
//!
//! `mock_engine BEHAVIOR [N] [MS]` misbehaves when it is asked for its N-th move, by default the
//! first; `sleepy` then takes MS milliseconds longer. The example shows how an engine uses the
//! messages of this crate, and the tests use it to check how a driver handles everything that can
//! go wrong.

use std::env;
use std::io::{self, BufRead, Write};
use std::process::{self, ExitCode};
use std::thread;
use std::time::Duration;

use castellan_rules::{CastlingSpelling, Line, MoveKind, UciMove};
use castellan_testkit::random::SplitMix64;
use castellan_uci::{
    BestMove, EngineOption, EngineReply, Go, GuiCommand, Id, OptionKind, Report, Score,
};

const BEHAVIORS: &str = "fine silent dies crash illegal unreadable none slow deaf garbage flood \
    stubborn noisy twice reader sleepy loud";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let behavior = args.first().map_or("fine", String::as_str);
    if !BEHAVIORS.split_whitespace().any(|known| known == behavior) {
        eprintln!("mock_engine BEHAVIOR [N] [MS], with a BEHAVIOR of {BEHAVIORS}");
        return ExitCode::from(2);
    }
    let number = |at: usize| args.get(at).and_then(|text| text.parse().ok());
    let moment = number(1).unwrap_or(1);
    let mut engine = Engine {
        behavior: behavior.to_owned(),
        moment,
        nap: Duration::from_millis(number(2).unwrap_or(300)),
        moves_asked: 0,
        line: Line::default(),
        castling: CastlingSpelling::KingTwoSquares,
        random: SplitMix64::new(moment),
        is_thinking: false,
    };
    for line in io::stdin().lock().split(b'\n') {
        let Ok(line) = line else { break };
        match GuiCommand::parse(&String::from_utf8_lossy(&line)) {
            Ok(GuiCommand::Quit) if engine.behavior != "stubborn" => return ExitCode::SUCCESS,
            Ok(command) => engine.execute(command),
            Err(error) => {
                engine.send(&EngineReply::Info(Box::new(Report::of_text(error.to_string()))));
            }
        }
    }
    if engine.behavior == "stubborn" {
        sleep_for_ever();
    }
    ExitCode::SUCCESS
}

struct Engine {
    behavior: String,
    moment: u64,
    nap: Duration,
    moves_asked: u64,
    line: Line,
    castling: CastlingSpelling,
    random: SplitMix64,
    is_thinking: bool,
}

impl Engine {
    fn execute(&mut self, command: GuiCommand) {
        match command {
            GuiCommand::Uci => self.introduce(),
            GuiCommand::IsReady if self.behavior != "silent" => self.send(&EngineReply::ReadyOk),
            GuiCommand::SetOption(set) if set.is_named("UCI_Chess960") => {
                let is_on = set.value.as_deref() == Some("true");
                self.castling = if is_on {
                    CastlingSpelling::KingTakesRook
                } else {
                    CastlingSpelling::KingTwoSquares
                };
            }
            GuiCommand::Position(position) => match position.to_line() {
                Ok(line) => self.line = line,
                Err(error) => eprintln!("{error}"),
            },
            GuiCommand::Go(go) => self.go(&go),
            GuiCommand::Stop | GuiCommand::PonderHit if self.is_thinking => self.play(),
            _ => {}
        }
    }

    fn introduce(&self) {
        match self.behavior.as_str() {
            "silent" => return,
            "dies" => {
                eprintln!("no license found");
                process::exit(3);
            }
            "flood" => loop {
                println!("what is this thing called uci");
            },
            "garbage" => {
                let mut out = io::stdout();
                let long = [b'x'; 1 << 20];
                let _ = out.write_all(b"\xff\xfe hello\n").and_then(|()| out.write_all(&long));
                println!("\n\nbest of luck");
            }
            "noisy" => eprintln!("{}the end", "noise ".repeat(1 << 20)),
            _ => {}
        }
        self.send(&EngineReply::Id(Id::Name(format!("Mock {}", self.behavior))));
        self.send(&EngineReply::Id(Id::Author("Nobody".to_owned())));
        let spin = OptionKind::Spin { default: 16, min: 1, max: 64 };
        let check = || OptionKind::Check { default: false };
        for (name, kind) in [
            ("Hash", spin),
            ("Clear Hash", OptionKind::Button),
            ("OwnBook", check()),
            ("UCI_Chess960", check()),
        ] {
            self.send(&EngineReply::Option(EngineOption { name: name.to_owned(), kind }));
        }
        self.send(&EngineReply::UciOk);
        if self.behavior == "reader" {
            sleep_for_ever();
        }
    }

    fn go(&mut self, go: &Go) {
        self.moves_asked += 1;
        if self.moves_asked == self.moment {
            match self.behavior.as_str() {
                "crash" => {
                    eprintln!("out of luck");
                    process::exit(101);
                }
                "illegal" => return println!("bestmove e1e8"),
                "unreadable" => return println!("bestmove castles"),
                "none" => return println!("bestmove (none)"),
                "slow" => {
                    self.is_thinking = true;
                    return;
                }
                "deaf" => sleep_for_ever(),
                "loud" => loop {
                    println!("info depth 1 score cp 1");
                },
                "sleepy" => thread::sleep(self.nap),
                _ => {}
            }
        }
        if go.is_infinite || go.is_ponder {
            self.is_thinking = true;
        } else {
            self.play();
        }
    }

    /// Plays a capture if there is one, or else any move.
    fn play(&mut self) {
        self.is_thinking = false;
        let position = self.line.position();
        let moves = position.legal_moves();
        let captures: Vec<_> = moves
            .iter()
            .filter(|mv| position.is_capture(**mv) && mv.kind() != MoveKind::Castle)
            .copied()
            .collect();
        let mv = self.random.pick(if captures.is_empty() { &moves } else { &captures }).copied();
        let mv = mv.map(|mv| UciMove::from_move(mv, self.castling));
        let report = Report {
            depth: Some(1),
            score: Some(Score::centipawns(0)),
            nodes: Some(moves.len() as u64),
            pv: mv.into_iter().collect(),
            ..Report::default()
        };
        self.send(&EngineReply::Info(Box::new(report)));
        let best = EngineReply::BestMove(BestMove { mv, ponder: None });
        self.send(&best);
        if self.behavior == "twice" {
            self.send(&best);
        }
    }

    fn send(&self, reply: &EngineReply) {
        // A client that is gone cannot be told anything.
        let _ = writeln!(io::stdout(), "{reply}");
    }
}

fn sleep_for_ever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(3600));
    }
}
