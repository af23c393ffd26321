//! Limits that the operating system enforces for the process of an engine.

use std::io;
use std::process::Child;
use std::time::Duration;

/// Limits of a process. They are enforced on Linux; elsewhere the process has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ProcessLimits {
    /// Memory that the process and each of its children may write, in bytes, not counting shared
    /// memory and files that are only read. Beyond it, allocations fail.
    pub memory_bytes: Option<u64>,
    /// Processor time of all threads together. The process is killed when it is used up.
    pub processor_time: Option<Duration>,
    /// Whether the process runs at low priority, so that other processes go first when the
    /// processor is busy.
    pub is_background: bool,
}

impl ProcessLimits {
    /// Applies the limits to a process that has just started, and to all that it starts later.
    #[cfg(target_os = "linux")]
    pub(super) fn apply(self, child: &Child) -> io::Result<()> {
        use rustix::process::{Pid, Resource};

        let process = Pid::from_child(child);
        let seconds = self.processor_time.map(|time| time.as_secs().max(1));
        let limits = [(Resource::Data, self.memory_bytes), (Resource::Cpu, seconds)];
        let limited = limits.into_iter().try_for_each(|(resource, limit)| {
            limit.map_or(Ok(()), |limit| lower(process, resource, limit))
        });
        let result = match self.is_background {
            true => limited.and_then(|()| let_others_go_first(process)),
            false => limited,
        };
        match result {
            // The process has already ended; whoever waits for its output will notice.
            Err(rustix::io::Errno::SRCH) => Ok(()),
            result => result.map_err(io::Error::from),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn apply(self, _: &Child) -> io::Result<()> {
        Ok(())
    }
}

/// Lowers a limit of a process. A limit that is already lower is left unchanged.
#[cfg(target_os = "linux")]
fn lower(
    process: rustix::process::Pid,
    resource: rustix::process::Resource,
    limit: u64,
) -> rustix::io::Result<()> {
    use rustix::process::{Rlimit, getrlimit, prlimit};

    // The process has inherited ours.
    let inherited = getrlimit(resource).maximum;
    let lowest = Some(inherited.map_or(limit, |inherited| inherited.min(limit)));
    prlimit(Some(process), resource, Rlimit { current: lowest, maximum: lowest }).map(drop)
}

/// Lowers the priority of a process, unless it has inherited a low one.
#[cfg(target_os = "linux")]
fn let_others_go_first(process: rustix::process::Pid) -> rustix::io::Result<()> {
    use rustix::process::{getpriority_process, setpriority_process};

    /// Priority of a background process; the usual priority is 0, and the lowest is 19.
    const BACKGROUND: i32 = 10;
    if getpriority_process(None)? >= BACKGROUND {
        return Ok(());
    }
    setpriority_process(Some(process), BACKGROUND)
}
