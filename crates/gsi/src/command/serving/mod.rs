//! Commands that run the service or connect to it.

pub mod demo;
pub mod mcp;
pub mod serve;
pub mod serve_recording;
