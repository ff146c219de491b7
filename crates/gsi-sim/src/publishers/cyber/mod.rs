//! Publishers that watch attackers: exploited vulnerabilities, exploit code, and leak sites.

mod catalogue;
mod epss;
mod exploits;
mod kev;
mod ransomware;

pub use catalogue::VulnerabilityCatalogue;
pub use epss::respond as epss;
pub use exploits::respond as exploits;
pub use kev::respond as kev;
pub use ransomware::respond as ransomware;
