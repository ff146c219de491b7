//! The limit on open files and sockets. Connections never use the last ones: store, feeds and logs need a reserve, because idle
//! clients could otherwise stop the ticks.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors for everything except client connections.
const RESERVE: u64 = 256;

/// Raises the limit as far as the system allows, and returns the number of connections that fit, at most `asked`.
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
            "the limit on open files allows fewer connections than http.max_connections"
        );
    }
    fitting
}

/// Reserves half of a limit that is smaller than two reserves.
fn below(files: u64, asked: usize) -> usize {
    let room = files.saturating_sub(RESERVE).max(files / 2).max(1);
    asked.min(usize::try_from(room).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_a_reserve_of_descriptors() {
        assert_eq!(below(1_024, 20_000), 768);
        assert_eq!(below(1_048_576, 20_000), 20_000);
        assert_eq!(below(300, 20_000), 150);
        assert_eq!(below(1, 20_000), 1);
    }
}
