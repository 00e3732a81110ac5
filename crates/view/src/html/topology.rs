//! The machine as a tree. Every link direction has a colour for its utilization, and the bottleneck is marked.

use crate::html::mark::{Key, Size, legend, n, percent, picture};
use crate::html::plate::Plate;
use lab::Unit;
use lab::cause::Confirmed;
use lab::sweep::Measured;
use maud::{Markup, html};
use system::graph::Direction;
use system::{Link, LinkId, Location, PartId, System};

/// Largest number of leaves for which all are drawn. Above it, only parts on the path of a flow are drawn.
const MOST_LEAVES: usize = 40;

/// Utilization from which each next colour is used.
const BUSY: [f64; 4] = [0.05, 0.35, 0.65, 0.9];

/// A part and its position.
struct Box {
    part: PartId,
    depth: usize,
    /// Row of the part: the middle of its children's rows.
    row: f64,
}

/// The drawing with its table. `cause` is what limits the slowest flow.
pub(crate) fn topology(id: &str, unit: Unit, measured: &Measured, cause: Option<&Confirmed>) -> Markup {
    let system = &measured.job.scenario.system;
    let marked = cause.map(Confirmed::marked).unwrap_or_default();
    let said = cause.map_or_else(|| "not looked for".to_string(), ToString::to_string);
    let (boxes, left_out) = boxes(measured);
    let title = format!("How busy each link is; bottleneck: {said}");
    html! {
        figure {
            figcaption {
                h3 { (TITLE) }
                p { (LINES) " " strong class="bottleneck" { "Bottleneck: " (said) } }
            }
            (picture(id, &title, ABOUT, |size| draw(measured, &boxes, &marked, size)))
            @if left_out > 0 { p class="at" { (missing(left_out)) } }
            (legend(&keys()))
            details {
                summary { "Values" }
                div class="scroll" { table {
                    thead { tr { th { "direction" } th { "link" } th class="number" { "busy" } th class="number" { "payload, " (unit.word()) } } }
                    tbody { @for link in 0..system.links.len() { @for up in [true, false] {
                        @let on = Direction { link: LinkId(link), up };
                        @let name = system.direction_name(on);
                        tr class=[marked.contains(&Location::Direction(on)).then_some("bottleneck")] {
                            td { (name) } td { (system.links[link].speed) } td class="number" { (percent(busy(measured, on))) } td class="number" { (payload(measured, on, unit)) }
                        }
                    } } }
                } }
            }
        }
    }
}

/// The same picture for a file of its own.
pub(crate) fn plate<'a>(measured: &'a Measured, cause: Option<&Confirmed>) -> Plate<'a> {
    let marked = cause.map(Confirmed::marked).unwrap_or_default();
    let (boxes, left_out) = boxes(measured);
    let bottleneck = cause.map(|cause| format!("Bottleneck: {cause}"));
    let missing = (left_out > 0).then(|| missing(left_out));
    Plate {
        word: "links".to_string(),
        title: TITLE.to_string(),
        about: ABOUT.to_string(),
        text: [Some(LINES.to_string()), bottleneck, missing].into_iter().flatten().collect(),
        legend: keys(),
        draw: std::boxed::Box::new(move |size| draw(measured, &boxes, &marked, size)),
    }
}

const TITLE: &str = "How busy each link is";
const LINES: &str = "Upper line (↑): towards the host. Lower line (↓): away from it.";
const ABOUT: &str = "Parts from the host on the left to the cards on the right. Two lines join two parts: the upper one leads to the host. The table behind it has all values.";

fn missing(left_out: usize) -> String {
    format!("{left_out} parts without flows are not drawn.")
}

fn keys() -> Vec<Key> {
    let names = ["idle", "busy from 5 %", "from 35 %", "from 65 %", "from 90 %"];
    names.into_iter().enumerate().map(|(class, name)| Key::stroke(&format!("lane u{class}"), name)).collect()
}

fn busy(measured: &Measured, on: Direction) -> f64 {
    measured.outcome.busy.iter().find(|(direction, _)| *direction == on).map_or(0.0, |(_, busy)| *busy)
}

fn payload(measured: &Measured, on: Direction, unit: Unit) -> String {
    let found = measured.outcome.directions.iter().find(|(direction, _)| *direction == on);
    found.map_or_else(|| "–".to_string(), |(_, rate)| unit.print(unit.rate(*rate)))
}

/// The drawn parts, parents before children, and the number of parts that are not drawn.
fn boxes(measured: &Measured) -> (Vec<Box>, usize) {
    let system = &measured.job.scenario.system;
    let leaves = (0..system.parts.len()).filter(|&part| below(system, PartId(part)).is_empty()).count();
    let drawn = |part: PartId| leaves <= MOST_LEAVES || used(measured, part);
    let mut boxes = Vec::new();
    let mut next = 0.0;
    for host in system.roots() {
        place(system, host, 0, &drawn, &mut next, &mut boxes);
    }
    let left_out = system.parts.len() - boxes.len();
    (boxes, left_out)
}

/// Places a part and everything below it. Returns the part's row.
fn place(
    system: &System,
    part: PartId,
    depth: usize,
    drawn: &impl Fn(PartId) -> bool,
    next: &mut f64,
    boxes: &mut Vec<Box>,
) -> f64 {
    let at = boxes.len();
    boxes.push(Box { part, depth, row: 0.0 });
    let children: Vec<PartId> = below(system, part).into_iter().map(|(child, _)| child).filter(|&p| drawn(p)).collect();
    let mut rows = Vec::new();
    for child in children {
        // A card with ports at two hosts is drawn once.
        if boxes.iter().all(|known| known.part != child) {
            rows.push(place(system, child, depth + 1, drawn, next, boxes));
        }
    }
    let row = match (rows.first(), rows.last()) {
        (Some(first), Some(last)) => (first + last) / 2.0,
        _ => {
            *next += 1.0;
            *next - 1.0
        }
    };
    boxes[at].row = row;
    row
}

/// The parts at the lower ends of a part's links, with the links.
fn below(system: &System, part: PartId) -> Vec<(PartId, &Link)> {
    let links = system.links.iter().filter(|link| system.port(link.upper).part == part);
    links.map(|link| (system.port(link.lower).part, link)).collect()
}

/// True where the part is on the path of a flow, its ends included.
fn used(measured: &Measured, part: PartId) -> bool {
    let system = &measured.job.scenario.system;
    measured.job.scenario.flows.iter().any(|flow| {
        let ends = system.path(flow.initiator, flow.target).into_iter().map(|on| system.ends(on));
        ends.flat_map(|(from, to)| [from, to]).any(|port| system.port(port).part == part)
    })
}

fn draw(measured: &Measured, boxes: &[Box], slow: &[Location], size: Size) -> (Markup, f64) {
    let system = &measured.job.scenario.system;
    let depth = boxes.iter().map(|b| b.depth).max().unwrap_or(0) as f64 + 1.0;
    let rows = boxes.iter().map(|b| b.row).fold(0.0, f64::max) + 1.0;
    let row = if size.is_wide() { 50.0 } else { 40.0 };
    let column = (size.width() - 8.0) / depth;
    let wide = (column * if size.is_wide() { 0.5 } else { 0.62 }).min(130.0);
    let step = if depth > 1.0 { (size.width() - 8.0 - wide) / (depth - 1.0) } else { 0.0 };
    let high = if size.is_wide() { 38.0 } else { 32.0 };
    let x = |b: &Box| 4.0 + step * b.depth as f64;
    let y = |b: &Box| 8.0 + row * (b.row + 0.5);
    let of = |part: PartId| boxes.iter().find(|b| b.part == part);
    let joined: Vec<(&Box, &Box, LinkId)> = (0..system.links.len())
        .filter_map(|link| {
            let ends = [system.links[link].upper, system.links[link].lower].map(|end| system.port(end).part);
            Some((of(ends[0])?, of(ends[1])?, LinkId(link)))
        })
        .collect();
    let inside = html! {
        @for (upper, lower, link) in &joined {
            @let (from, to) = ((x(upper) + wide, y(upper)), (x(lower), y(lower)));
            @for up in [true, false] { (lane(measured, Direction { link: *link, up }, from, to, slow)) }
            @if size.is_wide() { (numbers(measured, *link, to)) }
        }
        @for b in boxes {
            @let name = &system.part(b.part).name;
            @let marked = slow.contains(&Location::Part(b.part));
            rect class=(if marked { "part slow" } else { "part" }) x=(n(x(b))) y=(n(y(b) - high / 2.0)) width=(n(wide)) height=(n(high)) rx="4" {}
            @let speed = joined.iter().find(|(_, lower, _)| lower.part == b.part).map(|(_, _, link)| system.link(*link).speed);
            text class="middle part-name" x=(n(x(b) + wide / 2.0)) y=(n(y(b) + if speed.is_some() { -2.0 } else { 4.0 })) { (name) }
            @if let Some(speed) = speed {
                text class="middle small" x=(n(x(b) + wide / 2.0)) y=(n(y(b) + 12.0)) { (speed) }
            }
        }
    };
    (inside, 16.0 + row * rows)
}

/// One direction of a link: up is drawn above, down below.
fn lane(measured: &Measured, on: Direction, from: (f64, f64), to: (f64, f64), slow: &[Location]) -> Markup {
    let system = &measured.job.scenario.system;
    let shift = if on.up { -3.5 } else { 3.5 };
    let bend = from.0 + (to.0 - from.0) * 0.35;
    let path = format!(
        "M{} {}C{} {} {} {} {} {}",
        n(from.0),
        n(from.1 + shift),
        n(bend),
        n(from.1 + shift),
        n(from.0),
        n(to.1 + shift),
        n(bend),
        n(to.1 + shift)
    ) + &format!("H{}", n(to.0));
    let share = busy(measured, on);
    let class = BUSY.iter().filter(|least| share >= **least).count();
    let slow = slow.contains(&Location::Direction(on));
    html! {
        @if slow { path class="halo" d=(path) {} }
        path class=(format!("lane u{class}")) d=(path) { title { (system.direction_name(on)) ": " (percent(share)) " busy" } }
    }
}

/// The utilization of both directions of a link, before its lower end.
fn numbers(measured: &Measured, link: LinkId, to: (f64, f64)) -> Markup {
    let share = |up| format!("{:.0} %", busy(measured, Direction { link, up }) * 100.0);
    let right = to.0 - 6.0;
    html! {
        text class="small end" x=(n(right)) y=(n(to.1 - 8.0)) { "↑ " (share(true)) }
        text class="small end" x=(n(right)) y=(n(to.1 + 17.0)) { "↓ " (share(false)) }
    }
}
