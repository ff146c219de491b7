//! Published coded news, and the events made from it.

pub(crate) mod actor;
pub(crate) mod cameo;
pub(crate) mod event;
pub(crate) mod news;
