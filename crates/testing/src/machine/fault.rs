//! Plants one fault into a healthy machine.

use super::function::{Function, PortType, class};
use super::generated::GeneratedMachine;
use super::healthy::healthy;
use super::rng::Rng;

/// The faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A link with fewer lanes than both its ends have.
    Width,
    /// A link slower than both its ends support, although nothing requests the lower speed.
    Speed,
    /// A link limited by Target Link Speed.
    Target,
    /// Max_Payload_Size below what all functions on the path support, or limited by one old device, or different at the
    /// two ends.
    Mps,
    /// Max_Read_Request_Size of 128 bytes.
    Mrrs,
    /// Several fast devices below an uplink that is too slow for them.
    Uplink,
    /// ACS redirects peer-to-peer traffic of accelerators below one switch through the root complex.
    Acs,
    /// A device without a NUMA node, or an accelerator without a drive or network card on its node.
    Numa,
    /// Errors on a link.
    Aer,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 9] = [
        Fault::Width,
        Fault::Speed,
        Fault::Target,
        Fault::Mps,
        Fault::Mrrs,
        Fault::Uplink,
        Fault::Acs,
        Fault::Numa,
        Fault::Aer,
    ];
}

/// A machine with one planted fault.
#[derive(Clone, Debug)]
pub struct Planted {
    /// The machine.
    pub machine: GeneratedMachine,
    /// What is wrong.
    pub fault: Fault,
    /// The functions that a report may name: `0000:03:00.0`.
    pub at: Vec<String>,
    /// What `lspci -vvv` prints for the first of them, where registers show the fault.
    pub shown: Vec<String>,
}

/// The first machine, counted in seeds from `seed`, into which `fault` can be planted.
pub fn plant(fault: Fault, seed: u64) -> Planted {
    (0..).map(|n| seed + n * 1_000_003).find_map(|seed| one(fault, seed)).unwrap_or_else(|| unreachable!("seeds end"))
}

fn one(fault: Fault, seed: u64) -> Option<Planted> {
    let mut rng = Rng::new(seed ^ 0xfa17);
    let mut machine = healthy(seed);
    let (at, shown) = match fault {
        Fault::Width => width(&mut machine, &mut rng),
        Fault::Speed => speed(&mut machine, &mut rng),
        Fault::Target => target(&mut machine, &mut rng),
        Fault::Mps => mps(&mut machine, &mut rng),
        Fault::Mrrs => mrrs(&mut machine, &mut rng),
        Fault::Uplink => uplink(&mut machine, &mut rng),
        Fault::Acs => acs(&mut machine),
        Fault::Numa => numa(&mut machine, &mut rng),
        Fault::Aer => aer(&mut machine, &mut rng),
    }?;
    Some(Planted { machine, fault, at, shown })
}

/// The functions, and what lspci shows there.
type Shown = Option<(Vec<String>, Vec<String>)>;

/// One of the endpoints for which `fits` is true, and the port above it.
fn endpoint(
    machine: &GeneratedMachine,
    rng: &mut Rng,
    fits: impl Fn(&Function, &Function) -> bool,
) -> Option<(usize, usize)> {
    let all = machine.functions.iter().enumerate();
    let pairs = all.filter(|(_, f)| f.bdf.2 == 0 && matters(f)).filter_map(|(place, function)| {
        let above = machine.above(function)?;
        fits(function, above).then(|| Some((place, machine.place(&above.name())?))).flatten()
    });
    let pairs: Vec<(usize, usize)> = pairs.collect();
    (!pairs.is_empty()).then(|| rng.of(&pairs))
}

/// True for a drive, accelerator, network card or storage controller whose link is not internal to a chip.
fn matters(f: &Function) -> bool {
    let storage = f.class == class::SAS;
    (f.is_ssd() || f.is_gpu() || f.is_nic() || storage) && f.express.is_some()
}

/// What both ends of a link support: speed and width.
fn both(function: &Function, above: &Function) -> Option<(u8, u8)> {
    let (own, up) = (function.link()?, above.link()?);
    Some((own.max_speed.min(up.max_speed), own.max_width.min(up.max_width)))
}

/// Trains the link of `place` (with all functions of that device) and of the port above it to something else.
fn retrain(machine: &mut GeneratedMachine, (place, above): (usize, usize), speed: u8, width: u8) {
    let (bus, device, _) = machine.functions[place].bdf;
    let domain = machine.functions[place].domain;
    let name = machine.functions[above].name();
    for function in &mut machine.functions {
        let same = function.domain == domain && (function.bdf.0, function.bdf.1) == (bus, device);
        if (same || function.name() == name)
            && let Some(link) = function.link_mut()
        {
            (link.speed, link.width) = (speed, width);
        }
    }
}

fn gts(speed: u8) -> &'static str {
    ["unknown", "2.5GT/s", "5GT/s", "8GT/s", "16GT/s", "32GT/s", "64GT/s"][usize::from(speed.min(6))]
}

fn names(machine: &GeneratedMachine, places: &[usize]) -> Vec<String> {
    places.iter().map(|&place| machine.functions[place].name()).collect()
}

fn width(machine: &mut GeneratedMachine, rng: &mut Rng) -> Shown {
    let (place, above) = endpoint(machine, rng, |f, up| both(f, up).is_some_and(|(_, width)| width > 1))?;
    let (speed, width) = both(&machine.functions[place], &machine.functions[above])?;
    let fewer: Vec<u8> = [1, 2, 4, 8].into_iter().filter(|&lanes| lanes < width).collect();
    let width = rng.of(&fewer);
    retrain(machine, (place, above), speed, width);
    Some((names(machine, &[place, above]), vec![format!("Width x{width} (downgraded)")]))
}

fn speed(machine: &mut GeneratedMachine, rng: &mut Rng) -> Shown {
    // An accelerator at a low speed is idle, for all that registers can say.
    let fits = |f: &Function, up: &Function| !f.is_gpu() && both(f, up).is_some_and(|(speed, _)| speed > 1);
    let (place, above) = endpoint(machine, rng, fits)?;
    let (speed, width) = both(&machine.functions[place], &machine.functions[above])?;
    let slower = 1 + rng.below(usize::from(speed) - 1) as u8;
    retrain(machine, (place, above), slower, width);
    Some((names(machine, &[place, above]), vec![format!("Speed {} (downgraded)", gts(slower))]))
}

fn target(machine: &mut GeneratedMachine, rng: &mut Rng) -> Shown {
    let (place, above) = endpoint(machine, rng, |f, up| both(f, up).is_some_and(|(speed, _)| speed > 1))?;
    let (speed, width) = both(&machine.functions[place], &machine.functions[above])?;
    let slower = 1 + rng.below(usize::from(speed) - 1) as u8;
    retrain(machine, (place, above), slower, width);
    machine.functions[above].link_mut()?.target = slower;
    Some((names(machine, &[above, place]), vec![format!("Target Link Speed: {}", gts(slower))]))
}

/// The root port above `place` and all functions below it.
fn tree(machine: &GeneratedMachine, place: usize) -> Vec<usize> {
    let mut root = &machine.functions[place];
    while let Some(above) = machine.above(root) {
        root = above;
    }
    let (first, last) = root.buses.unwrap_or((1, 0));
    let below = |f: &Function| f.domain == root.domain && (first..=last).contains(&f.bdf.0);
    let all = machine.functions.iter().enumerate();
    all.filter(|(_, f)| below(f) || f.name() == root.name()).map(|(place, _)| place).collect()
}

fn mps(machine: &mut GeneratedMachine, rng: &mut Rng) -> Shown {
    let payload = |f: &Function| f.express.as_ref().map_or(0, |e| e.payload.1);
    let (place, above) = endpoint(machine, rng, |f, _| payload(f) > 0)?;
    let all = tree(machine, place);
    let endpoints =
        |m: &GeneratedMachine| all.iter().copied().filter(|&p| m.functions[p].buses.is_none()).collect::<Vec<_>>();
    match rng.below(4) {
        // Nobody raised it.
        0 => {
            all.iter().for_each(|&p| set_payload(&mut machine.functions[p], 0));
            let mut at = endpoints(machine);
            at.retain(|&p| p != place);
            at.insert(0, place);
            Some((names(machine, &at), vec!["MaxPayload 128 bytes, MaxReadReq".into()]))
        }
        // One old device holds the others down.
        1 => {
            let mut others = endpoints(machine)
                .into_iter()
                .filter(|&p| machine.functions[p].bdf.0 != machine.functions[place].bdf.0);
            let old = others.next_back()?;
            all.iter().for_each(|&p| set_payload(&mut machine.functions[p], 0));
            machine.functions[old].express.as_mut()?.payload = (0, 0);
            let (bus, device, _) = machine.functions[old].bdf;
            let twin = |f: &&mut Function| f.bdf.0 == bus && f.bdf.1 == device && f.buses.is_none();
            machine.functions.iter_mut().filter(twin).for_each(|f| {
                f.express.iter_mut().for_each(|e| e.payload = (0, 0));
            });
            let mut at = endpoints(machine);
            at.retain(|&p| p != place);
            at.insert(0, place);
            Some((names(machine, &at), vec!["MaxPayload 128 bytes, MaxReadReq".into()]))
        }
        // The two ends of a link differ: the device may write more than the port takes,
        2 => {
            set_payload(&mut machine.functions[above], 0);
            Some((names(machine, &[above, place]), vec!["MaxPayload 128 bytes, MaxReadReq".into()]))
        }
        // or the port may answer reads with more than the device takes.
        _ => {
            let (bus, device, _) = machine.functions[place].bdf;
            let twins = machine.functions.iter_mut().filter(|f| f.bdf.0 == bus && f.bdf.1 == device);
            twins.for_each(|f| set_payload(f, 0));
            Some((names(machine, &[place, above]), vec!["MaxPayload 128 bytes, MaxReadReq".into()]))
        }
    }
}

fn set_payload(function: &mut Function, payload: u8) {
    if let Some(express) = &mut function.express {
        express.payload.1 = payload;
        express.payload.0 = express.payload.0.max(1);
    }
}

fn mrrs(machine: &mut GeneratedMachine, rng: &mut Rng) -> Shown {
    let (place, _) = endpoint(machine, rng, |_, _| true)?;
    machine.functions[place].express.as_mut()?.read_request = 0;
    Some((names(machine, &[place]), vec!["MaxReadReq 128 bytes".into()]))
}

/// A switch with too slow an uplink, or drives below a chipset whose uplink no register shows.
fn uplink(machine: &mut GeneratedMachine, rng: &mut Rng) -> Shown {
    if machine.functions.iter().any(|f| f.id == (0x8086, 0x7a04)) {
        return behind_chipset(machine);
    }
    let switches: Vec<usize> = (0..machine.functions.len())
        .filter(|&p| {
            machine.functions[p].id == (0x10b5, 0x9797) && kind(&machine.functions[p]) == Some(PortType::Upstream)
        })
        .collect();
    let place = (!switches.is_empty()).then(|| rng.of(&switches))?;
    let above = machine.place(&machine.above(&machine.functions[place])?.name())?;
    let speed = machine.functions[place].link()?.speed;
    retrain(machine, (place, above), speed, 4);
    machine.functions[place].link_mut()?.max_width = 4;
    let (first, last) = machine.functions[place].buses?;
    let below = |f: &&Function| (first..=last).contains(&f.bdf.0);
    let mut at = names(machine, &[place, above]);
    at.extend(machine.functions.iter().filter(below).map(Function::name));
    Some((at, vec!["Width x4".into()]))
}

/// Two drives below a chipset with DMI 3.0 x4.
fn behind_chipset(machine: &mut GeneratedMachine) -> Shown {
    let mut drives = Vec::new();
    for port in 0..4u8 {
        let place = machine.functions.iter().position(|f| f.bdf == (0, 0x1c, port))?;
        let bus = machine.functions[place].buses?.0;
        if machine.functions.iter().any(|f| f.bdf.0 == bus && f.is_ssd()) {
            drives.push(place);
        }
    }
    // The second drive goes where the first one's twin fits: into the first empty port.
    let first = *drives.first()?;
    let from = machine.functions[first].buses?.0;
    let empty = (0..4u8).filter_map(|port| machine.functions.iter().position(|f| f.bdf == (0, 0x1c, port)));
    let second = empty.into_iter().find(|&p| machine.functions[p].link().is_some_and(|link| link.width == 0))?;
    let to = machine.functions[second].buses?.0;
    let mut drive = machine.functions.iter().find(|f| f.bdf.0 == from)?.clone();
    drive.bdf = (to, 0, 0);
    drive.blocks = vec!["nvme7n1".into()];
    drive.group = Some(99);
    let link = machine.functions[first].express.clone()?;
    machine.functions[second].express = Some(link);
    machine.functions.push(drive);
    for (old, new) in
        [(0x7a38, 0xa338), (0x7a39, 0xa339), (0x7a3a, 0xa33a), (0x7a3b, 0xa33b), (0x7a04, 0xa305), (0x7a30, 0xa330)]
    {
        machine.functions.iter_mut().filter(|f| f.id == (0x8086, old)).for_each(|f| f.id.1 = new);
    }
    for bus in [from, to] {
        let places = machine.functions.iter_mut().filter(|f| f.bdf.0 == bus || f.buses == Some((bus, bus)));
        for link in places.filter_map(Function::link_mut) {
            (link.max_speed, link.speed, link.target) = (3, 3, 3);
        }
    }
    machine.functions.sort_by_key(|f| (f.domain, f.bdf));
    let below = |f: &&Function| f.bdf.0 == from || f.bdf.0 == to || (f.bdf.0 == 0 && f.bdf.1 == 0x1c);
    Some((machine.functions.iter().filter(below).map(Function::name).collect(), Vec::new()))
}

fn kind(function: &Function) -> Option<PortType> {
    function.express.as_ref().map(|e| e.port_type)
}

fn acs(machine: &mut GeneratedMachine) -> Shown {
    let gpu = machine
        .functions
        .iter()
        .find(|f| f.is_gpu() && machine.above(f).and_then(kind) == Some(PortType::Downstream))?;
    let bus = machine.above(gpu)?.bdf.0;
    let ports = |f: &&mut Function| f.bdf.0 == bus && f.buses.is_some();
    machine.functions.iter_mut().filter(ports).for_each(|f| f.acs = Some((0x005f, 0x001d)));
    let used = |f: &&Function| f.bdf.0 == bus && f.link().is_some_and(|link| link.width > 0);
    let mut at: Vec<String> = machine.functions.iter().filter(used).map(Function::name).collect();
    let below = |f: &&Function| f.is_gpu() && machine.above(f).is_some_and(|up| up.bdf.0 == bus);
    at.extend(machine.functions.iter().filter(below).map(Function::name));
    Some((at, vec!["ReqRedir+ CmpltRedir+".into()]))
}

fn numa(machine: &mut GeneratedMachine, rng: &mut Rng) -> Shown {
    if machine.nodes < 2 {
        return None;
    }
    if rng.one_in(2) {
        let (place, _) = endpoint(machine, rng, |_, _| true)?;
        machine.functions[place].node = -1;
        return Some((names(machine, &[place]), Vec::new()));
    }
    // All that an accelerator could fetch from goes: what is left is on the other socket.
    let gpu = machine.functions.iter().find(|f| f.is_gpu())?.clone();
    let source = |f: &Function| f.is_ssd() || f.is_nic() || f.class == class::SAS;
    machine.functions.iter().find(|f| source(f) && f.node != gpu.node)?;
    let gone: Vec<Function> = machine.functions.iter().filter(|f| source(f) && f.node == gpu.node).cloned().collect();
    for function in gone {
        let above = machine.place(&machine.above(&function)?.name())?;
        machine.functions.retain(|f| f.bdf.0 != function.bdf.0 || f.bdf.1 != function.bdf.1);
        let link = machine.functions[above].link_mut()?;
        (link.speed, link.width, link.active) = (1, 0, false);
        machine.functions[above].express.as_mut()?.slot.iter_mut().for_each(|slot| slot.present = false);
    }
    let at = machine.functions.iter().filter(|f| f.is_gpu() && f.node == gpu.node).map(Function::name);
    Some((at.collect(), Vec::new()))
}

fn aer(machine: &mut GeneratedMachine, rng: &mut Rng) -> Shown {
    let (place, above) = endpoint(machine, rng, |_, _| true)?;
    let at = rng.of(&[place, above]);
    let (bits, shown): (&[u8], &str) =
        rng.of(&[(&[6u8, 7][..], "BadTLP+ BadDLLP+"), (&[8, 12][..], "Rollover+ Timeout+"), (&[6][..], "BadTLP+")]);
    let aer = machine.functions[at].aer.as_mut()?;
    aer.correctable |= bits.iter().map(|bit| 1u32 << bit).sum::<u32>();
    aer.counted = bits.iter().map(|&bit| (bit, 3 + rng.below(4000) as u64)).collect();
    Some((names(machine, &[at]), vec![shown.into()]))
}
