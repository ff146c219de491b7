//! The real event files, decoded again and again.

use gsi_model::Timestamp;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

pub struct Passes {
    files: Vec<PathBuf>,
    buffer: Vec<u8>,
    /// The files, if they are not to be read again in every pass.
    held: Vec<Vec<u8>>,
    pub rows: u64,
    pub kept: u64,
    pub articles: u64,
}

impl Passes {
    /// Of the event files that are there; `None`, and a word about it, without any.
    pub fn new() -> Option<Self> {
        let files = drills::real_data::files("gdelt2/export");
        if files.is_empty() {
            return None;
        }
        Some(Passes { files, buffer: Vec::new(), held: Vec::new(), rows: 0, kept: 0, articles: 0 })
    }

    /// Bytes of one pass.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|path| path.metadata().map_or(0, |m| m.len())).sum()
    }

    /// From now on the files are in memory.
    pub fn hold(&mut self) {
        self.held = self.files.iter().map(|path| std::fs::read(path).expect("a readable file")).collect();
    }

    /// Reads and decodes every file once.
    pub fn run(&mut self) {
        for (i, path) in self.files.iter().enumerate() {
            if self.held.is_empty() {
                self.buffer.clear();
                File::open(path).and_then(|mut f| f.read_to_end(&mut self.buffer)).expect("a readable file");
            }
            let bytes = self.held.get(i).unwrap_or(&self.buffer);
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
            let stamp = name.split('.').next().and_then(|stamp| Timestamp::parse_compact(stamp.as_bytes()));
            match gsi_gdelt::decode(bytes, stamp) {
                Ok(decoded) => {
                    self.rows += decoded.accepted;
                    self.kept += decoded.rows.len() as u64;
                    self.articles += decoded.slots.iter().map(|slot| u64::from(slot.articles)).sum::<u64>();
                }
                Err(refusal) => println!("{name}: {refusal}"),
            }
        }
    }
}
