//! A report: what was run, as one HTML file that needs no network and no script.
//!
//! What it is not: it computes nothing. It draws what `lab` measured, and puts a table behind every picture.
//!
//! | word | meaning |
//! |---|---|
//! | section | one experiment |
//! | the point in focus | the point of an experiment whose budget and topology are drawn: the one with the most flows, of those the last |
//! | wide, narrow | every picture is drawn twice; the width of the window (or paper) decides which is shown |

mod axis;
mod budget;
mod figures;
mod latency;
mod mark;
mod overview;
mod page;
mod rates;
mod section;
mod series;
mod topology;

pub use page::{Report, html};
