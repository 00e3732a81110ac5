//! An NVMe host in FPGA logic whose logic is compiled gateware: the part `nvme-host` with `gateware: nvme_host`.
//!
//! The part is a root, as its counterpart in `storage` is. For each drive that has a flow, it has an instance
//! ([`instance`]) of `gateware/rtl/ls_nvme_host.sv` behind a root port of its own:
//!
//! ```text
//!  link -- block -- ls_nvme_host -- user -- memory port, which all instances share
//! ```
//!
//! The [`block`] is the vendor's: it shows a TLP when its last symbol has arrived, a beat a clock, and sends one when its last beat has
//! come. The [`user`] stands for the design in the FPGA: it gives user commands, as many at a time as the flow has in its
//! queue, and moves their data between the streams and the [`memory`] port that the fields of the part describe.
//!
//! What crosses the simulated link is real, with its bytes: reads of the controller's registers, doorbells, admin commands,
//! submission entries, PRP lists, data, completion entries. The drive is the simulated one of `storage`, which decides when
//! anything happens there. Data is compared at both ends: what is read where it leaves the stream, what is written at the drive.
//!
//! What does not cross the link are configuration requests. The simulation enumerates a system before it runs, so
//! that they are answered at the port, from what enumeration has settled ([`space`]).
//!
//! Each root port is the root of an address space of its own, in which memory and BAR 0 lie where the build has them: the block turns
//! an address of BAR 0 into that of the simulation.
//!
//! Not here: switches below a root port, more than one flow of a drive, faults of drives. They are refused.
//!
//! | word | meaning |
//! |---|---|
//! | instance | one `ls_nvme_host` with its block and its user |
//! | user command | what the command port takes: a block of the flow; the gateware divides it into commands of the drive |

mod block;
mod instance;
mod memory;
mod part;
mod space;
mod user;
mod wiring;

pub(crate) use wiring::{build, is_mine};
