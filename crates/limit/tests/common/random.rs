//! Random systems with one flow, with the list of mechanisms that each of them has.

use super::*;
use pcie::generation::Generation;
use pcie::{Bytes, Rate};
use system::field::{Cap, Count, Frequency, Ppm};
use system::kinds::card::TagBits;
use system::kinds::host::Notice;
use system::kinds::port::{StartAlignment, UpdateFcHabit};
use system::kinds::switch::Forwarding;

/// A small random number generator (splitmix64), with the same numbers on every machine.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize].clone()
    }
    pub fn ns(&mut self, least: u64, most: u64) -> Time {
        Time::from_ps(self.between(least * 1000, most * 1000))
    }
}

/// A system with a flow and the mechanisms that are on.
#[derive(Clone)]
pub struct Case {
    pub seed: u64,
    pub scenario: Scenario,
    pub mechanisms: Vec<String>,
}

/// Makes parts with random settings.
pub struct Maker {
    pub dice: Dice,
    /// The mechanisms that are on.
    pub on: Vec<String>,
    pub mps: u64,
    /// True where the host has an IOMMU.
    pub iommu: bool,
}

impl Maker {
    pub fn new(seed: u64) -> Maker {
        let mut maker =
            Maker { dice: Dice(seed.wrapping_mul(0x1234_5678_9abc_def1)), on: Vec::new(), mps: 128, iommu: false };
        maker.mps = maker.dice.pick(&[128, 128, 256, 512, 1024, 4096]);
        maker.note(format!("MPS {}", maker.mps));
        maker
    }

    /// True with a probability of `percent`. A true result is recorded as a mechanism.
    pub fn has(&mut self, what: &str, percent: u64) -> bool {
        let on = self.dice.chance(percent);
        if on && !self.on.iter().any(|o| o == what) {
            self.on.push(what.to_string());
        }
        on
    }

    pub fn note(&mut self, what: String) {
        if !self.on.contains(&what) {
            self.on.push(what);
        }
    }

    pub fn habits(&mut self) -> PortParams {
        let mps = self.mps;
        let mut h = PortParams { mps: PayloadSize::new(mps).unwrap(), ..PortParams::default() };
        let start = [StartAlignment::Standard, StartAlignment::EightBytes, StartAlignment::LaneZero];
        if self.has("start alignment", 40) {
            h.start_alignment = self.dice.pick(&start);
        }
        h.tlps_per_ack = Count(self.dice.between(1, 5));
        if self.has("UpdateFC each", 40) {
            h.update_fc = UpdateFcHabit::Each;
        }
        let count = |n: u64| Cap(Some(Count(n)));
        if self.has("posted credits", 25) {
            h.posted_headers = count(self.dice.between(1, 64));
            h.posted_data = count(mps / 16 * self.dice.between(1, 24) + self.dice.below(8));
        }
        if self.has("non-posted credits", 20) {
            h.nonposted_headers = count(self.dice.between(1, 32));
        }
        if self.has("completion credits", 25) {
            h.completion_headers = count(self.dice.between(2, 128));
            h.completion_data = count(mps / 16 * self.dice.between(1, 32) + self.dice.below(8));
        }
        if self.has("replay buffer", 25) {
            h.replay_buffer = Cap(Some(Bytes((mps + 22) * self.dice.between(1, 24))));
        }
        if self.has("no SKP", 15) {
            h.skp = false;
        }
        if self.has("no DLLP bytes", 15) {
            h.dllps = false;
        }
        h
    }

    pub fn link(&mut self) -> String {
        let generation = self.dice.pick(&Generation::ALL);
        let lanes = self.dice.pick(&[1u64, 2, 4, 8, 12, 16, 32]);
        self.note(format!("{generation}"));
        self.note(format!("x{lanes}"));
        format!("gen{}x{lanes}", generation.number())
    }

    pub fn host(&mut self) -> HostParams {
        let mut h = HostParams { read_latency: self.dice.ns(50, 800), ..HostParams::default() };
        h.completion_bytes = Count(self.dice.pick(&[64, 128, 256, 512]));
        h.rcb = Count(self.dice.pick(&[64, 128]));
        h.memory_above_4g = self.dice.chance(50);
        if self.has("read gap", 15) {
            h.read_gap = self.dice.ns(5, 300);
        }
        if self.has("memory service", 20) {
            h.write_service = self.dice.ns(0, 20);
            h.line_service = self.dice.ns(1, 15);
            h.partial_line_service = self.dice.ns(5, 40);
        }
        if self.has("memory pages", 15) {
            h.page_service = self.dice.ns(10, 400);
        }
        if self.has("port cap", 10) {
            h.port_cap = Cap(Some(Rate(self.dice.between(100, 8000) as f64 * 1e6)));
        }
        if self.has("lane cap", 5) {
            h.lane_cap = Cap(Some(Rate(self.dice.between(50, 2000) as f64 * 1e6)));
        }
        if self.has("slow clock", 10) {
            h.clock_slow = Ppm(2500);
        }
        h.command_cost = self.dice.ns(50, 800);
        h.descriptor_cost = self.dice.ns(0, 60);
        h.poll_interval = self.dice.ns(0, 300);
        if self.dice.chance(30) {
            h.notice = Notice::Interrupt;
            h.interrupt_latency = self.dice.ns(500, 3000);
        }
        h.pio_line_fill = self.dice.ns(5, 60);
        h.pio_buffers = Count(self.dice.between(1, 12));
        h.pio_call_cost = self.dice.ns(0, 40);
        h.pio_gap = self.dice.ns(0, 10);
        h.pio_restart = self.dice.ns(0, 30);
        h.pio_read_bytes = Count(self.dice.pick(&[4, 8, 16, 32, 64]));
        h.pio_read_cost = self.dice.ns(0, 50);
        if self.iommu {
            h.iommu = true;
            h.iotlb_entries = Count(self.dice.pick(&[1, 8, 64, 1024]));
            h.iommu_page = Bytes(self.dice.pick(&[4096, 4096, 1 << 21]));
            h.walk_latency = self.dice.ns(20, 1000);
            h.walk_gap = self.dice.ns(0, 100);
            h.line_lookup = self.dice.ns(0, 5);
            h.walkers = self.dice.pick(&[Cap::NONE, Cap::NONE, Cap(Some(Count(2))), Cap(Some(Count(8)))]);
            h.iotlb_ways = self.dice.pick(&[Cap::NONE, Cap::NONE, Cap(Some(Count(1)))]);
            h.walk_cache = self.dice.pick(&[Cap::NONE, Cap(Some(Count(1))), Cap(Some(Count(16)))]);
            h.table_latency = self.dice.ns(0, 500);
            h.translation_latency = self.dice.ns(20, 300);
            if self.has("table of reads", 25) {
                h.read_table = Cap(Some(Count(self.dice.pick(&[64, 128, 512]))));
            }
            if self.has("DRAM", 25) {
                h.warm = false;
                h.miss_latency = self.dice.ns(0, 200);
                h.dram_line_service = self.dice.ns(1, 60);
                h.dram_channels = Count(self.dice.pick(&[1, 2, 4, 8]));
            }
        }
        h
    }

    pub fn switch(&mut self) -> SwitchParams {
        let mut s = SwitchParams { latency: self.dice.ns(60, 250), ..SwitchParams::default() };
        if self.has("store-and-forward", 30) {
            s.forwarding = Forwarding::StoreAndForward;
        }
        if self.has("port cap", 8) {
            s.port_cap = Cap(Some(Rate(self.dice.between(100, 8000) as f64 * 1e6)));
        }
        s
    }

    pub fn card(&mut self) -> CardParams {
        let mps = self.mps;
        let mut c = CardParams { read_requests: Count(self.dice.between(1, 64)), ..CardParams::default() };
        if self.has("many tags", 15) {
            c.read_requests = Count(self.dice.between(65, 768));
            c.tag_bits = TagBits::Ten;
        }
        c.read_request = PayloadSize::new(self.dice.pick(&[128u64, 256, 512, 1024, 2048, 4096])).unwrap();
        c.tx_latency = self.dice.ns(0, 300);
        c.rx_latency = self.dice.ns(0, 300);
        c.command_latency = self.dice.ns(0, 300);
        c.fifo = Bytes(1 << 20);
        if self.has("completion buffer", 20) {
            c.completion_buffer = Cap(Some(Bytes(self.dice.between(4, 64) * 1024)));
        }
        if self.has("payload", 40) {
            c.payload = Cap(Some(Count(self.dice.between(1, mps / 4) * 4)));
        }
        if self.has("descriptor wait", 20) {
            c.descriptor_wait = self.dice.ns(20, 600);
        }
        if self.has("page size", 10) {
            c.page_bytes = Bytes(self.dice.pick(&[1024, 2048, 8192, 16384]));
        }
        if self.has("core", 25) {
            c.core_clock = Cap(Some(Frequency(self.dice.pick(&[125_000_000, 250_000_000, 500_000_000]))));
            c.core_width = Bytes(self.dice.pick(&[8, 16, 32, 64]));
            c.idle_cycles = self.dice.below(4);
        }
        if self.has("FIFO", 25) {
            c.fifo = Bytes(mps.max(512) * self.dice.between(1, 16));
        }
        if self.iommu && self.has("ATS", 40) {
            c.ats = true;
            c.atc_entries = Count(self.dice.pick(&[1, 8, 64]));
            c.translation_requests = Count(self.dice.pick(&[1, 2, 8]));
        }
        c.target_read_latency = self.dice.ns(50, 500);
        c.target_completion_bytes = Count(self.dice.pick(&[64, 128, 256]));
        c
    }
}

/// The random system of `seed`.
pub fn case(seed: u64) -> Case {
    made(seed, Maker::new(seed))
}

/// The random system of `seed` whose host has an IOMMU.
pub fn case_with_iommu(seed: u64) -> Case {
    made(seed, Maker { iommu: true, ..Maker::new(seed) })
}

fn made(seed: u64, mut m: Maker) -> Case {
    let operation = m.dice.pick(&[
        Operation::DmaWrite,
        Operation::DmaRead,
        Operation::DmaWrite,
        Operation::DmaRead,
        Operation::P2pWrite,
        Operation::P2pRead,
        Operation::PioWrite,
        Operation::PioRead,
    ]);
    m.note(operation.word().to_string());
    let host = m.host();
    let host_habits = m.habits();
    let mut builder = Builder::new(host, host_habits);
    let peer = matches!(operation, Operation::P2pRead | Operation::P2pWrite);
    let switches = if peer { m.dice.between(1, 3) } else { m.dice.below(4) };
    m.note(format!("{switches} switches"));
    let mut at = HOST;
    let mut first = None;
    for i in 0..switches {
        let (link, switch, habits) = (m.link(), m.switch(), m.habits());
        at = builder.switch(at, &link, switch, habits);
        if i == 0 {
            first = Some(at);
        }
    }
    let (link, card, habits) = (m.link(), m.card(), m.habits());
    let initiator = builder.card(at, &link, card, habits);
    let target = if peer {
        let (link, card, habits) = (m.link(), m.card(), m.habits());
        builder.card(first.unwrap(), &link, card, habits)
    } else {
        HOST
    };
    if m.has("propagation", 30) {
        builder.system.remake(|graph| {
            for link in &mut graph.links {
                link.propagation = m.dice.ns(0, 20);
            }
        });
    }
    if m.has("SRIS", 10) {
        builder.system.remake(|graph| graph.links[0].sris = true);
    }
    let (initiator, target) = if operation.is_pio() { (HOST, initiator) } else { (initiator, target) };
    let small = m.has("small commands", 35);
    let (command, commands) = match (operation, small) {
        (Operation::PioRead, _) => (m.dice.between(1, 16) * 64, 40),
        (Operation::PioWrite, true) => (m.dice.between(1, 20) * 64, 200),
        (_, true) => (1u64 << m.dice.between(9, 15), 100),
        (_, false) => (2 << 20, 1),
    };
    let flow = flow(operation, initiator, target, command, commands);
    let software = !operation.is_pio() && m.has("software", 40);
    let flow = if software { by_software(flow) } else { flow };
    Case { seed, scenario: scenario(&builder.system, vec![flow]), mechanisms: m.on }
}
