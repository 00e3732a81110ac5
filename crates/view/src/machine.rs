//! A real machine, as `probe` observed it: its tree for a terminal, its document in JSON, its picture in SVG, what is wrong
//! with it, and what changed.

pub mod diff;
pub mod json;
mod left_out;
pub mod show;
pub mod svg;
pub mod verdict;
