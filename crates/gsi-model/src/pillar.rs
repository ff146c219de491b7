use serde::{Deserialize, Serialize};
use std::fmt;

/// The four parts of the composite, in the interface's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pillar {
    Conflict,
    Cyber,
    SupplyChain,
    Macro,
}

impl Pillar {
    pub const ALL: [Pillar; 4] = [Pillar::Conflict, Pillar::Cyber, Pillar::SupplyChain, Pillar::Macro];

    pub const fn key(self) -> &'static str {
        match self {
            Pillar::Conflict => "conflict",
            Pillar::Cyber => "cyber",
            Pillar::SupplyChain => "supply_chain",
            Pillar::Macro => "macro",
        }
    }

    pub fn from_key(key: &str) -> Option<Pillar> {
        Pillar::ALL.into_iter().find(|p| p.key() == key)
    }

    /// Position in [`Pillar::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Pillar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}
