//! Functions in JSON.

use crate::machine::json::capability::{Capability, capability};
use pcie::config::{Aspm, BarKind, PortType};
use probe::function::Reach;
use probe::tree::Tree;
use serde::Serialize;
use std::collections::BTreeMap;

/// One function.
#[derive(Debug, Serialize)]
pub struct Function {
    /// Domain, bus, device and function.
    pub address: String,
    /// Address of the bridge above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// How much of the configuration space was readable: `whole`, `header`, `conventional`, `printed`, `nothing`.
    pub reach: &'static str,
    /// Name of vendor and device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of subsystem vendor and subsystem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subsystem_name: Option<String>,
    /// Name of the class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class_name: Option<String>,
    /// Base class and sub-class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<u16>,
    /// Programming interface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<u8>,
    /// Vendor ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vendor_id: Option<u16>,
    /// Device ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_id: Option<u16>,
    /// Revision ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u8>,
    /// Subsystem Vendor ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subsystem_vendor_id: Option<u16>,
    /// Subsystem ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subsystem_id: Option<u16>,
    /// Bus numbers of a bridge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buses: Option<Buses>,
    /// Device/Port Type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port_type: Option<String>,
    /// Max_Payload_Size as set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mps_bytes: Option<u64>,
    /// Max_Payload_Size Supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mps_supported_bytes: Option<u64>,
    /// Max_Read_Request_Size as set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mrrs_bytes: Option<u64>,
    /// Number of tag bits in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag_bits: Option<u8>,
    /// ASPM states that are enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspm: Option<Vec<&'static str>>,
    /// Base addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bars: Vec<Bar>,
    /// Capabilities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<Capability>,
    /// What the operating system reports.
    #[serde(skip_serializing_if = "Os::is_empty")]
    pub os: Os,
}

/// Bus numbers.
#[derive(Debug, Serialize)]
pub struct Buses {
    /// The bus that the bridge is on.
    pub primary: u8,
    /// The bus directly below the bridge.
    pub secondary: u8,
    /// The last bus below the bridge.
    pub subordinate: u8,
}

/// One base address.
#[derive(Debug, Serialize)]
pub struct Bar {
    /// Number of the BAR, 0 to 5.
    pub index: u8,
    /// `memory` or `io`.
    pub kind: &'static str,
    /// Address width of a memory BAR: 32 or 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<u8>,
    /// True where a memory BAR is prefetchable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefetchable: Option<bool>,
    /// Start address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
}

/// What the operating system reports about a function.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Os {
    /// NUMA node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numa_node: Option<u32>,
    /// List of the CPUs near the function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_cpus: Option<String>,
    /// IOMMU group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iommu_group: Option<u32>,
    /// Type of the IOMMU group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iommu_type: Option<String>,
    /// The driver that is bound to the function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// Drivers that support the function.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<String>,
    /// Block devices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
    /// Network interfaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nets: Vec<String>,
    /// Speeds of the network interfaces that have a link.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub net_speeds: Vec<NetSpeed>,
    /// Graphics cards and similar devices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cards: Vec<String>,
    /// The firmware's name for the function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The physical slot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// Error counters by severity and name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub aer_counters: BTreeMap<&'static str, BTreeMap<String, u64>>,
    /// Power state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_state: Option<String>,
    /// State of the runtime power management.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime_status: Option<String>,
}

/// The speed of a network interface.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct NetSpeed {
    /// Its name.
    pub name: String,
    /// Speed in 10^6 bits a second.
    pub mbit_per_s: u64,
}

/// One block device.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Block {
    /// Name, as in `/dev`.
    pub name: String,
    /// Its model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Os {
    fn is_empty(&self) -> bool {
        *self == Os::default()
    }
}

pub fn function(function: &probe::Function, tree: &Tree) -> Function {
    let header = &function.header;
    Function {
        address: function.address.to_string(),
        parent: tree.parent(function.address).map(|above| above.to_string()),
        reach: reach(function.reach),
        name: function.names.device.clone(),
        subsystem_name: function.names.subsystem.clone(),
        class_name: function.names.class.clone(),
        class: header.class,
        interface: header.interface,
        vendor_id: header.vendor,
        device_id: header.device,
        revision: header.revision,
        subsystem_vendor_id: header.subsystem.map(|ids| ids.0),
        subsystem_id: header.subsystem.map(|ids| ids.1),
        buses: header.buses.map(|buses| Buses {
            primary: buses.primary,
            secondary: buses.secondary,
            subordinate: buses.subordinate,
        }),
        port_type: function.port_type().map(|kind: PortType| kind.to_string()),
        mps_bytes: function.mps().map(|size| size.bytes()),
        mps_supported_bytes: function.mps_supported().map(|size| size.bytes()),
        mrrs_bytes: function.mrrs().map(|size| size.bytes()),
        tag_bits: function.tag_bits(),
        aspm: function.aspm().map(aspm),
        bars: header.bars.iter().map(bar).collect(),
        capabilities: function.capabilities.0.iter().map(capability).collect(),
        os: os(&function.os),
    }
}

fn reach(reach: Reach) -> &'static str {
    match reach {
        Reach::Whole => "whole",
        Reach::HeaderOnly => "header",
        Reach::Conventional => "conventional",
        Reach::Printed => "printed",
        Reach::Named => "named",
        Reach::Nothing => "nothing",
    }
}

fn aspm(aspm: Aspm) -> Vec<&'static str> {
    let states = [(aspm.l0s, "L0s"), (aspm.l1, "L1")];
    states.into_iter().filter(|(on, _)| *on).map(|(_, name)| name).collect()
}

fn bar(bar: &pcie::config::Bar) -> Bar {
    let (kind, bits, prefetchable) = match bar.kind {
        BarKind::Memory { is_64, prefetchable } => ("memory", Some(if is_64 { 64 } else { 32 }), Some(prefetchable)),
        BarKind::Io => ("io", None, None),
    };
    Bar {
        index: bar.index,
        kind,
        bits,
        prefetchable,
        address: bar.address.map(|address| format!("{address:#x}")),
        size_bytes: bar.size.map(|size| size.0),
    }
}

fn os(os: &probe::Os) -> Os {
    let block = |block: &probe::BlockDevice| Block { name: block.name.clone(), model: block.model.clone() };
    let mut aer_counters = BTreeMap::new();
    if let Some(aer) = &os.aer {
        let kinds = [
            ("correctable", &aer.correctable),
            ("nonfatal", &aer.nonfatal),
            ("fatal", &aer.fatal),
            ("root", &aer.root),
        ];
        aer_counters.extend(kinds.into_iter().filter(|kind| !kind.1.is_empty()).map(|(kind, map)| (kind, map.clone())));
    }
    Os {
        numa_node: os.numa_node,
        local_cpus: os.local_cpus.clone(),
        iommu_group: os.iommu.as_ref().map(|iommu| iommu.group),
        iommu_type: os.iommu.as_ref().and_then(|iommu| iommu.kind.clone()),
        driver: os.driver.clone(),
        modules: os.modules.clone(),
        blocks: os.blocks.iter().map(block).collect(),
        nets: os.nets.clone(),
        net_speeds: os
            .net_speeds
            .iter()
            .map(|(name, mbit)| NetSpeed { name: name.clone(), mbit_per_s: *mbit })
            .collect(),
        cards: os.cards.clone(),
        label: os.label.clone(),
        slot: os.slot.clone(),
        aer_counters,
        power_state: os.power_state.clone(),
        runtime_status: os.runtime_status.clone(),
    }
}
