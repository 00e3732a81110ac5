//! `lanescope inspect [FILE]`.

use crate::args::{Csv, Files, Inspect};
use crate::exit::{End, Failure};
use crate::screen::Screen;
use crate::verdict;
use crate::{csv, file, input};
use console::Style;
use pcie::Rate;
use probe::address::Address;
use probe::limits::{DeviceLimit, PeerLimit, SetLimit};
use probe::rates::{Limited, Way};
use probe::report::Report;
use probe::together::TogetherLimit;
use probe::{Function, Machine, Tree};
use view::machine::show::{Row, Span, Tone};

/// Prints the tree of a machine, or writes it as JSON or as a picture.
///
/// # Errors
/// A file that does not contain a machine, or an output that cannot be written.
pub fn run(asked: &Inspect, screen: &Screen) -> Result<End, Failure> {
    for path in asked.svg.iter().chain(asked.json.iter().flatten()) {
        file::check(path)?;
    }
    let table = Csv { csv: asked.csv.clone() };
    let files = Files { json: asked.json.clone(), threads: None };
    csv::check_all(&files, &table)?;
    let machine = input::asked(asked.file.as_slice(), asked.sysfs.as_deref(), screen)?;
    let tree = Tree::of(&machine);
    let mut report = Report::of(&machine, &tree, asked.matrix);
    report.ask(&machine, &tree, &asked.together)?;
    if let Some(path) = &asked.svg {
        file::write(path, view::machine::svg::draw(&machine, &tree, &report))?;
    }
    let people = || {
        let verdict = verdict::text(&machine, &report, asked.all || asked.long, screen);
        format!("{}\n{verdict}", text(&machine, &tree, asked, screen))
    };
    csv::tell(
        (&files, &table),
        || view::json::pretty(&ask::inspect::value(&machine, &tree, &report)),
        || rows(&machine, &report),
        people,
        screen,
    )?;
    Ok(verdict::end(&report))
}

/// The limits as CSV, one line each: of a device alone, of a device in a set or in a combined query, of the sums of
/// these, and from card to card.
fn rows(machine: &Machine, report: &Report) -> String {
    let name = |at: Address| machine.function(at).map_or_else(String::new, Function::title);
    let limits = &report.limits;
    let row = |what: &str, of: String, name: String, way: &str, rate: Rate, by: String| {
        [what.to_string(), of, name, way.to_string(), rate.as_mb_per_s().to_string(), by]
    };
    let device = |what: &str, device: &DeviceLimit| {
        let one = |way: Way| {
            let limited = device.way(way);
            row(what, device.at.to_string(), name(device.at), way.words(), limited.rate, limited.by.to_string())
        };
        [one(Way::ToMemory), one(Way::FromMemory)]
    };
    let set = |set: &SetLimit| {
        let share = |(at, limited): &(Address, Limited)| {
            row(&set.name, at.to_string(), name(*at), Way::ToMemory.words(), limited.rate, limited.by.to_string())
        };
        let sum = row(&set.name, "sum".into(), String::new(), Way::ToMemory.words(), set.sum, String::new());
        set.shares.iter().map(share).chain([sum]).collect::<Vec<_>>()
    };
    let peer = |peer: &PeerLimit| {
        let way = format!("to {}", peer.to);
        row(
            "card to card",
            peer.from.to_string(),
            name(peer.from),
            &way,
            peer.limited.rate,
            peer.limited.by.to_string(),
        )
    };
    let together = |asked: &TogetherLimit| {
        let what = format!("together: {}", asked.of);
        let sum = |way: Way| row(&what, "sum".into(), String::new(), way.words(), asked.sum(way), String::new());
        let shares = asked.shares.iter().flat_map(|share| device(&what, share));
        shares.chain([sum(Way::ToMemory), sum(Way::FromMemory)]).collect::<Vec<_>>()
    };
    let alone = limits.devices.iter().flat_map(|alone| device("device", alone));
    let all = alone.chain(limits.sets.iter().flat_map(set)).chain(report.together.iter().flat_map(together));
    view::csv::text(&["what", "of", "name", "way", "mb_per_s", "set_by"], all.chain(limits.peers.iter().map(peer)))
}

fn text(machine: &Machine, tree: &Tree, asked: &Inspect, screen: &Screen) -> String {
    let (long, all) = (asked.long, asked.all);
    let mut text = screen.strong(&view::machine::show::heading(machine)) + "\n";
    for row in view::machine::show::rows(machine, tree, all || long) {
        text += &lines(&row, screen);
        if let Some(function) = row.address.filter(|_| long).and_then(|address| machine.function(address)) {
            text += &capabilities(function, &row.below, screen);
        }
    }
    if let Some(hidden) = view::machine::show::hidden(machine) {
        text += &format!("\n{hidden}\n");
    }
    text + &remarks(machine, long, screen)
}

fn lines(row: &Row, screen: &Screen) -> String {
    let below = format!("{}    ", screen.faint(&row.below));
    let line = format!("{}{}\n", screen.faint(&row.branch), joined(&row.line, "  ", screen));
    let facts: Vec<String> = row.facts.iter().map(|span| toned(span, screen)).collect();
    line + &view::layout::items(&below, &facts, ", ", screen.width)
}

fn joined(spans: &[Span], between: &str, screen: &Screen) -> String {
    spans.iter().map(|span| toned(span, screen)).collect::<Vec<_>>().join(between)
}

fn toned(span: &Span, screen: &Screen) -> String {
    match span.tone {
        Tone::Plain => screen.style(&span.text, Style::new()),
        Tone::Strong => screen.strong(&span.text),
        Tone::Faint => screen.faint(&span.text),
        Tone::Bad => screen.bad(&span.text),
        Tone::Good => screen.good(&span.text),
    }
}

fn capabilities(function: &Function, below: &str, screen: &Screen) -> String {
    let all = function.capabilities.0.iter().flat_map(view::machine::show::capability);
    all.map(|line| format!("{}    {line}\n", screen.faint(below))).collect()
}

/// The remarks on the input. Only a few are shown, because a text with much prose has one for each paragraph.
fn remarks(machine: &Machine, long: bool, screen: &Screen) -> String {
    const SHOWN: usize = 3;
    let shown = if long { machine.remarks.len() } else { SHOWN };
    let mut text = String::new();
    for (index, remark) in machine.remarks.iter().take(shown).enumerate() {
        text += if index == 0 { "\n" } else { "" };
        text += &format!("{}\n", screen.faint(&remark.to_string()));
    }
    match machine.remarks.len().saturating_sub(shown) {
        0 => text,
        more => text + &screen.faint(&format!("and {more} more remarks: --long shows them\n")),
    }
}
