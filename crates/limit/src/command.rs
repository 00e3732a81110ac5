//! A command after another: the loop of an engine that begins with one when the one before has ended, and what comes of it over
//! a whole volume.

use crate::burst::Burst;
use crate::latency::{round_trip, start_gaps_fs};
use crate::load::Load;
use crate::path::{Hop, flight_fs};
use crate::place::{By, Place};
use crate::plan::Plan;
use crate::table::Table;
use system::{Cause, Wait};

fn fs(time: pcie::Time) -> f64 {
    time.as_fs() as f64
}

/// One command.
#[derive(Clone, Debug)]
pub struct Command {
    /// From the end of one command, as whoever starts the next one sees it, to that of the next.
    pub cycle_fs: f64,
    /// From the barrier to the end of the first one.
    pub first_fs: f64,
    /// What takes the longest of it.
    pub by: By,
    /// What the payload's direction waits for meanwhile.
    pub wait: Option<Wait>,
}

impl Command {
    /// A command of `plan`, whose rows are those of `table`, and its loads `loads`.
    pub fn new(plan: &Plan<'_>, loads: &[Load], table: &Table) -> Command {
        let last = loads.first().and_then(|load| load.data.last()).map_or(0, |group| group.payload);
        let before_last = |load: &Load| load.before_last(plan.cut.bytes as f64, plan.data_tlp(last));
        let (span, row) = table.span(loads.first().map_or(0.0, before_last), seen_through(plan));
        // A row further on begins with the first TLP, which is the longest.
        let hop = row.map_or(0, |row| row.hop).min(seen_through(plan)).min(plan.data.len());
        let ready = |payload: u64| Burst::new(&plan.data, false).send_over(hop, 0.0, &plan.data_tlp(payload)).1;
        let longest = plan.cut.sizes.first().map_or(last, |&(size, _)| size);
        let span = if plan.reads() || hop == 0 { span } else { span + (ready(longest) - ready(last)).max(0.0) };
        let tx = fs(plan.card.tx_latency);
        let latency = fs(plan.card.command_latency);
        // From the first piece's start to the end that the engine sees; of one alone.
        let alone = match plan.reads() {
            true => round_trip(plan).0 - tx,
            false => plan.data.first().map_or(0.0, |hop| hop.tlp_time(&plan.data_tlp(last))),
        };
        let (before, after) = match plan.by_software() {
            true => {
                let ack = plan.doorbell_ack_fs() - fs(plan.card.rx_latency) - latency - tx;
                let before = plan.before_doorbell_fs().max(plan.ack_before_doorbell_fs()) + plan.doorbell_fs();
                (before + latency + tx + ack.max(0.0), notice_fs(plan, last, span))
            }
            // It decides ahead of time, but for the first command; a request is decided at the end of the one before.
            false if plan.reads() => (latency.max(tx), 0.0),
            false => (latency, 0.0),
        };
        let first = if plan.by_software() { before } else { latency + tx };
        let mut cycle_fs = before + span + alone + after;
        match plan.data.first() {
            Some(_) if plan.reads() => cycle_fs += start_gaps_fs(plan, cycle_fs - round_trip(plan).1),
            // The first TLP starts where one may.
            Some(hop) if !plan.by_software() => {
                let grid = hop.wire.time(hop.wire.tlp_align as f64);
                cycle_fs = (cycle_fs / grid - 1e-6).ceil() * grid;
            }
            _ => {}
        }
        let between = between_commands(plan);
        let by = row.filter(|_| span > cycle_fs - span).map_or(between, |row| row.by);
        Command { cycle_fs, first_fs: first + span + alone + after, by, wait: Some(between.cause.wait()) }
    }
}

/// Hops that the last piece has passed when the end of a command is seen: of a read, all; of a write, those that the status
/// write takes after it.
fn seen_through(plan: &Plan<'_>) -> usize {
    if plan.reads() || (plan.by_software() && plan.target_card.is_none()) {
        return usize::MAX;
    }
    let one = |(a, b): &(&Hop, &Hop)| a.wire.direction == b.wire.direction;
    if plan.by_software() { plan.status.0.iter().zip(&plan.data).take_while(one).count() } else { 0 }
}

/// Pages of memory.
const PAGE_BYTES: u64 = pcie::tlp::REQUEST_BOUNDARY_BYTES;

/// What a flow waits for between commands.
pub fn between_commands(plan: &Plan<'_>) -> By {
    let command = plan.flow.command;
    let (place, cause) = match plan.by_software() {
        true => (Place::Host, Cause::Software(command)),
        false => (Place::Card, Cause::CommandStart(command)),
    };
    By { place, cause, shared: false }
}

/// From the end of a command, as its engine sees it, to the time at which software does. `last` is the payload of its last TLP,
/// whose start is `span_fs` after that of the first.
fn notice_fs(plan: &Plan<'_>, last: u64, span_fs: f64) -> f64 {
    let (way, status) = &plan.status;
    let call = fs(plan.host.call_cost);
    let memory = plan.memory_fs(0, status.payload);
    let sent = plan.data.first().map_or(0.0, |hop| hop.tlp_time(&plan.data_tlp(last)));
    let (arrived, served) = match (plan.reads(), &plan.target_card) {
        (true, _) => {
            let arrived = fs(plan.card.tx_latency) + flight_fs(way, status);
            (arrived, arrived + memory)
        }
        // After the data as far as their ways are one.
        (false, Some(_)) => {
            let mut burst = Burst::new(way, false);
            burst.send_over(seen_through(plan), 0.0, &plan.data_tlp(last));
            let (_, arrived) = burst.send(sent, status);
            (arrived - sent, arrived - sent + memory)
        }
        // After the data by the same way, through the same memory.
        (false, None) => {
            let data = plan.data_tlp(last);
            let mut burst = Burst::new(&plan.data, false);
            let (_, written) = burst.send(0.0, &data);
            let (_, arrived) = burst.send(0.0, status);
            // Memory leaves the page of the status write for those of the data, and comes back to it.
            let page = if plan.flow.volume.0 > PAGE_BYTES { fs(plan.host.page_service) } else { 0.0 };
            let entered = plan.cut.entered.max(1.0);
            let first = written - span_fs + entered * page + plan.command_memory_fs();
            let own = plan.memory_fs(0, last) + page * (entered / plan.cut.count().max(1.0)).floor();
            let served = first.max(written + own);
            (arrived - sent, served.max(arrived) + page + memory - sent)
        }
    };
    plan.noticed(arrived, served) + call
}

/// What following a volume shows, in femtoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Payload bytes a femtosecond at the receiving end while the flow is active.
    pub stream: f64,
    /// From the barrier to the last end seen.
    pub seen: f64,
}

/// The first tenth of a volume is not measured.
const WARM_UP: f64 = 10.0;

/// The whole volume of `plan`: command after command, each as fast as the slowest row of `table` lets it be.
pub fn run(plan: &Plan<'_>, loads: &[Load], table: &Table) -> Run {
    let payload = loads.first().map_or(1.0, |load| 1.0 / load.data_tlps().max(1e-12));
    // An engine that begins early has one long command of many.
    let bytes = plan.next_command.map_or(plan.cut.bytes, |(bytes, _)| bytes) as f64;
    let commands = (plan.commands as f64 * plan.cut.bytes as f64 / bytes).max(1.0);
    let each = table.fs_per_byte() * bytes;
    let command = Command::new(plan, loads, table);
    if commands <= 1.0 {
        let seen = if plan.flow.operation.is_pio() { each } else { command.first_fs };
        return Run { stream: 1.0 / table.fs_per_byte(), seen };
    }
    let seen = match (plan.flow.operation.is_pio(), plan.commands) {
        (true, _) => commands * each,
        (false, 1) => command.first_fs,
        (false, _) => command.first_fs + (commands - 1.0) * each,
    };
    // The payload of one command is at the receiving end from its first TLP on for so long.
    let span = table.span((bytes - payload).max(0.0), usize::MAX).0.min(each);
    let warm = commands / WARM_UP;
    let opened = (warm.ceil() - 1.0).max(0.0);
    let share = (((warm - opened) * bytes / payload - 1e-9).ceil() * payload / bytes).clamp(payload / bytes, 1.0);
    let part = if bytes > payload { (share * bytes - payload) / (bytes - payload) } else { 1.0 };
    let window = (commands - 1.0) * each + span - (opened * each + part * span);
    let left = (commands - opened - share) * bytes;
    Run { stream: if window > 0.0 { left / window } else { commands * bytes / seen }, seen }
}
