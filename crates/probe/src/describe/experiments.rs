//! Experiments for what is there: each device alone, all of a role together, both ways; pairs of cards.

use super::lines::{Lines, quoted};
use super::source::Source;
use crate::limits::MOST_PAIRS;
use crate::model::Device;
use crate::role::Role;

/// Bytes of a device alone: one long command, as `inspect` asks for.
const ALONE: &str = "8 MiB";
/// Bytes of each device of several.
const TOGETHER: &str = "4 MiB";

/// The roles whose devices move data at once, with the name of all of them.
const ROLES: [(Role, &str); 5] = [
    (Role::Ssd, "all_ssds"),
    (Role::Storage, "all_storage"),
    (Role::Gpu, "all_gpus"),
    (Role::Accelerator, "all_accelerators"),
    (Role::Nic, "all_nics"),
];

/// A named list of flows.
struct Set {
    name: String,
    flows: Vec<String>,
}

pub(super) fn write(source: &Source<'_>, out: &mut Lines) {
    let limited = |device: &&Device| source.report.limits.devices.iter().any(|limit| limit.at == device.main);
    let devices: Vec<&Device> = source.report.model.devices.iter().filter(limited).collect();
    if devices.is_empty() {
        return;
    }
    out.line(0, "experiments:");
    let name = |device: &Device| source.names.device(device).to_string();
    for (word, operation, way) in [("write", "dma-write", "to memory"), ("read", "dma-read", "from memory")] {
        let flow = |device: &Device| match word {
            "write" => format!("{} -> host", name(device)),
            _ => format!("host -> {}", name(device)),
        };
        let alone: Vec<Set> =
            devices.iter().map(|device| Set { name: name(device), flows: vec![flow(device)] }).collect();
        experiment(out, word, &format!("Each device alone, {way}."), operation, ALONE, &alone);
        let of = |role: Role| devices.iter().filter(move |device| device.role == role);
        let several = ROLES.iter().filter(|(role, _)| of(*role).count() > 1);
        let mut sets: Vec<Set> = several
            .map(|&(role, name)| Set { name: name.into(), flows: of(role).map(|device| flow(device)).collect() })
            .collect();
        let all: Vec<String> = devices.iter().map(|device| flow(device)).collect();
        if all.len() > 1 && sets.first().is_none_or(|set| sets.len() > 1 || set.flows.len() < all.len()) {
            sets.push(Set { name: "all".into(), flows: all });
        }
        let unseen = match devices.iter().all(|device| source.view.is_rooted(device)) {
            true => "",
            false => " What joins some of them was not printed: they may share a link, and get less.",
        };
        let about = format!("Devices at once, {way}.{unseen}");
        experiment(out, &format!("{word}_together"), &about, operation, TOGETHER, &sets);
    }
    let direct = source.report.limits.peers.iter().filter(|peer| !peer.redirected);
    let pairs = direct.filter_map(|peer| {
        let [from, to] = [source.report.model.device(peer.from)?, source.report.model.device(peer.to)?].map(name);
        Some(Set { name: format!("{from}_to_{to}"), flows: vec![format!("{from} -> {to}")] })
    });
    let about = "A card writes to another; where no switch joins them, through the root complex, if that forwards it.";
    experiment(out, "card_to_card", about, "p2p-write", ALONE, &pairs.collect::<Vec<_>>());
    if source.report.limits.peers.len() == MOST_PAIRS {
        out.comment(&format!("card_to_card has the first {MOST_PAIRS} pairs: lanescope inspect --matrix has all"));
    }
}

fn experiment(out: &mut Lines, name: &str, about: &str, operation: &str, bytes: &str, sets: &[Set]) {
    if sets.is_empty() {
        return;
    }
    out.line(1, &format!("{name}:"));
    out.line(2, &format!("about: {}", quoted(about)));
    out.line(2, &format!("operation: {operation}"));
    out.line(2, &format!("command: {bytes}"));
    out.line(2, &format!("volume: {bytes}"));
    out.line(2, "flow_sets:");
    for set in sets {
        let flows: Vec<String> = set.flows.iter().map(|flow| format!("\"{flow}\"")).collect();
        out.line(3, &format!("{}: [{}]", set.name, flows.join(", ")));
    }
    let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    out.line(2, &format!("axes: {{ of: [{}] }}", names.join(", ")));
    out.line(2, "measures: [throughput_sum]");
}
