//! How large may a machine be?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_system::{Description, Point};

fn refused(text: &str) -> String {
    let described = Description::from_text("large.yaml", text).and_then(|d| d.system().map(drop));
    described.unwrap_err().report()
}

#[test]
fn five_thousand_cards_are_a_machine_with_a_flow_each() {
    let text = "
parts:
  host: { part: generic/gen5-host, slots: { 'pcie[25]': gen5 x16 } }
  spine: { part: generic/gen4-switch, count: 25, ports: { up: gen4 x16, 'down[20]': gen4 x8 } }
  leaf: { part: generic/gen4-switch, count: 500, ports: { up: gen4 x8, 'down[10]': gen4 x4 } }
  card: { part: generic/gen4-card, count: 5000, read_requests: 4 }
links:
  - host.pcie[i] - spine[i].up
  - spine[i].down[j] - leaf[20*i + j].up
  - leaf[i].down[j] - card[10*i + j].pcie
settings: { bars: above 4 GiB, segments: root-port }
experiments:
  write: { operation: dma-write, flows: ['card[i] -> host', 'card[7] -> host'], measures: [throughput_sum] }
";
    let mut description = Description::from_text("large.yaml", text).unwrap();
    description.set("card[4999].read_requests=9").unwrap();
    let found = description.scenario(description.experiment("write").unwrap(), &Point::default()).unwrap();
    assert_eq!((found.system.parts.len(), found.flows.len()), (5526, 5001));
    let requests = |name: &str| {
        let part = found.system.part(found.system.part_named(name).unwrap());
        part.value("read_requests").unwrap()
    };
    assert_eq!([requests("card[0]"), requests("card[4998]"), requests("card[4999]")], ["4", "4", "9"]);
    assert_eq!(found.flows[5000].name, "card[7] -> host #2");
}

#[test]
fn above_65536_parts_entries_or_links_of_a_line_is_an_error_that_says_so() {
    let host = "host: { part: generic/gen3-host }";
    let count = refused(&format!("parts:\n  {host}\n  card: {{ part: generic/gen3-card, count: 65537 }}"));
    assert!(count.contains("write a number from 1 to 65536"), "{count}");
    let card = "{ part: generic/gen3-card, count: 40000 }";
    let sum = refused(&format!("parts:\n  {host}\n  one: {card}\n  two: {card}"));
    assert!(sum.contains("80001 parts") && sum.contains("65536 are allowed"), "{sum}");
    let entries = |count: usize| format!("parts:\n  {host}\nlinks:\n{}", "  - a\n".repeat(count));
    assert!(refused(&entries(65_537)).contains("more than 65536 entries"));
    assert!(!refused(&entries(65_536)).contains("entries"));
}
