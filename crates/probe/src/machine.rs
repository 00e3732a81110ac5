//! The machine as observed.

use crate::address::Address;
use crate::function::{Function, Reach};
use crate::remark::Remark;
use crate::saying::Told;
use std::collections::{BTreeMap, BTreeSet};

/// Subsystem ids of QEMU's host bridges: Red Hat (Qumranet), QEMU Virtual Machine.
const QEMU_MACHINE: (u16, u16) = (0x1af4, 0x1100);
/// The most functions of one bus: the host bridge is among the first of a machine.
const ROOT_BUS: usize = 256;

/// Where a machine was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// This system's sysfs.
    Live,
    /// A saved sysfs tree.
    Capture,
    /// The output of `lspci -v`, `-vv` or `-vvv`.
    #[default]
    Text,
    /// The output of `lspci -x`, `-xxx` or `-xxxx`, with or without text.
    Hex,
}

/// One NUMA node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumaNode {
    /// Its CPUs, as a list (`0-15,32-47`).
    pub cpus: Option<String>,
    /// Distances to the nodes, in their order (10 is the node itself).
    pub distances: Vec<u32>,
}

/// What was observed of a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Machine {
    /// The name of the file, or of this system.
    pub name: String,
    /// Where it was read from.
    pub source: Source,
    /// Its functions.
    pub functions: BTreeMap<Address, Function>,
    /// Domain and bus of its host bridges, where the source draws them (`lspci -t`).
    pub roots: BTreeSet<(u32, u8)>,
    /// Its NUMA nodes, if the source has them.
    pub numa: BTreeMap<u32, NumaNode>,
    /// The kernel's release, if the source has it.
    pub kernel: Option<String>,
    /// Seconds since its kernel began, if the source has them.
    pub uptime: Option<f64>,
    /// The board or product, if the source has it.
    pub product: Option<String>,
    /// The policy of ASPM (`default`, `performance`, `powersave`, ...), if the source has it.
    pub aspm_policy: Option<String>,
    /// What other programs say of it, if they are in the text.
    pub told: Vec<Told>,
    /// What was not understood, and what contradicts.
    pub remarks: Vec<Remark>,
}

impl Machine {
    /// Adds a function. If there is one at its address, the two are merged; if they contradict, the first is
    /// kept and a remark says so.
    pub fn add(&mut self, function: Function) {
        let Some(known) = self.functions.get(&function.address) else {
            self.functions.insert(function.address, function);
            return;
        };
        let (place, address) = (function.place.clone(), function.address);
        let mut joined = known.clone();
        let conflicts = joined.join(function);
        if conflicts.is_empty() {
            self.functions.insert(address, joined);
            return;
        }
        let first = known.place.as_ref().map_or(String::new(), |place| format!(" of {place}"));
        let what = format!("{address} comes again, and differs in {}: the first{first} stands", conflicts.join(", "));
        self.remarks.extend(place.map(|place| Remark { place, what }));
    }
    /// Fills in names by id where the input gave none, and marks virtual functions.
    pub fn name_by_ids(&mut self) {
        self.functions.values_mut().for_each(Function::name_by_ids);
        let placed: Vec<Address> = self.functions.values().flat_map(virtual_functions).collect();
        for at in placed {
            self.functions.entry(at).and_modify(|function| function.is_virtual = true);
        }
        let named =
            |function: &Function| function.names.device.as_ref().is_some_and(|n| n.contains("Virtual Function"));
        self.functions.values_mut().filter(|function| named(function)).for_each(|function| function.is_virtual = true);
    }
    /// The function at an address, to be filled in; where nothing else has named it, known by its name alone.
    pub(crate) fn known(&mut self, address: Address) -> &mut Function {
        let named = || Function { address, reach: Reach::Named, ..Function::default() };
        self.functions.entry(address).or_insert_with(named)
    }
    /// A function by its address.
    pub fn function(&self, address: Address) -> Option<&Function> {
        self.functions.get(&address)
    }
    /// True for a machine of QEMU, by its host bridge: none of its links is physical.
    pub fn is_emulated(&self) -> bool {
        self.functions.values().take(ROOT_BUS).any(|function| {
            function.header.subsystem == Some(QEMU_MACHINE)
                || function.names.subsystem.as_deref().is_some_and(|name| name.contains("QEMU"))
        })
    }
    /// True if the registers or the link of some function were read: a list of names has none.
    pub fn has_registers(&self) -> bool {
        let told = |f: &Function| !f.capabilities.0.is_empty() || f.os.link.max_width.is_some() || f.space.is_some();
        self.functions.values().any(told)
    }
    /// True where a bus that no bridge leads to is one of the root complex, and not one whose bridge was not printed.
    pub fn is_root_bus(&self, at: Address) -> bool {
        use pcie::config::PortType;
        const HOST_BRIDGE: u16 = 0x0600;
        let here = |f: &&Function| (f.address.domain, f.address.bdf.bus()) == (at.domain, at.bdf.bus());
        let is_printed = self.source == Source::Live || self.source == Source::Capture || at.bdf.bus() == 0;
        let is_below =
            |f: &Function| f.port_type().is_some_and(|kind| kind.is_upstream() || kind == PortType::DownstreamPort);
        let has_numbers = self.functions.values().any(|f| f.header.buses.is_some())
            && self.functions.values().any(|f| f.header.class == Some(HOST_BRIDGE));
        let below = |kind: PortType| kind.is_upstream() || kind == PortType::DownstreamPort;
        let of_root =
            |f: &Function| f.header.class == Some(HOST_BRIDGE) || f.port_type().is_some_and(|kind| !below(kind));
        is_printed
            || self.roots.contains(&(at.domain, at.bdf.bus()))
            || self.functions.values().filter(here).any(of_root)
            || has_numbers && !self.functions.values().filter(here).any(is_below)
    }
    /// True if capabilities of some function were hidden from the user who read it.
    pub fn needs_root(&self) -> bool {
        self.functions.values().any(|function| function.reach == Reach::HeaderOnly)
    }
}

/// The addresses of a function's virtual functions, by SR-IOV: the first at First VF Offset, the others VF Stride apart.
fn virtual_functions(function: &Function) -> Vec<Address> {
    let place = |sriov: &pcie::config::sriov::Sriov| {
        let count = sriov.number.number().filter(|_| sriov.ctl.enable() != Some(false))?;
        let (offset, stride) = (sriov.routing.offset()?, sriov.routing.stride()?);
        let own = u32::from(function.address.bdf.bits());
        let at = (0..count).map(|n| own.saturating_add(offset).saturating_add(n.saturating_mul(stride)));
        let at = at.map_while(|bits| u16::try_from(bits).ok());
        Some(at.map(|bits| Address { bdf: pcie::Bdf::from_bits(bits), ..function.address }).collect())
    };
    function.capabilities.sriov().and_then(place).unwrap_or_default()
}
