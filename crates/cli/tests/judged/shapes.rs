//! The shapes of machines that are drawn, with sizes that people have.

use super::dice::Dice;
use super::machine::{Class, Machine};

/// A machine of a shape drawn at random.
pub fn machine(dice: &mut Dice) -> Machine {
    match dice.below(9) {
        0 => direct(dice),
        1 => behind_a_switch(dice, false),
        2 => behind_a_switch(dice, true),
        3 => chipset(dice),
        4 => sata(dice),
        5 => sockets(dice),
        6 => cards(dice),
        7 => nested(dice),
        _ => widths(dice),
    }
}

fn drive(generation: u8) -> String {
    format!("part: ssd/gen{}-nvme", generation.clamp(3, 5))
}

fn started(dice: &mut Dice, title: &str) -> Machine {
    let generation = dice.of(&[3, 4, 4, 5]);
    Machine { title: title.into(), generation, of_links: generation, ..Machine::default() }
}

/// NVMe drives, each on lanes of the CPU.
fn direct(dice: &mut Dice) -> Machine {
    let mut machine = started(dice, "NVMe drives on the lanes of the CPU");
    let (g, count) = (machine.generation, dice.count(2, 3));
    machine.slots.push(format!("\"m2[{count}]\": gen{g} x4"));
    machine.part("ssd", format!("{}, count: {count}", drive(g)));
    for n in 0..count {
        machine.end(&format!("ssd[{n}]"), Class::Nvme, &format!("host.m2[{n}]"), 4, 0);
    }
    machine
}

/// NVMe drives behind one switch, and one or two on lanes of the CPU.
fn behind_a_switch(dice: &mut Dice, others: bool) -> Machine {
    let mut machine = started(dice, "NVMe drives behind a switch");
    let (g, count, up) = (machine.generation, dice.count(3, 2), dice.of(&[8, 16, 16]));
    machine.slots.push(format!("pcie: gen{g} x{up}"));
    machine.part(
        "switch",
        format!("part: generic/gen{g}-switch, ports: {{ up: gen{g} x16, \"down[{count}]\": gen{g} x4 }}"),
    );
    machine.part("ssd", format!("{}, count: {count}", drive(g)));
    let bridge = machine.bridge("switch", "host.pcie", up, false);
    for n in 0..count {
        let end = machine.end(&format!("ssd[{n}]"), Class::Nvme, &format!("switch.down[{n}]"), 4, 0);
        machine.bridges[bridge].below.push(end);
    }
    if others {
        on_the_cpu(dice, &mut machine);
    }
    machine
}

/// One or two drives more, on lanes of the CPU.
fn on_the_cpu(dice: &mut Dice, machine: &mut Machine) {
    let (g, count) = (machine.generation, dice.count(1, 1));
    machine.slots.push(format!("\"m2[{count}]\": gen{g} x4"));
    machine.part("boot", format!("{}, count: {count}", drive(g)));
    for n in 0..count {
        machine.end(&format!("boot[{n}]"), Class::Nvme, &format!("host.m2[{n}]"), 4, 0);
    }
}

/// A desktop: a drive or two on the CPU, others behind the chipset.
fn chipset(dice: &mut Dice) -> Machine {
    let mut machine = started(dice, "A desktop with drives at the CPU and at the chipset");
    let (dmi, count) = (machine.generation.min(4), dice.count(2, 1));
    let lanes = dice.of(&[4, 4, 8]);
    machine.of_links = 0;
    machine.slots.push(format!("dmi: gen{dmi} x{lanes}"));
    machine.part(
        "chipset",
        format!(
            "kind: switch, ports: {{ up: gen{dmi} x{lanes}, \"m2[{count}]\": gen{dmi} x4 }}, mps: 256, latency: 300 ns"
        ),
    );
    machine.part("ssd", format!("{}, count: {count}", drive(dmi)));
    let bridge = machine.bridge("chipset", "host.dmi", lanes, true);
    for n in 0..count {
        let end = machine.end(&format!("ssd[{n}]"), Class::Nvme, &format!("chipset.m2[{n}]"), 4, 0);
        machine.bridges[bridge].below.push(end);
    }
    on_the_cpu(dice, &mut machine);
    machine
}

/// A storage server: AHCI cards or a SAS adapter behind a chipset, and a SAS adapter on lanes of the CPU.
fn sata(dice: &mut Dice) -> Machine {
    let mut machine = started(dice, "A storage server with SATA drives at cards and at a SAS adapter");
    let (cards, disks) = (dice.count(2, 1), dice.of(&[2, 4]));
    machine.of_links = 0;
    machine.slots.push("dmi: gen3 x4".into());
    machine.slots.push("hba: gen3 x8".into());
    machine.part(
        "chipset",
        "kind: switch, ports: { up: gen3 x4, \"slot[4]\": gen3 x2 }, mps: 256, latency: 300 ns".into(),
    );
    let rate = dice.of(&[194, 250, 270]);
    let link = dice.of(&["gen2 x1", "gen3 x1", "gen3 x2"]);
    let lanes = if link.ends_with("x2") { 2 } else { 1 };
    machine.part(
        "ahci",
        format!("part: sata/ahci-x1, count: {cards}, ports: {{ pcie: {link} }}, sata_ports: {disks}, media_rate: {rate} MB/s"),
    );
    machine.part(
        "sas",
        "part: sata/hba-x4, ports: { pcie: gen3 x8 }, device: ssd, sata_ports: 8, media_rate: 550 MB/s".into(),
    );
    let bridge = machine.bridge("chipset", "host.dmi", 4, true);
    for n in 0..cards {
        let end = machine.end(&format!("ahci[{n}]"), Class::Sata(disks), &format!("chipset.slot[{n}]"), lanes, 0);
        machine.bridges[bridge].below.push(end);
    }
    machine.end("sas", Class::Sata(8), "host.hba", 8, 0);
    machine
}

/// Two sockets with drives at each; all buffers are in the memory of the first.
fn sockets(dice: &mut Dice) -> Machine {
    let mut machine = started(dice, "Two sockets with NVMe drives at each");
    let (g, count) = (machine.generation, dice.count(2, 1));
    machine.slots.push(format!("\"left[{count}]\": gen{g} x4"));
    machine.slots.push(format!("\"right[{count}]\": gen{g} x4"));
    machine.host = ", at: { right: { socket: 1 } }, socket_latency: 120 ns".into();
    machine.part("near", format!("{}, count: {count}", drive(g)));
    machine.part("far", format!("{}, count: {count}", drive(g)));
    for n in 0..count {
        machine.end(&format!("near[{n}]"), Class::Nvme, &format!("host.left[{n}]"), 4, 0);
    }
    for n in 0..count {
        machine.end(&format!("far[{n}]"), Class::Nvme, &format!("host.right[{n}]"), 4, 1);
    }
    machine
}

/// FPGA cards behind a switch and on lanes of the CPU.
fn cards(dice: &mut Dice) -> Machine {
    let mut machine = started(dice, "FPGA cards behind a switch and on lanes of the CPU");
    let g = machine.generation.min(4);
    machine.of_links = g;
    let (count, up, more) = (dice.count(2, 1), dice.of(&[8, 16]), dice.below(2));
    machine.slots.push(format!("pcie: gen{g} x{up}"));
    machine.slots.push(format!("\"slot[2]\": gen{g} x8"));
    machine.part(
        "switch",
        format!("part: generic/gen{g}-switch, ports: {{ up: gen{g} x16, \"down[{count}]\": gen{g} x8 }}"),
    );
    let all = count + more;
    machine.part("card", format!("part: generic/gen{g}-card, count: {all}, overlap: yes"));
    let bridge = machine.bridge("switch", "host.pcie", up, false);
    for n in 0..all {
        let below = n < count;
        let port = if below { format!("switch.down[{n}]") } else { format!("host.slot[{}]", n - count) };
        let end = machine.end(&format!("card[{n}]"), Class::Card, &port, 8, 0);
        if below {
            machine.bridges[bridge].below.push(end);
        }
    }
    machine
}

/// A switch with two more below it, as in a backplane, and a drive on the CPU.
fn nested(dice: &mut Dice) -> Machine {
    let mut machine = started(dice, "A backplane, a switch with two more below it");
    let (g, each) = (machine.generation, 2);
    let (up, inner) = (16, dice.of(&[8, 8, 16]));
    machine.slots.push(format!("pcie: gen{g} x{up}"));
    machine.part(
        "switch",
        format!("part: generic/gen{g}-switch, ports: {{ up: gen{g} x16, \"down[2]\": gen{g} x{inner} }}"),
    );
    machine.part(
        "leaf",
        format!("part: generic/gen{g}-switch, count: 2, ports: {{ up: gen{g} x16, \"down[{each}]\": gen{g} x4 }}"),
    );
    machine.part("ssd", format!("{}, count: {}", drive(g), 2 * each));
    let root = machine.bridge("switch", "host.pcie", up, false);
    for n in 0..2 {
        let leaf = machine.bridge(&format!("leaf[{n}]"), &format!("switch.down[{n}]"), inner, false);
        for k in 0..each {
            let (name, port) = (format!("ssd[{}]", n * each + k), format!("leaf[{n}].down[{k}]"));
            let end = machine.end(&name, Class::Nvme, &port, 4, 0);
            machine.bridges[leaf].below.push(end);
            machine.bridges[root].below.push(end);
        }
    }
    if dice.percent(60) {
        on_the_cpu(dice, &mut machine);
    }
    machine
}

/// A switch whose drives have links of one, two and four lanes.
fn widths(dice: &mut Dice) -> Machine {
    let mut machine = started(dice, "A switch with slots of one, two and four lanes");
    let (g, up) = (machine.generation, dice.of(&[8, 16]));
    machine.slots.push(format!("pcie: gen{g} x{up}"));
    machine.part(
        "switch",
        format!(
            "part: generic/gen{g}-switch, ports: {{ up: gen{g} x16, \"x4[2]\": gen{g} x4, \"x2[2]\": gen{g} x2, \"x1[2]\": gen{g} x1 }}"
        ),
    );
    let bridge = machine.bridge("switch", "host.pcie", up, false);
    let (mut number, mut ends) = (0, Vec::new());
    for (lanes, least) in [(4, 1), (2, 0), (1, 0)] {
        let at_least = if lanes == 2 { 1 } else { least };
        for n in 0..dice.count(at_least, 2 - at_least) {
            ends.push((format!("ssd[{number}]"), format!("switch.x{lanes}[{n}]"), lanes));
            number += 1;
        }
    }
    machine.part("ssd", format!("{}, count: {number}", drive(g)));
    for (name, port, lanes) in ends {
        let end = machine.end(&name, Class::Nvme, &port, lanes, 0);
        machine.bridges[bridge].below.push(end);
    }
    if dice.percent(60) {
        on_the_cpu(dice, &mut machine);
    }
    machine
}
