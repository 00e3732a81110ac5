//! Results of the libraries as text, JSON, CSV, SVG, HTML and Parquet.
//!
//! `lab`, `probe`, `limit` and `sim` return data. All output forms are made in this crate: forms of a run in [`json`],
//! [`points`] and [`html`], forms of a survey in [`survey`], forms of a real machine in [`machine`]. The only exception
//! is traces: the crate `trace` writes them while a simulation runs.
//!
//! This crate computes nothing, except positions on a page and the difference in per cent between two figures shown
//! side by side. It reads nothing, writes no file, and does not query the terminal: the caller gives the number of
//! columns.
//!
//! | word | meaning |
//! |---|---|
//! | form | the format of an answer: text for people, JSON, CSV, ... |
//! | layout | text for people: sentences, trees and tables that fit a given number of columns |

pub mod csv;
pub mod difference;
pub mod gateware;
pub mod html;
pub mod json;
pub mod layout;
pub mod machine;
pub mod points;
pub mod survey;
