//! The four pillars, whose mean is the composite.

closed_set! {
    /// One of the four parts of the composite.
    #[cfg_attr(feature = "schema", schema(as = PillarKey))]
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
