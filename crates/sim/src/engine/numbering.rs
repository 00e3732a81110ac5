//! How the directions of a machine are numbered: `2 * link` leads up, `2 * link + 1` down; `n ^ 1` is the reverse of `n`.

use system::LinkId;
use system::graph::Direction;

/// The direction of that number.
pub(crate) fn named(number: u32) -> Direction {
    Direction { link: LinkId(number as usize / 2), up: number.is_multiple_of(2) }
}
