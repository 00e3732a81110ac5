//! The machine as JSON: a machine-readable `lspci`.
//!
//! The schema is versioned and described in `docs/inspect.md`. What was not observed has no key. Keys are only ever
//! added within a version; what a key means does not change.

mod capability;
mod function;
mod link;

use probe::machine::{Machine, Source};
use probe::tree::Tree;
use serde::Serialize;

/// The version of the schema.
pub const VERSION: u32 = 1;

/// The whole document.
#[derive(Debug, Serialize)]
pub struct Document {
    /// `lanescope-machine`.
    pub schema: &'static str,
    /// [`VERSION`].
    pub version: u32,
    /// The file, or `this machine`.
    pub name: String,
    /// `live`, `capture`, `text` or `hex`.
    pub source: &'static str,
    /// The kernel's release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// The policy of ASPM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspm_policy: Option<String>,
    /// NUMA nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numa_nodes: Vec<NumaNode>,
    /// Functions, by address.
    pub functions: Vec<function::Function>,
    /// Links, by their upper port.
    pub links: Vec<link::Link>,
    /// What was not understood, and what contradicts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
}

/// One NUMA node.
#[derive(Debug, Serialize)]
pub struct NumaNode {
    /// Its number.
    pub node: u32,
    /// Its CPUs, as a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<String>,
    /// Distances to the nodes in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub distances: Vec<u32>,
}

/// One remark.
#[derive(Debug, Serialize)]
pub struct Remark {
    /// A line or a file.
    pub place: String,
    /// What.
    pub what: String,
}

/// The document of a machine.
pub fn document(machine: &Machine, tree: &Tree) -> Document {
    let source = match machine.source {
        Source::Live => "live",
        Source::Capture => "capture",
        Source::Text => "text",
        Source::Hex => "hex",
    };
    let node = |(node, about): (&u32, &probe::machine::NumaNode)| NumaNode {
        node: *node,
        cpus: about.cpus.clone(),
        distances: about.distances.clone(),
    };
    let remark = |remark: &probe::Remark| Remark { place: remark.place.to_string(), what: remark.what.clone() };
    Document {
        schema: "lanescope-machine",
        version: VERSION,
        name: machine.name.clone(),
        source,
        kernel: machine.kernel.clone(),
        product: machine.product.clone(),
        aspm_policy: machine.aspm_policy.clone(),
        numa_nodes: machine.numa.iter().map(node).collect(),
        functions: machine.functions.values().map(|f| function::function(f, tree)).collect(),
        links: tree.links().iter().map(link::link).collect(),
        remarks: machine.remarks.iter().map(remark).collect(),
    }
}
