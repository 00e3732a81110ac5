//! Drawn cases for `lanescope explain`, written without a look at how it decides: machines as people have them, causes
//! planted in what the simulation runs and not in what is described, rates as they are measured, and a judge.
//!
//! | planted | what the true system has |
//! |---|---|
//! | cap of a bridge, of the only uplink, of the chipset | `port_cap` above: 0.3 to 0.8 of what passes without |
//! | cap of a port | the same of the slot of one device |
//! | cap of each lane | `lane_cap` of a switch with slots of one, two and four lanes |
//! | narrow link, not described | fewer lanes or a lower speed of a device or a bridge |
//! | narrow link, described | the same, and the description has it, as registers show it: `lanes: 4` |
//! | one slow drive, all drives slower | `datapath` or `media_rate`; all: each drive of that line of the catalogue |
//! | link between sockets | `socket_rate`, which is not described |
//! | a thread whose core is full | `command_cost`, with one thread for all drives or one for each; `busy` is told |
//! | requests in flight x latency | one or two blocks at each drive, or cards with 2 to 8 tags: both are told |
//! | two causes | any two of these, at different places |
//!
//! A draw is left out, before there is any answer, where the machine has no place for the causes, where one of them
//! moves the rates by less than [`VISIBLE`] beside the others, where two caps of ports of one part are within a quarter of each
//! other, and where one slow drive is no slower than all drives are. Drives that a full core does not hold have `jobs=1` in a quarter of the cases, and shares of a core in most.
//!
//! A link to a bridge that is full in the simulation is a true cause as well. Of a described machine without any cause,
//! what a device does by its description is one.

pub mod answer;
pub mod case;
pub mod dice;
pub mod judge;
pub mod machine;
pub mod measure;
pub mod named;
pub mod plant;
pub mod shapes;
pub mod subsets;
pub mod table;

/// The noise of the rates: the standard deviation of their logarithms, normally distributed.
pub const NOISE: f64 = 0.03;
/// A planted cause is visible where it moves the rates by so much: five standard deviations.
pub const VISIBLE: f64 = 25.0;
/// Rates of two systems that are nearer, in the same measure, are not told apart: four standard deviations.
pub const SAME: f64 = 16.0;
/// A rest above this has to be told.
pub const REST: f64 = 0.15;
