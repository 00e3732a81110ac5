//! A [`Report`] as JSON.

use pcie::Rate;
use probe::address::Address;
use probe::finding::Finding;
use probe::limits::{DeviceLimit, PeerLimit, SetLimit};
use probe::rates::Way;
use probe::report::Report;
use probe::together::TogetherLimit;
use serde_json::{Value, json};

/// The limits, the matrix where it was requested, and the findings.
pub fn value(report: &Report) -> Value {
    let limits = &report.limits;
    let mut value = json!({
        "limits": {
            "devices": limits.devices.iter().map(device_value).collect::<Vec<_>>(),
            "sets": limits.sets.iter().map(set_value).collect::<Vec<_>>(),
            "peers": limits.peers.iter().map(peer_value).collect::<Vec<_>>(),
            "judged": { "links": report.judged.links, "devices": report.judged.devices },
            "left_out": report.judged.left_out.iter().map(|left| json!({ "at": left.at.to_string(), "why": left.why })).collect::<Vec<_>>(),
            "chipset": report.model.uplink.as_ref().map(|uplink| json!({
                "name": uplink.chipset.name,
                "link": uplink.chipset.link.to_string(),
                "source": uplink.chipset.source,
            })),
        },
        "findings": report.findings.iter().map(finding_value).collect::<Vec<_>>(),
    });
    if !report.together.is_empty() {
        value["limits"]["together"] = report.together.iter().map(together_value).collect();
    }
    if let Some(matrix) = &report.matrix {
        value["limits"]["matrix"] = matrix.iter().map(peer_value).collect();
    }
    value
}

/// A rate in JSON, with three decimal digits (1 kB/s).
fn rate(rate: Rate) -> Value {
    json!((rate.as_mb_per_s() * 1000.0).round() / 1000.0)
}

fn device_value(device: &DeviceLimit) -> Value {
    json!({
        "at": device.at.to_string(),
        "role": device.role.to_string(),
        "to_memory_mb_per_s": rate(device.to_memory.rate),
        "to_memory_set_by": device.to_memory.by.to_string(),
        "from_memory_mb_per_s": rate(device.from_memory.rate),
        "from_memory_set_by": device.from_memory.by.to_string(),
    })
}

fn set_value(set: &SetLimit) -> Value {
    let share = |(at, limited): &(Address, probe::rates::Limited)| json!({ "at": at.to_string(), "mb_per_s": rate(limited.rate), "set_by": limited.by.to_string() });
    json!({
        "name": set.name,
        "to_memory_mb_per_s": rate(set.sum),
        "one_by_one_mb_per_s": rate(set.alone),
        "behind_unknown": set.behind_unknown,
        "unseen_above": set.is_unseen,
        "shares": set.shares.iter().map(share).collect::<Vec<_>>(),
    })
}

fn together_value(asked: &TogetherLimit) -> Value {
    json!({
        "name": asked.of.to_string(),
        "to_memory_mb_per_s": rate(asked.sum(Way::ToMemory)),
        "from_memory_mb_per_s": rate(asked.sum(Way::FromMemory)),
        "one_by_one_mb_per_s": rate(asked.one_by_one(Way::ToMemory)),
        "one_by_one_from_memory_mb_per_s": rate(asked.one_by_one(Way::FromMemory)),
        "behind_unknown": asked.behind_unknown,
        "unseen_above": asked.is_unseen,
        "shares": asked.shares.iter().map(device_value).collect::<Vec<_>>(),
    })
}

fn peer_value(peer: &PeerLimit) -> Value {
    json!({
        "from": peer.from.to_string(),
        "to": peer.to.to_string(),
        "mb_per_s": rate(peer.limited.rate),
        "set_by": peer.limited.by.to_string(),
        "switches": peer.switches,
        "through_root": peer.through_root,
        "acs_redirected": peer.redirected,
        "nodes": peer.nodes.map(|(from, to)| [from, to]),
    })
}

/// A finding as JSON.
pub(crate) fn finding_value(finding: &Finding) -> Value {
    let evidence = finding.evidence.iter();
    let evidence = evidence.map(|e| json!({ "at": e.at.to_string(), "source": e.source, "value": e.value }));
    json!({
        "kind": finding.kind,
        "severity": finding.severity.word(),
        "at": finding.at.iter().map(Address::to_string).collect::<Vec<_>>(),
        "what": finding.what,
        "evidence": evidence.collect::<Vec<_>>(),
        "cost": finding.cost.as_ref().map(|cost| json!({
            "of": cost.of,
            "way": cost.way.words(),
            "now_mb_per_s": rate(cost.now),
            "mended_mb_per_s": rate(cost.mended),
            "lost_mb_per_s": rate(cost.lost()),
        })),
        "remedy": finding.remedy,
    })
}
