//! What the libraries return, as text, JSON, CSV, SVG, HTML and Parquet.
//!
//! `lab`, `probe`, `limit` and `sim` answer with data; every form that an answer leaves the program in is made here: a form
//! of a run in [`json`], [`points`] and [`html`], a form of a survey in [`survey`], of a real machine in [`machine`].
//! The one exception are traces, which are written while a simulation runs: the crate `trace` is their writer.
//!
//! What it is not: it computes nothing (but places on a page, and differences in per cent between two figures that stand
//! side by side), it reads nothing and writes no file, and knows no terminal. Who calls says how many columns there are.
//!
//! | word | meaning |
//! |---|---|
//! | form | what an answer is written in: text for people, JSON, CSV, ... |
//! | layout | text of a form for people: sentences, trees and tables that fit so many columns |

pub mod csv;
pub mod gateware;
pub mod html;
pub mod json;
pub mod layout;
pub mod machine;
pub mod points;
pub mod survey;
