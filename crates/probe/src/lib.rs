//! The live machine: [`Machine`], what was observed of a real system's PCI Express tree.
//!
//! A machine is read from this system's sysfs, from a captured sysfs tree (a folder, a tar or a compressed tar), or
//! from the text or the hex dump of `lspci` (`read` recognizes them by their content). It is partial and may contradict
//! itself: a field that was not observed is absent, never a default. What was not understood, and what contradicts, is kept
//! as a [`Remark`] with its place.
//!
//! From a machine come the limits of its links ([`limits`]), its findings ([`finding`]), and its changes ([`diff`]).
//!
//! The crate has no arithmetic of its own for rates: it asks `limit` about a [`model`]. It never writes to a device.
//!
//! | word | meaning |
//! |---|---|
//! | function | one PCI function, by domain and Bdf |
//! | link | two ports joined: a root or downstream port, and function 0 below it |
//! | now, possible | the current speed and width of a link; the most that both its ports support |
//! | remark | something in the input that was not understood, or that contradicts |

pub mod address;
mod archive;
mod bridges;
pub mod capture;
mod decode;
pub mod error;
pub mod function;
mod join;
pub mod link;
mod link_rate;
pub mod lspci;
pub mod machine;
pub mod names;
pub mod os;
pub mod plain;
pub mod read;
pub mod remark;
pub mod saying;
pub mod sysfs;
mod told;
pub mod tree;
pub mod way;

pub use address::Address;
pub use capture::capture;
pub use error::{Error, Problem};
pub use function::{Function, Reach};
pub use link::{Link, LinkRate, Unreal, Why};
pub use machine::{Machine, Source};
pub use os::{AerCounters, BlockDevice, Iommu, Os};
pub use read::{live, read};
pub use remark::{Place, Remark};
pub use tree::Tree;

pub mod chipset;
pub mod describe;
pub mod diff;
pub mod finding;
pub mod findings;
pub mod judged;
pub mod limits;
pub mod model;
pub mod nic;
pub mod rates;
pub mod report;
pub mod role;
pub mod thunderbolt;
pub mod together;
pub mod view;
