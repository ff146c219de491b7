//! The four pillars, of which the composite is the mean.

closed_set! {
    /// The four parts of the composite, in the interface's order.
    Pillar {
        Conflict = "conflict",
        Cyber = "cyber",
        SupplyChain = "supply_chain",
        Macro = "macro",
    }
}

impl Pillar {
    /// Position in [`Pillar::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}
