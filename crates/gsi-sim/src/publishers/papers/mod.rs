//! Publishers that count and judge newspaper articles.

mod doc_search;
mod gpr;
mod workbook;

pub use doc_search::respond as doc_search;
pub use gpr::respond as gpr;
