//! The quantities that this crate measures.

use super::declared::{Bounded, MetricDeclaration, Moves, Simulated};
use super::ends::payload_ends;
use crate::formula;
use crate::unit::Unit;
use pcie::Rate;
use system::Scenario;
use system::graph::Direction;

fn a_rate(unit: Unit) -> bool {
    unit.is_rate() || unit == Unit::Iops
}

fn app(of: &Simulated<'_>) -> Option<f64> {
    Some(of.unit.rate(Rate(mean(of.flows().map(|(_, flow)| flow.app.0))?)))
}

fn app_bound(of: &Bounded<'_>) -> Option<f64> {
    Some(of.unit.rate(Rate(mean(of.steady()?.map(|(_, flow)| flow.app.0))?)))
}

fn streams(of: &Simulated<'_>) -> Option<Vec<f64>> {
    let streams: Vec<f64> = of.flows().map(|(_, flow)| flow.stream.map(|rate| rate.0)).collect::<Option<_>>()?;
    (!streams.is_empty()).then_some(streams)
}

fn stream(of: &Simulated<'_>) -> Option<f64> {
    Some(of.unit.rate(Rate(mean(streams(of)?.into_iter())?)))
}

fn stream_bound(of: &Bounded<'_>) -> Option<f64> {
    Some(of.unit.rate(Rate(mean(of.steady()?.map(|(_, flow)| flow.stream.0))?)))
}

fn timer(of: &Simulated<'_>) -> Option<f64> {
    mean(of.flows().map(|(_, flow)| flow.timer.0))
}

fn shared(of: &Simulated<'_>) -> Option<f64> {
    of.outcome.window.as_ref().ok()?;
    let shared = host_directions(of.scenario);
    let rates = of.outcome.directions.iter().filter(|(direction, _)| shared.contains(direction));
    Some(of.unit.rate(Rate(rates.map(|(_, rate)| rate.0).fold(0.0, f64::max))))
}

fn sum_bound(of: &Bounded<'_>) -> Option<f64> {
    Some(of.unit.rate(Rate(of.steady()?.map(|(_, flow)| flow.stream.0).sum())))
}

/// The most that the flows come to at once.
fn sum_most(of: &Bounded<'_>) -> Option<f64> {
    Some(of.unit.rate(of.limits.most.sum_of(of.holds())))
}

/// The same as a mean: at least one flow has no more.
fn mean_most(of: &Bounded<'_>) -> Option<f64> {
    let count = of.flows().count();
    (count > 0).then(|| Some(sum_most(of)? / count as f64))?
}

const MEAN: MetricDeclaration = MetricDeclaration {
    word: "throughput_per_flow",
    about: "mean over the flows of the rate while all are active",
    is_mean: true,
    is_of_window: true,
    moves: Moves::Stream,
    takes: a_rate,
    simulated: stream,
    bounded: stream_bound,
    most: Some(mean_most),
};

const APP: MetricDeclaration = MetricDeclaration {
    word: "throughput",
    about: "volume over the time that the application sees",
    is_of_window: false,
    moves: Moves::App,
    simulated: app,
    bounded: app_bound,
    most: None,
    ..MEAN
};

/// All quantities of this crate.
pub(super) static OWN: [MetricDeclaration; 10] = [
    APP,
    MEAN,
    MetricDeclaration {
        word: "throughput_link",
        about: "first packet to last packet, as a timer in the card sees it",
        is_of_window: false,
        simulated: |of| Some(of.unit.rate(Rate(timer(of)?))),
        most: None,
        ..MEAN
    },
    MetricDeclaration { word: "throughput_app", ..APP },
    MetricDeclaration {
        word: "throughput_per_device",
        about: "mean over the cards of the rate while all are active",
        ..MEAN
    },
    MetricDeclaration {
        word: "throughput_sum",
        about: "sum over the flows of the rate while all are active",
        is_mean: false,
        simulated: |of| Some(of.unit.rate(Rate(streams(of)?.into_iter().sum()))),
        bounded: sum_bound,
        most: Some(sum_most),
        ..MEAN
    },
    MetricDeclaration {
        word: "shared_link_rate",
        about: "payload rate on the host's link while all flows are active",
        is_mean: false,
        takes: Unit::is_rate,
        simulated: shared,
        bounded: sum_bound,
        most: Some(sum_most),
        ..MEAN
    },
    MetricDeclaration {
        word: "latency",
        about: "one way",
        is_mean: false,
        is_of_window: false,
        moves: Moves::Latency,
        takes: Unit::is_time,
        simulated: |of| Some(of.unit.time(of.outcome.flows.first()?.latency.median)),
        bounded: |of| Some(of.unit.time(of.limits.together.first()?.latency)),
        most: None,
    },
    MetricDeclaration {
        word: "fraction_of_theory",
        about: "`throughput_link` over the formula `rosta` for that link and payload",
        is_mean: false,
        is_of_window: false,
        moves: Moves::Stream,
        takes: |unit| unit == Unit::One,
        simulated: |of| Some(timer(of)? / theory(of.scenario)?.0),
        bounded: |of| Some(mean(of.flows().map(|(_, flow)| flow.stream.0))? / theory(of.scenario)?.0),
        most: None,
    },
    MetricDeclaration {
        word: "latency_ratio_c600_over_lsi",
        about: "mean latency of the first flow over that of the second",
        is_mean: false,
        is_of_window: false,
        moves: Moves::Latency,
        takes: |unit| unit == Unit::One,
        simulated: ratio,
        bounded: |_| None,
        most: None,
    },
];

/// The mean latency of the first flow over that of the second.
fn ratio(of: &Simulated<'_>) -> Option<f64> {
    let mut latencies = of.flows().map(|(_, flow)| flow.latency.mean.as_secs());
    let (first, second) = (latencies.next()?, latencies.next()?);
    (first > 0.0 && second > 0.0).then(|| first / second)
}

/// The rate by the formula `rosta` for the slowest link on the path of the first flow's payload.
fn theory(scenario: &Scenario) -> Option<Rate> {
    let flow = scenario.flows.first()?;
    let (from, to) = payload_ends(flow);
    let system = &scenario.system;
    let part = system.part(from);
    let payload = match (part.kind.engine(), part.kind.host()) {
        (Some(engine), _) => engine.payload.0.map_or(part.mps.bytes(), |count| count.0),
        (None, Some(host)) => {
            let port = system.port_towards(from, to).map(|port| system.kind_at(port));
            let own = port.as_ref().and_then(|kind| kind.host()).unwrap_or(host);
            own.completion_bytes.0.min(system.mps_towards(from, to).bytes())
        }
        (None, None) => return None,
    };
    let rate = |d: Direction| formula::rosta_payload_rate(system.link(d.link).speed, payload).0;
    system.path(from, to).into_iter().map(rate).reduce(f64::min).map(Rate)
}

/// Both directions of the links of the host.
fn host_directions(scenario: &Scenario) -> Vec<Direction> {
    let system = &scenario.system;
    let at_host = |link: &system::Link| system.part(system.port(link.upper).part).kind.is_root();
    let links = system.links.iter().enumerate().filter(|(_, link)| at_host(link));
    links.flat_map(|(n, _)| [true, false].map(|up| Direction { link: system::LinkId(n), up })).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}
