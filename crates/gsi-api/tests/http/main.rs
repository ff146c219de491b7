//! The HTTP contract, section by section, against a real listener over a real store.

mod abuse;
mod alerts;
mod beyond;
mod bodies;
mod breaking;
mod caching;
mod connections;
mod contract;
mod countries;
mod credentials;
mod exports;
mod layers;
mod limits;
mod lists;
mod mcp;
mod operating;
mod past;
mod pristine;
mod problems;
mod public;
mod rotations;
mod session;
mod stream;
mod support;
