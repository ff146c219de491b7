//! The formats that several publishers use, and the checks that all decoders share.

pub mod arcgis;
pub mod json;
pub mod series;
pub mod table;
pub mod unpack;
pub mod workbook;
