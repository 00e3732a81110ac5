//! Is a file of symbols never short of a packet?
#![allow(clippy::unwrap_used)]

mod common;
use lanescope_trace::Writer;
use pcie::tlp::TlpKind;
use sim::run_traced;
use sim::trace::{Record, Sink};
use std::ops::ControlFlow;
use system::graph::Direction;
use system::{LinkId, Scenario};

/// A writer whose run has writes of that many bytes.
struct Lengthened(Writer<Vec<u8>>, u32);

impl Sink for Lengthened {
    fn begin(&mut self, scenario: &Scenario) {
        self.0.begin(scenario);
    }

    fn only_packets(&self) -> bool {
        self.0.only_packets()
    }

    fn take(&mut self, records: &mut Vec<Record>) -> ControlFlow<()> {
        for record in records.iter_mut() {
            match record {
                Record::Tlp(sent) if sent.kind == TlpKind::MemoryWrite => sent.payload = self.1,
                _ => {}
            }
        }
        self.0.take(records)
    }
}

#[test]
fn is_a_tlp_that_no_link_may_carry_an_error_and_not_left_out() {
    let scenario = common::peers();
    let directions = (0..scenario.system.links.len()).map(|link| Direction { link: LinkId(link), up: true });
    let from_card = |on: &Direction| scenario.system.direction_name(*on).starts_with("card[0].pcie -> ");
    let on = directions.into_iter().find(from_card).unwrap();
    for (payload, fits) in [(4096, true), (4108, false)] {
        let mut writer = Lengthened(Writer::symbols(Vec::new(), on, "a test"), payload);
        run_traced(&scenario, &dma::options(), &mut writer).unwrap();
        match writer.0.finish() {
            Ok(summary) => assert!(fits && summary.tlps > 100, "{payload}: {summary:?}"),
            Err(error) => {
                let text = error.to_string();
                assert!(!fits && error.kind() == std::io::ErrorKind::InvalidData, "{payload}: {text}");
                assert!(
                    text.contains("cannot be sent: a TLP has 12 to 4116 bytes in whole double words, not 4120"),
                    "{text}"
                );
            }
        }
    }
}
