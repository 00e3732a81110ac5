//! Merging of two views of one function, and the fields in which they contradict.

use crate::function::{Function, Reach};
use crate::os::Os;
use pcie::config::{Bar, Body, Capabilities, Capability, Header, NamedRegister, Register};

/// The names of the registers and fields in which two views differ.
pub type Conflicts = Vec<String>;

impl Function {
    /// Adds from `other` what this view does not know. Where both know a field and differ, this view is kept and the
    /// field is named in the result.
    pub fn join(&mut self, other: Function) -> Conflicts {
        let mut conflicts = Conflicts::new();
        if self.is_denied(&other) || other.is_denied(self) {
            conflicts.push("whether it answers".to_string());
        }
        fill(&mut self.path, other.path, "path", &mut conflicts);
        fill(&mut self.names.class, other.names.class, "class name", &mut conflicts);
        fill(&mut self.names.device, other.names.device, "device name", &mut conflicts);
        fill(&mut self.names.subsystem, other.names.subsystem, "subsystem name", &mut conflicts);
        join_header(&mut self.header, other.header, &mut conflicts);
        join_capabilities(&mut self.capabilities, other.capabilities, &mut conflicts);
        join_os(&mut self.os, other.os, &mut conflicts);
        if self.space.is_none() {
            self.space = other.space;
        }
        self.reach = self.reach.or(other.reach);
        self.is_virtual |= other.is_virtual;
        conflicts
    }
    /// True if this view found the function silent and the other one read its capabilities. A list without
    /// capabilities is no contradiction.
    fn is_denied(&self, other: &Function) -> bool {
        self.reach == Reach::Nothing && other.reach != Reach::Nothing && !other.capabilities.0.is_empty()
    }
}

impl Reach {
    /// The larger extent of two. A function that one view found silent stays silent.
    fn or(self, other: Reach) -> Reach {
        if self == Reach::Nothing || other == Reach::Nothing {
            return Reach::Nothing;
        }
        let order = [Reach::Named, Reach::HeaderOnly, Reach::Conventional, Reach::Printed, Reach::Whole];
        let rank = |reach| order.iter().position(|known| *known == reach);
        if rank(other) > rank(self) { other } else { self }
    }
}

/// Fills in an absent value. Two values that differ are a conflict.
fn fill<T: PartialEq>(ours: &mut Option<T>, theirs: Option<T>, name: &str, conflicts: &mut Conflicts) {
    match (&ours, theirs) {
        (None, theirs) => *ours = theirs,
        (Some(known), Some(theirs)) if *known != theirs => conflicts.push(name.to_string()),
        _ => {}
    }
}

fn join_header(ours: &mut Header, theirs: Header, conflicts: &mut Conflicts) {
    fill(&mut ours.vendor, theirs.vendor, "vendor id", conflicts);
    fill(&mut ours.device, theirs.device, "device id", conflicts);
    fill(&mut ours.class, theirs.class, "class", conflicts);
    fill(&mut ours.interface, theirs.interface, "prog-if", conflicts);
    fill(&mut ours.revision, theirs.revision, "revision", conflicts);
    fill(&mut ours.subsystem, theirs.subsystem, "subsystem", conflicts);
    fill(&mut ours.kind, theirs.kind, "header type", conflicts);
    fill(&mut ours.multi_function, theirs.multi_function, "multi-function bit", conflicts);
    fill(&mut ours.interrupt_pin, theirs.interrupt_pin, "interrupt pin", conflicts);
    fill(&mut ours.buses, theirs.buses, "bus numbers", conflicts);
    join_observed(&mut ours.command, theirs.command, conflicts);
    join_observed(&mut ours.status, theirs.status, conflicts);
    join_bars(&mut ours.bars, theirs.bars);
}

fn join_observed<R: NamedRegister>(ours: &mut R, theirs: R, conflicts: &mut Conflicts) {
    join_register(R::NAME, R::FIELDS, ours.register_mut(), theirs.register(), conflicts);
}

fn join_register(
    name: &str,
    fields: &[pcie::config::BitField],
    ours: &mut Register,
    theirs: Register,
    conflicts: &mut Conflicts,
) {
    let differ = ours.conflict(theirs);
    let named = fields.iter().filter(|field| field.mask() & differ != 0);
    conflicts.extend(named.map(|field| format!("{name} {}", field.label)));
    *ours = ours.or(theirs);
}

/// Merges BARs. One view may have the sizes and the other one raw addresses. Addresses that differ are no conflict: the
/// kernel may map a BAR elsewhere.
fn join_bars(ours: &mut Vec<Bar>, theirs: Vec<Bar>) {
    for bar in theirs {
        match ours.iter_mut().find(|known| known.index == bar.index) {
            Some(known) => {
                known.size = known.size.or(bar.size);
                known.address = known.address.or(bar.address);
            }
            None => ours.push(bar),
        }
    }
    ours.sort_by_key(|bar| bar.index);
}

fn join_capabilities(ours: &mut Capabilities, theirs: Capabilities, conflicts: &mut Conflicts) {
    // A damaged text may have a capability twice: the first is merged with the first, the second with the second.
    let mut met = vec![false; ours.0.len()];
    for capability in theirs.0 {
        let same = |known: &Capability| known.offset == capability.offset && known.id == capability.id;
        match (0..met.len()).find(|i| !met[*i] && same(&ours.0[*i])) {
            Some(index) => {
                met[index] = true;
                join_capability(&mut ours.0[index], capability, conflicts);
            }
            None => ours.0.push(capability),
        }
    }
}

fn join_capability(ours: &mut Capability, theirs: Capability, conflicts: &mut Conflicts) {
    fill(&mut ours.version, theirs.version, "capability version", conflicts);
    if ours.bytes.is_empty() {
        ours.bytes = theirs.bytes;
    }
    if ours.text.is_empty() {
        ours.text = theirs.text;
    }
    join_body(&mut ours.body, theirs.body, conflicts);
}

fn join_body(ours: &mut Body, mut theirs: Body, conflicts: &mut Conflicts) {
    for (slot, other) in ours.slots().into_iter().zip(theirs.slots()) {
        if slot.name == other.name {
            join_register(slot.name, slot.fields, slot.register, *other.register, conflicts);
        }
    }
    match (ours, theirs) {
        (Body::Aer(ours), Body::Aer(theirs)) => {
            for (ours, theirs) in ours.header_log.iter_mut().zip(theirs.header_log) {
                fill(ours, theirs, "HeaderLog", conflicts);
            }
        }
        (Body::Ltr(ours), Body::Ltr(theirs)) => {
            fill(&mut ours.snoop_ns, theirs.snoop_ns, "Max snoop latency", conflicts);
            fill(&mut ours.no_snoop_ns, theirs.no_snoop_ns, "Max no snoop latency", conflicts);
        }
        (Body::L1Substates(ours), Body::L1Substates(theirs)) => {
            fill(&mut ours.threshold_ns, theirs.threshold_ns, "LTR1.2_Threshold", conflicts);
            fill(&mut ours.power_on_us, theirs.power_on_us, "T_PwrOn", conflicts);
        }
        (Body::Rebar(ours), Body::Rebar(theirs)) | (Body::VfRebar(ours), Body::VfRebar(theirs)) => {
            if ours.bars.is_empty() {
                ours.bars = theirs.bars;
            } else if !theirs.bars.is_empty() && ours.bars != theirs.bars {
                conflicts.push("resizable BARs".to_string());
            }
        }
        _ => {}
    }
}

fn join_os(ours: &mut Os, theirs: Os, conflicts: &mut Conflicts) {
    fill(&mut ours.numa_node, theirs.numa_node, "NUMA node", conflicts);
    fill(&mut ours.local_cpus, theirs.local_cpus, "local CPUs", conflicts);
    fill(&mut ours.iommu, theirs.iommu, "IOMMU group", conflicts);
    fill(&mut ours.driver, theirs.driver, "driver", conflicts);
    fill(&mut ours.label, theirs.label, "label", conflicts);
    fill(&mut ours.slot, theirs.slot, "slot", conflicts);
    fill(&mut ours.power_state, theirs.power_state, "power state", conflicts);
    fill(&mut ours.runtime_status, theirs.runtime_status, "runtime status", conflicts);
    fill(&mut ours.enabled, theirs.enabled, "enabled", conflicts);
    fill(&mut ours.aer, theirs.aer, "AER counters", conflicts);
    fill(&mut ours.link.speed, theirs.link.speed, "link speed", conflicts);
    fill(&mut ours.link.width, theirs.link.width, "link width", conflicts);
    fill(&mut ours.link.max_speed, theirs.link.max_speed, "link max speed", conflicts);
    fill(&mut ours.link.max_width, theirs.link.max_width, "link max width", conflicts);
    for (ours, theirs) in
        [(&mut ours.modules, theirs.modules), (&mut ours.nets, theirs.nets), (&mut ours.cards, theirs.cards)]
    {
        if ours.is_empty() {
            *ours = theirs;
        }
    }
    if ours.net_speeds.is_empty() {
        ours.net_speeds = theirs.net_speeds;
    }
    if ours.blocks.is_empty() {
        ours.blocks = theirs.blocks;
    }
}
