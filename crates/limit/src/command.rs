//! Commands in sequence: the loop of an engine that starts a command when the one before has ended, and the rate that
//! follows over a whole volume.

use crate::burst::{Burst, Starts};
use crate::completer::Completer;
use crate::latency::{round_trip, start_gaps_fs};
use crate::load::Load;
use crate::path::{Hop, flight_fs};
use crate::place::{By, Place};
use crate::plan::Plan;
use crate::software::Steps;
use crate::steady::is_steady;
use crate::table::Table;
use crate::timed;
use crate::translated;
use system::{Cause, Wait};

fn fs(time: pcie::Time) -> f64 {
    time.as_fs() as f64
}

/// The times of one command.
#[derive(Clone, Debug)]
pub struct Command {
    /// From the end of one command to the end of the next, as the side that drives the flow (software or card) sees
    /// them.
    pub cycle_fs: f64,
    /// The same where TLPs of other flows may stand on the links between commands.
    pub among_fs: f64,
    /// From the start of the volume to the end of the first command.
    pub first_fs: f64,
    /// Place and cause of the largest part of the cycle.
    pub by: By,
    /// What the payload's direction waits for between commands.
    pub wait: Option<Wait>,
}

impl Command {
    /// The command of `plan` with the rows of `table` and the loads `loads`.
    pub fn new(plan: &Plan<'_>, loads: &[Load], table: &Table) -> Command {
        let last = loads.first().and_then(|load| load.data.last()).map_or(0, |group| group.payload);
        let before_last = |load: &Load| load.before_last(plan.cut.bytes as f64, plan.data_tlp(last));
        let (span, row) = table.span(loads.first().map_or(0.0, before_last), seen_through(plan));
        // A row further along the path begins when the first TLP arrives there. That TLP is the longest.
        let hop = row.map_or(0, |row| row.hop).min(seen_through(plan)).min(plan.data.len());
        let ready = |payload: u64| {
            Burst::new(&plan.data, Starts::Anywhere).send_over(hop, None, 0.0, &plan.data_tlp(payload)).1
        };
        let longest = plan.cut.sizes.first().map_or(last, |&(size, _)| size);
        let span = if plan.reads() || hop == 0 { span } else { span + (ready(longest) - ready(last)).max(0.0) };
        let tx = fs(plan.card.tx_latency);
        let latency = fs(plan.card.command_latency);
        // For a command of one piece: from the start of the piece to the end that the engine sees.
        let alone = match plan.reads() {
            true => round_trip(plan).0 - tx + last_for_first_fs(plan, last),
            false => plan.data.first().map_or(0.0, |hop| hop.tlp_time(&plan.data_tlp(last))),
        };
        let (before, after) = match plan.by_software() {
            true => {
                let ack = plan.doorbell_ack_fs() - fs(plan.card.rx_latency) - latency - tx;
                let before = plan.before_doorbell_fs().max(plan.ack_before_doorbell_fs()) + plan.doorbell_fs();
                (before + latency + tx + ack.max(0.0), notice_fs(plan, last, span))
            }
            false if plan.flow.timed.is_by_command() => (timed::before_fs(plan), timed::after_fs(plan)),
            // The engine decides ahead of time, except for the first command. It decides a request at the end of the
            // command before.
            false if plan.reads() => (latency.max(tx), 0.0),
            false => (latency, 0.0),
        };
        let before = before + translated::first_fs(plan);
        let first = if plan.by_software() || plan.flow.timed.is_by_command() { before } else { latency + tx };
        let cycle_fs = before + span + alone + after;
        let (cycle_fs, among_fs) = match plan.data.first() {
            _ if plan.by_software() && waits_for_lane_0(plan) => {
                let more_fs = if plan.reads() { span + alone - round_trip(plan).1 + tx } else { 0.0 };
                let steps = Steps { plan, cycle_fs, more_fs, through: seen_through(plan) };
                (cycle_fs + steps.start_gaps_fs().max(0.0), cycle_fs)
            }
            Some(_) if plan.reads() => {
                let gaps = |starts| start_gaps_fs(plan, cycle_fs - round_trip(plan).1, starts);
                let among_fs = cycle_fs + gaps(Starts::AmongOthers);
                // Behind a write the link is not idle.
                let idle = is_steady(plan) && !plan.flow.timed.writes_first();
                (if idle { among_fs.max(cycle_fs + gaps(Starts::OnGrid)) } else { among_fs }, among_fs)
            }
            // The first TLP starts at the next position that the start alignment allows.
            Some(hop) if !plan.by_software() => {
                // A mean of unlike commands tells nothing of each of them, and SKPs, of which `span` has the mean, are
                // between some only.
                let skps = loads.first().map_or(0.0, |load| 1.0 - load.wire.time(load.slots(0.0)) / load.full_fs(0.0));
                let on_grid = |idle| hop.wire.on_grid_fs(cycle_fs - span * skps, idle);
                let least = |idle| if is_steady(plan) { cycle_fs.max(on_grid(idle)) } else { cycle_fs };
                (least(before > 0.0), least(false))
            }
            _ => (cycle_fs, cycle_fs),
        };
        let between = between_commands(plan);
        let by = row.filter(|_| span > cycle_fs - span).map_or(between, |row| row.by);
        Command { cycle_fs, among_fs, first_fs: first + span + alone + after, by, wait: Some(between.cause.wait()) }
    }
}

/// True where lane 0 is further than the next place of the grid for packets of a command that software gives: on links wider than
/// x4. An ACK before the doorbell leaves no idle.
fn waits_for_lane_0(plan: &Plan<'_>) -> bool {
    let hops = [&plan.doorbell.0, &plan.requests, &plan.data, &plan.status.0].into_iter().flatten();
    let wide = hops.map(|hop| &hop.wire).any(|wire| wire.idle_align() > wire.tlp_align);
    wide && is_steady(plan) && plan.ack_before_doorbell_fs() <= plan.before_doorbell_fs()
}

/// How much longer the last completion of a command, of `last` bytes, is on its way than the first one: a round trip is
/// that of the first.
pub fn last_for_first_fs(plan: &Plan<'_>, last: u64) -> f64 {
    let Some(&(size, _)) = plan.cut.sizes.first() else { return 0.0 };
    let first = plan.completions(plan.usual_offset(size), size).next().unwrap_or(last);
    let flight = |payload| flight_fs(&plan.data, &plan.data_tlp(payload));
    flight(last) - flight(first)
}

/// Number of hops that the last piece has passed when the end of the command is seen. For a read, and for a write to
/// host memory that software drives, these are all hops. For a peer-to-peer write that software drives, they are the
/// hops that the status write takes too. For other writes there are none.
fn seen_through(plan: &Plan<'_>) -> usize {
    if plan.reads() || (plan.by_software() && plan.target_card.is_none()) {
        return usize::MAX;
    }
    let one = |(a, b): &(&Hop, &Hop)| a.wire.direction == b.wire.direction;
    if plan.by_software() { plan.status.0.iter().zip(&plan.data).take_while(one).count() } else { 0 }
}

/// Size of a page of memory.
const PAGE_BYTES: u64 = pcie::tlp::REQUEST_BOUNDARY_BYTES;

/// What the flow waits for between two commands.
pub fn between_commands(plan: &Plan<'_>) -> By {
    let command = plan.flow.command;
    let (place, cause) = match plan.by_software() {
        true => (Place::Host, Cause::Software(command)),
        false => (Place::Card, Cause::CommandStart(command)),
    };
    By { place, cause, shared: false }
}

/// From the end of a command, as its engine sees it, to the time at which software sees it. `last` is the payload of
/// the last TLP, which starts `span_fs` after the first.
fn notice_fs(plan: &Plan<'_>, last: u64, span_fs: f64) -> f64 {
    let (way, status) = &plan.status;
    let call = fs(plan.host.call_cost);
    let memory = plan.memory_fs(0, status.payload);
    let sent = plan.data.first().map_or(0.0, |hop| hop.tlp_time(&plan.data_tlp(last)));
    let served = match (plan.reads(), &plan.target_card) {
        (true, _) => fs(plan.card.tx_latency) + flight_fs(way, status) + memory,
        // The status write follows the data as far as their paths are the same.
        (false, Some(_)) => {
            let mut burst = Burst::new(way, Starts::Anywhere);
            let hops = seen_through(plan);
            burst.send_over(hops, plan.data.get(hops), 0.0, &plan.data_tlp(last));
            let (_, arrived) = burst.send(sent, status);
            arrived - sent + memory
        }
        // The status write follows the data on the same path and through the same memory.
        (false, None) => {
            let data = plan.data_tlp(last);
            let mut burst = Burst::new(&plan.data, Starts::Anywhere);
            let (_, written) = burst.send(0.0, &data);
            let (_, arrived) = burst.send(0.0, status);
            // Memory changes from the page of the status write to the pages of the data, and back.
            let page = if plan.flow.volume.0 > PAGE_BYTES { fs(plan.host.page_service) } else { 0.0 };
            let entered = plan.cut.entered.max(1.0);
            let first = written - span_fs + entered * page + plan.command_memory_fs();
            let own = plan.memory_fs(0, last) + page * (entered / plan.cut.count().max(1.0)).floor();
            let served = first.max(written + own);
            // It waits for the walk of a page too, which began with the first TLP.
            let share = (plan.walks * plan.flow.command.0 as f64).min(1.0);
            let walked = share * (fs(plan.flow.walk_time(&plan.host)) - span_fs).max(0.0);
            served.max(arrived) + walked + page + memory - sent
        }
    };
    plan.noticed(served + plan.way_fs) + call
}

/// The measured values of a whole volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Payload rate at the receiving end while the flow is active, in bytes a femtosecond.
    pub stream: f64,
    /// From the start of the volume to the last end that is seen, in femtoseconds.
    pub seen: f64,
}

/// The part of a volume that is not measured: the first tenth.
const WARM_UP: f64 = 10.0;

/// The run of the whole volume of `plan`: commands in sequence, each as fast as the slowest row of `table` allows.
pub fn run(plan: &Plan<'_>, loads: &[Load], table: &Table) -> Run {
    let payload = loads.first().map_or(1.0, |load| 1.0 / load.data_tlps().max(1e-12));
    // For an engine that begins commands early, many commands count as one long command.
    let bytes = plan.next_command.map_or(plan.cut.bytes, |(bytes, _)| bytes) as f64;
    let commands = (plan.commands as f64 * plan.cut.bytes as f64 / bytes).max(1.0);
    let each = table.fs_per_byte() * bytes;
    if plan.queued.is_some() {
        return Run { stream: 1.0 / table.fs_per_byte(), seen: commands * each };
    }
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
    // The time in which the payload of one command arrives at the receiving end.
    let span = table.span((bytes - payload).max(0.0), usize::MAX).0.min(each);
    let warm = commands / WARM_UP;
    let opened = (warm.ceil() - 1.0).max(0.0);
    let share = (((warm - opened) * bytes / payload - 1e-9).ceil() * payload / bytes).clamp(payload / bytes, 1.0);
    let part = if bytes > payload { (share * bytes - payload) / (bytes - payload) } else { 1.0 };
    let window = (commands - 1.0) * each + span - (opened * each + part * span);
    let left = (commands - opened - share) * bytes;
    Run { stream: if window > 0.0 { left / window } else { commands * bytes / seen }, seen }
}

/// The latency of the median command, where commands are given one by one.
pub fn one_by_one_fs(plan: &Plan<'_>, loads: &[Load], table: &Table) -> f64 {
    let completer = Completer { latency_fs: plan.completer.median_fs, ..plan.completer.clone() };
    Command::new(&Plan { completer, ..plan.clone() }, loads, table).cycle_fs
}
