//! What a command asks of the libraries, from its options to its answer as JSON. The command line and the Python package
//! ask through this crate, so that their answers are equal.
//!
//! What it is not: it computes nothing, parses no command line, prints nothing, and writes no file.
//!
//! | word | meaning |
//! |---|---|
//! | asked | the options of a command, as their text |
//! | answer | what the libraries found, which a front end shows in its own form |
//! | value | an answer as JSON, the same that `--json` prints |

pub mod advise;
pub mod axes;
pub mod bench;
pub mod calibrate;
mod error;
pub mod explain;
pub mod fit;
pub mod inspect;
pub mod limit;
pub mod run;
pub mod show;
pub mod stream;
pub mod trace;
pub mod tune;
pub mod what_if;

pub use error::{Complaint, Error, place, report};
