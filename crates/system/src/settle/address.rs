//! Address assignment: places BARs into the windows of the bridges above them, as firmware does.

use crate::error::{Error, Problem};
use crate::graph::{Bar, PartId, PortId, System, Window};
use crate::settle::{BarPlace, BarRequest, PartDraft};
use pcie::Bytes;

/// The 32-bit window. It ends below the addresses of interrupt controllers and flash under 4 GiB.
const LOW: Window = Window { base: 0xc000_0000, bytes: 0x3e00_0000 };
/// The 64-bit window: above any memory, within 46 address bits.
const HIGH: Window = Window { base: 1 << 45, bytes: 1 << 45 };
/// Bridges decode memory in steps of 1 MiB (Type 1 Configuration Space Header).
const GRANULE: u64 = 1 << 20;

/// Non-prefetchable and prefetchable space.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WindowKind {
    Plain,
    Prefetchable,
}

/// What a part, or everything below a port, needs of one kind of space: a BAR, or the window of a bridge around others.
struct Need {
    owner: Owner,
    bytes: u64,
    align: u64,
    inside: Vec<Need>,
}

enum Owner {
    Bar(PartId, usize),
    Bridge(PortId),
}

/// Places all BARs, and sets the windows of the bridges above them.
pub(crate) fn place_bars(system: &mut System, parts: &[PartDraft], bars: BarPlace) -> Result<(), Error> {
    for part in system.graph.parts.iter_mut() {
        part.bars.clear();
    }
    for port in system.graph.ports.iter_mut() {
        port.windows =
            vec![Window { base: 0, bytes: 0 }; if port.role == crate::graph::PortRole::Endpoint { 0 } else { 2 }];
    }
    let ports = &system.graph.ports;
    for (part, draft) in system.graph.parts.iter_mut().zip(parts) {
        let unplaced = |request: &BarRequest, port: usize| {
            let window = Window { base: 0, bytes: request.bytes };
            Bar { window, is_64bit: request.is_64bit, port }
        };
        let ports = (0..part.ports.len()).filter(|&port| ports[part.ports[port].0].link.is_some());
        part.bars = ports.flat_map(|port| draft.bars.iter().map(move |request| unplaced(request, port))).collect();
    }
    let hosts: Vec<PartId> = system.roots().collect();
    hosts.into_iter().try_for_each(|host| place_below(system, host, parts, bars))
}

/// Places everything below one host, in an address space of its own.
fn place_below(system: &mut System, host: PartId, parts: &[PartDraft], bars: BarPlace) -> Result<(), Error> {
    let plain = needs_of(system, host, None, WindowKind::Plain);
    let prefetchable = needs_of(system, host, None, WindowKind::Prefetchable);
    let mut low = Space::new(LOW);
    low.place_all(system, parts, plain, WindowKind::Plain, "the 32-bit window")?;
    match bars {
        BarPlace::Below => low.place_all(system, parts, prefetchable, WindowKind::Prefetchable, "the 32-bit window"),
        BarPlace::Above => {
            Space::new(HIGH).place_all(system, parts, prefetchable, WindowKind::Prefetchable, "the 64-bit window")
        }
    }
}

/// The needs of a part at the port by which it is reached: its own BARs and its bridges, the largest alignment first.
fn needs_of(system: &System, part: PartId, by: Option<PortId>, kind: WindowKind) -> Vec<Need> {
    let mut needs = Vec::new();
    for (number, bar) in system.part(part).bars.iter().enumerate() {
        let here = by.is_none_or(|by| system.part(part).ports[bar.port] == by);
        if here && bar.is_64bit == (kind == WindowKind::Prefetchable) {
            let bytes = bar.window.bytes;
            needs.push(Need { owner: Owner::Bar(part, number), bytes, align: bytes, inside: Vec::new() });
        }
    }
    for &port in system.part(part).ports.iter().filter(|&&p| system.port(p).role.faces_down()) {
        if let Some(link) = system.port(port).link {
            let lower = system.link(link).lower;
            needs.extend(window(port, needs_of(system, system.port(lower).part, Some(lower), kind)));
        }
    }
    needs.sort_by_key(|need| std::cmp::Reverse(need.align));
    needs
}

/// The window of a bridge around `inside`. A switch's upstream port has the same window.
fn window(port: PortId, inside: Vec<Need>) -> Option<Need> {
    let align = inside.iter().map(|n| n.align).max()?.max(GRANULE);
    let end =
        inside.iter().try_fold(0u64, |end, need| end.checked_next_multiple_of(need.align)?.checked_add(need.bytes));
    let bytes = end.and_then(|end| end.checked_next_multiple_of(GRANULE)).unwrap_or(u64::MAX);
    Some(Need { owner: Owner::Bridge(port), bytes, align, inside })
}

/// The remaining space of a window.
struct Space {
    next: u64,
    end: u64,
}

impl Space {
    fn new(window: Window) -> Space {
        Space { next: window.base, end: window.base + window.bytes }
    }

    fn place_all(
        &mut self,
        system: &mut System,
        parts: &[PartDraft],
        needs: Vec<Need>,
        kind: WindowKind,
        name: &str,
    ) -> Result<(), Error> {
        for need in needs {
            let base = self.next.checked_next_multiple_of(need.align);
            let end = base.and_then(|base| base.checked_add(need.bytes)).filter(|&end| end <= self.end);
            let (Some(base), Some(end)) = (base, end) else {
                return Err(self.full(system, parts, &need, name));
            };
            self.next = end;
            put(system, need, base, kind);
        }
        Ok(())
    }

    fn full(&self, system: &System, parts: &[PartDraft], need: &Need, name: &str) -> Error {
        let (part, bytes) = largest(system, need);
        let left = Bytes(self.end.saturating_sub(self.next));
        let who = &system.part(part).name;
        let what = format!("`{who}` asks for {}, and {name} has {left} left", Bytes(bytes));
        let help = match name {
            "the 32-bit window" => {
                "make the BAR `64-bit` and set `settings: { bars: above 4 GiB }`, or make it smaller"
            }
            _ => "make the BAR smaller",
        };
        Error::new(&parts[part.0].bars_place, Problem::Bars(what), help)
    }
}

/// The largest BAR within a need.
fn largest(system: &System, need: &Need) -> (PartId, u64) {
    match need.owner {
        Owner::Bar(part, _) => (part, need.bytes),
        Owner::Bridge(port) => need
            .inside
            .iter()
            .map(|inner| largest(system, inner))
            .max_by_key(|&(part, bytes)| (bytes, std::cmp::Reverse(part)))
            .unwrap_or((system.port(port).part, need.bytes)),
    }
}

fn put(system: &mut System, need: Need, base: u64, kind: WindowKind) {
    match need.owner {
        Owner::Bar(part, number) => system.graph.parts[part.0].bars[number].window.base = base,
        Owner::Bridge(port) => {
            let window = Window { base, bytes: need.bytes };
            let slot = kind as usize;
            system.graph.ports[port.0].windows[slot] = window;
            let lower = system.port(port).link.map(|link| system.link(link).lower);
            if let Some(up) = lower.filter(|&up| system.port(up).role == crate::graph::PortRole::Upstream) {
                system.graph.ports[up.0].windows[slot] = window;
            }
            let mut next = base;
            for inner in need.inside {
                next = next.next_multiple_of(inner.align);
                let at = next;
                next += inner.bytes;
                put(system, inner, at, kind);
            }
        }
    }
}
