//! Register writes that set what was found, from the difference between two settled machines.

use crate::tune::knob::on_the_way;
use pcie::device_control::Bits;
use pcie::{Bdf, PayloadSize};
use std::fmt;
use system::{Node, PartId, PortId, Scenario, System};

/// The least numbers of tags for which the 8-bit field and the 10-bit field must be enabled.
const EXTENDED_FROM: u64 = 256;
const TEN_BIT_FROM: u64 = 768;
/// The largest number of parts that are listed by name.
const FEW: usize = 4;

/// One write to a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterWrite {
    /// The address of the function, as the described machine of its host enumerates it: a placeholder for that of the real one.
    pub bdf: Bdf,
    /// Its address in the real machine, where the description names it.
    pub address: Option<String>,
    /// The bits to write.
    pub bits: Bits,
    /// The part, and the meaning of the write.
    pub why: String,
}

impl RegisterWrite {
    /// The write as a shell command.
    pub fn command(&self) -> String {
        let place = self.address.clone().unwrap_or_else(|| self.bdf.to_string());
        format!("setpci -s {place} {}", self.bits)
    }
}

/// The write as a shell command, with what it means behind it.
impl fmt::Display for RegisterWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}   # {}", self.command(), self.why)
    }
}

/// The writes that change `before` into `after`, in the order in which MPS is raised: functions nearest to the host
/// first.
pub(crate) fn writes(before: &System, after: &System) -> Vec<RegisterWrite> {
    let mut all = Vec::new();
    for (old, new) in before.parts.iter().zip(&after.parts) {
        for &port in new.ports.iter().filter(|&&port| after.port(port).link.is_some()) {
            let host = host_of(after, port);
            let mps = (before.mps(port), after.mps(port));
            all.extend(of_port(old, new, mps, port, after).into_iter().map(|write| (host, write)));
        }
    }
    all.sort_by_key(|(host, write)| (*host, write.bdf, write.bits.offset));
    all.into_iter().map(|(host, write)| on_its_machine(after, host, write)).collect()
}

/// The host above a port.
fn host_of(system: &System, port: PortId) -> PartId {
    let part = system.port(port).part;
    let above = match system.port(port).role.faces_down() {
        true => Some(part),
        false => system.port(port).link.map(|link| system.port(system.link(link).upper).part),
    };
    above.and_then(|above| system.hosts_of(above).next()).unwrap_or(part)
}

/// `write` with the bus numbers of the machine of `host`. Hosts of one description are Segment Groups; each machine
/// counts its own from 0.
fn on_its_machine(system: &System, host: PartId, write: RegisterWrite) -> RegisterWrite {
    let segment = write.bdf.segment().saturating_sub(system.bdf(host).segment());
    let several = system.roots().nth(1).is_some();
    let why = if several { format!("on {}: {}", system.part(host).name, write.why) } else { write.why };
    RegisterWrite { bdf: write.bdf.in_segment(segment), why, ..write }
}

fn of_port(
    old: &Node,
    new: &Node,
    mps: (PayloadSize, PayloadSize),
    port: PortId,
    system: &System,
) -> Vec<RegisterWrite> {
    let card = new.kind.is_endpoint();
    let mut control: Option<(Bits, Vec<String>)> = None;
    let mut add = |bits: Bits, word: String| {
        let (old, mut words) = control.take().unwrap_or((Bits { value: 0, mask: 0, ..bits }, Vec::new()));
        words.push(word);
        control = Some((old.and(bits).unwrap_or(bits), words));
    };
    if mps.0 != mps.1 {
        add(Bits::max_payload_size(mps.1), format!("Max_Payload_Size {}", mps.1));
    }
    if card && old.mrrs != new.mrrs {
        add(Bits::max_read_request_size(new.mrrs), format!("Max_Read_Request_Size {}", new.mrrs));
    }
    let extended = new.tags >= EXTENDED_FROM;
    if card && (old.tags >= EXTENDED_FROM) != extended {
        add(Bits::extended_tag(extended), format!("Extended Tag {}", on(extended)));
    }
    let ten = new.tags >= TEN_BIT_FROM;
    let ten_bit = (card && (old.tags >= TEN_BIT_FROM) != ten)
        .then(|| (Bits::ten_bit_tag(ten), vec![format!("10-Bit Tag Requester {}", on(ten))]));
    let of = system.port(port);
    let write = |(bits, words): (Bits, Vec<String>)| {
        let why = format!("{}: {}", of.name, words.join(", "));
        RegisterWrite { bdf: of.bdf, address: of.address.clone(), bits, why }
    };
    control.into_iter().chain(ten_bit).map(write).collect()
}

fn on(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// What the addresses of the writes are.
const PLACEHOLDERS: &str = "the addresses are placeholders: enumeration gives them to this description, and others to the real \
    machine. `lspci -tv` shows its tree, and `lspci -d VENDOR:DEVICE` the address of a card";

/// Notes to be read before the registers are written.
pub(crate) fn notes(writes: &[RegisterWrite], scenario: &Scenario, tuned: &System) -> Vec<String> {
    let placeholders = writes.iter().any(|write| write.address.is_none()).then(|| PLACEHOLDERS.to_string());
    placeholders.into_iter().chain(surpassed(scenario, tuned)).collect()
}

/// The parts that must not be sent TLPs any more, because MPS was raised above what they support.
fn surpassed(scenario: &Scenario, tuned: &System) -> Vec<String> {
    let way = on_the_way(scenario);
    let Some(mps) = way.iter().map(|&part| tuned.part(part).mps).max() else { return Vec::new() };
    let raised = way.iter().any(|&part| tuned.part(part).mps > scenario.system.part(part).mps);
    let less: Vec<&Node> = tuned.parts.iter().filter(|part| raised && part.mps < mps).collect();
    if less.is_empty() {
        return Vec::new();
    }
    let named: Vec<String> = less.iter().take(FEW).map(|part| format!("{} ({} B)", part.name, part.mps)).collect();
    let more = less.len().saturating_sub(FEW);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    vec![format!("what was raised to {mps} B must not write to, or be read by, {}{rest}", named.join(", "))]
}
