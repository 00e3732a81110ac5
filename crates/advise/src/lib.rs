//! Which drives carry a workload, and in which slot they belong: `lanescope advise`.
//!
//! A [`Workload`] says what must move, how, and until when. A [`Candidate`] is a number of drives, each of a part of the
//! catalogue; candidates are in the order of what they cost. Each is put into free slots of a machine, the usual one or the
//! user's own, as parts and links of its description, and asked with the same two engines as every other question: `limit`
//! first, and `sim` for what may carry the workload and for where it stops.
//!
//! What this crate is not: a list of prices, or a benchmark. It does not know what anything costs beyond the order of its
//! list, and a drive is what its part says of it.
//!
//! Words:
//!
//! | word | meaning |
//! |---|---|
//! | stream | data of one kind that is read or written, `count` times alike, with a rate, a number of commands a second, or a volume and the time that it may take |
//! | in flight | commands of a stream that are given and not answered; an application has a greatest number of them |
//! | share | what a stream needs over what the candidate gives it alone, within its bound of latency |
//! | headroom | one over the sum of shares: the workload may grow so many times |
//! | carries | headroom enough for the growth that the workload states |
//!
//! What is between streams beyond their shares is not modelled, save the one thing that decides: the arm of a hard disk, which
//! moves for each block if there is more than one stream. A candidate of several drives is a stripe: a block that is long
//! enough is read from all of them, others go to each in turn, and each drive has threads of its own. Every drive has an equal
//! share, so that a stripe gives as many times its slowest drive as it has drives.

mod advice;
mod candidate;
mod capture;
mod experiment;
mod judge;
mod key;
mod place;
mod serve;
mod slot;
mod stripe;
mod workload;

pub use advice::{Advice, Judged, Served, Tried, Verdict};
pub use candidate::Candidate;
pub use capture::described;
pub use judge::{Ask, advise};
pub use slot::Slot;
pub use workload::{Need, Stream, Workload};
