//! The interface for agents: tools, resources and prompts of the Model Context Protocol.
//!
//! Every tool is an operation of the public interface. Its arguments, their bounds and its description are those of the
//! OpenAPI document, and a call goes through [`Interface`] like any other request, with the same keys, scopes, limits
//! and refusals. A new parameter of an operation needs no change here.

mod agent;
mod answer;
pub(crate) mod endpoint;
mod interface;
mod prompts;
mod resources;
mod tools;

pub use agent::Agent;
pub use interface::{Interface, Reply, ReplyFuture};
