//! The configuration file: options of `castellan serve` in TOML, under the same names.
//!
//! An option on the command line counts more than its environment variable, and that counts more
//! than the file. The values of the file are read as if they were on a command line, so that they
//! are checked in the same way and there is one list of options.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, CommandFactory, FromArgMatches, Parser};
use toml::{Table, Value};

use super::ServeArgs;

/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 16;

/// Options that say what to do with the file, and so cannot be in it.
const NOT_IN_FILE: [&str; 2] = ["config", "check-config"];

/// The options of `castellan serve` on a command line of their own.
#[derive(Parser)]
#[command(name = "castellan serve")]
struct ServeLine {
    #[command(flatten)]
    args: ServeArgs,
}

/// Returns the options of a command line, completed from a file. The command line begins with the
/// name of the command.
pub(super) fn complete(line: Vec<OsString>, path: &Path) -> anyhow::Result<ServeArgs> {
    let context = || format!("cannot use the configuration file {}", path.display());
    let table = read(path).with_context(context)?;
    let command = ServeLine::command();
    let given = command.clone().try_get_matches_from(&line)?;
    let mut completed = line;
    for (name, value) in &table {
        let arg = command
            .get_arguments()
            .find(|arg| arg.get_long() == Some(name) && !NOT_IN_FILE.contains(&name.as_str()));
        let Some(arg) = arg else { return Err(unknown(name, &command)).with_context(context) };
        if !is_given(&given, arg) {
            completed.extend(arguments(arg, name, value).with_context(context)?);
        }
    }
    // The message of clap names the option, which has the same name in the file.
    let matches = command.try_get_matches_from(completed).map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        anyhow::anyhow!("{}", first.trim_start_matches("error: "))
    });
    Ok(ServeLine::from_arg_matches(&matches.with_context(context)?)?.args)
}

fn read(path: &Path) -> anyhow::Result<Table> {
    let size_bytes = fs::metadata(path)?.len();
    if size_bytes > MAX_BYTES {
        bail!("it has {size_bytes} bytes, and the limit is {MAX_BYTES}");
    }
    let text = fs::read_to_string(path)?;
    text.parse::<Table>().map_err(|error| {
        // The message itself could repeat a line with a password.
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        anyhow::anyhow!("line {line} is not TOML: {}", error.message())
    })
}

fn unknown(name: &str, command: &clap::Command) -> anyhow::Error {
    let names = command.get_arguments().filter_map(Arg::get_long);
    let names: Vec<&str> = names.filter(|name| !NOT_IN_FILE.contains(name)).collect();
    anyhow::anyhow!("there is no option {name:?}; the options are {}", names.join(", "))
}

fn is_given(matches: &ArgMatches, arg: &Arg) -> bool {
    let source = matches.value_source(arg.get_id().as_str());
    matches!(source, Some(ValueSource::CommandLine | ValueSource::EnvVariable))
}

/// Returns an option as it would be on a command line.
fn arguments(arg: &Arg, name: &str, value: &Value) -> anyhow::Result<Vec<OsString>> {
    let is_flag = matches!(arg.get_action(), ArgAction::SetTrue);
    let is_list = matches!(arg.get_action(), ArgAction::Append);
    let word = |value: &Value| {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            _ => bail!("the option {name:?} has to be a text or a whole number"),
        };
        Ok(OsString::from(format!("--{name}={text}")))
    };
    match value {
        Value::Boolean(is_on) if is_flag => {
            Ok(is_on.then(|| format!("--{name}").into()).into_iter().collect())
        }
        _ if is_flag => bail!("the option {name:?} has to be true or false"),
        Value::Array(values) if is_list => values.iter().map(word).collect(),
        _ => Ok(vec![word(value)?]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn complete_with(args: &[&str], file: &str) -> anyhow::Result<ServeArgs> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("castellan.toml");
        fs::write(&path, file).unwrap();
        let line = ["serve"].iter().chain(args).map(OsString::from).collect();
        complete(line, &path)
    }

    const FILE: &str = "# A server behind a proxy.\n\
        listen = \"0.0.0.0:9000\"\n\
        origin = [\"https://a.example\", \"https://b.example\"]\n\
        trusted-proxy = \"127.0.0.1\"\n\
        engine-threads = 2\n\
        open-metrics = true\n";

    #[test]
    fn the_file_completes_the_command_line() {
        let args = complete_with(&["--engine-threads", "3"], FILE).unwrap();
        assert_eq!(args.listen.to_string(), "0.0.0.0:9000");
        assert_eq!(args.engine_threads, 3, "the command line counts more");
        assert_eq!((args.origin.len(), args.trusted_proxy.len()), (2, 1));
        assert!(args.open_metrics);
        let args = complete_with(&[], "open-metrics = false\nengine-share = 50").unwrap();
        assert!(!args.open_metrics);
        assert_eq!((args.engine_share, args.engine_threads), (50, 1));
    }

    #[test]
    fn errors_say_where_they_are() {
        let check = |file: &str, expected: &str| {
            let Err(error) = complete_with(&[], file) else { panic!("accepted: {file}") };
            let text = format!("{error:#}");
            assert!(text.contains("castellan.toml"), "{text}");
            assert!(text.contains(expected), "{file}: {text}");
        };
        check(
            "lisen = \"0.0.0.0:1\"",
            "there is no option \"lisen\"; the options are listen, tls-cert, tls-key, data",
        );
        check("config = \"other.toml\"", "there is no option \"config\"");
        check("listen = \"here\"", "invalid value 'here' for '--listen <ADDR>'");
        check("engine-share = 0", "--engine-share");
        check("listen = 3.5", "\"listen\" has to be a text or a whole number");
        check("open-metrics = \"yes\"", "\"open-metrics\" has to be true or false");
        check("listen = [\"a\"]", "\"listen\" has to be a text");
        check("[database]\nname = \"x\"", "\"database\" has to be a text");
        check("data = \"a\"\n\nlisten = ", "line 3 is not TOML");
        check("listen = \"a\"\nlisten = \"b\"", "line 2 is not TOML");
        check(&"#".repeat(70_000), "the limit is 65536");
    }

    #[test]
    fn a_mistake_does_not_repeat_a_password() {
        for file in ["database = \"postgres://a:hunter2@b\" x", "database = hunter2"] {
            let Err(error) = complete_with(&[], file) else { panic!("accepted: {file}") };
            assert!(!format!("{error:#} {error:?}").contains("hunter2"), "{error:#}");
        }
    }
}
