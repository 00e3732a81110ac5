//! Errors that a test can plant in settled systems: see [`pcie::planted`].

use pcie::planted::Planted;

/// In [`Node::requests_in_flight`](crate::Node::requests_in_flight): one more than there are.
pub const ONE_MORE_REQUEST: Planted = Planted("one request in flight more");
