//! A real machine as `probe` observed it: its tree for a terminal, its JSON document, its SVG picture, its findings,
//! and the changes between two observations.

pub mod built;
pub mod diff;
pub mod json;
mod left_out;
pub mod show;
pub mod svg;
pub mod verdict;
