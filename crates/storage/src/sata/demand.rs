//! What the SATA links and the drives give a flow, for the limit.

use super::params::{COMMAND_FIS_BYTES, DEVICE, Device, SataParams, WIRE};
use crate::operations::DISK_READ;
use pcie::{Rate, Time};
use system::Demand;
use system::kind::{Row, Shared};
use system::pattern::Order;

/// Commands of a flow over which the mean way of the arm is taken.
const MEAN_OVER: u64 = 1 << 16;

impl SataParams {
    /// How long the arm takes to a place that is `far` away, and the disk to turn there; `number` moves came before it.
    pub(crate) fn moved_arm(&self, far: u64, number: u64) -> Time {
        let far = far as f64 / self.capacity.0.max(1) as f64;
        let (least, most) = (self.seek_least.as_secs(), self.seek_most.as_secs());
        let seek = least + (most - least) * far.min(1.0).sqrt();
        // Any part of a turn, each as often: the multiples of the golden ratio are spread evenly.
        let part = (number as f64 * 0.618_033_988_749_894_9).fract();
        Time::from_secs_f64(seek + part * self.turn.as_secs()).unwrap_or(Time::FAR)
    }

    /// The mean of that over the blocks of a flow, which a disk takes in the order in which they are given.
    fn mean_position(&self, demand: &Demand) -> Time {
        let block = demand.command.0.max(1);
        let count = demand.commands.clamp(1, MEAN_OVER);
        let mut next = 0;
        let moves = (0..count).map(|number| {
            let at = demand.work.start(block, number);
            let far = at.abs_diff(std::mem::replace(&mut next, at.wrapping_add(block))) / self.members.0.max(1);
            if far == 0 { 0.0 } else { self.moved_arm(far, number + 1).as_secs() }
        });
        Time::from_secs_f64(moves.sum::<f64>() / count as f64).unwrap_or_default()
    }

    /// What a write of an SSD takes on average beyond the time in which `bytes` move: the first command of a block that does not
    /// begin where the one before has ended takes `ssd_write_time` at least.
    fn mean_alone(&self, demand: &Demand, moved: Time) -> Time {
        let more = self.ssd_write_time.as_secs() - moved.as_secs();
        if more <= 0.0 {
            return Time::ZERO;
        }
        let block = demand.command.0.max(1);
        let count = demand.commands.clamp(1, MEAN_OVER);
        let mut next = u64::MAX;
        let is_alone = |number: &u64| {
            let at = demand.work.start(block, *number);
            at != std::mem::replace(&mut next, at.wrapping_add(block))
        };
        let share = (0..count).filter(is_alone).count() as f64 / count as f64;
        Time::from_secs_f64(more * share / self.split(block).0 as f64).unwrap_or_default()
    }
}

/// Commands of a flow over which the mean rate of the zones is taken.
const ZONES_OVER: u64 = 4096;

impl SataParams {
    /// The mean time that a drive takes to move `bytes` of a flow, over the zones in which its commands lie.
    pub(super) fn mean_moved(&self, demand: &Demand, bytes: u64, reads: bool) -> Time {
        let (block, count) = (demand.command.0.max(1), demand.commands.max(1));
        let step = count.div_ceil(ZONES_OVER).max(1);
        let numbers = || (0..count).step_by(step as usize);
        let time = |number| bytes as f64 / self.rate_at(self.member(demand.work.start(block, number)).1, reads).0;
        let one = self.zones.0 <= 1;
        let mean = if one { time(0) } else { numbers().map(time).sum::<f64>() / numbers().count() as f64 };
        Time::from_secs_f64(mean).unwrap_or(Time::FAR)
    }
}

impl SataParams {
    /// Drives of an array whose links are used at once for a flow: so many chunks are those in flight in on average.
    fn links_at_once(&self, demand: &Demand) -> f64 {
        let members = self.members.0.max(1) as f64;
        let (in_flight, chunks) =
            (demand.work.in_flight() as f64, demand.command.0 as f64 / self.chunk.0.max(1) as f64);
        let at_once = match demand.work.order {
            Order::Sequential => chunks.max(1.0) + (in_flight - 1.0) * chunks,
            Order::Random => chunks.max(1.0) * in_flight,
        };
        at_once.clamp(1.0, members)
    }

    /// Drives of an array that may be used at once for a flow: those that the commands in flight touch, if they lie apart, as
    /// they do where some end before others that were given earlier.
    fn most_at_once(&self, demand: &Demand) -> f64 {
        let members = self.members.0.max(1);
        if demand.operation != DISK_READ {
            return members as f64;
        }
        let touched = demand.command.0.div_ceil(self.chunk.0.max(1)).saturating_add(1);
        touched.saturating_mul(demand.work.in_flight()).min(members) as f64
    }

    /// Drives of an array that move data at once for a flow: all of them write what is in their caches.
    fn drives_at_once(&self, demand: &Demand) -> f64 {
        if demand.operation == DISK_READ { self.links_at_once(demand) } else { self.members.0.max(1) as f64 }
    }

    /// What a command of `bytes` of a flow gets while it moves: of each drive that it lies on, what the link and the drive pass.
    pub(super) fn pace(&self, demand: &Demand, bytes: u64, reads: bool) -> Rate {
        let drives = bytes.div_ceil(self.chunk.0.max(1)).clamp(1, self.members.0.max(1)) as f64;
        let media = self.mean_moved(demand, bytes, reads);
        Rate(drives * bytes as f64 / self.on_wire(bytes).max(media).as_secs())
    }

    /// The SATA link and the drive. Each flow has those of one port.
    pub(super) fn drive_rows(&self, demand: &Demand) -> [Row; 2] {
        let reads = demand.operation == DISK_READ;
        let bytes = self.split(demand.command.0.max(1)).1.max(1);
        let rate = |drives: f64, bytes: u64, time: Time| Rate(drives * bytes as f64 / time.as_secs());
        let fis = Time::from_secs_f64(COMMAND_FIS_BYTES as f64 / self.sata_rate.0).unwrap_or_default();
        // Of a command that lies on several drives, each has a part.
        let own = bytes / (bytes / self.chunk.0.max(1)).clamp(1, self.members.0.max(1));
        let moved = self.mean_moved(demand, own, reads);
        let out_of_order = demand.work.order == Order::Random;
        let drive = match (out_of_order, self.device) {
            (false, _) => moved,
            (true, Device::Ssd) if !reads => moved + self.mean_alone(demand, moved),
            (true, Device::Disk) => moved + self.mean_position(demand) / self.split(demand.command.0.max(1)).0,
            (true, Device::Ssd) => moved.max(self.ssd_latency / self.units.0.max(1)),
        };
        let wire = |drives: f64| rate(drives, bytes, self.on_wire(bytes) + fis);
        let media = |drives: f64| rate(drives, own, drive);
        let most = self.most_at_once(demand);
        let row = |words, most, mean| Row { mean: Some(mean), ..Row::new(words, most, Shared::Flow) };
        [
            row(WIRE, wire(most), wire(self.links_at_once(demand))),
            row(DEVICE, media(most), media(self.drives_at_once(demand))),
        ]
    }
}
