//! What tells of work for traces, and of nothing else: the program's log leaves it out.

/// The target of spans and events that become spans of a trace.
pub const TRACE_TARGET: &str = "trace";
