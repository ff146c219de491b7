//! The layers around the router, for every request.

mod body;
mod complete;
mod record;

pub(crate) use body::receive;
pub(crate) use complete::complete;
pub(crate) use record::record;
