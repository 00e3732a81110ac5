//! The BARs of the engine.

use crate::builds::WINDOW_BITS;
use crate::refusal::refuse;
use sim::parts::KindError;
use system::{Node, Window};

/// Bytes of the BAR with the engine's registers.
const REGISTERS_BYTES: u64 = 64 << 10;

/// BAR 0 and BAR 2 of a card.
///
/// # Errors
/// The card has other BARs than the engine.
pub fn bars(part: &Node) -> Result<[Window; 2], KindError> {
    let sizes = [REGISTERS_BYTES, 1 << WINDOW_BITS];
    match part.bars.as_slice() {
        [registers, window] if registers.window.bytes == sizes[0] && window.window.bytes == sizes[1] => {
            Ok([registers.window, window.window])
        }
        _ => refuse("the engine has a BAR of 64 KiB and one of 1 MiB", "write `bars: [64 KiB, 1 MiB]`"),
    }
}
