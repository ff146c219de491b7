//! Where a happening was: the countries that an article names, the best place, and where its outlet reports from.

pub(crate) mod locate;
pub(crate) mod mention;
pub(crate) mod outlet;
pub(crate) mod place;
