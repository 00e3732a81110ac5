//! Rows of a drive with queues: the loop of the commands in flight, and the CPU time of those who give them.

use super::memory::LAST;
use super::subject::{Subject, fs};
use crate::command::last_for_first_fs;
use crate::latency::round_trip;
use crate::load::{Group, Load};
use crate::path::{Hop, flight_fs};
use crate::place::Place;
use crate::plan::Plan;
use crate::queued::Queued;
use crate::resource::{KindRow, NeedTarget};
use crate::table::{Row, Table};
use crate::tlps::Tlp;
use pcie::Time;
use system::Cause;
use system::kinds::queues::{Places, Told, Working, waits};

/// Adds the rows of the queues of a flow; true where it has queues.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) -> bool {
    let plan = of.plan;
    let Some(queued) = &plan.queued else { return false };
    let (block, work) = (plan.cut.bytes as f64, plan.flow.work);
    let drive = in_drive_fs(of, queued);
    let software = software_fs(plan);
    let outside = outside_fs(plan, queued);
    let round = software + outside + drive;
    let met = met_fs(of, queued, round, software);
    let round = round + met - awake_fs(plan, round + met, software);
    let (told, bytes) = (queued.queues.told, work.in_flight() as f64 * block);
    let mean = told.mean_round_fs(round, away_fs(of, queued));
    let in_flight = Row::of_loop(bytes, mean, Place::Host, Cause::Queue(work.in_flight()));
    // One by one, each command waits as long as the first.
    let one_by_one = work.depth == 1 && queued.commands == 1;
    let away = away_fs(of, queued) + fs(plan.card.tx_latency) + flight_fs(&plan.status.0, &plan.status_tlp(0));
    let least = match least_round_fs(plan, software + outside + drive + met, software) {
        _ if one_by_one => told.mean_round_fs(round, away),
        // A thread that never sleeps sees completions that nobody tells it of.
        (least, false) if matches!(told, Told::Late(_)) => least,
        (least, _) => told.round_fs(least.min(round)),
    };
    table.add(mixed(of, 0, in_flight.at_least(least / bytes)));
    table.add(at_once(of, queued.queues.most, drive + met, (KindRow::WORKING, 1)));
    // The entries of so many are there or on their way.
    if queued.queues.entries.commands() < u64::MAX {
        let round = fetch_fs(plan, queued) + drive;
        table.add(at_once(of, queued.queues.entries, round, (KindRow::ENTRIES, 3)));
    }
    table.add(mixed(of, 2, on_cores(of, work.jobs)));
    add_shared_cores(table, of);
    true
}

/// A drive has so many commands at once, each of which takes a place for so long. Flows share the row of all queues, and those that
/// are mixed that of their queue.
fn at_once(of: &Subject<'_, '_>, working: Working, round_fs: f64, (all, mix): (KindRow, usize)) -> Row {
    let (count, commands) = (working.commands(), of.plan.queued.as_ref().map_or(1, |queued| queued.commands));
    let bytes = count as f64 / commands as f64 * of.plan.cut.bytes as f64;
    let row = Row::of_loop(bytes, round_fs, Place::Card, Cause::Queue(count));
    match working {
        Working::InEachQueue(_) => mixed(of, mix, row),
        Working::InAllQueues(_) => {
            let need = of.need(NeedTarget::OwnKind(all), LAST, row.fs_per_byte());
            row.shared(need)
        }
    }
}

/// What a command costs the core that gives it.
fn software_fs(plan: &Plan<'_>) -> f64 {
    fs(plan.host.command_cost) + fs(plan.host.call_cost)
}

fn on_cores(of: &Subject<'_, '_>, cores: u64) -> Row {
    let block = of.plan.cut.bytes as f64;
    Row::server(software_fs(of.plan) / block / cores as f64, Place::Host, Cause::Software(of.plan.flow.command))
}

fn add_shared_cores(table: &mut Table, of: &Subject<'_, '_>) {
    if let Some(cores) = of.plan.flow.work.cores {
        let row = on_cores(of, cores);
        let need = of.need(NeedTarget::Cores, LAST, row.fs_per_byte());
        table.add(row.shared(need));
    }
}

/// Adds the CPU time of those who give the commands of a device whose queues are not known: a thread for each, on so many
/// cores. Nothing where the flow does not say on how many.
pub fn add_threads(table: &mut Table, of: &Subject<'_, '_>) {
    if of.plan.flow.work.cores.is_some() {
        table.add(on_cores(of, 1));
        add_shared_cores(table, of);
    }
}

/// A row that a flow shares with the one that it is mixed with, the row number `which` of these: commands of both are among
/// those in flight, and the drive serves both.
pub fn mixed(of: &Subject<'_, '_>, which: usize, row: Row) -> Row {
    let Some(other) = of.plan.flow.mixed_with else { return row };
    let need = of.need(NeedTarget::Mixed(other, which), LAST, row.fs_per_byte());
    row.shared(need)
}

/// What a block that is alone takes in the drive and on its links: reads of entries and lists are not in it.
fn in_drive_fs(of: &Subject<'_, '_>, queued: &Queued) -> f64 {
    let (plan, queues) = (of.plan, &queued.queues);
    let last = of.loads.first().and_then(|load| load.data.last()).map_or(0, |group| group.payload);
    let wire = wire_fs(of);
    let on_link = |held: f64| (queued.bytes as f64 - held).max(0.0) * wire;
    let after = fs(queues.after);
    let in_drive = queues.pace.map_or(0.0, |pace| queues.paced.0 as f64 / pace.0 * 1e15);
    if plan.reads() {
        let (first, less) = (round_trip(plan).0, last_for_first_fs(plan, last));
        return fs(queues.latency) + first + less + on_link(last as f64).max(in_drive) + after;
    }
    // The completion follows when all data is in the buffer of the drive; its entry does not pass the data, where it is
    // slowest all of it.
    let buffered = on_link(plan.card.fifo.0.max(last) as f64);
    fs(queues.latency) + on_link(0.0).max(buffered.max(in_drive) + after)
}

/// How long the completion entry of a block that is alone waits for its data to leave the drive.
fn away_fs(of: &Subject<'_, '_>, queued: &Queued) -> f64 {
    let in_drive = queued.queues.pace.map_or(0.0, |pace| queued.queues.paced.0 as f64 / pace.0 * 1e15);
    let on_link = queued.bytes as f64 * wire_fs(of);
    if of.plan.reads() { 0.0 } else { (on_link - in_drive).max(0.0) }
}

/// From the request for the entry of a command to its data, through all reads before its data.
fn fetch_fs(plan: &Plan<'_>, queued: &Queued) -> f64 {
    let (tx, rx) = (fs(plan.card.tx_latency), fs(plan.card.rx_latency));
    let asked = |bytes: u64| {
        let request = flight_fs(&queued.up, &plan.request);
        let answer = flight_fs(&queued.down, &Tlp::new(pcie::tlp::HEADER_3DW_BYTES, bytes));
        tx + request + fs(plan.host.read_latency) + plan.way_fs + answer
    };
    // A read of entries brings one at least.
    let least = queued.queues.fetched.iter().map(|beside| beside.bytes.min(64)).min().unwrap_or(64);
    asked(least) * queued.queues.steps as f64 + rx * queued.queues.received as f64
}

/// From the doorbell to the entry in the drive, and from the completion entry to the software that has seen it.
fn outside_fs(plan: &Plan<'_>, queued: &Queued) -> f64 {
    let (tx, fetched) = (fs(plan.card.tx_latency), fetch_fs(plan, queued));
    let rings = !queued.queues.stored.is_empty();
    let doorbell = if rings { flight_fs(&plan.doorbell.0, &plan.doorbell.1) } else { 0.0 };
    let entry = queued.queues.written.first().map_or(16, |beside| beside.bytes);
    let told = tx + flight_fs(&plan.status.0, &plan.status_tlp(entry)) + plan.memory_fs(0, entry) + plan.way_fs;
    // Registers are at hand: an answer leaves when its request has arrived.
    let load = Tlp::new(pcie::tlp::HEADER_3DW_BYTES, 0);
    let loaded = flight_fs(&plan.doorbell.0, &load) + flight_fs(&plan.status.0, &load);
    doorbell + fetched + plan.noticed(told) + loaded * queued.queues.loaded as f64
}

/// What of the time to wake a thread a mean command is spared, because the thread is awake, or wakes already, when its
/// completion comes. A thread that sleeps wakes for the first of several completions; those that come until it has none
/// left are seen at once.
fn awake_fs(plan: &Plan<'_>, round: f64, software: f64) -> f64 {
    let wake = plan.wake_fs();
    // Completions of the other commands of the job, and the part of its time that the thread is busy with them.
    let often = plan.flow.work.depth.saturating_sub(1) as f64 / round.max(1.0);
    let busy = (often * software).min(1.0);
    // In a cycle, all that come while it wakes and while it is busy follow the first.
    let meanwhile = often * wake;
    let paid = wake * (1.0 + meanwhile / 2.0) * (1.0 - busy) / (1.0 + meanwhile);
    wake - paid
}

/// The least time of a command whose round is that of a thread that sleeps, and whether the thread has to sleep between its commands.
/// It has, where the first of them is not done before the last is given. Whoever wakes it waits for that; all others may have come
/// at that time.
fn least_round_fs(plan: &Plan<'_>, round: f64, software: f64) -> (f64, bool) {
    let commands = plan.queued.as_ref().map_or(1, |queued| queued.commands) * plan.flow.work.depth;
    let (others, wake) = (commands.saturating_sub(1) as f64, plan.wake_fs());
    let awake = round - wake;
    let sleeps = others * software <= awake - software;
    (if sleeps { awake + wake / (1.0 + others) } else { awake }, sleeps)
}

/// What commands wait for each other that meet by chance, in the drive and at the CPU. On the link they may stay apart.
fn met_fs(of: &Subject<'_, '_>, queued: &Queued, round: f64, software: f64) -> f64 {
    let (plan, mut places) = (of.plan, queued.queues.places.clone());
    if places.is_empty() {
        return 0.0;
    }
    let time = |fs: f64| Time::from_fs(fs.max(0.0) as u64);
    places.push(Places { count: plan.flow.work.jobs, time: time(software) });
    let inside: f64 = places.iter().map(|place| fs(place.time)).sum();
    let count = plan.flow.work.in_flight().min(queued.queues.most.commands());
    fs(waits(count, &places, time(round - inside)))
}

/// The time of a byte on the slowest direction that carries payload, or in the port before or after it, for its TLPs alone.
fn wire_fs(of: &Subject<'_, '_>) -> f64 {
    let each = |(load, hop): (&Load, Option<&Hop>)| {
        let sum = |time: &dyn Fn(&Group) -> f64| load.data.iter().map(|group| group.per_byte * time(group)).sum();
        let wire: f64 = sum(&|group| load.wire.time(group.wire as f64));
        let Some(hop) = hop else { return wire };
        let (before, after) = (sum(&|group| hop.caps_fs(group.payload).0), sum(&|group| hop.caps_fs(group.payload).1));
        wire.max(before).max(after)
    };
    let hops = of.plan.data.iter().map(Some).chain(std::iter::repeat(None));
    of.loads.iter().zip(hops).map(each).fold(0.0, f64::max)
}
