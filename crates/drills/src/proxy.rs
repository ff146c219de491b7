//! A TCP proxy on loopback whose connections can be cut.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

const BUFFER_BYTES: usize = 16_384;

/// Listens until the process ends.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    shared: Arc<ProxyState>,
}

#[derive(Debug, Default)]
struct ProxyState {
    /// Both ends of every connection, so that a cut reaches both at once.
    open: Mutex<Vec<TcpStream>>,
    refusing: AtomicBool,
}

impl Proxy {
    /// Forwards connections to a port on loopback.
    pub fn start(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(ProxyState::default());
        let state = Arc::clone(&shared);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if state.refusing.load(Ordering::SeqCst) {
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else { continue };
                let ends = [client.try_clone(), server.try_clone()].into_iter().flatten();
                state.open.lock().unwrap().extend(ends);
                forward(client.try_clone().unwrap(), server.try_clone().unwrap());
                forward(server, client);
            }
        });
        Proxy { port, shared }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Closes every connection, and returns how many there were since the last cut.
    pub fn cut(&self) -> usize {
        let open: Vec<_> = self.shared.open.lock().unwrap().drain(..).collect();
        for stream in &open {
            let _ = stream.shutdown(Shutdown::Both);
        }
        open.len() / 2
    }

    /// Sets whether new connections are closed at once.
    pub fn refuse(&self, refusing: bool) {
        self.shared.refusing.store(refusing, Ordering::SeqCst);
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream) {
    std::thread::spawn(move || {
        let mut buffer = [0; BUFFER_BYTES];
        while let Ok(n @ 1..) = from.read(&mut buffer) {
            if to.write_all(&buffer[..n]).is_err() {
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    });
}
