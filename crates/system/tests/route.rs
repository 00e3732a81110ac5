//! Do address and Bdf lead a TLP along the tree to where it belongs?

#![allow(clippy::unwrap_used, clippy::panic)]

use lanescope_system::{Description, PartId, System, bundled};

fn parts(system: &System) -> impl Iterator<Item = PartId> + use<> {
    (0..system.parts.len()).map(PartId)
}

/// Follows a rule of routing from part to part, and gives the part where it ends.
fn follow(system: &System, from: PartId, next: impl Fn(PartId) -> Option<lanescope_system::PortId>) -> PartId {
    let mut at = from;
    for _ in 0..system.parts.len() {
        let Some(port) = next(at) else { return at };
        let link = system.link(system.port(port).link.unwrap());
        let other = if link.upper == port { link.lower } else { link.upper };
        at = system.port(other).part;
    }
    panic!("a TLP goes in circles");
}

fn machines() -> Vec<System> {
    let bundled = bundled::NAMES.iter().map(|name| Description::bundled(name).unwrap());
    let mut all: Vec<_> = bundled.collect();
    let mut above = Description::bundled("rosta-rb8v7").unwrap();
    above.set("settings.bars=above 4 GiB").unwrap();
    above.set("card.bars=64 MiB 64-bit, 64 KiB").unwrap();
    all.push(above);
    all.iter().map(|d| d.system().unwrap()).collect()
}

#[test]
fn every_part_reaches_every_bar_and_the_hosts_memory_along_the_tree() {
    for system in machines() {
        for from in parts(&system) {
            for to in parts(&system) {
                for bar in &system.part(to).bars {
                    for address in [bar.window.base, bar.window.base + bar.window.bytes - 1] {
                        assert_eq!(follow(&system, from, |at| system.route(at, address)), to);
                    }
                }
            }
            let memory = system.memory_address(system.host());
            assert_eq!(follow(&system, from, |at| system.route(at, memory)), system.host());
        }
    }
}

#[test]
fn every_completion_comes_back_to_its_requester() {
    for system in machines() {
        for from in parts(&system) {
            for to in parts(&system) {
                let bdf = system.bdf(to);
                assert_eq!(system.part_at(bdf), Some(to), "{bdf}");
                assert_eq!(follow(&system, from, |at| system.route_id(at, bdf)), to);
            }
        }
    }
}

#[test]
fn no_two_bars_and_no_bar_and_memory_overlap() {
    for system in machines() {
        let mut windows: Vec<_> = system.parts.iter().flat_map(|p| &p.bars).map(|bar| bar.window).collect();
        windows.sort_by_key(|w| w.base);
        assert!(windows.windows(2).all(|w| w[0].base + w[0].bytes <= w[1].base));
        assert!(windows.iter().all(|w| w.base % w.bytes == 0 && !w.holds(system.memory_address(system.host()))));
    }
}

#[test]
fn a_header_has_four_double_words_only_above_4_gib() {
    let mut description = Description::bundled("rosta-rb8v7").unwrap();
    let card = |s: &System| s.part_named("card[0]").unwrap();
    let system = description.system().unwrap();
    assert!(system.parts.iter().any(|p| p.kind.is_root()));
    assert_eq!((system.header_bytes(system.host()), system.header_bytes(card(&system))), (16, 12));
    description.set("host.memory_above_4g=no").unwrap();
    description.set("card.bars=64 MiB 64-bit").unwrap();
    description.set("settings.bars=above 4 GiB").unwrap();
    let system = description.system().unwrap();
    assert_eq!((system.header_bytes(system.host()), system.header_bytes(card(&system))), (12, 16));
}
