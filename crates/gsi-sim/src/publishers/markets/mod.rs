//! Publishers of market and supply-chain series.

mod ecb;
mod gscpi;
mod ofr;
mod treasury;

pub use ecb::respond as ecb;
pub use gscpi::respond as gscpi;
pub use ofr::respond as ofr;
pub use treasury::respond as treasury;
