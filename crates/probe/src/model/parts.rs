//! Parts of a model, by what registers say of a function and what has to be assumed; and the functions of one device.

use crate::address::Address;
use crate::function::Function;
use crate::machine::Machine;
use crate::tree::Tree;
use pcie::config::PortType;
use pcie::{Generation, LinkSpeed, PayloadSize, Width};
use system::field::Count;
use system::kind::Kind;
use system::kinds::{HostParams, PortParams, SwitchParams};
use system::observed::PartSeen;
use system::{Figure, Origin};

/// The rate of a link whose own figures have no meaning: it is no bottleneck.
pub(crate) const NO_BOTTLENECK: LinkSpeed = LinkSpeed { generation: Generation::Gen5, width: Width::ALL[5] };

/// The largest Max_Payload_Size that a root port is set to.
pub(super) fn root_mps(machine: &Machine) -> PayloadSize {
    let roots = machine.functions.values().filter(|f| f.port_type() == Some(PortType::RootPort));
    // Without one, as those of the devices: their TLPs arrive.
    let devices = || machine.functions.values().filter_map(Function::mps).max();
    roots.filter_map(Function::mps).max().or_else(devices).unwrap_or(PayloadSize::MIN)
}

/// A figure that no register holds.
pub(super) fn assumed(field: &'static str, value: &str, why: &str) -> Figure {
    Figure { field, value: value.to_string(), origin: Origin::Assumed(why.to_string()) }
}

pub(super) fn host() -> PartSeen {
    let params = HostParams { completion_bytes: Count(PayloadSize::MAX.bytes()), ..HostParams::default() };
    let latency = params.read_latency.to_string();
    let figures = vec![
        assumed("read_latency", &latency, "a root complex says nothing of it"),
        assumed("completion_bytes", "MPS", "the most that the standard allows"),
    ];
    part("host".into(), "host".into(), Kind::new(params), figures)
}

pub(super) fn part(name: String, model: String, kind: Kind, figures: Vec<Figure>) -> PartSeen {
    let habits = PortParams { mps: PayloadSize::MAX, ..PortParams::default() };
    let (mps, mps_supported, mrrs) = (PayloadSize::MIN, Some(PayloadSize::MAX), PayloadSize::MAX);
    PartSeen { name, model, kind, habits, mps, mps_supported, mrrs, tags: 256, figures }
}

pub(super) fn switch(name: String, model: String) -> PartSeen {
    let params = SwitchParams::default();
    let figures = vec![assumed("latency", &params.latency.to_string(), "a switch says nothing of it")];
    part(name, model, Kind::new(params), figures)
}

/// The text of an address, without the domain if all domains are 0.
pub fn short(machine: &Machine, address: Address) -> String {
    let several = machine.functions.last_key_value().is_some_and(|(last, _)| last.domain != 0);
    if several { address.to_string() } else { address.bdf.to_string() }
}

/// All functions of a device from `at` on: those with the same bus and device number.
pub fn twins(machine: &Machine, at: Address) -> impl Iterator<Item = &Function> {
    let place = |a: Address| (a.domain, a.bdf.bus(), a.bdf.device());
    machine.functions.range(at..).map(|(_, function)| function).take_while(move |f| place(f.address) == place(at))
}

/// True for the upstream port of a switch: by its type, or by the bridges below it if the type could not be read.
pub(crate) fn is_switch(function: &Function, tree: &Tree, machine: &Machine) -> bool {
    let bridges = || {
        let mut children = tree.children(function.address).iter().filter_map(|&child| machine.function(child));
        children.any(|child| child.header.is_bridge())
    };
    match function.port_type() {
        Some(kind) => kind == PortType::UpstreamPort,
        None => function.header.is_bridge() && bridges(),
    }
}

pub(super) fn switch_at(machine: &Machine, function: &Function) -> PartSeen {
    let seen = switch(short(machine, function.address), function.title());
    PartSeen { mps: function.mps().unwrap_or(PayloadSize::MIN), mps_supported: function.mps_supported(), ..seen }
}
