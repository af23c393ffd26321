//! The options that can be set with `setoption`.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use castellan_engine::{Handicap, Level, Options, embedded_network};
use castellan_nnue::Network;
use castellan_uci::{EngineOption, OptionKind, SetOption};

use crate::network;

/// The button that clears the transposition table.
pub(super) const CLEAR_HASH: &str = "Clear Hash";

const HASH: &str = "Hash";
const THREADS: &str = "Threads";
const MULTI_PV: &str = "MultiPV";
const OVERHEAD: &str = "Move Overhead";
const PONDER: &str = "Ponder";
const CHESS960: &str = "UCI_Chess960";
const SHOW_WDL: &str = "UCI_ShowWDL";
const LIMIT_STRENGTH: &str = "UCI_LimitStrength";
const ELO: &str = "UCI_Elo";
const SEED: &str = "Level Seed";
const EVAL_FILE: &str = "EvalFile";
const USE_NNUE: &str = "UseNNUE";

/// The value of `EvalFile` that selects the network embedded in the binary.
const INTERNAL: &str = "<internal>";

/// The default value of `UCI_Elo`.
const DEFAULT_ELO: u16 = 1500;

/// Maximum number of lines that can be shown.
const MAX_LINES: i64 = 256;
/// Maximum value of `Move Overhead`, in milliseconds.
const MAX_OVERHEAD_MS: i64 = 5000;

/// The current option values.
#[derive(Clone, Debug)]
pub(super) struct UciSettings {
    pub(super) engine: Options,
    /// The number of best lines to show (MultiPV).
    pub(super) lines: usize,
    pub(super) overhead: Duration,
    pub(super) is_chess960: bool,
    pub(super) shows_wdl: bool,
    pub(super) limits_strength: bool,
    pub(super) elo: u16,
    /// Determines which moves a level overlooks; 0 selects a different seed for each game.
    pub(super) seed: u64,
    /// The seed of the current game, for a `seed` of 0.
    game_seed: u64,
    embedded_network: Option<Arc<Network>>,
    /// The network from `EvalFile`, which takes precedence.
    loaded_network: Option<Arc<Network>>,
    uses_network: bool,
}

impl Default for UciSettings {
    fn default() -> UciSettings {
        UciSettings {
            engine: Options::default(),
            lines: 1,
            overhead: Duration::from_millis(10),
            is_chess960: false,
            shows_wdl: false,
            limits_strength: false,
            elo: DEFAULT_ELO,
            seed: 0,
            game_seed: random(),
            embedded_network: None,
            loaded_network: None,
            uses_network: true,
        }
    }
}

/// Returns every option, as it is announced to the client.
pub(super) fn all() -> Vec<EngineOption> {
    let settings = UciSettings::default();
    let option = |name: &str, kind: OptionKind| EngineOption { name: name.into(), kind };
    let spin = |default: usize, [min, max]: [usize; 2]| OptionKind::Spin {
        default: default as i64,
        min: min as i64,
        max: max as i64,
    };
    let levels = [Level::LOWEST, Level::HIGHEST].map(|level| level.points().into());
    let check = |default: bool| OptionKind::Check { default };
    let overhead = OptionKind::Spin {
        default: settings.overhead.as_millis() as i64,
        min: 0,
        max: MAX_OVERHEAD_MS,
    };
    vec![
        option(HASH, spin(settings.engine.hash_mb, Options::HASH_MB)),
        option(THREADS, spin(settings.engine.threads, Options::THREADS)),
        option(CLEAR_HASH, OptionKind::Button),
        option(MULTI_PV, OptionKind::Spin { default: 1, min: 1, max: MAX_LINES }),
        option(OVERHEAD, overhead),
        option(PONDER, check(false)),
        option(CHESS960, check(settings.is_chess960)),
        option(SHOW_WDL, check(settings.shows_wdl)),
        option(LIMIT_STRENGTH, check(settings.limits_strength)),
        option(ELO, spin(settings.elo.into(), levels)),
        option(SEED, OptionKind::Spin { default: 0, min: 0, max: i32::MAX.into() }),
        option(EVAL_FILE, OptionKind::Text { default: INTERNAL.into() }),
        option(USE_NNUE, check(settings.uses_network)),
    ]
}

impl UciSettings {
    /// Creates the default settings, with the embedded network.
    pub(super) fn new() -> UciSettings {
        UciSettings { embedded_network: embedded_network(), ..UciSettings::default() }
    }

    /// Sets an option, or returns why it cannot be set.
    pub(super) fn set(&mut self, command: &SetOption) -> Result<(), String> {
        let value = command.value.as_deref().unwrap_or("");
        let Some(option) = all().into_iter().find(|option| command.is_named(&option.name)) else {
            return Err(format!("there is no option {}", command.name));
        };
        let number = || number(&option, value);
        match option.name.as_str() {
            HASH => self.engine.hash_mb = number()? as usize,
            THREADS => self.engine.threads = number()? as usize,
            MULTI_PV => self.lines = number()? as usize,
            OVERHEAD => self.overhead = Duration::from_millis(number()?),
            CHESS960 => self.is_chess960 = boolean(&option, value)?,
            LIMIT_STRENGTH => self.limits_strength = boolean(&option, value)?,
            ELO => self.elo = number()? as u16,
            SEED => self.seed = number()?,
            SHOW_WDL => self.shows_wdl = boolean(&option, value)?,
            EVAL_FILE => self.loaded_network = eval_file(value)?,
            USE_NNUE => self.uses_network = boolean(&option, value)?,
            // The client decides when to ponder: it sends `go ponder`.
            PONDER => drop(boolean(&option, value)?),
            // `Clear Hash` has no value; the caller clears the table.
            _ => {}
        }
        Ok(())
    }

    /// Returns the network to evaluate with; `None` selects the hand-written evaluation.
    pub(super) fn network(&self) -> Option<&Arc<Network>> {
        let network = self.loaded_network.as_ref().or(self.embedded_network.as_ref());
        network.filter(|_| self.uses_network)
    }

    /// Returns whether an engine created with the other settings also fits these.
    pub(super) fn has_same_engine(&self, other: &UciSettings) -> bool {
        let network = |settings: &UciSettings| settings.network().map(Arc::as_ptr);
        self.engine == other.engine && network(self) == network(other)
    }

    /// Returns how the engine is weakened, if at all.
    pub(super) fn handicap(&self) -> Option<Handicap> {
        let level = Level::new(self.elo).filter(|_| self.limits_strength)?;
        Some(Handicap { level, seed: if self.seed == 0 { self.game_seed } else { self.seed } })
    }

    /// Draws a new seed, so that a level overlooks other moves than in the previous game.
    pub(super) fn begin_game(&mut self) {
        self.game_seed = random();
    }
}

/// Returns a random number. The standard library seeds its hash maps at random, so no generator
/// is needed here.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Loads the network from a file; `None` selects the embedded one.
fn eval_file(value: &str) -> Result<Option<Arc<Network>>, String> {
    match value.trim() {
        "" | INTERNAL => Ok(None),
        path => network::load(Path::new(path))
            .map(Some)
            .map_err(|error| format!("{EVAL_FILE} not changed: {error:#}")),
    }
}

fn number(option: &EngineOption, value: &str) -> Result<u64, String> {
    let OptionKind::Spin { min, max, .. } = option.kind else {
        return Err(format!("{} is not a number", option.name));
    };
    let number = value.trim().parse::<i64>().ok().filter(|number| (min..=max).contains(number));
    number.and_then(|number| u64::try_from(number).ok()).ok_or_else(|| {
        format!("{} not changed: expected a number from {min} to {max}", option.name)
    })
}

fn boolean(option: &EngineOption, value: &str) -> Result<bool, String> {
    match value.trim() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("{} not changed: expected true or false", option.name)),
    }
}
