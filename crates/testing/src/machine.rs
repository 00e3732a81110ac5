//! Machines of our own making: registers and sysfs files as hardware and kernel would hold them, healthy or with one
//! planted fault. Encoded here from the register layouts of the standard, decoded elsewhere: nothing is shared.
//!
//! | word | meaning |
//! |---|---|
//! | function | one PCI function with its registers and what the kernel says of it |
//! | healthy | nothing on it is wrong, however odd it looks |
//! | fault | one thing that is wrong, with the function that it shows at |

pub mod fault;
pub mod function;
mod healthy;
mod hex;
pub mod rng;
pub mod single;
pub mod space;
pub mod sysfs;

pub use fault::{Fault, Planted};
pub use function::Function;
pub use healthy::healthy;

/// A generated machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedMachine {
    /// In order of domain, bus, device and function.
    pub functions: Vec<Function>,
    /// Number of NUMA nodes.
    pub nodes: usize,
    /// `type` of every IOMMU group.
    pub group_type: &'static str,
}

impl GeneratedMachine {
    /// The bridge whose secondary bus holds `function`.
    pub fn above(&self, function: &Function) -> Option<&Function> {
        let same = |bridge: &&Function| bridge.domain == function.domain;
        let mut bridges = self.functions.iter().filter(same);
        bridges.find(|f| f.buses.is_some_and(|(secondary, _)| secondary == function.bdf.0))
    }
    /// The index of the function with that name.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.functions.iter().position(|f| f.name() == name)
    }
}
