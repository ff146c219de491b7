//! Publishers of outages, earthquakes, disasters and deaths.

mod gdacs;
mod ioda;
mod quakes;
mod ucdp;
mod usgs;

pub use gdacs::respond as gdacs;
pub use ioda::respond as ioda;
pub use ucdp::respond as ucdp;
pub use usgs::respond as usgs;
