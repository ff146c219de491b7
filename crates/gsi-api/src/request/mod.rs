//! A request while it is answered: its context, its query, its path and its place in a list.

pub(crate) mod as_of;
pub(crate) mod context;
pub(crate) mod cursor;
pub(crate) mod formed;
pub(crate) mod list_walk;
pub(crate) mod parameters;
pub(crate) mod query;
pub(crate) mod segments;
pub(crate) mod service;
