//! What does `show` print?

#![allow(clippy::unwrap_used, clippy::panic)]

use lanescope_system::{Description, bundled, tree};

#[test]
fn every_bundled_machine_prints_its_tree() {
    for name in bundled::NAMES {
        let system = Description::bundled(name).and_then(|d| d.system()).unwrap();
        insta::assert_snapshot!(name, tree::show(&system));
    }
}

#[test]
fn figures_say_where_they_come_from() {
    let text = "\
parts:
  host: { kind: host, slots: { a: gen3 x8 }, read_latency: { value: 300 ns, fitted: 'some rows' } }
  switch:
    kind: switch
    ports: { up: gen3 x8, 'down[4]': gen2 x4 }
    mps: 512
    latency: { value: 150 ns, cited: a data sheet }
  card: { kind: dma-card, count: 4, ports: { pcie: gen3 x8 }, bars: 64 KiB 64-bit, tx_latency: 90 ns, setpci: { mrrs: 1024 } }
links:
  - host.a - switch.up
  - { join: 'switch.down[i] - card[i].pcie', gen: 1 }
settings: { mps: 128 }
";
    let mut description = Description::from_text("x.yaml", text).unwrap();
    description.set("card[3].tx_latency=200 ns").unwrap();
    let system = description.system().unwrap();
    let line =
        |r: &tree::Row| format!("{:22} {:22} {:12} {}", r.parts, r.figure.field, r.figure.value, r.figure.origin);
    let given: Vec<String> = tree::figures(&system, false).iter().map(line).collect();
    insta::assert_snapshot!("figures", format!("{}\n{}", given.join("\n"), tree::show(&system)));
    assert!(tree::figures(&system, true).len() > given.len());
}

#[test]
fn are_many_cards_that_are_alike_cut_with_the_way_to_see_them() {
    let system = |cards: u32, odd: &str| {
        let text = format!(
            "parts:\n  host: {{ kind: host, slots: {{ a: gen3 x8 }} }}\n  switch: {{ kind: switch, ports: {{ up: gen3 x8, \
             'down[{cards}]': gen2 x4 }} }}\n  card: {{ kind: dma-card, count: {cards}, ports: {{ pcie: gen3 x8 }} }}\n\
             links:\n  - host.a - switch.up\n  - switch.down[i] - card[i].pcie\n"
        );
        let mut description = Description::from_text("x.yaml", &text).unwrap();
        if !odd.is_empty() {
            description.set(odd).unwrap();
        }
        description.system().unwrap()
    };
    let (many, few) = (system(30, ""), system(17, ""));
    assert_eq!(tree::brief(&few), tree::show(&few), "one more than is told is told too");
    let text = tree::brief(&many);
    assert!(text.contains("└─ and 14 more that are alike: --all"), "{text}");
    assert!(text.contains("card[15]  ") && !text.contains("card[16]  "), "{text}");
    assert!(!tree::show(&many).contains("--all"));
    // One that is another is told.
    let text = tree::brief(&system(32, "card[31].setpci.mrrs=1024"));
    assert!(text.contains("├─ and 15 more") && text.contains("card[31]  ") && !text.contains("card[30]  "), "{text}");
}
