//! The machine as JSON: a machine-readable `lspci`.
//!
//! The schema is versioned and described in `docs/inspect.md`. What was not observed has no key. Within a version, keys
//! may be added, and the meaning of a key does not change.

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
    /// The name of the file, or `this machine`.
    pub name: String,
    /// `live`, `capture`, `text` or `hex`.
    pub source: &'static str,
    /// The kernel's release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The product name of the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// The ASPM policy of the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspm_policy: Option<String>,
    /// NUMA nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numa_nodes: Vec<NumaNode>,
    /// Functions in the order of their addresses.
    pub functions: Vec<function::Function>,
    /// Links in the order of their upper ports.
    pub links: Vec<link::Link>,
    /// What was not understood, and what is contradictory.
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
    /// Distances to all nodes, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub distances: Vec<u32>,
}

/// One remark on the input.
#[derive(Debug, Serialize)]
pub struct Remark {
    /// The line or file.
    pub place: String,
    /// The text of the remark.
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
