//! What can be wrong with a card's files.

use miette::Diagnostic;
use std::io;

/// See the module.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum Error {
    /// The path cannot be opened.
    #[error("{path} cannot be opened")]
    Open {
        /// As it was given.
        path: String,
        /// The kernel's reason.
        source: io::Error,
        /// What would be right.
        #[help]
        help: &'static str,
    },
    /// The path is no channel.
    #[error("{path} is no channel of a card: {why}")]
    #[diagnostic(help(
        "name a card, as in /dev/lanescope0, or one of its channels, as in /dev/lanescope0/c2h0; `lsmod` says whether the module \
         lanescope is loaded"
    ))]
    Kind {
        /// As it was given.
        path: String,
        /// What it is.
        why: String,
    },
    /// The driver does not lend the channel.
    #[error("ring mode of {path} is refused")]
    Lend {
        /// As it was given.
        path: String,
        /// The driver's reason.
        source: io::Error,
        /// What would be right.
        #[help]
        help: &'static str,
    },
    /// The driver is older than what this program asks it.
    #[error("the driver of {path} is of before capabilities, which this program asks it for")]
    #[diagnostic(help("build both from one version of lanescope, and load that driver"))]
    Before {
        /// As it was given.
        path: String,
    },
}
