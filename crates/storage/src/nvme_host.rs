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
pub const NVME_HOST: Registration = Registration { kind: &NvmeHostParams::DECLARATION, provider: &OwnHost };

/// The simulation's own host stands for it. With compiled gateware, the crate `cosim` builds it, or nobody.
#[derive(Debug)]
struct OwnHost;

impl Provider for OwnHost {
    fn builds(&self, part: &system::Node) -> bool {
        part.kind.of::<NvmeHostParams>().is_some_and(NvmeHostParams::is_compiled)
    }

    fn build(&self, _: &Scenario, _: PartId, _: &mut Resources) -> Result<Built, KindError> {
        let what = "`gateware` is not known to this program".into();
        Err(KindError {
            what,
            help: "write `gateware: none`, or run it with a program that has the crate `cosim`".into(),
        })
    }
}
