//! How many files and sockets the process may have open. Connections never take the last of them: the store, the feeds and
//! the logs need theirs, or a crowd of silent clients would stop the ticks.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What everything but client connections may need at once.
const RESERVE: u64 = 256;

/// The number of connections that fit, at most as many as asked for. The limit is raised as far as the system allows.
pub fn fit_connections(asked: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let current = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    let fitting = current.map_or(asked, |files| below(files, asked));
    if fitting < asked {
        tracing::info!(
            connections = fitting,
            asked,
            open_files = current,
            "the limit on open files leaves room for fewer connections than http.max_connections"
        );
    }
    fitting
}

/// Below a limit that is smaller than the reserve itself, half is kept back.
fn below(files: u64, asked: usize) -> usize {
    let room = files.saturating_sub(RESERVE).max(files / 2).max(1);
    asked.min(usize::try_from(room).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_a_reserve() {
        assert_eq!(below(1_024, 20_000), 768);
        assert_eq!(below(1_048_576, 20_000), 20_000);
        assert_eq!(below(300, 20_000), 150);
        assert_eq!(below(1, 20_000), 1);
    }
}
