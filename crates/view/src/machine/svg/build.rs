//! Converts a machine to the boxes of its picture.

use super::item::{Card, Item, State, Wire, Words};
use super::text::Face;
use crate::machine::show::{self, Alike};
use pcie::Rate;
use pcie::config::PortType;
use probe::address::Address;
use probe::finding::{Finding, Severity};
use probe::function::Function;
use probe::limits::DeviceLimit;
use probe::link::{Link, Why};
use probe::machine::Machine;
use probe::model::short;
use probe::rates::Way;
use probe::report::Report;
use probe::role::Role;
use probe::tree::Tree;
use std::collections::BTreeSet;

/// A root bus with the items on it.
pub struct Root {
    /// The NUMA node, where it is known.
    pub node: Option<u32>,
    /// Domain and bus.
    pub name: String,
    /// The items on the bus.
    pub items: Vec<Item>,
}

/// Largest number of names listed for a pile of boxes.
const MOST_NAMES: usize = 16;

/// The input for the picture.
pub struct Build<'a> {
    /// What was observed.
    pub machine: &'a Machine,
    /// The tree of the machine.
    pub tree: &'a Tree,
    /// Limits and findings.
    pub report: &'a Report,
    /// The findings, in the order of their numbers in the picture.
    pub findings: &'a [&'a Finding],
    /// Decides which functions are drawn as one.
    pub alike: Alike<'a>,
}

impl Build<'_> {
    /// All root buses in order.
    pub fn roots(&self) -> Vec<Root> {
        let mut roots = Vec::new();
        let mut rest = self.tree.roots();
        while let Some(first) = rest.first() {
            let bus = |at: &Address| (at.domain, at.bdf.bus());
            let count = rest.iter().take_while(|at| bus(at) == bus(first)).count();
            let (here, more) = rest.split_at(count);
            roots.push(self.root(here, *first));
            rest = more;
        }
        roots
    }
    fn root(&self, functions: &[Address], first: Address) -> Root {
        let (shown, quiet): (Vec<Address>, Vec<Address>) =
            functions.iter().partition(|&&at| show::speaks(self.machine, self.tree, at));
        let chipset = self.report.model.uplink.as_ref();
        // For a function on the root bus without a link, no register shows whether it is in the chipset.
        let holds = |at: &Address| {
            self.tree.link_below(*at).is_some() && chipset.is_some_and(|uplink| uplink.chipset.holds(*at))
        };
        let (behind, shown): (Vec<Address>, Vec<Address>) = shown.into_iter().partition(holds);
        let (alone, direct): (Vec<Address>, Vec<Address>) = shown.into_iter().partition(|&at| self.has_no_link(at));
        let mut items = self.items(&direct);
        if !alone.is_empty() {
            items.push(self.without_link(&alone));
        }
        if !behind.is_empty() {
            items.push(self.chipset(&behind));
        }
        if !quiet.is_empty() {
            let plural = if quiet.len() == 1 { "" } else { "s" };
            let text = format!("{} function{plural} inside the root complex", quiet.len());
            items.push(Item { bare: vec![Words::new(Face::Small, text)], ..Item::default() });
        }
        let node = functions.iter().find_map(|&at| self.machine.function(at)?.os.numa_node);
        Root { node, name: format!("{:04x}:{:02x}", first.domain, first.bdf.bus()), items }
    }
    /// True for a function of the root bus that is no port, has no link, and has no finding.
    fn has_no_link(&self, at: Address) -> bool {
        let is_bridge = self.machine.function(at).is_some_and(|function| function.header.is_bridge());
        !is_bridge && self.tree.link_above(at).is_none() && self.marks(&[at]).is_empty()
    }
    /// One box for all functions without a link.
    fn without_link(&self, functions: &[Address]) -> Item {
        let mut words = vec![Words::new(Face::Title, "without a link of their own")];
        words.extend(self.by_name(functions).iter().filter_map(|same| self.one_line(same)));
        Item { card: Some(Card { words, state: State::Neutral, count: 1 }), ..Item::default() }
    }
    /// The link that all devices of a chipset share. Registers do not show it; it follows from the chipset's model.
    fn chipset(&self, behind: &[Address]) -> Item {
        let children = self.items(behind);
        let Some(uplink) = &self.report.model.uplink else { return Item::default() };
        let below = self.report.model.below_chipset().len();
        let mut words = vec![Words::new(Face::Small, shared_by(below))];
        words.splice(0..0, self.set("all behind the chipset"));
        words.push(Words::new(Face::Small, "by its model, not by a register"));
        let above = vec![Words::new(Face::Title, uplink.chipset.link.to_string())];
        let wire = Wire { above, below: words, state: State::Neutral, thick: 5.0 };
        let name = format!("chipset {}", uplink.chipset.name);
        let card = Card { words: vec![Words::new(Face::Title, name)], state: State::Neutral, count: 1 };
        Item { wire: Some(wire), card: Some(card), children, ..Item::default() }
    }
    fn items(&self, functions: &[Address]) -> Vec<Item> {
        let runs = self.alike.runs(functions);
        runs.into_iter().filter_map(|run| self.item(functions.get(run)?)).collect()
    }
    /// The item of functions that are alike.
    fn item(&self, members: &[Address]) -> Option<Item> {
        let first = *members.first()?;
        let function = self.machine.function(first)?;
        if let Some(link) = self.tree.link_below(first) {
            return Some(self.port(members, link));
        }
        let mut item = self.device(members, members.len());
        item.card.iter_mut().for_each(|card| card.words.extend(self.marks(members)));
        if function.header.is_bridge() {
            item.children = self.items(&self.below(members));
        }
        let above = self.tree.link_above(first).filter(|link| link.upper.is_none());
        item.wire = above.map(|link| self.wire(link, members));
        Some(item)
    }
    fn below(&self, members: &[Address]) -> Vec<Address> {
        members.iter().flat_map(|&at| self.tree.children(at)).copied().collect()
    }
    /// The item of ports that are alike, each with its link and what is below it.
    fn port(&self, members: &[Address], link: &Link) -> Item {
        let mut tab: Vec<Words> = self.names(members).map(|name| Words::new(Face::Small, name)).collect();
        let below = self.below(members);
        let Some(lower) = below.first().filter(|_| link.lower.is_some()) else {
            tab.extend(self.marks(members));
            let can = link.upper_max.map_or(String::new(), |max| format!(", can {max}"));
            let bare = Words::new(Face::Small, format!("nothing below{can}"));
            return Item { tab, bare: vec![bare], ..Item::default() };
        };
        let hub = self.machine.function(*lower).is_some_and(|function| function.header.is_bridge());
        let mut item = self.device(&below, members.len());
        // A finding about the port and the device is shown once, at the device.
        let ends: Vec<Address> = members.iter().chain(&below).copied().collect();
        if let Some(card) = &mut item.card {
            card.words.extend(self.marks(&ends));
            card.state = self.state(&ends);
        }
        item.wire = Some(self.wire(link, members));
        item.tab = tab;
        if hub {
            let bridges: Vec<Address> =
                below.iter().copied().filter(|&at| !self.tree.children(at).is_empty()).collect();
            item.children = self.items(&self.below(&bridges));
        }
        item
    }
    /// The box of `count` devices, with all functions of each.
    fn device(&self, functions: &[Address], count: usize) -> Item {
        let mut words = Vec::new();
        for same in self.by_name(functions) {
            match words.is_empty() {
                true => words.extend(self.function_words(&same, count)),
                false => words.extend(self.one_line(&same)),
            }
        }
        Item { card: Some(Card { words, state: self.state(functions), count }), ..Item::default() }
    }
    /// Groups functions by name, in the order of the first of each group.
    fn by_name(&self, functions: &[Address]) -> Vec<Vec<Address>> {
        let mut groups: Vec<(String, Vec<Address>)> = Vec::new();
        for &at in functions {
            let title = self.machine.function(at).map_or(String::new(), Function::title);
            match groups.iter_mut().find(|(known, _)| *known == title) {
                Some((_, group)) => group.push(at),
                None => groups.push((title, vec![at])),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }
    /// The role of a function.
    fn role(&self, function: &Function) -> String {
        match (function.port_type(), show::kind(function), Role::of(function)) {
            (Some(PortType::UpstreamPort), ..) => "switch".to_string(),
            (_, Some(kind), _) => kind.to_string(),
            (_, None, Role::Other) => function.names.class.clone().unwrap_or_else(|| "device".to_string()),
            (_, None, role) => role.to_string(),
        }
    }
    fn function_words(&self, same: &[Address], count: usize) -> Vec<Words> {
        let functions: Vec<&Function> = same.iter().filter_map(|&at| self.machine.function(at)).collect();
        let Some(&first) = functions.first() else { return Vec::new() };
        let role = self.role(first);
        let names = self.names(same).collect::<Vec<_>>().join(", ");
        let mut words = match count {
            1 => vec![Words::new(Face::Title, format!("{role} {names}"))],
            _ => vec![Words::new(Face::Title, format!("{count} × {role}")), Words::new(Face::Small, names)],
        };
        words.push(Words::new(Face::Plain, first.title()));
        let software = software(&functions);
        words.extend((!software.is_empty()).then(|| Words::new(Face::Small, software)));
        words
    }
    /// One line for functions of one name, beside the first function of the device.
    fn one_line(&self, same: &[Address]) -> Option<Words> {
        let functions: Vec<&Function> = same.iter().filter_map(|&at| self.machine.function(at)).collect();
        let first = functions.first()?;
        let names = self.names(same).collect::<Vec<_>>().join(", ");
        let software = software(&functions);
        let software = if software.is_empty() { software } else { format!(" ({software})") };
        Some(Words::new(Face::Small, format!("{names} {}: {}{software}", self.role(first), first.title())))
    }
    fn names<'s>(&'s self, all: &'s [Address]) -> impl Iterator<Item = String> + 's {
        let shown = if all.len() > MOST_NAMES + 1 { MOST_NAMES } else { all.len() };
        let more = (all.len() > shown).then(|| format!("and {} more", all.len() - shown));
        all.iter().take(shown).map(|&at| short(self.machine, at)).chain(more)
    }
    /// The link below a port. `members` are the ports that are alike, each with such a link.
    fn wire(&self, link: &Link, members: &[Address]) -> Wire {
        let spans = show::link(link);
        let state = State::of(link.why);
        let mut spans = spans.iter().map(|span| span.text.clone());
        let above = spans.next().map(|now| Words::of(Face::Title, state, now)).into_iter().collect();
        let reason = spans.filter(|text| text != "full").map(|text| Words::of(Face::Small, state, text));
        let mut below = self.carries(link, members);
        below.extend(reason);
        let rate = link.now.and_then(|now| Some(f64::from(now.speed?.tenths()) / 25.0 * f64::from(now.width?)));
        let thick = rate.filter(|rate| *rate >= 1.0 && link.why != Why::Virtual).map_or(1.5, |rate| 2.0 + rate.log2());
        Wire { above, below, state, thick }
    }
    /// Rates over a link: for one device its limits, for several devices what they get at once.
    fn carries(&self, link: &Link, members: &[Address]) -> Vec<Words> {
        let Some(upper) = link.upper else { return Vec::new() };
        let devices = self.report.model.below(upper).count();
        let lower = link.lower.map_or(String::new(), |lower| short(self.machine, lower));
        if devices > 1 {
            let mut words = self.set(&format!("all behind {lower}"));
            words.push(Words::new(Face::Small, shared_by(devices)));
            return words;
        }
        let of = |way: Way| {
            let devices = members.iter().flat_map(|&port| self.report.model.below(port));
            let limits = devices.filter_map(|device| self.limit(device.main)).map(|limit| limit.way(way).rate);
            span(limits.collect())
        };
        match (of(Way::ToMemory), of(Way::FromMemory)) {
            (Some(to), Some(from)) => vec![Words::new(Face::Small, format!("↑ {to}  ↓ {from} MB/s"))],
            _ => Vec::new(),
        }
    }
    fn limit(&self, main: Address) -> Option<&DeviceLimit> {
        self.report.limits.devices.iter().find(|limit| limit.at == main)
    }
    /// The rate that the devices of a set write at once, and the sum of their rates one at a time.
    fn set(&self, name: &str) -> Vec<Words> {
        let Some(set) = self.report.limits.sets.iter().find(|set| set.name == name) else { return Vec::new() };
        let mut words = vec![Words::new(Face::Small, format!("↑ {} MB/s at once", mb(set.sum)))];
        if set.sum.0 < 0.995 * set.alone.0 {
            words.push(Words::new(Face::Small, format!("of {} one by one", mb(set.alone))));
        }
        words
    }
    /// The numbers of the findings about these functions.
    fn marks(&self, functions: &[Address]) -> Vec<Words> {
        let about = |(_, finding): &(usize, &&Finding)| finding.at.iter().any(|at| functions.contains(at));
        let all = self.findings.iter().enumerate().filter(about);
        let mark = |(number, finding): (usize, &&Finding)| {
            Words::of(Face::Small, severity(finding.severity), format!("{} {}", finding.severity, number + 1))
        };
        all.map(mark).collect()
    }
    /// The state by the most severe finding.
    fn state(&self, functions: &[Address]) -> State {
        let here: BTreeSet<Address> = functions.iter().copied().collect();
        let about = self.findings.iter().filter(|finding| finding.at.iter().any(|at| here.contains(at)));
        match about.map(|finding| finding.severity).min() {
            Some(worst @ (Severity::Error | Severity::Warning)) => severity(worst),
            _ => State::Neutral,
        }
    }
}

/// The state (colour) for a severity.
pub fn severity(severity: Severity) -> State {
    match severity {
        Severity::Error => State::Bad,
        Severity::Warning => State::Warn,
        Severity::Note | Severity::Question => State::Neutral,
    }
}

/// Slots, driver and names. The NUMA node is shown by the panel.
fn software(functions: &[&Function]) -> String {
    let mut all = show::software(functions);
    all.retain(|fact| !fact.starts_with("node ") && !fact.starts_with("IOMMU group"));
    all.join(", ")
}

fn shared_by(devices: usize) -> String {
    if devices == 1 { "for 1 device".to_string() } else { format!("shared by {devices} devices") }
}

fn mb(rate: Rate) -> String {
    format!("{:.0}", rate.as_mb_per_s())
}

/// Rates as text: `7494`, or `3587 to 7494` where they differ.
fn span(rates: Vec<Rate>) -> Option<String> {
    let least = rates.iter().map(|rate| rate.0).reduce(f64::min)?;
    let most = rates.iter().map(|rate| rate.0).reduce(f64::max)?;
    let (least, most) = (mb(Rate(least)), mb(Rate(most)));
    Some(if least == most { most } else { format!("{least} to {most}") })
}
