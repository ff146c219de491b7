//! A proxy on loopback between the replicas and a database, whose connections can be cut.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    open: Mutex<Vec<TcpStream>>,
    refusing: AtomicBool,
    passed: AtomicU64,
}

impl Proxy {
    pub fn to(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let there = Arc::clone(&shared);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if there.refusing.load(Ordering::SeqCst) {
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else { continue };
                // Both ends are kept, so that a cut is felt by both at once.
                let ends = [client.try_clone(), server.try_clone()].into_iter().flatten();
                there.open.lock().unwrap().extend(ends);
                pump(client.try_clone().unwrap(), server.try_clone().unwrap(), Arc::clone(&there));
                pump(server, client, Arc::clone(&there));
            }
        });
        Proxy { port, shared }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Cuts every connection, wherever its conversation is.
    pub fn cut(&self) -> usize {
        let open: Vec<_> = self.shared.open.lock().unwrap().drain(..).collect();
        for stream in &open {
            let _ = stream.shutdown(Shutdown::Both);
        }
        open.len() / 2
    }

    pub fn refuse(&self, refusing: bool) {
        self.shared.refusing.store(refusing, Ordering::SeqCst);
    }
}

fn pump(mut from: TcpStream, mut to: TcpStream, shared: Arc<Shared>) {
    std::thread::spawn(move || {
        let mut buffer = [0; 16_384];
        while let Ok(n @ 1..) = from.read(&mut buffer) {
            shared.passed.fetch_add(n as u64, Ordering::Relaxed);
            if to.write_all(&buffer[..n]).is_err() {
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    });
}
