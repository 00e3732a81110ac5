//! An NVMe host in FPGA logic: root ports inside a part, the memory for queues and data behind them, and logic in place of
//! software.
//!
//! It is a root: drives are the endpoints of its links, and their flows read and write its memory. What it adds to a host
//! is what it is made of: a memory port with a width and a clock, and steps that take cycles.
//!
//! Not here: the user's side of the memory, and how the logic divides a stream over several drives.

mod params;

pub use params::{BUFFER_BYTES, COMMAND_BYTES, COMMANDS, HostGateware, NvmeHostParams};

use sim::Resources;
use sim::parts::{Built, KindError, Provider, Registration};
use system::kind::Declared;
use system::{PartId, Scenario};

/// The line that a program registers.
pub const NVME_HOST: Registration = Registration { kind: &NvmeHostParams::DECLARATION, provider: &Nobody };

/// The simulation's own host stands for it; with compiled gateware, the crate `cosim` builds it.
#[derive(Debug)]
struct Nobody;

impl Provider for Nobody {
    fn builds(&self, _: &system::Node) -> bool {
        false
    }

    fn build(&self, scenario: &Scenario, part: PartId, _: &mut Resources) -> Result<Built, KindError> {
        let what = format!("`{}` is built by the simulation or by the crate `cosim`", scenario.system.part(part).name);
        Err(KindError { what, help: "name the provider in the options of the run".into() })
    }
}
