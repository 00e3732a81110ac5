//! Random machines with a cause that holds their drives back: what they show of themselves, and what they are.
//!
//! Nothing here knows how causes are searched: a machine is a description and settings, and its rates are those of the
//! simulation.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use system::{Description, Point, Scenario};

/// SplitMix64.
pub struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[(self.next() % all.len() as u64) as usize]
    }
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    /// About normal, of deviation 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.between(0.0, 1.0)).sum::<f64>() - 6.0
    }
}

/// What holds the drives back.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    /// The link below a port was trained to less than it can.
    Held(String),
    /// The link below a port is full.
    Full(String),
    /// The payload of all.
    Payload,
    /// The requests of all.
    Requests,
    /// A cap at the port to a switch or chipset.
    Uplink(String),
    /// A cap at all ports of a part.
    Ports(String),
    /// A cap for each lane of a part.
    Lanes(String),
    /// All drives are as slow.
    Drives,
    /// One drive is slower.
    Drive(String),
    Memory,
    Sockets,
    Iommu,
    Core,
}

/// A machine.
pub struct Drawn {
    pub truth: Truth,
    /// What it shows.
    pub shown: String,
    /// What it is: the text, and settings.
    pub is: String,
    pub settings: Vec<String>,
    /// The names of the experiments, each a subset under a load.
    pub experiments: Vec<String>,
    /// True where it is known that an IOMMU translates.
    pub iommu: bool,
    /// The most that a thread was busy.
    pub busy: f64,
    /// The cap, bytes a second, where the cause is one.
    pub cap: Option<f64>,
    /// The rates that were measured, bytes a second, in the order of the experiments.
    pub rates: Vec<f64>,
    random: Random,
}

/// A drive of the machine: its port above.
struct Slot {
    port: String,
}

const HIDDEN: usize = 13;

/// Machine number `seed`.
pub fn drawn(seed: u64) -> Drawn {
    let mut r = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x1a9e);
    let what = r.next() as usize % HIDDEN;
    let (direct, bridged, chipset) = match what {
        // Below a bridge, and beside it.
        1 | 4 => (r.of(&[0, 1, 2]), r.of(&[2, 3]), 0),
        5 | 6 => (r.of(&[0, 1]), 0, r.of(&[3, 4])),
        8 => (4, r.of(&[0, 2]), 0),
        9 => (r.of(&[3, 4]), r.of(&[0, 2]), 0),
        _ => (r.of(&[1, 2, 3]), r.of(&[0, 2]), r.of(&[0, 2])),
    };
    let (direct, bridged) = if direct + bridged + chipset < 2 { (2, bridged) } else { (direct, bridged) };
    let generation = r.of(&[3, 4]);
    let writes = r.of(&[false, false, true]) || what == 3;
    let able = r.of(&[256, 512]);
    // A payload below what all can do is a decoy too.
    let is_old = what == 2 || r.of(&[true, false, false]);
    let (mut slots, mut links) = (Vec::new(), Vec::new());
    let mut held = String::new();
    for n in 0..direct {
        slots.push(Slot { port: format!("host.s[{n}]") });
    }
    for n in 0..bridged {
        slots.push(Slot { port: format!("bridge.down[{n}]") });
    }
    for n in 0..chipset {
        let name = if n % 2 == 0 { "wide" } else { "narrow" };
        slots.push(Slot { port: format!("chipset.{name}[{}]", n / 2) });
    }
    let slow = r.next() as usize % slots.len();
    for (n, slot) in slots.iter().enumerate() {
        if what == 0 && n == slow && bridged == 0 {
            held = slot.port.clone();
            links.push(format!("{{ join: '{} - ssd[{n}].pcie', gen: 1 }}", slot.port));
        } else {
            links.push(format!("'{} - ssd[{n}].pcie'", slot.port));
        }
    }
    let uplink = if what == 1 || what == 0 { 1 } else { generation };
    let wide = if what == 1 { 4 } else { 8 };
    if bridged > 0 {
        let able = if what == 0 { generation } else { uplink };
        if what == 0 {
            held = "host.b".into();
            links.push("{ join: host.b - bridge.up, gen: 1, lanes: 4 }".into());
        } else {
            links.push("host.b - bridge.up".into());
        }
        let _ = able;
    }
    if chipset > 0 {
        links.push("host.c - chipset.up".into());
    }
    if is_old {
        // One old device sets the payload of all.
        links.push("host.old - old.pcie".into());
    }
    let two = what == 8;
    let at = if two { ", at: { 's[1]': { socket: 1 }, 's[3]': { socket: 1 } }" } else { "" };
    let up = if what == 0 { generation } else { uplink };
    let part = |flash: &str, extra: &str| {
        let mut text = format!(
            "title: drawn\nparts:\n  host: {{ part: generic/gen4-host, slots: {{ 's[4]': gen{generation} x4, b: gen{up} x{wide}, c: gen{generation} x8, old: gen1 x1 }}, \
             mps: {able}, notice: polling, command_cost: 200 ns, call_cost: 200 ns{at}{extra} }}\n"
        );
        if is_old {
            text += "  old: { kind: dma-card, ports: { pcie: gen1 x1 }, bars: 4 KiB, mps: 128 }\n";
        }
        if bridged > 0 {
            text += &format!(
                "  bridge: {{ kind: switch, ports: {{ up: gen{up} x{wide}, 'down[4]': gen{generation} x4 }}, mps: {able} }}\n"
            );
        }
        if chipset > 0 {
            text += &format!(
                "  chipset: {{ kind: switch, ports: {{ up: gen{generation} x8, 'wide[2]': gen{generation} x4, 'narrow[2]': gen{generation} x2 }}, mps: {able} }}\n"
            );
        }
        text += &format!(
            "  ssd: {{ kind: nvme-ssd, count: {}, ports: {{ pcie: gen{generation} x4 }}, bars: 16 KiB, mps: {able}, read_requests: 32, {flash} }}\n",
            slots.len()
        );
        text
    };
    // What drives give alone, MB/s: some near what their link does.
    let own = r.of(&[900.0, 1400.0, 2000.0, 3000.0, 1e5]);
    let own = if matches!(what, 0 | 2 | 3 | 9) { 1e5 } else { own };
    let own = if what == 7 { r.between(600.0, 1200.0) } else { own };
    let op = if writes { "disk-write" } else { "disk-read" };
    let flow = |n: usize| if writes { format!("'host -> ssd[{n}]'") } else { format!("'ssd[{n}] -> host'") };
    let mut subsets: Vec<(String, Vec<usize>)> = (0..slots.len()).map(|n| (format!("a{n}"), vec![n])).collect();
    let groups = [(0, direct), (direct, bridged), (direct + bridged, chipset)];
    for (begin, count) in groups {
        if count > 1 {
            for n in 1..count {
                subsets.push((format!("p{begin}_{n}"), vec![begin, begin + n]));
            }
            if count > 2 {
                subsets.push((format!("g{begin}"), (begin..begin + count).collect()));
            }
        }
    }
    if two {
        subsets.push(("far".into(), vec![1, 3]));
    }
    if slots.len() > 2 || subsets.len() == slots.len() {
        subsets.push(("all".into(), (0..slots.len()).collect()));
    }
    let mut tail = format!(
        "links: [{}]\nsettings: {{ bars: above 4 GiB, mps_policy: tree-minimum, mrrs: {} }}\nexperiments:\n",
        links.join(", "),
        if what == 3 { 128 } else { 512 }
    );
    let mut experiments = Vec::new();
    let short = r.of(&[512, 512, 4096]);
    for (load, block, depth, pattern, blocks) in
        [("seq", 131_072u64, 16, "sequential", 160u64), ("rnd", short, 64, "random", 3000)]
    {
        for (name, of) in &subsets {
            let flows: Vec<String> = of.iter().map(|&n| flow(n)).collect();
            let name = format!("{load}_{name}");
            tail += &format!(
                "  {name}: {{ operation: {op}, drive: software, flows: [{}], command: {block} B, volume: {} B, pattern: {pattern}, queue_depth: {depth}, measures: [throughput_sum] }}\n",
                flows.join(", "),
                block * blocks
            );
            experiments.push(name);
        }
    }
    let mut settings = Vec::new();
    let rate = |rate: f64| format!("{rate:.3} MB/s");
    let mut cap = None;
    let mut capped = |at: &str, of: f64| {
        cap = Some(of * 1e6);
        format!("{at}={of:.3} MB/s")
    };
    let truth = match what {
        0 => Truth::Held(held),
        1 => Truth::Full("host.b".into()),
        2 => Truth::Payload,
        3 => Truth::Requests,
        4 => {
            settings.push(capped("host.b.port_cap", r.between(0.4, 0.8) * (bridged as f64 * own.min(2000.0))));
            Truth::Uplink("host.b".into())
        }
        5 | 6 if chipset > 0 => {
            let narrow = 2.0 * if generation == 3 { 985.0 } else { 1969.0 };
            if what == 5 {
                settings.push(capped("chipset.port_cap", r.between(0.3, 0.6) * own.min(narrow)));
                Truth::Ports("chipset".into())
            } else {
                settings.push(capped("chipset.lane_cap", r.between(0.3, 0.6) * own.min(narrow) / 4.0));
                Truth::Lanes("chipset".into())
            }
        }
        7 => Truth::Drives,
        8 if direct > 1 => {
            settings.push(capped("host.socket_rate", r.between(0.3, 0.6) * own.min(3000.0)));
            Truth::Sockets
        }
        9 => {
            let all = r.between(0.3, 0.6) * slots.len() as f64 * 2500.0;
            settings.extend(["host.cache=0 B".into(), "host.direct_io=0 B".into()]);
            settings.push(format!("host.dram_line_service={:.0} ps", 64.0 / all * 1e6));
            Truth::Memory
        }
        10 => {
            let all = r.between(0.3, 0.6) * slots.len() as f64 * own.min(2500.0);
            settings.extend([
                "host.iommu=yes".into(),
                "host.iotlb_entries=64".into(),
                "host.walk_latency=100 ns".into(),
            ]);
            settings.push(format!("host.walk_gap={:.0} ps", 4096.0 / all * 1e6));
            Truth::Iommu
        }
        11 => {
            settings.push(format!("host.command_cost={:.0} ns", r.between(4000.0, 20000.0)));
            Truth::Core
        }
        _ => Truth::Drive(format!("ssd[{slow}]")),
    };
    let flash = |own: f64| {
        format!(
            "dies: 512, channels: 32, channel_rate: 2400 MB/s, read_time: 20 us, program_time: 60 us, datapath: {}",
            if own < 1e5 { rate(own) } else { "infinite".into() }
        )
    };
    let generous = "dies: 1024, channels: 64, channel_rate: 2400 MB/s, read_time: 1 us, program_time: 1 us";
    if let Truth::Drive(name) = &truth {
        // What it hangs at passes no more: a drive of its own model.
        let port = &slots[slow].port;
        let _ = name;
        settings.push(capped(&format!("{port}.port_cap"), r.between(0.25, 0.55) * own.min(2500.0)));
    }
    if writes && own < 1e5 {
        // What is written passes no datapath of the model: each slot passes as much as a drive takes.
        for slot in &slots {
            // A port's own cap is in place of that of its part.
            let is_capped = matches!(truth, Truth::Ports(_)) && slot.port.starts_with("chipset");
            if !is_capped && settings.iter().all(|setting| !setting.starts_with(&slot.port)) {
                settings.push(format!("{}.port_cap={}", slot.port, rate(own)));
            }
        }
    }
    let tail = if what == 11 { tail.replace("queue_depth", "cores: 1, queue_depth") } else { tail };
    let shown_tail = tail.replace("cores: 1, ", "");
    let busy = if what == 11 { 0.99 } else { r.of(&[0.3, 0.7, 0.9]) };
    let iommu = what == 10 || r.of(&[true, false]);
    Drawn {
        shown: part(generous, "") + &shown_tail,
        is: part(&flash(own), "") + &tail,
        truth,
        settings,
        experiments,
        iommu,
        busy,
        cap,
        rates: Vec::new(),
        random: r,
    }
}

fn scenario(description: &Description, name: &str) -> Scenario {
    let experiment = description.experiment(name).unwrap();
    description.scenario(experiment, &Point::default()).unwrap_or_else(|e| panic!("{}", e.report()))
}

impl Drawn {
    /// Each subset as it is shown, and its rate with 3 % of noise; `None` where a run has no common window.
    pub fn measured(&mut self) -> Option<Vec<(String, Scenario, f64)>> {
        let text = |text: &str| {
            Description::from_text("drawn.yaml", text).unwrap_or_else(|e| panic!("{}\n{text}", e.report()))
        };
        let (shown, mut is) = (text(&self.shown), text(&self.is));
        for setting in &self.settings {
            is.set(setting).unwrap_or_else(|e| panic!("{setting}: {}\n{}", e.report(), self.is));
        }
        let mut all = Vec::new();
        for name in &self.experiments {
            let outcome =
                sim::run(&scenario(&is, name), &dma::options()).unwrap_or_else(|e| panic!("{e}\n{}", self.is));
            let rate: Option<Vec<f64>> = outcome.flows.iter().map(|flow| flow.stream.map(|rate| rate.0)).collect();
            let noise = 1.0 + 0.03 * self.random.normal();
            let rate = rate?.iter().sum::<f64>() * noise;
            self.rates.push(rate);
            all.push((name.clone(), scenario(&shown, name), rate));
        }
        Some(all)
    }
}
