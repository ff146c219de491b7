//! Answers made before they are asked for: the bodies of a publication, the past, and pages made for an earlier caller.

pub(crate) mod answers;
pub(crate) mod pages;
pub(crate) mod past;
pub(crate) mod publication;
