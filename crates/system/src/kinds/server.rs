//! Servers that a kind adds to the limit.

use crate::cause::Cause;
use pcie::Rate;

/// A server of the limit: something in a part that every byte of a flow has to pass, independent of the links.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// Its name as a bottleneck: [`Cause::Own`] with the words of the kind, for example `the sensor`.
    pub cause: Cause,
    /// The most payload that it passes.
    pub rate: Rate,
    /// What it passes on average, where that depends on how commands meet; `None` where it is `rate`.
    pub mean: Option<Rate>,
}
