//! The machine as a picture. NUMA nodes are panels. In each panel the root complex is at the left; to its right are its
//! ports with their links and what is below them. The thickness of a link shows its speed; colour, stroke and words
//! show its state. Parts that are alike are one box with a count. Below the tree are the legend, the devices that share
//! a link, and the findings.
//!
//! Every text is measured before it is placed, so that no text is cut or overlaps another.

mod build;
mod item;
mod sheet;
mod text;

use crate::machine::show::{self, Alike};
use crate::machine::verdict::priced;
use build::{Build, Root, severity};
use item::{BETWEEN, Columns, Item, PAD, STUB, State, Words, height, pile};
use probe::finding::{Finding, Severity};
use probe::machine::Machine;
use probe::report::Report;
use probe::tree::Tree;
use sheet::Sheet;
use std::collections::BTreeMap;
use text::Face;

/// Margin around the picture, and within a panel.
const MARGIN: f64 = 20.0;
/// Least width of a picture.
const LEAST: f64 = 760.0;

/// The picture as a complete SVG file.
pub fn draw(machine: &Machine, tree: &Tree, report: &Report) -> String {
    let findings: Vec<&Finding> = report.findings.iter().filter(|f| f.severity != Severity::Question).collect();
    let build = Build { machine, tree, report, findings: &findings, alike: Alike::new(machine, tree) };
    let roots = build.roots();
    let columns = Columns::of(&roots.iter().flat_map(|root| &root.items).collect::<Vec<_>>());
    let bar = roots.iter().map(|root| Words::new(Face::Small, &root.name).width()).fold(50.0, f64::max) + 2.0 * PAD;
    let wide = |root: &Root| root.items.iter().map(|item| item.width(columns)).fold(0.0, f64::max);
    let tree_width = roots.iter().map(wide).fold(0.0, f64::max) + bar + 4.0 * MARGIN;
    let mut drawing = Drawing { sheet: Sheet::default(), columns, bar, width: tree_width.max(LEAST), y: MARGIN };
    drawing.head(machine);
    let mut nodes: BTreeMap<Option<u32>, Vec<Root>> = BTreeMap::new();
    for root in roots {
        nodes.entry(root.node).or_default().push(root);
    }
    // Roots without a node come last.
    let (none, known): (Vec<_>, Vec<_>) = nodes.into_iter().partition(|(node, _)| node.is_none());
    for (node, roots) in known.into_iter().chain(none) {
        drawing.panel(machine, node, &roots);
    }
    drawing.legend();
    drawing.shares(report);
    drawing.findings(&findings);
    drawing.sheet.file(drawing.width, drawing.y + MARGIN)
}

struct Drawing {
    sheet: Sheet,
    columns: Columns,
    /// Width of the box of a root complex.
    bar: f64,
    width: f64,
    /// Vertical position of the next item.
    y: f64,
}

impl Drawing {
    fn inner(&self) -> f64 {
        self.width - 2.0 * MARGIN
    }
    /// Draws folded words, indented from the left margin.
    fn words(&mut self, words: &Words, indent: f64) {
        let lines = words.lines(self.inner() - indent);
        self.sheet.lines(MARGIN + indent, self.y, &lines);
        self.y += height(&lines);
    }
    fn head(&mut self, machine: &Machine) {
        let heading = show::heading(machine);
        let (name, rest) = heading.split_once("  ").unwrap_or((&heading, ""));
        self.words(&Words::new(Face::Head, name), 0.0);
        self.words(&Words::new(Face::Plain, rest), 0.0);
        self.y += PAD;
    }
    /// Draws a node with its root complexes.
    fn panel(&mut self, machine: &Machine, node: Option<u32>, roots: &[Root]) {
        let top = self.y;
        self.y += PAD;
        let cpus = node.and_then(|node| machine.numa.get(&node)?.cpus.clone());
        let cpus = cpus.map_or(String::new(), |cpus| format!(", CPUs {cpus}"));
        let title =
            node.map_or("root complex, NUMA node not known".to_string(), |node| format!("NUMA node {node}{cpus}"));
        self.words(&Words::new(Face::Title, title), MARGIN);
        for root in roots {
            self.y += PAD;
            self.root(root);
        }
        self.y += MARGIN;
        self.sheet.panel(MARGIN, top, self.inner(), self.y - top);
        self.y += PAD;
    }
    /// Draws a root complex as a tall box, with its ports at the right.
    fn root(&mut self, root: &Root) {
        let label = [Words::new(Face::Title, "root"), Words::new(Face::Small, &root.name)];
        let items: f64 = root.items.iter().map(|item| item.height(self.columns) + BETWEEN).sum();
        let tall = (items + BETWEEN).max(height(&label) + 2.0 * PAD);
        let x = 2.0 * MARGIN;
        self.sheet.card(x, self.y, self.bar, tall, State::Neutral, true);
        self.sheet.lines(x + PAD, self.y + PAD, &label);
        self.column(&root.items, x + self.bar, self.y + (tall - items + BETWEEN) / 2.0);
        self.y += tall;
    }
    fn column(&mut self, items: &[Item], x: f64, mut y: f64) {
        for item in items {
            let tall = item.height(self.columns);
            self.item(item, x, y, tall);
            y += tall + BETWEEN;
        }
    }
    /// Draws a port, its link at the vertical centre of the item, and what is at the link's end.
    fn item(&mut self, item: &Item, left: f64, y: f64, tall: f64) {
        let middle = y + tall / 2.0;
        let mut x = left;
        if !item.tab.is_empty() {
            let high = height(&item.tab) + PAD;
            self.sheet.card(x, middle - high / 2.0, self.columns.tab, high, State::Neutral, true);
            self.sheet.lines(x + PAD, middle - height(&item.tab) / 2.0, &item.tab);
            x += self.columns.tab;
        }
        let end = left + item.reach(self.columns);
        match &item.wire {
            Some(wire) => {
                let (above, below) = item.wire_lines(self.columns);
                self.sheet.wire(x, end, middle, wire.thick, wire.state);
                let edge = wire.thick / 2.0 + 2.0;
                self.sheet.lines(x + PAD, middle - edge - height(&above), &above);
                self.sheet.lines(x + PAD, middle + edge, &below);
            }
            None if end > x => self.sheet.wire(x, end, middle, 1.5, State::Neutral),
            None => {}
        }
        self.sheet.lines(end + PAD, middle - height(&item.bare) / 2.0, &item.bare);
        let Some(card) = &item.card else { return };
        let (wide, lines) = (item.card_width(), item.card_lines());
        let high = if item.is_hub() { tall } else { item.card_height() };
        for step in (1..=2).rev().filter(|_| pile(item) > 0.0) {
            let by = 3.0 * f64::from(step);
            self.sheet.card(end + by, middle - high / 2.0 + by, wide, high, card.state, false);
        }
        self.sheet.card(end, middle - high / 2.0, wide, high, card.state, item.is_hub());
        self.sheet.lines(end + PAD, middle - high / 2.0 + PAD, &lines);
        let below = item.children_height(self.columns);
        self.column(&item.children, end + wide, middle - below / 2.0 + BETWEEN);
    }
    /// Draws the legend.
    fn legend(&mut self) {
        self.y += PAD;
        for (state, thick, text) in [
            (State::Good, 4.0, "the most that both ends can do"),
            (State::Warn, 4.0, "less, with a reason that may be innocent: asleep, or wired so"),
            (State::Bad, 4.0, "less than both ends can do, or set lower"),
            (State::Neutral, 4.0, "inside a chip, tunnelled, or not read"),
        ] {
            let words = Words::new(Face::Small, text);
            self.sheet.wire(MARGIN, MARGIN + 3.0 * STUB, self.y + words.face.leading() / 2.0, thick, state);
            self.words(&words, 3.0 * STUB + PAD);
        }
        let text = "A link is as thick as it is fast. ↑ to memory, ↓ from memory, MB/s of payload (10^6 bytes a second); a \
                    pile stands for as many as its count says.";
        self.words(&Words::new(Face::Small, text), 0.0);
    }
    /// Draws the list of devices that get less together than one at a time.
    fn shares(&mut self, report: &Report) {
        let less = report.limits.sets.iter().filter(|set| set.sum.0 < 0.995 * set.alone.0);
        for (number, set) in less.enumerate() {
            if number == 0 {
                self.y += PAD;
                self.words(&Words::new(Face::Title, "less at once than one by one"), 0.0);
            }
            let by = set.shares.iter().find(|(_, limited)| limited.by.shared);
            let by = by.map_or(String::new(), |(_, limited)| format!(": {}", limited.by));
            let (sum, alone) = (set.sum.as_mb_per_s(), set.alone.as_mb_per_s());
            let text = format!("{} ({}): {sum:.0} of {alone:.0} MB/s to memory{by}", set.name, set.shares.len());
            self.words(&Words::new(Face::Plain, text), PAD);
        }
    }
    fn findings(&mut self, findings: &[&Finding]) {
        for (number, finding) in findings.iter().enumerate() {
            self.y += if number == 0 { MARGIN } else { PAD };
            let state = severity(finding.severity);
            let face = if state == State::Neutral { Face::Plain } else { Face::Title };
            let text = format!("{} {}: {}", finding.severity, number + 1, finding.what);
            self.words(&Words::of(face, state, text), 0.0);
            if let Some(cost) = &finding.cost {
                let (word, cost) = priced(finding.severity, cost);
                self.words(&Words::new(Face::Small, format!("{word} {cost}")), PAD);
            }
        }
    }
}
