//! The report: results as one HTML file that needs no network and no script. Each of its pictures can be a file too.
//!
//! This module computes nothing. It draws what `lab` measured, and adds a table to every picture.
//!
//! | word | meaning |
//! |---|---|
//! | section | one experiment |
//! | the point in focus | the point whose budget and topology are drawn: the one with the most flows, of several the last |
//! | wide, narrow | every picture is drawn twice; the width of the window (or paper) decides which one is shown |

mod axis;
mod bench;
mod budget;
mod figures;
mod files;
mod latency;
mod mark;
mod overview;
mod page;
mod plate;
mod rates;
mod section;
mod series;
mod topology;

pub use bench::{BenchDrive, BenchLoad, BenchReport, BenchRun, bench};
pub use files::{Drawing, of_limits, of_run};
pub use page::{Report, html};
