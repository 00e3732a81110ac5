//! The numbers of directions: `2 * link` leads up, `2 * link + 1` leads down, `n ^ 1` is the reverse of `n`.

use system::graph::Direction;
use system::{LinkId, Port};

/// The direction with that number.
pub(crate) fn named(number: u32) -> Direction {
    Direction { link: LinkId(number as usize / 2), up: number.is_multiple_of(2) }
}

/// The number of a direction.
pub(crate) fn of(direction: Direction) -> u32 {
    2 * direction.link.0 as u32 + u32::from(!direction.up)
}

/// The number of the direction that leaves a port.
pub(crate) fn leaving(port: &Port) -> Option<u32> {
    Some(of(Direction { link: port.link?, up: !port.role.faces_down() }))
}
