//! Detects a pooler that lends its connections by the transaction, such as PgBouncer with `pool_mode = transaction`.
//!
//! An advisory lock, LISTEN and a session's settings belong to one connection of the server. Behind such a pooler two replicas can
//! lead at once, notifications get lost, and one client's time limit applies to another. The pooler does not report its mode to
//! clients, and one client alone usually keeps the same connection. So two clients ask in turn which process of the server serves
//! them. Without a pooler, or with one in session mode, each client keeps a process that the other client never gets.

use super::client::blocking;
use super::connector::PostgresConnector;
use super::session::Session;
use crate::{Result, StoreError};
use postgres::SimpleQueryMessage;

/// The start time tells processes with the same number on two servers apart.
const SERVER_PROCESS: &str =
    "SELECT concat(pid, ' ', backend_start) FROM pg_stat_activity WHERE pid = pg_backend_pid()";
/// Other clients of a busy pooler may take a connection between two questions, so one round can miss it.
const ROUNDS: usize = 4;

/// Refuses an address behind which two transactions of one session may run on different connections of the server.
pub fn refuse_transaction_pooling(connector: &PostgresConnector) -> Result<()> {
    let is_pooled = blocking(|| {
        let mut clients = [Session::connect(connector)?, Session::connect(connector)?];
        shares_processes(|client| server_process(&mut clients[client]))
    })?;
    if is_pooled {
        return Err(StoreError::Refused(
            "the address is that of a connection pooler in transaction mode, which breaks advisory locks, LISTEN and session \
             settings; use the address of PostgreSQL itself, or session mode (PgBouncer: pool_mode = session)"
                .to_owned(),
        ));
    }
    Ok(())
}

/// Asks without a prepared statement, which some poolers lose between two transactions.
fn server_process(session: &mut Session) -> Result<String> {
    let answer = session.client().simple_query(SERVER_PROCESS)?;
    let process = answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    process.map(str::to_owned).ok_or_else(|| StoreError::Corrupt("the server names no process".to_owned()))
}

/// Whether two clients get the same process, or one client gets another process than before. `ask` returns the process that serves
/// the client 0 or 1.
fn shares_processes(mut ask: impl FnMut(usize) -> Result<String>) -> Result<bool> {
    let first = [ask(0)?, ask(1)?];
    if first[0] == first[1] {
        return Ok(true);
    }
    for _ in 0..ROUNDS {
        // Each client asks twice in a row: a pooler that lends two connections in turn gives each client both of them.
        for client in [0, 0, 1, 1] {
            if ask(client)? != first[client] {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn clients_with_a_process_each_share_none() {
        let shares = shares_processes(|client| Ok(["101 9:00", "102 9:00"][client].to_owned()));
        assert!(!shares.unwrap());
    }

    #[test]
    fn a_pooler_is_detected_in_either_order_of_lending() {
        for connections in 1..6 {
            for takes_the_newest in [false, true] {
                let mut idle: VecDeque<String> = (0..connections).map(|pid| format!("{pid} 9:00")).collect();
                let shares = shares_processes(|_| {
                    let lent = if takes_the_newest { idle.pop_back() } else { idle.pop_front() }.unwrap();
                    idle.push_back(lent.clone());
                    Ok(lent)
                });
                assert!(shares.unwrap(), "{connections} connections, newest first: {takes_the_newest}");
            }
        }
    }

    #[test]
    fn a_server_that_does_not_answer_is_an_error() {
        let asked = shares_processes(|_| Err(StoreError::Unavailable("away".to_owned())));
        assert!(matches!(asked, Err(StoreError::Unavailable(_))));
    }
}
