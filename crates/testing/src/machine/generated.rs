//! A generated machine: its functions, and how one lies below another.

use super::function::Function;

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
