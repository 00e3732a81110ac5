//! The waist of the hourglass: [`System`], a validated graph of parts and links together with what is *settled*
//! about it (speeds, widths, buses, BARs, MPS, MRRS, tags).
//!
//! A described machine (YAML, [`description`]) is composed of parts from the [`catalogue`] and of figures given
//! by hand, and is settled by [`settle`], which does what training and firmware do. Consumers (`limit`, `sim`)
//! read a [`System`] and nothing else; an [`experiment`] turns a description and a point of its axes into a
//! [`Scenario`]: a system and the flows through it. What was observed of a real machine comes in by [`observed`] instead.
//!
//! What it is not: it knows no time. Latencies are figures here; what they do is the business of `limit` (in
//! closed form) and `sim` (in events).
//!
//! | word | meaning |
//! |---|---|
//! | part | a node: host, switch, endpoint |
//! | kind | what a part is an example of: its fields, its ports, its behaviour; a crate above registers its own |
//! | figure | one field of one part, with its [`Origin`] |
//! | flow | one stream of data with an operation |

pub mod amend;
pub mod bottleneck;
pub mod budget;
pub mod bundled;
pub mod catalogue;
pub mod cause;
pub mod description;
pub mod error;
pub mod experiment;
pub mod field;
pub mod figure;
pub mod flow;
pub mod graph;
pub mod kinds;
pub mod loopback;
pub mod observed;
pub mod operation;
mod ports;
pub mod prune;
pub mod registry;
mod requests;
mod route;
mod scale;
pub mod schema;
pub mod settle;
pub mod source;
mod steps;
mod suggest;
pub mod tree;
mod written;
mod yaml;

pub use amend::{AmendError, Change};
pub use bottleneck::{Bottleneck, Location};
pub use budget::{Budget, Share};
pub use cause::{Cause, Wait};
pub use description::Description;
pub use error::{Error, Problem};
pub use experiment::{Axis, Experiment, Point};
pub use field::{Field, FieldType, Nature, Params, Scale};
pub use figure::{Figure, Origin};
pub use flow::{Drive, Flow, Scenario};
pub use graph::{Bar, Direction, Graph, Less, Link, LinkId, Node, PartId, Port, PortId, PortRole, System, Window};
pub use kinds::kind::{self, Kind};
pub use operation::Operation;
