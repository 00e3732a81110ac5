//! Is every tree settled, whatever its shape? Addresses nest, Bdfs differ, every BAR and every requester is reached.

#![allow(clippy::unwrap_used)]

use lanescope_system::{Description, PartId, PortId, PortRole, System};
use proptest::prelude::*;
use std::collections::HashSet;
use std::fmt::Write;

/// Below a switch (chosen among those before it, or the host): another switch, or a card with a BAR.
#[derive(Clone, Debug)]
enum Node {
    Switch,
    Card { bar_log2: u32, is_64bit: bool, mps: u64 },
}

fn node() -> impl Strategy<Value = Node> {
    let mps = prop::sample::select(vec![128u64, 256, 512]);
    prop_oneof![
        Just(Node::Switch),
        (7..26u32, any::<bool>(), mps).prop_map(|(bar_log2, is_64bit, mps)| Node::Card { bar_log2, is_64bit, mps }),
    ]
}

/// The description of a tree: every node hangs below a switch that comes before it, or the host.
fn describe(nodes: &[(Node, usize)], above: bool, policy: &str) -> String {
    let mut parts = String::from("  n0: { kind: host, slots: { 'down[16]': gen4 x4 }, mps: 256 }\n");
    let mut links = String::new();
    let mut free: Vec<(usize, u64)> = vec![(0, 16)];
    for (number, (node, place)) in nodes.iter().enumerate().map(|(n, node)| (n + 1, node)) {
        let open: Vec<usize> = (0..free.len()).filter(|&f| free[f].1 > 0).collect();
        let slot = &mut free[open[place % open.len()]];
        slot.1 -= 1;
        let _ = match node {
            Node::Switch => writeln!(
                parts,
                "  n{number}: {{ kind: switch, ports: {{ up: gen3 x8, 'down[4]': gen5 x2 }}, mps: 512 }}"
            ),
            Node::Card { bar_log2, is_64bit, mps } => {
                let bar = format!("{} B{}", 1u64 << bar_log2, if *is_64bit { " 64-bit" } else { "" });
                writeln!(
                    parts,
                    "  n{number}: {{ kind: dma-card, ports: {{ up: gen1 x16 }}, mps: {mps}, bars: '{bar}' }}"
                )
            }
        };
        let _ = writeln!(links, "  - n{}.down[{}] - n{number}.up", slot.0, slot.1);
        if matches!(node, Node::Switch) {
            free.push((number, 4));
        }
    }
    let bars = if above { "above" } else { "below" };
    let links = if links.is_empty() { String::new() } else { format!("links:\n{links}") };
    format!("parts:\n{parts}{links}settings: {{ bars: {bars} 4 GiB, mps_policy: {policy} }}\n")
}

fn follow(system: &System, from: PartId, next: impl Fn(PartId) -> Option<PortId>) -> PartId {
    let mut at = from;
    for _ in 0..=system.parts.len() {
        let Some(port) = next(at) else { return at };
        let link = system.link(system.port(port).link.unwrap());
        at = system.port(if link.upper == port { link.lower } else { link.upper }).part;
    }
    from
}

fn check(system: &System) {
    let parts: Vec<PartId> = (0..system.parts.len()).map(PartId).collect();
    let bdfs: HashSet<_> = system.ports.iter().map(|p| p.bdf).collect();
    assert_eq!(bdfs.len(), system.ports.len());
    for &to in &parts {
        for bar in &system.part(to).bars {
            let (first, last) = (bar.window.base, bar.window.base + bar.window.bytes - 1);
            assert_eq!(first % bar.window.bytes, 0);
            for direction in system.path(PartId(0), to) {
                let windows = &system.port(system.ends(direction).0).windows;
                assert!(windows.iter().any(|w| w.holds(first) && w.holds(last)));
            }
            for &from in &parts {
                assert_eq!(follow(system, from, |at| system.route(at, last)), to);
            }
        }
        for &from in &parts {
            assert_eq!(follow(system, from, |at| system.route_id(at, system.bdf(to))), to);
            let most =
                system.path(from, to).iter().map(|&d| system.part(system.port(system.ends(d).1).part).habits.mps).min();
            let sent = system.part(to).kind.is_root().then_some(system.part(from).mps);
            assert!(sent.zip(most).is_none_or(|(sent, most)| sent <= most), "what goes to the host passes everywhere");
        }
    }
    for port in system.ports.iter().filter(|p| p.role == PortRole::Downstream) {
        let (first, last) = port.buses;
        let up = system.port(system.up(port.part).unwrap());
        assert!(up.buses.0 < first && first <= last && last <= up.buses.1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn every_tree_is_settled(
        nodes in prop::collection::vec((node(), any::<usize>()), 0..30),
        above in any::<bool>(),
        policy in prop::sample::select(vec!["tree-minimum", "path"]),
    ) {
        let text = describe(&nodes, above, policy);
        let system = Description::from_text("x.yaml", &text).and_then(|d| d.system());
        check(&system.map_err(|e| format!("{}\n{text}", e.report())).unwrap());
    }
}
