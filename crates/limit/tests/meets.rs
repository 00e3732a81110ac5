//! What commands wait for those of other flows at a link that is not full: fair shares against the simulation.
#![allow(clippy::unwrap_used)]

use lanescope_limit::limit;
use system::description::Description;
use system::experiment::Point;

/// Two cards below a link of Gen1 x1, each with one read request in flight of so many bytes: simulated, fair and alone, in MiB/s.
fn rates(requests: [&str; 2], latencies: [&str; 2]) -> [(f64, f64, f64); 2] {
    let card = |at: usize| {
        format!(
            "{{ kind: dma-card, read_requests: 1, read_request: {}, rx_latency: {}, ports: {{ pcie: gen3 x4 }} }}",
            requests[at], latencies[at]
        )
    };
    let text = format!(
        "parts:
  h0: {{ kind: host, ports: {{ p0: gen1 x2 }}, read_latency: 500 ns }}
  w0: {{ kind: switch, ports: {{ up: gen1 x2, 'down[2]': gen3 x4 }}, latency: 150 ns }}
  c0: {}
  c1: {}
links:
  - {{ join: 'h0.p0 - w0.up' }}
  - {{ join: 'w0.down[0] - c0.pcie' }}
  - {{ join: 'w0.down[1] - c1.pcie' }}
settings: {{ mrrs: 4096 B }}
experiments:
  e:
    command: 1 MiB
    volume: 8 MiB
    drive: card
    flows:
      - {{ flow: 'h0 -> c0', operation: dma-read }}
      - {{ flow: 'h0 -> c1', operation: dma-read }}
    measures: [throughput_per_flow]
",
        card(0),
        card(1)
    );
    let description = Description::from_text("meets.yaml", &text).unwrap();
    let scenario = description.scenario(description.experiment("e").unwrap(), &Point::default()).unwrap();
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    let limits = limit(&scenario);
    [0, 1].map(|flow| {
        let (fair, alone) = (&limits.together[flow], &limits.alone[flow]);
        (outcome.flows[flow].stream.unwrap().as_mib_per_s(), fair.stream.as_mib_per_s(), alone.stream.as_mib_per_s())
    })
}

/// The errors of what is fair, and of the rates alone, over links that are a third to nine tenths full.
#[test]
fn is_what_is_fair_nearer_than_the_rates_alone() {
    let sizes = ["512 B", "1024 B"];
    let latencies = [["100 ns", "100 ns"], ["100 ns", "900 ns"], ["2 us", "3 us"], ["5 us", "100 ns"]];
    let (mut fair, mut alone) = (0.0, 0.0);
    for (one, other) in sizes.iter().flat_map(|one| sizes.iter().map(move |other| (one, other))) {
        for of in latencies {
            for (simulated, shared, own) in rates([one, other], of) {
                fair += (shared / simulated - 1.0).abs();
                alone += (own / simulated - 1.0).abs();
                // Who is there when another comes cannot take more than its turns.
                assert!(shared > 0.75 * simulated, "{one} {other} {of:?}: {shared} of {simulated}");
            }
        }
    }
    println!("fair {fair:.2}, alone {alone:.2}");
    assert!(fair < 0.6 * alone, "fair {fair:.2}, alone {alone:.2}");
}

/// Like loops that come to one queue one behind the other wait for nobody.
#[test]
fn do_like_loops_of_one_queue_wait_for_nobody() {
    for (simulated, fair, alone) in rates(["512 B", "512 B"], ["2 us", "2 us"]) {
        assert!(
            (fair / simulated - 1.0).abs() < 0.005 && (fair / alone - 1.0).abs() < 0.005,
            "{simulated} {fair} {alone}"
        );
    }
}
