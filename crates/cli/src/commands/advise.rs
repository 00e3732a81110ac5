//! `lanescope advise WORKLOAD.yaml`.

use crate::args::Advise as Asked;
use crate::csv;
use crate::exit::{End, Failure};
use crate::output::{Side, Table, folded, latency};
use crate::running::running;
use crate::screen::Screen;
use advise::{Advice, Judged, Need, Served, Stream, Verdict};
use lab::Unit;
use pcie::Time;

/// Finds which drives carry a workload, and prints what each of them gives.
///
/// # Errors
/// A workload, a machine or an override that is wrong; a file that cannot be written.
pub fn run(asked: &Asked, screen: &Screen) -> Result<End, Failure> {
    csv::check_all(&asked.files, &asked.table)?;
    let ask = ask::advise::ask(&asked.workload, asked.machine.as_deref(), &asked.set)?;
    let unit = screen.unit.unwrap_or(Unit::MbPerS);
    let advice = running(asked.files.threads, screen, |options| advise::advise(&ask, options))?;
    let json = || view::json::pretty(&ask::advise::value(&advice));
    let people = || text(&advice, unit, screen);
    csv::tell((&asked.files, &asked.table), json, || rows(&advice, unit), people, screen)?;
    if !advice.complete {
        screen.complain("interrupted: only the candidates that were finished are there\n");
        return Ok(End::Interrupted);
    }
    Ok(if advice.choice().is_some() { End::Done } else { End::BoundBroken })
}

/// One line for each candidate and stream.
fn rows(advice: &Advice, unit: Unit) -> String {
    let streams = &advice.workload.streams;
    let each = advice.judged.iter().flat_map(|judged| streams.iter().zip(&judged.served).map(move |one| (judged, one)));
    view::csv::text(
        &[
            "candidate",
            "verdict",
            "headroom",
            "stream",
            "unit",
            "rate",
            "limit",
            "in_flight",
            "latency_ns",
            "load_s",
            "stops_at",
        ],
        each.map(|(judged, (stream, served))| {
            [
                judged.candidate.name.clone(),
                judged.verdict.words().to_string(),
                judged.headroom.to_string(),
                stream.name.clone(),
                unit.word().to_string(),
                unit.rate(served.rate).to_string(),
                unit.rate(served.limit).to_string(),
                served.in_flight.map(|number| number.to_string()).unwrap_or_default(),
                served.latency.as_ns().to_string(),
                served.load_time.map(|time| time.as_secs().to_string()).unwrap_or_default(),
                served.stops_at.clone(),
            ]
        }),
    )
}

/// A duration that a person waits.
fn seconds(time: Time) -> String {
    let seconds = time.as_secs();
    match seconds {
        s if s >= 99.5 => format!("{s:.0} s"),
        s if s >= 0.0995 => format!("{s:.1} s"),
        s => format!("{:.1} ms", s * 1e3),
    }
}

fn times(number: f64) -> String {
    if number >= 9.95 { format!("{number:.0}") } else { format!("{number:.2}") }
}

/// What a stream needs, in words.
fn needs(stream: &Stream, unit: Unit) -> String {
    let each = if stream.count > 1 { format!("{} times ", stream.count) } else { String::new() };
    let what = match stream.need {
        Need::Rate(rate) => unit.told(rate),
        Need::Iops(iops) => format!("{iops} IOPS"),
        Need::Load(bytes, within) => format!("{bytes} within {}", seconds(within)),
    };
    let pattern = if stream.random { "random" } else { "sequential" };
    let bound = stream.latency.map(|time| format!(", a block in {time}")).unwrap_or_default();
    let growth = if stream.growth > 1.0 { format!(", growing to {} times", stream.growth) } else { String::new() };
    let operation = if stream.writes { "write" } else { "read" };
    format!(
        "{operation} {each}{what}, {pattern}, blocks of {}, at most {} in flight{bound}{growth}",
        stream.block, stream.in_flight
    )
}

fn text(advice: &Advice, unit: Unit, screen: &Screen) -> String {
    let streams = &advice.workload.streams;
    let mut text = format!("{}\n", screen.strong(&advice.workload.title));
    for stream in streams {
        text += &folded(&format!("{}: {}", stream.name, needs(stream, unit)), 2, screen);
    }
    text += &format!("\n{}\n", screen.strong(&format!("on {}, cheapest first", advice.machine)));
    text += &candidates(advice, unit, screen);
    text += &format!("\n{}", conclusion(advice, unit, screen));
    text
}

fn candidates(advice: &Advice, unit: Unit, screen: &Screen) -> String {
    let loads = advice.workload.streams.iter().any(|stream| stream.load().is_some());
    let several = advice.workload.streams.len() > 1;
    let (simulated, limit) = (format!("simulated {}", unit.suffix()), format!("limit {}", unit.suffix()));
    let mut columns = vec![("candidate", Side::Left)];
    if several {
        columns.push(("stream", Side::Left));
    }
    columns.extend([
        (simulated.as_str(), Side::Right),
        (limit.as_str(), Side::Right),
        ("in flight", Side::Right),
        ("latency", Side::Right),
    ]);
    if loads {
        columns.push(("loads in", Side::Right));
    }
    columns.extend([("headroom", Side::Right), ("verdict", Side::Left)]);
    let mut table = Table::new(screen, &columns);
    for judged in &advice.judged {
        for (number, stream) in advice.workload.streams.iter().enumerate() {
            let first = number == 0;
            let served = judged.served.get(number);
            if !first && served.is_none() {
                continue;
            }
            let of = |told: &dyn Fn(&Served) -> String| served.map(told).unwrap_or_default();
            let mut row = vec![if first { judged.candidate.name.clone() } else { String::new() }];
            if several {
                row.push(if served.is_some() { stream.name.clone() } else { String::new() });
            }
            row.push(of(&|served| unit.print(unit.rate(served.rate))));
            row.push(of(&|served| unit.print(unit.rate(served.limit))));
            row.push(of(&|served| served.in_flight.map(|number| number.to_string()).unwrap_or_default()));
            row.push(of(&|served| latency(served.latency)));
            if loads {
                row.push(of(&|served| served.load_time.map(seconds).unwrap_or_default()));
            }
            row.push(if first && served.is_some() { times(judged.headroom) } else { String::new() });
            let told = match judged.verdict {
                Verdict::Carries => screen.good(judged.verdict.words()),
                Verdict::UntilItGrows => judged.verdict.words().to_string(),
                Verdict::TooSlow | Verdict::NoSlot => screen.bad(judged.verdict.words()),
            };
            row.push(if first { told } else { String::new() });
            table.row(row);
        }
    }
    table.to_string()
}

/// What to take, where it would stop, and what one would notice.
fn conclusion(advice: &Advice, unit: Unit, screen: &Screen) -> String {
    let mut lines: Vec<String> = Vec::new();
    match advice.choice() {
        Some(choice) => lines.extend(chosen(advice, choice, unit)),
        None if advice.complete => lines.push(none(advice)),
        None => {}
    }
    if advice.judged.iter().any(|judged| judged.moves_arm) {
        lines.push("With more than one stream, the arm of a hard disk moves for each block.".to_string());
    }
    lines.push(
        "The order is that of the list of candidates: prices are not known here. Drives are what their parts say of them \
         (`lanescope parts`); other devices are idle."
            .to_string(),
    );
    let mut text: String = lines.iter().map(|line| folded(line, 0, screen)).collect();
    if !advice.slots.is_empty() {
        let mut table = Table::new(
            screen,
            &[
                ("slot", Side::Left),
                ("can", Side::Left),
                ("headroom", Side::Right),
                ("verdict", Side::Left),
                ("it stops at", Side::Left),
            ],
        );
        for tried in &advice.slots {
            table.row([
                tried.slot.told(),
                tried.slot.able.to_string(),
                times(tried.headroom),
                tried.verdict.words().to_string(),
                tried.stops_at.clone(),
            ]);
        }
        text += &format!("\n{table}");
    }
    text
}

fn chosen(advice: &Advice, choice: &Judged, unit: Unit) -> Vec<String> {
    let candidate = &choice.candidate;
    let slots = choice.slots.iter().map(advise::Slot::told).collect::<Vec<_>>().join(", ");
    let grown = if choice.grown < choice.headroom {
        format!(", {} times what it grows to", times(choice.grown))
    } else {
        String::new()
    };
    let mut lines = vec![format!(
        "{}: {} is enough, in {slots}. It carries {} times the workload{grown}.",
        candidate.name,
        candidate.about,
        times(choice.headroom)
    )];
    for (stream, served) in advice.workload.streams.iter().zip(&choice.served) {
        let iops =
            if stream.random { format!(" ({:.0} IOPS)", served.rate.0 / stream.block.0 as f64) } else { String::new() };
        lines.push(format!("{} would stop at {}{iops}: {}.", stream.name, unit.told(served.rate), served.stops_at));
        if stream.load().is_some() {
            let number = advice.workload.streams.iter().position(|other| other.name == stream.name).unwrap_or_default();
            lines.extend(noticed(advice, choice, number));
        }
    }
    if let Some(link) = advice.least_link {
        lines.push(format!("The least link with which it does is {link}."));
    }
    lines
}

/// How long a load takes, and with which of the candidates that cost more it takes less.
fn noticed(advice: &Advice, choice: &Judged, number: usize) -> Option<String> {
    let time = |judged: &Judged| judged.served.get(number).and_then(|served| served.load_time);
    let name = &advice.workload.streams.get(number)?.name;
    let after = advice.judged.iter().skip_while(|judged| judged.candidate.name != choice.candidate.name).skip(1);
    let faster = after.filter(|judged| time(judged) < time(choice)).take(2);
    let faster = faster.filter_map(|judged| Some(format!("{} with {}", seconds(time(judged)?), judged.candidate.name)));
    let faster = faster.collect::<Vec<_>>().join(", ");
    let faster = if faster.is_empty() { faster } else { format!("; {faster}") };
    Some(format!("{name} takes {}{faster}.", seconds(time(choice)?)))
}

fn none(advice: &Advice) -> String {
    let best = advice.judged.iter().filter(|judged| judged.headroom > 0.0);
    match best.max_by(|a, b| a.grown.total_cmp(&b.grown)) {
        Some(best) => format!(
            "None of these carries it. The most is {}, {} times the workload: {}.",
            best.candidate.name,
            times(best.headroom),
            best.served.iter().map(|served| served.stops_at.as_str()).collect::<Vec<_>>().join("; ")
        ),
        None => match advice.judged.iter().find(|judged| judged.verdict == Verdict::NoSlot) {
            Some(first) => format!(
                "None of these carries it. {} wants {} free slots that its part goes into, and {} has {}.",
                first.candidate.name,
                first.candidate.parts(),
                advice.machine,
                first.fits
            ),
            None => "None of these carries it: not one block is answered in time.".to_string(),
        },
    }
}
