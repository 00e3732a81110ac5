//! The simulation: computes the time of every TLP on every link. `docs/model.md` lists the mechanisms and their files.

mod engine;
mod link;
pub mod parts;
#[cfg(feature = "planted")]
pub mod planted;
mod run;
mod software;

pub use engine::faults::Faults;
pub use engine::latencies::Latency;
pub use engine::trace;
pub use engine::window::{MeasuredWindow, Starvation, Starved};
pub use run::error::SimError;
pub use run::options::{Brief, Options, Told, Watch};
pub use run::outcome::{FlowOutcome, Integrity, Outcome};
pub use run::{check, run, run_traced};
pub use software::driver::{Ask, Driver, Seen, Signal, Software, Thread};
pub use software::message::Message;
pub use software::resources::Resources;
pub use software::store::HostMemory;
