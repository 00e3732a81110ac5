//! A [`Report`] as text.

mod alike;
mod cost;
mod document;
mod matrix;

pub use cost::costs;
pub(crate) use cost::priced;
pub(crate) use document::finding_value;
pub use document::value;

use crate::layout::{Side, Table, hanging};
use cost::mb;
use pcie::Rate;
use probe::address::Address;
use probe::finding::{Finding, Severity};
use probe::limits::{DeviceLimit, PeerLimit, SetLimit};
use probe::machine::Machine;
use probe::model::short;
use probe::rates::Way;
use probe::report::Report;
use probe::together::{Together, TogetherLimit};
use std::fmt::Write;

/// The format of the text: how headings and severities are shown, and the width.
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
    /// True to list everything individually and every list in full.
    pub all: bool,
}

/// Largest number of addresses listed for things that are alike.
const MOST_NAMES: usize = 12;
/// Largest number of pairs listed.
const MOST_PAIRS: usize = 16;
/// Largest number of commands listed that differ only in their addresses.
const MOST_ADVICE: usize = 4;

/// Pairs below this rate (1 GB/s) are shown only in JSON and in the matrix.
const WORTH: Rate = Rate(1e9);

/// The limits, then the findings.
pub fn text(machine: &Machine, report: &Report, paint: Paint<'_>) -> String {
    let printer = Printer { machine, paint };
    let matrix = report.matrix.as_ref().map(|pairs| printer.matrix(pairs));
    let blocks =
        [printer.limits(report), printer.together(report), matrix.unwrap_or_default(), printer.findings(report)];
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
        let mut table = Table::new(0, &columns("limits, MB/s", "from memory", "set by"));
        let groups = match self.paint.all {
            true => limits.devices.iter().map(|device| vec![device]).collect(),
            false => alike::devices(&limits.devices, &|limited| mb(limited.rate)),
        };
        groups.iter().for_each(|group| table.row(self.devices(group)));
        let mut text = self.table(&table);
        if let Some(uplink) = &report.model.uplink {
            let (name, link) = (&uplink.chipset.name, uplink.chipset.link);
            let _ = writeln!(text, "  chipset {name}: {link} to the processor ({})", uplink.chipset.source);
        }
        if !limits.sets.is_empty() {
            let mut table = Table::new(0, &columns("at once", "one by one", "held back by"));
            limits.sets.iter().for_each(|set| table.row(set_line(set)));
            text += &self.table(&table);
        }
        text += &self.peers(report);
        text
    }

    /// Limits of the devices that were queried together: the share of each, their sum, and the sum of the rates one at
    /// a time.
    fn together(&self, report: &Report) -> String {
        let block = |asked: &TogetherLimit| {
            let which = match &asked.of {
                Together::Named(all) => format!("{} named", all.len()),
                other => other.to_string(),
            };
            let head = format!("together: {which}");
            let mut table = Table::new(0, &columns(&head, "from memory", "set by"));
            asked.shares.iter().for_each(|share| table.row(self.devices(&[share])));
            let mut sums = |name: &str, of: &dyn Fn(Way) -> Rate| {
                let rates = [Way::ToMemory, Way::FromMemory].map(|way| mb(of(way)));
                table.row(std::iter::once(format!("  {name}")).chain(rates));
            };
            sums("all at once", &|way| asked.sum(way));
            sums("one at a time, added up", &|way| asked.one_by_one(way));
            let unsure = match asked.behind_unknown {
                0 if asked.is_unseen && asked.shares.len() > 1 => format!("  {UNSEEN}: they may get less\n"),
                0 => String::new(),
                n => format!("  {n} of them {UNSURE}\n"),
            };
            self.table(&table) + &unsure
        };
        report.together.iter().map(block).collect::<Vec<_>>().join("\n")
    }

    fn table(&self, table: &Table) -> String {
        table.text(self.paint.width, self.paint.heading)
    }

    /// Rows for one device, or for several that are alike in everything but their addresses.
    fn devices(&self, group: &[&DeviceLimit]) -> Vec<String> {
        let Some(&first) = group.first() else { return Vec::new() };
        let (to, from) = (mb(first.to_memory.rate), mb(first.from_memory.rate));
        let by = &first.to_memory.by;
        if group.len() == 1 {
            return vec![format!("  {} {}", first.role, self.name(first.at)), to, from, by.to_string()];
        }
        let same = |device: &&DeviceLimit| {
            let other = &device.to_memory.by;
            (&other.name, other.cause, other.shared) == (&by.name, by.cause, by.shared)
        };
        let shared = group.iter().all(same);
        let by = if shared { by.to_string() } else { format!("each its own, {}", by.what()) };
        let names: Vec<String> = group.iter().map(|device| self.name(device.at)).collect();
        let by = format!("{by}: {}", crate::layout::list(&names, MOST_NAMES));
        vec![format!("  {} × {}", group.len(), first.role), to, from, by]
    }

    /// The pairs of devices that can write to each other. The matrix shows them too.
    fn peers(&self, report: &Report) -> String {
        let worth = report.limits.peers.iter().filter(|peer| peer.limited.rate >= WORTH);
        let worth: Vec<&PeerLimit> = worth.filter(|_| report.matrix.is_none()).collect();
        if worth.is_empty() {
            return String::new();
        }
        let all = self.paint.all || worth.len() <= MOST_PAIRS + 1;
        let shown = if all { worth.len() } else { MOST_PAIRS };
        let mut table = Table::new(0, &[("card to card", Side::Left), ("MB/s", Side::Right), ("way", Side::Left)]);
        worth.iter().take(shown).for_each(|peer| table.row(self.peer(report, peer)));
        let more = worth.len() - shown;
        let rest = if more > 0 { format!("  and {more} more: --all\n") } else { String::new() };
        self.table(&table) + &rest
    }

    fn peer(&self, report: &Report, peer: &PeerLimit) -> [String; 3] {
        let role =
            |at| report.limits.devices.iter().find(|d| d.at == at).map_or(String::new(), |d| format!("{} ", d.role));
        let one = |at| format!("{}{}", role(at), self.name(at));
        let pair = format!("  {} -> {}", one(peer.from), one(peer.to));
        [pair, mb(peer.limited.rate), format!("{}, {}", way(peer), peer.limited.by)]
    }

    fn findings(&self, report: &Report) -> String {
        let findings = &report.findings;
        let mut text = String::new();
        let wrong = findings.iter().filter(|f| matches!(f.severity, Severity::Error | Severity::Warning)).count();
        let head = head(wrong, report);
        text += &((self.paint.heading)(&head) + "\n");
        let groups = match self.paint.all {
            true => findings.iter().map(|finding| vec![finding]).collect(),
            false => alike::findings(findings),
        };
        let mut told: Vec<(&Finding, &str)> = Vec::new();
        groups.iter().for_each(|group| text += &self.finding(group, &mut told));
        text + &self.left_out(report)
    }

    /// The functions that were not judged, with the reason.
    fn left_out(&self, report: &Report) -> String {
        let lines = crate::machine::left_out::lines(self.machine, &report.judged);
        if lines.is_empty() {
            return String::new();
        }
        let line = |line: &String| format!("  {}", hanging(line, 4, self.paint.prose));
        (self.paint.heading)("not judged") + "\n" + &lines.iter().map(line).collect::<String>()
    }

    /// One finding, or several that differ only in their addresses. Advice is not repeated.
    fn finding<'f>(&self, group: &[&'f Finding], told: &mut Vec<(&'f Finding, &'f str)>) -> String {
        let Some((&finding, others)) = group.split_first() else { return String::new() };
        let severity = (self.paint.severity)(finding.severity, &format!("{:<8}", finding.severity.word()));
        let line = |label: &str, what: &str, width| format!("         {label:<6} {}", hanging(what, 16, width));
        let what = format!("{} [{}]", finding.what, finding.kind);
        let mut text = format!("{severity} {}", hanging(&what, 9, self.paint.prose));
        if !others.is_empty() {
            let names: Vec<String> = others.iter().filter_map(|f| Some(self.name(*f.at.first()?))).collect();
            text += &line("also", &crate::layout::list(&names, MOST_NAMES), self.paint.prose);
        }
        if let Some(cost) = &finding.cost {
            let each = if others.is_empty() { "" } else { " (each)" };
            let (word, cost) = priced(finding.severity, cost);
            text += &line(word, &format!("{cost}{each}"), self.paint.prose);
        }
        for evidence in &finding.evidence {
            let seen = format!("{} {}: {}", self.name(evidence.at), evidence.source, evidence.value);
            text += &line("seen", &seen, self.paint.width);
        }
        text + &self.advice(group, told)
    }

    /// The advice: steps that name an address once for each of the group, other steps once.
    fn advice<'f>(&self, group: &[&'f Finding], told: &mut Vec<(&'f Finding, &'f str)>) -> String {
        let Some(&first) = group.first() else { return String::new() };
        let mut lines: Vec<String> = Vec::new();
        let mut before: Vec<String> = Vec::new();
        for (place, remedy) in first.remedy.iter().enumerate() {
            let of_all: Vec<&str> = group.iter().filter_map(|f| f.remedy.get(place)).map(String::as_str).collect();
            let same = of_all.iter().all(|other| other == remedy);
            let known = told.iter().find(|(finding, text)| text == remedy && finding.kind == first.kind);
            match known.filter(|_| same && !self.paint.all) {
                Some((finding, _)) => before.extend(finding.at.first().map(|&at| self.name(at))),
                None if same => lines.push(remedy.clone()),
                None => {
                    let shown = if of_all.len() > MOST_ADVICE + 1 { MOST_ADVICE } else { of_all.len() };
                    lines.extend(of_all.iter().take(shown).map(|text| (*text).to_string()));
                    let more = of_all.len() - shown;
                    lines.extend((more > 0).then(|| format!("and the same for {more} more: --all")));
                }
            }
        }
        before.dedup();
        lines.extend((!before.is_empty()).then(|| format!("as for {} above", before.join(", "))));
        told.extend(first.remedy.iter().map(|remedy| (first, remedy.as_str())));
        lines.iter().map(|text| format!("         do     {}", hanging(text, 16, self.paint.prose))).collect()
    }
}

/// The head line: the number of findings, and the number of links and devices that were judged.
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
        0 if report.judged.links == 0 && report.judged.devices == 0 => format!("nothing can be said: {judged}"),
        0 if report.judged.links == 0 => {
            format!("nothing wrong, as far as the own ends of {devices} go: no port above was seen")
        }
        0 => format!("nothing wrong: {judged}"),
        n => format!("{}: {judged}", count(n, "finding")),
    }
}

/// The note for devices of which ports above were left out of a text.
const UNSEEN: &str = "what joins them was not printed";

/// The note for devices that share a chipset link of unknown speed.
const UNSURE: &str = "share the chipset's link, which is not known: they may get less";

fn way(peer: &PeerLimit) -> String {
    let mut way = match (peer.through_root, peer.redirected) {
        (true, _) => "through the root, if that forwards it".to_string(),
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

/// Heads of a table with rates to memory and another rate beside them.
fn columns<'t>(what: &'t str, beside: &'t str, by: &'t str) -> [(&'t str, Side); 4] {
    [(what, Side::Left), ("to memory", Side::Right), (beside, Side::Right), (by, Side::Left)]
}

fn set_line(set: &SetLimit) -> [String; 4] {
    let shared = set.shares.iter().find(|(_, limited)| limited.by.shared);
    let each = match set.behind_unknown {
        0 if set.is_unseen => format!("not known: {UNSEEN}"),
        0 => "nothing: each has its limit".to_string(),
        n => format!("not known: {n} {UNSURE}"),
    };
    let by = shared.map_or(each, |(_, limited)| limited.by.to_string());
    [format!("  {} ({})", set.name, set.shares.len()), mb(set.sum), mb(set.alone), by]
}
