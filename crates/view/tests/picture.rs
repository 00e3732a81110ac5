//! Tests that the picture of a machine can be read: it is XML, no text overlaps another, and everything is inside the sheet.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use lanescope_view::machine::svg::draw;
use probe::report::Report;
use probe::{Machine, Tree, lspci, read};
use roxmltree::{Document, Node};
use std::path::PathBuf;
use testing::folder;
use testing::machine::fault::plant;
use testing::machine::{Fault, healthy};

/// A rectangle of the picture, with what it contains.
#[derive(Clone, Debug)]
struct Place {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
    what: String,
}

impl Place {
    fn overlaps(&self, other: &Place) -> bool {
        let apart = |a: f64, b: f64| a <= b + 0.2;
        !(apart(self.right, other.left)
            || apart(other.right, self.left)
            || apart(self.bottom, other.top)
            || apart(other.bottom, self.top))
    }
    fn within(&self, other: &Place) -> bool {
        self.left >= other.left && self.top >= other.top && self.right <= other.right && self.bottom <= other.bottom
    }
}

fn number(node: Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).map_or(0.0, |text| text.parse().unwrap())
}

/// The approximate width of a letter in a wide sans-serif font, as a factor of the font size.
fn letter(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '\'' | '|' => 0.28,
        ' ' | ',' | '.' | ':' | ';' | '/' | '-' | '(' | ')' | '[' | ']' | 'f' | 't' | 'r' => 0.33,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '+' | '=' | '<' | '>' | '×' | '↑' | '↓' => 0.82,
        c if c.is_uppercase() => 0.62,
        c if c.is_ascii_digit() => 0.63,
        _ => 0.55,
    }
}

fn text(node: Node<'_, '_>) -> Place {
    let words = node.text().unwrap_or_default();
    let (size, bold) = match node.attribute("class").unwrap().split(' ').next().unwrap() {
        "h" => (17.0, 1.1),
        "t" => (13.0, 1.1),
        "p" => (12.0, 1.0),
        _ => (11.0, 1.0),
    };
    let (left, base) = (number(node, "x"), number(node, "y"));
    let right = left + words.chars().map(letter).sum::<f64>() * size * bold;
    Place { left, top: base - 0.8 * size, right, bottom: base + 0.22 * size, what: words.to_string() }
}

fn rectangle(node: Node<'_, '_>) -> Place {
    let (left, top) = (number(node, "x"), number(node, "y"));
    let what = node.attribute("class").unwrap_or_default().to_string();
    Place { left, top, right: left + number(node, "width"), bottom: top + number(node, "height"), what }
}

/// Asserts what must hold for any picture; gives the picture.
fn hold(machine: &Machine, name: &str) -> String {
    let tree = Tree::of(machine);
    let svg = draw(machine, &tree, &Report::of(machine, &tree, false));
    let document = Document::parse(&svg).unwrap_or_else(|error| panic!("{name} is no XML: {error}"));
    let root = document.root_element();
    let sheet = Place {
        left: 0.0,
        top: 0.0,
        right: number(root, "width"),
        bottom: number(root, "height"),
        what: String::new(),
    };
    assert_eq!(root.attribute("viewBox").unwrap(), format!("0 0 {} {}", sheet.right, sheet.bottom));
    let of = |tag: &'static str| root.descendants().filter(move |node| node.has_tag_name(tag));
    let texts: Vec<Place> = of("text").map(text).collect();
    let cards: Vec<Place> = of("rect")
        .map(rectangle)
        .filter(|place| place.what.starts_with("hub") || place.what.starts_with("card"))
        .collect();
    for place in texts.iter().chain(&cards) {
        assert!(place.within(&sheet), "{name}: {place:?} lies outside of {sheet:?}");
    }
    for (index, one) in texts.iter().enumerate() {
        let other = texts[index + 1..].iter().find(|other| one.overlaps(other));
        assert!(other.is_none(), "{name}: {one:?} lies over {other:?}");
    }
    // A text is inside a box or outside of it, never across its edge.
    for one in &texts {
        let cut = cards.iter().find(|card| one.overlaps(card) && !one.within(card));
        assert!(cut.is_none(), "{name}: {one:?} crosses the edge of {cut:?}");
    }
    svg
}

/// The text of a picture, with its lines joined.
fn said(svg: &str) -> String {
    let document = Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text()).collect::<Vec<_>>().join(" ")
}

#[test]
fn can_pictures_of_made_machines_be_read() {
    for seed in 0..40 {
        hold(&lspci::parse(&healthy(seed).hex()), &format!("healthy {seed}"));
    }
    for fault in Fault::ALL {
        for seed in 1..4 {
            hold(&lspci::parse(&plant(fault, seed).machine.hex()), &format!("{fault:?} {seed}"));
        }
    }
}

#[test]
fn can_pictures_of_real_machines_be_read() {
    let Some(folder) = folder("can_pictures_of_real_machines_be_read", "LANESCOPE_DUMPS") else { return };
    let mut dumps: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    dumps.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    assert!(!dumps.is_empty());
    for dump in dumps {
        let svg = hold(&read::read(&dump).unwrap(), &dump.display().to_string());
        assert!(!svg.contains("http://") || svg.matches("http://").count() == 1, "nothing is fetched");
    }
}

/// A picture shows rates, findings, NUMA nodes, and the devices that share a link.
#[test]
fn does_a_picture_show_rates_findings_and_what_shares_a_link() {
    let planted = plant(Fault::Uplink, 2);
    let machine = lspci::parse(&planted.machine.hex());
    let tree = Tree::of(&machine);
    let report = Report::of(&machine, &tree, false);
    let words = said(&hold(&machine, "uplink"));
    for limit in &report.limits.devices {
        let rate =
            format!("↑ {:.0} ↓ {:.0} MB/s", limit.to_memory.rate.as_mb_per_s(), limit.from_memory.rate.as_mb_per_s());
        let set = report.limits.sets.iter().any(|set| set.shares.iter().any(|(at, _)| *at == limit.at));
        assert!(words.contains(&rate) || set, "{rate}: {words}");
    }
    assert!(words.contains("shared by") && words.contains("MB/s at once"), "{words}");
    assert!(words.contains("less at once than one by one"), "{words}");
    let finding = &report.findings[0];
    assert!(words.contains(&format!("{} 1: {}", finding.severity, finding.what)), "{words}");
    assert!(words.contains("NUMA node"), "{words}");
}

/// A long name is wrapped, never cut.
#[test]
fn is_every_letter_of_every_name_there() {
    let text = "00:01.0 PCI bridge: Maker of Ports A Root Port With A Name That Is Much Longer Than Any Box (prog-if 00)\n\
                \tBus: primary=00, secondary=01, subordinate=01, sec-latency=0\n\
                \tCapabilities: [40] Express (v2) Root Port (Slot+), MSI 00\n\
                \t\tLnkCap:\tPort #1, Speed 8GT/s, Width x4, ASPM L1\n\
                \t\tLnkSta:\tSpeed 8GT/s, Width x4\n\n\
                01:00.0 Non-Volatile memory controller: A_Maker_Without_Blanks_In_Its_Very_Long_And_Winding_Name_Of_Letters <&> \"Drive\"\n\
                \tCapabilities: [40] Express (v2) Endpoint, MSI 00\n\
                \t\tLnkCap:\tPort #0, Speed 8GT/s, Width x4, ASPM L1\n\
                \t\tLnkSta:\tSpeed 8GT/s, Width x4\n";
    let words = said(&hold(&lspci::parse(text), "names")).replace(' ', "");
    assert!(
        words.contains("A_Maker_Without_Blanks_In_Its_Very_Long_And_Winding_Name_Of_Letters<&>\"Drive\""),
        "{words}"
    );
}
