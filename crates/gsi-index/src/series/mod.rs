//! Series in memory: the point-in-time table, its rows, and the names of the series that the index derives.

pub(crate) mod derived;
pub(crate) mod growth;
pub(crate) mod row;
pub(crate) mod table;
