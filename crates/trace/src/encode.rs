//! What every format can do.

use crate::requests::{Identity, Unanswered};
use pcie::Time;
use sim::trace::{Record, TlpRecord};
use std::io;

/// A trace format, which gets the records in order of time. An implementation appends to `out`, which is emptied after
/// each call.
pub(crate) trait Encode: Send {
    /// Writes the start of the file.
    fn begin(&mut self, out: &mut Vec<u8>);
    /// Writes a TLP, which arrives at the other end at `arrival`.
    ///
    /// # Errors
    /// A TLP that the format cannot carry.
    fn tlp(&mut self, out: &mut Vec<u8>, sent: &TlpRecord, identity: &Identity, arrival: Time) -> io::Result<()>;
    /// Anything else.
    fn other(&mut self, out: &mut Vec<u8>, record: &Record);
    /// Writes the end of the file; the last record was at `at`.
    fn end(&mut self, out: &mut Vec<u8>, at: Time, unanswered: &[Unanswered]);
}
