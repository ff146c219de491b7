//! Prepared answers: the bodies of a publication, the past, and a cache of pages.

pub(crate) mod answers;
pub(crate) mod pages;
pub(crate) mod past;
pub(crate) mod publication;
