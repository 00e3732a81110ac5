//! Clocks that follow a link, and latencies in their cycles: what sim and limit read has times only.

use crate::amend::CORE_CLOCK;
use crate::field::{Cap, FieldType, Frequency};
use crate::figure::{Figure, Origin};
use crate::graph::{PartId, PortId, System};
use crate::kinds::{CardParams, SwitchParams};
use pcie::generation::Encoding;
use pcie::{Bytes, Class, LinkSpeed, Time};

/// The clock at which a datapath of `width` takes what a link of `speed` carries. 8b/10b counts, 128b/130b does not:
/// the clocks of vendors' blocks are 62.5, 125, 250 and 500 MHz at every generation (AMD PG213, *Supported Clock
/// Frequencies and Interface Widths*; AMD PG054; Intel, *Arria 10 and Cyclone 10 GX Avalon-MM Interface for PCI
/// Express*, Clock Summary).
pub fn clock_of(speed: LinkSpeed, width: Bytes) -> Frequency {
    let encoded = match speed.generation.encoding() {
        Encoding::E8b10b => 10,
        Encoding::E128b130b => 8,
    };
    let bytes_per_s = speed.generation.transfers_per_s() / encoded * speed.width.lanes();
    Frequency(bytes_per_s / width.0.max(1))
}

/// The time of `cycles` of a clock; none without a clock.
fn time_of(cycles: u64, clock: Cap<Frequency>) -> Time {
    let hertz = clock.0.map_or(u64::MAX, |clock| clock.0.max(1));
    Time::from_fs((u128::from(cycles) * 1_000_000_000_000_000 / u128::from(hertz)) as u64)
}

impl CardParams {
    /// The card at a link of `speed`: with a clock that does not follow, and with latencies that contain their cycles.
    fn at(mut self, speed: Option<LinkSpeed>) -> CardParams {
        if let (true, Some(speed)) = (std::mem::take(&mut self.clock_follows_link), speed) {
            let least = self.core_clock.0.map_or(0, |clock| clock.0);
            self.core_clock = Cap(Some(Frequency(clock_of(speed, self.core_width).0.max(least))));
        }
        let clock = self.core_clock;
        for (latency, cycles) in [
            (&mut self.tx_latency, &mut self.tx_latency_cycles),
            (&mut self.rx_latency, &mut self.rx_latency_cycles),
            (&mut self.command_latency, &mut self.command_latency_cycles),
            (&mut self.target_read_latency, &mut self.target_read_latency_cycles),
        ] {
            *latency += time_of(std::mem::take(cycles), clock);
        }
        self
    }
}

impl SwitchParams {
    /// From the first symbol in to the first symbol out, for TLPs of a class that come in by a link of `speed`.
    fn latency_at(&self, speed: Option<LinkSpeed>, _: Class) -> Time {
        let clock = speed.zip(self.core_width.0).map(|(speed, width)| clock_of(speed, width));
        self.latency + time_of(self.latency_cycles, Cap(clock))
    }
}

impl System {
    /// The DMA engine of a part as [`crate::Kind::engine`] declares it, at the link of its first port that has one: its
    /// clock, where that follows the link, and times in place of cycles.
    pub fn engine(&self, part: PartId) -> Option<CardParams> {
        let speed = self.part(part).ports.iter().find_map(|&port| self.speed_at(port));
        self.part(part).kind.engine().map(|engine| engine.at(speed))
    }

    /// What a switch takes for a TLP of a class from the first symbol in by a port to the first symbol out; `None` for a port of
    /// another part.
    pub fn switch_latency(&self, ingress: PortId, class: Class) -> Option<Time> {
        let switch = self.part(self.port(ingress).part).kind.switch()?;
        Some(switch.latency_at(self.speed_at(ingress), class))
    }

    pub(crate) fn speed_at(&self, port: PortId) -> Option<LinkSpeed> {
        self.port(port).link.map(|link| self.link(link).speed)
    }

    /// Lists the clock of a part that follows its link.
    pub(crate) fn list_clock(&mut self, part: PartId) {
        let follows = |engine: &CardParams| engine.clock_follows_link;
        let Some(own) = self.part(part).kind.engine().filter(follows) else { return };
        let (Some(engine), Some(speed)) =
            (self.engine(part), self.part(part).ports.iter().find_map(|&port| self.speed_at(port)))
        else {
            return;
        };
        let why = match own.core_clock == engine.core_clock {
            true => "the least that the core has".to_string(),
            false => format!("{speed}, {} a cycle", own.core_width),
        };
        let figure = Figure { field: CORE_CLOCK, value: engine.core_clock.print(), origin: Origin::Settled(why) };
        self.graph.parts[part.0].list(figure);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_clock_that_of_the_vendors_tables() {
        // AMD PG213: speed, width of the stream in bits, least user clock in MHz.
        for (speed, bits, mhz) in [
            ("gen1 x2", 64, 62.5),
            ("gen1 x4", 64, 125.0),
            ("gen1 x8", 64, 250.0),
            ("gen1 x8", 128, 125.0),
            ("gen2 x1", 64, 62.5),
            ("gen2 x4", 64, 250.0),
            ("gen2 x8", 128, 250.0),
            ("gen3 x1", 64, 125.0),
            ("gen3 x4", 128, 250.0),
            ("gen3 x8", 256, 250.0),
        ] {
            let clock = clock_of(speed.parse().unwrap(), Bytes(bits / 8));
            assert_eq!(clock.0 as f64, mhz * 1e6, "{speed} {bits}");
        }
    }
}
