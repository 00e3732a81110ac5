//! The central data structure of the project: [`System`], a validated graph of parts and links together with what
//! training and firmware have *settled* (speeds, widths, buses, BARs, MPS, MRRS, tags).
//!
//! A description (YAML, [`description`]) consists of parts from the [`catalogue`] and figures given by hand. [`settle`]
//! does what training and firmware do. Consumers (`limit`, `sim`) read a [`System`] only. An [`experiment`] turns a
//! description and a point of its axes into a [`Scenario`]: a system and its flows. For a real machine, [`observed`]
//! builds the system from what was observed.
//!
//! Not here: time. This crate stores latencies; `limit` (in closed form) and `sim` (by events) compute their effect.
//!
//! | word | meaning |
//! |---|---|
//! | part | a node of the graph ([`Node`]): host, switch, endpoint |
//! | kind | the type of a part: its fields, ports and behaviour; other crates can register their own |
//! | figure | the value of one field of one part, with its [`Origin`] |
//! | flow | one stream of data with an operation |

pub mod amend;
pub mod better;
pub mod bottleneck;
pub mod budget;
pub mod bundled;
pub mod catalogue;
pub mod cause;
pub mod clock;
pub mod demand;
pub mod description;
pub mod error;
pub mod experiment;
pub mod field;
mod field_type;
pub mod figure;
pub mod flow;
pub mod graph;
pub mod kinds;
pub mod loopback;
mod marks;
pub mod observed;
pub mod operation;
pub mod pattern;
#[cfg(feature = "planted")]
pub mod planted;
mod ports;
pub mod prune;
mod quantity;
pub mod registry;
mod requests;
mod route;
mod scale;
pub mod schema;
pub mod settle;
pub mod source;
mod steps;
pub mod suggest;
pub mod timed;
pub mod tree;
pub mod walks;
pub mod work;
mod written;
pub mod yaml;

pub use amend::{AmendError, Change};
pub use bottleneck::{Bottleneck, Location};
pub use budget::{Budget, Share};
pub use cause::{Cause, CauseKind, Wait};
pub use demand::Demand;
pub use description::Description;
pub use error::{Error, Problem};
pub use experiment::{Axis, Experiment, Point};
pub use field::{Field, FieldType, Nature, Params, Scale};
pub use figure::{Figure, Origin};
pub use flow::{Drive, Flow, Scenario};
pub use graph::{Bar, Direction, Graph, Less, Link, LinkId, Node, PartId, Port, PortId, PortRole, System, Window};
pub use kinds::kind::{self, Kind};
pub use operation::Operation;
pub use pattern::Pattern;
pub use ports::Passing;
pub use timed::Timed;
pub use work::Work;
