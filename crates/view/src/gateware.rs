//! The table of the gateware comparison as Markdown.

use lab::Unit;
use lab::gateware::{CHAIN_PERCENT, GatewareTable, HostLine, Line, PERCENT};
use std::fmt::Write;

/// Time of one cycle of the engine's clock.
const CYCLE_NS: f64 = 4.0;

/// The table as Markdown.
pub fn markdown(table: &GatewareTable) -> String {
    let mut text = String::from(
        "| | limit | behavioural | gateware | from behavioural | published | from published | bound |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for line in &table.lines {
        let digits = if line.unit == Unit::Ns { 1 } else { usize::from(line.gateware < 1000.0) };
        let number = |value: f64| format!("{value:.digits$}");
        let percent = |value: f64| format!("{value:+.2} %");
        let dash = || "-".to_string();
        let _ = writeln!(
            text,
            "| {} ({}) | {} | {} | {} | {} | {} | {} | {} |",
            line.name,
            line.unit.word(),
            line.limit.map_or_else(dash, number),
            number(line.behavioural),
            number(line.gateware),
            percent(line.from_behavioural()),
            line.published.map_or_else(dash, number) + if line.is_formula { " (formula)" } else { "" },
            line.from_published().map_or_else(dash, percent),
            bounds(line),
        );
    }
    text.push('\n');
    notes(table, &mut text);
    text
}

/// The bounds of a row, and whether they hold.
fn bounds(line: &Line) -> String {
    let mut all = vec![format!("{PERCENT} % from behavioural")];
    if line.wire && line.published.is_some() {
        all.push(format!("{PERCENT} % from {}", if line.is_formula { "the formula" } else { "published" }));
    }
    if let (Some((name, _)), Some(percent)) = (&line.beside, line.from_beside()) {
        all.push(format!("{CHAIN_PERCENT} % from *{name}* ({percent:+.2} %)"));
    }
    format!("{}: {}", all.join("; "), if line.holds() { "held" } else { "**broken**" })
}

fn notes(table: &GatewareTable, text: &mut String) {
    for line in &table.lines {
        let Some(block) = line.block else { continue };
        let (engine, told) = (line.gateware - block, line.behavioural - block);
        let _ = writeln!(
            text,
            "- {}: {block:.1} ns are block, links and switches; {engine:.1} ns, {:.1} cycles of 250 MHz, are the engine's own \
             (by its tables {:.1}).",
            line.name,
            engine / CYCLE_NS,
            told / CYCLE_NS
        );
    }
    for line in table.lines.iter().filter(|line| line.compared.is_some()) {
        let (compared, wrong) = line.compared.unwrap_or_default();
        let _ = writeln!(text, "- {}: {compared} bytes compared at the ends of its flows, {wrong} wrong.", line.name);
    }
    let named = |name: &str| table.lines.iter().find(|line| line.name == name);
    if let (Some(chain), Some(alone)) = (named("chain, 32 tags"), named("host-read-many, devices=1, 32 tags")) {
        let percent = (chain.gateware / alone.gateware - 1.0) * 100.0;
        let _ = writeln!(text, "- {}: {percent:+.1} % from *{}*, a card that only reads.", chain.name, alone.name);
    }
    let Some(card) = table.published_card else { return };
    let waits = table.lines.iter().filter(|line| line.name.starts_with("host-write")).map(|line| line.descriptors);
    let _ = writeln!(
        text,
        "- Host writes wait for descriptors {:.1} % of the link's time at most. The published card, simulated, waits {} a page, {:.1} % of it, and comes to {:.0} MiB/s on the link.",
        waits.fold(0.0, f64::max) * 100.0,
        card.wait,
        card.share * 100.0,
        card.rate
    );
}

/// The table of NVMe hosts as Markdown.
pub fn hosts(lines: &[HostLine]) -> String {
    let mut text = String::from(
        "| | published | that host, simulated | user commands at once | our host: limit | behavioural | gateware | from behavioural | |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for line in lines {
        for ours in &line.ours {
            let _ = writeln!(
                text,
                "| {} (MB/s) | {:.0} | {:.0} | {} | {} | {:.0} | {:.0} | {:+.2} % | {} |",
                line.name,
                line.published,
                line.described,
                ours.depth,
                ours.limit.map_or_else(|| "-".to_string(), |limit| format!("{limit:.0}")),
                ours.behavioural,
                ours.gateware,
                // No sign of a difference that is not shown.
                (ours.from_behavioural() * 100.0).round() / 100.0 + 0.0,
                if line.holds() { "held" } else { "**broken**" },
            );
        }
    }
    let (compared, wrong) =
        lines.iter().fold((0, 0), |(all, wrong), line| (all + line.compared.0, wrong + line.compared.1));
    let _ = writeln!(text, "\n{compared} bytes compared at the ends of the flows, {wrong} wrong.");
    text
}
