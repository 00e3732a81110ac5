//! A [`Report`] for people, and as JSON.

use crate::address::Address;
use crate::finding::{Cost, Finding, Severity};
use crate::limits::{DeviceLimit, PeerLimit, SetLimit};
use crate::machine::Machine;
use crate::model::short;
use crate::rates::Way;
use crate::report::Report;
use crate::together::{Together, TogetherLimit};
use layout::hanging;
use pcie::Rate;
use serde_json::{Value, json};
use std::fmt::Write;

/// How words are set off: headings, and severities.
#[derive(Clone, Copy)]
pub struct Paint<'a> {
    /// A heading.
    pub heading: &'a dyn Fn(&str) -> String,
    /// The word of a severity.
    pub severity: &'a dyn Fn(Severity, &str) -> String,
    /// Columns of the terminal.
    pub width: usize,
    /// Columns at which sentences are folded.
    pub prose: usize,
}

/// Pairs below this rate are left to JSON and to the matrix: 1 GB/s.
const WORTH: Rate = Rate(1e9);

fn mb(rate: Rate) -> String {
    format!("{:.0}", rate.as_mb_per_s())
}

/// Limits, then findings.
pub fn text(machine: &Machine, report: &Report, paint: Paint<'_>) -> String {
    let printer = Printer { machine, paint };
    let blocks = [printer.limits(report), printer.together(report), printer.matrix(report), printer.findings(report)];
    blocks.into_iter().filter(|block| !block.is_empty()).collect::<Vec<_>>().join("\n")
}

struct Printer<'a> {
    machine: &'a Machine,
    paint: Paint<'a>,
}

impl Printer<'_> {
    fn name(&self, at: Address) -> String {
        short(self.machine, at)
    }

    fn limits(&self, report: &Report) -> String {
        let limits = &report.limits;
        if limits.devices.is_empty() {
            return String::new();
        }
        let heading = |text: &str| (self.paint.heading)(text);
        let mut text =
            heading(&format!("{:<38}{:>10}{:>13}   set by", "limits, MB/s", "to memory", "from memory")) + "\n";
        limits.devices.iter().for_each(|device| text += &self.device(device));
        if let Some(uplink) = &report.model.uplink {
            let (name, link) = (&uplink.chipset.name, uplink.chipset.link);
            let _ = writeln!(text, "  chipset {name}: {link} to the processor ({})", uplink.chipset.source);
        }
        if !limits.sets.is_empty() {
            text +=
                &(heading(&format!("{:<38}{:>10}{:>13}   held back by", "at once", "to memory", "one by one")) + "\n");
            limits.sets.iter().for_each(|set| text += &set_line(set));
        }
        let worth: Vec<&PeerLimit> = limits.peers.iter().filter(|peer| peer.limited.rate >= WORTH).collect();
        if !worth.is_empty() {
            text += &(heading(&format!("{:<38}{:>10}   way", "card to card", "MB/s")) + "\n");
            worth.into_iter().for_each(|peer| text += &self.peer(report, peer));
        }
        text
    }

    /// Devices that were asked about: each share, and beside their sum what they have one at a time.
    fn together(&self, report: &Report) -> String {
        let block = |asked: &TogetherLimit| {
            let which = match &asked.of {
                Together::Named(all) => format!("{} named", all.len()),
                other => other.to_string(),
            };
            let head = format!("{:<38}{:>10}{:>13}   set by", format!("together: {which}"), "to memory", "from memory");
            let line = |name: &str, to: Rate, from: Rate| format!("  {name:<36}{:>10}{:>13}\n", mb(to), mb(from));
            let sums = |name: &str, of: &dyn Fn(Way) -> Rate| line(name, of(Way::ToMemory), of(Way::FromMemory));
            let shares: String = asked.shares.iter().map(|share| self.device(share)).collect();
            let (sum, alone) = (
                sums("all at once", &|way| asked.sum(way)),
                sums("one at a time, added up", &|way| asked.one_by_one(way)),
            );
            let unsure = match asked.behind_unknown {
                0 => String::new(),
                n => format!("  {n} of them {UNSURE}\n"),
            };
            (self.paint.heading)(&head) + "\n" + &shares + &sum + &alone + &unsure
        };
        report.together.iter().map(block).collect::<Vec<_>>().join("\n")
    }

    fn device(&self, device: &DeviceLimit) -> String {
        let name = format!("{} {}", device.role, self.name(device.at));
        let (to, from) = (mb(device.to_memory.rate), mb(device.from_memory.rate));
        format!("  {name:<36}{to:>10}{from:>13}   {}\n", device.to_memory.by)
    }

    fn peer(&self, report: &Report, peer: &PeerLimit) -> String {
        let role =
            |at| report.limits.devices.iter().find(|d| d.at == at).map_or(String::new(), |d| format!("{} ", d.role));
        let one = |at| format!("{}{}", role(at), self.name(at));
        let pair = format!("{} -> {}", one(peer.from), one(peer.to));
        format!("  {pair:<36}{:>10}   {}, {}\n", mb(peer.limited.rate), way(peer), peer.limited.by)
    }

    /// Every peer with every other: a row for who writes, a column for whose memory it is.
    fn matrix(&self, report: &Report) -> String {
        let Some(pairs) = &report.matrix else { return String::new() };
        let mut ends: Vec<Address> = pairs.iter().flat_map(|pair| [pair.from, pair.to]).collect();
        ends.sort_unstable();
        ends.dedup();
        if ends.is_empty() {
            return (self.paint.heading)("no two devices that write to one another") + "\n";
        }
        let width = ends.iter().map(|&end| self.name(end).len()).max().unwrap_or(0).max(7) + 2;
        let head: String = ends.iter().map(|&end| format!("{:>width$}", self.name(end))).collect();
        let mut text = (self.paint.heading)(&format!("{:<16}{head}", "MB/s, from \\ to")) + "\n";
        for &from in &ends {
            let _ = write!(text, "{:<16}", self.name(from));
            for &to in &ends {
                let pair = pairs.iter().find(|pair| (pair.from, pair.to) == (from, to));
                let _ = write!(text, "{:>width$}", pair.map_or("-".to_string(), cell));
            }
            text.push('\n');
        }
        text + "r: through the root; a: sent through the root by ACS; s: from socket to socket\n"
    }

    fn findings(&self, report: &Report) -> String {
        let findings = &report.findings;
        let mut text = String::new();
        let wrong = findings.iter().filter(|f| matches!(f.severity, Severity::Error | Severity::Warning)).count();
        let head = head(wrong, report);
        text += &((self.paint.heading)(&head) + "\n");
        findings.iter().for_each(|finding| text += &self.finding(finding));
        text + &self.left_out(report)
    }

    /// What was not judged, and why.
    fn left_out(&self, report: &Report) -> String {
        let lines = crate::judged::lines(self.machine, &report.judged);
        if lines.is_empty() {
            return String::new();
        }
        let line = |line: &String| format!("  {}", hanging(line, 4, self.paint.prose));
        (self.paint.heading)("not judged") + "\n" + &lines.iter().map(line).collect::<String>()
    }

    fn finding(&self, finding: &Finding) -> String {
        let severity = (self.paint.severity)(finding.severity, &format!("{:<8}", finding.severity.word()));
        let what = format!("{} [{}]", finding.what, finding.kind);
        let mut text = format!("{severity} {}", hanging(&what, 9, self.paint.prose));
        if let Some(cost) = &finding.cost {
            let (word, cost) = priced(finding.severity, cost);
            let _ = write!(text, "         {word:<6} {}", hanging(&cost, 16, self.paint.prose));
        }
        for evidence in &finding.evidence {
            let seen = format!("{} {}: {}", self.name(evidence.at), evidence.source, evidence.value);
            let _ = write!(text, "         seen   {}", hanging(&seen, 16, self.paint.width));
        }
        for remedy in &finding.remedy {
            let _ = write!(text, "         do     {}", hanging(remedy, 16, self.paint.prose));
        }
        text
    }
}

/// How many things are wrong, and in how much.
fn head(wrong: usize, report: &Report) -> String {
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let judged = &report.judged;
    let devices = count(judged.devices, "device");
    let judged = match judged.links {
        0 if judged.devices == 0 => "no link and no device could be judged".to_string(),
        0 => format!("no link and {devices} could be judged"),
        links => format!("{} and {devices} were judged", count(links, "link")),
    };
    match wrong {
        0 if report.judged.links == 0 => format!("nothing can be said: {judged}"),
        0 => format!("nothing wrong: {judged}"),
        n => format!("{}: {judged}", count(n, "finding")),
    }
}

/// What stands beside devices that share a chipset's link that is not known.
const UNSURE: &str = "share the chipset's link, which is not known: they may get less";

/// What a finding costs; a note tells what could be had, and a question what it would cost. Where something else is in the
/// way too, nothing is lost now.
fn priced(severity: Severity, cost: &Cost) -> (&'static str, String) {
    match severity {
        _ if !cost.is_felt() => ("costs", "nothing now: something else holds it to the same".to_string()),
        Severity::Error | Severity::Warning => ("costs", costs(cost)),
        Severity::Note => ("gain", costs(cost).replacen(" of ", " now, ", 1)),
        Severity::Question => ("if so", format!("it costs {}", costs(cost))),
    }
}

fn cell(pair: &PeerLimit) -> String {
    let marks = [(pair.through_root, 'r'), (pair.redirected, 'a'), (pair.nodes.is_some(), 's')];
    let marks: String = marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect();
    format!("{}{marks}", mb(pair.limited.rate))
}

fn way(peer: &PeerLimit) -> String {
    let mut way = match (peer.through_root, peer.redirected) {
        (true, _) => "through the root".to_string(),
        (_, true) => "through the root by ACS".to_string(),
        _ => "straight".to_string(),
    };
    match peer.switches {
        0 => {}
        1 => way += ", 1 switch",
        n => way += &format!(", {n} switches"),
    }
    if let Some((from, to)) = peer.nodes {
        way += &format!(", node {from} to {to}");
    }
    way
}

fn set_line(set: &SetLimit) -> String {
    let name = format!("{} ({})", set.name, set.shares.len());
    let shared = set.shares.iter().find(|(_, limited)| limited.by.what.contains("shared"));
    let each = match set.behind_unknown {
        0 => "nothing: each has its limit".to_string(),
        n => format!("not known: {n} {UNSURE}"),
    };
    let by = shared.map_or(each, |(_, limited)| limited.by.to_string());
    format!("  {name:<36}{:>10}{:>13}   {by}\n", mb(set.sum), mb(set.alone))
}

/// `3300 MB/s: 3400 of 6700 to memory, SSD 03:00.0`.
pub fn costs(cost: &Cost) -> String {
    let (lost, now, mended) = (mb(cost.lost()), mb(cost.now), mb(cost.mended));
    format!("{lost} MB/s: {now} of {mended} {}, {}", cost.way.words(), cost.of)
}

/// Limits, the matrix where it was asked for, and findings.
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

/// Rates of JSON have three digits behind the point: a kB/s.
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
    let share = |(at, limited): &(Address, crate::rates::Limited)| json!({ "at": at.to_string(), "mb_per_s": rate(limited.rate), "set_by": limited.by.to_string() });
    json!({
        "name": set.name,
        "to_memory_mb_per_s": rate(set.sum),
        "one_by_one_mb_per_s": rate(set.alone),
        "behind_unknown": set.behind_unknown,
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
