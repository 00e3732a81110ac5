//! Measures what devices of this machine give: disks, and channels of cards, alone and together.
//!
//! A [`Plan`] lists runs: of each *subset* of the drives, with each block size, queue depth and pattern. In a run each drive
//! has a thread with an io_uring of its own, registered buffers and O_DIRECT; a channel's driver has a queue for libaio. All threads
//! start at a barrier, warm up, and count what ends in the time after that. A [`Run`] has the rate of each drive by second, its latencies, and what the
//! generator itself spent: the CPU time of the thread, and the system calls. So a run says when not the drives but the
//! generator was the limit, and when the rate was not steady.
//!
//! What this crate is not: it knows nothing of PCI Express. Which drives share what, and what their path allows, is of
//! `probe`; why a rate is what it is, of `lab`. A drive is written only where it was claimed for that ([`Drive::claim`]), and nothing
//! is claimed that is in use or holds anything.
//!
//! | word | meaning |
//! |---|---|
//! | drive | a block device, or a file that stands for one; or a channel of a card, which is a stream in one direction |
//! | subset | the drives that run at once |
//! | latency | from the submission of a block to when the thread sees its end; with a `rate`, from when it was due |
//! | steady | the rates of the parts of a run stay within a tenth of their mean ([`Steadiness`]) |
//! | busy | CPU time of a drive's thread over the time of the run |

mod aio;
mod blocks;
mod calls;
mod claim;
mod clock;
mod drive;
mod error;
pub mod interrupts;
mod page;
mod pattern;
mod peers;
mod plan;
mod polling;
mod queue;
mod ring;
mod run;
mod setting;
mod signature;
mod spent;
mod steady;
mod stop;
mod subsets;
mod tally;
mod worker;

pub use card::Direction;
pub use claim::make;
pub use drive::{Drive, DriveKind};
pub use error::Error;
pub use pattern::Pattern;
pub use plan::{Calls, Load, Order, Pair, Plan, Point};
pub use polling::Polling;
pub use run::{DriveRun, Latencies, Run, run};
pub use setting::put_back;
pub use signature::signature;
pub use spent::{CAUSES, Spent};
pub use steady::Steadiness;
pub use subsets::subsets;
