//! Can a dependent crate measure a quantity that this crate does not have?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_lab::metric::{self, MetricDeclaration, Moves, Stated, Taken};
use lanescope_lab::{At, DescribedMachine, Metric, Unit, reference};

/// The ratio of the longest to the shortest time of a flow, as the application measures it.
static SPREAD: MetricDeclaration = MetricDeclaration {
    word: "spread",
    about: "the time of the slowest flow over that of the quickest",
    is_mean: false,
    is_of_window: false,
    moves: Moves::App,
    takes: |unit| unit == Unit::One,
    simulated: |of| {
        let rates = of.flows().map(|(_, flow)| flow.app.0);
        let (least, most) = rates.fold((f64::INFINITY, 0.0f64), |(a, b), rate| (a.min(rate), b.max(rate)));
        (least > 0.0).then(|| most / least)
    },
    bounded: |_| None,
    most: None,
};
static LATENCY: MetricDeclaration = MetricDeclaration { word: "latency", ..NOTHING };
static BELOW: MetricDeclaration = MetricDeclaration { word: "spread_below", ..NOTHING };
const NOTHING: MetricDeclaration = MetricDeclaration {
    word: "",
    about: "",
    is_mean: false,
    is_of_window: false,
    moves: Moves::App,
    takes: |_| false,
    simulated: |_| None,
    bounded: |_| None,
    most: None,
};

/// A single test, because quantities are registered once per process.
#[test]
fn is_a_quantity_of_a_crate_above_read_and_measured_as_ours_are() {
    assert_eq!(metric::register(&[&LATENCY]), Err(Taken("latency")));
    assert_eq!(metric::register(&[&BELOW]), Err(Taken("spread_below")), "that is an inequality of `spread`");
    assert_eq!(metric::register(&[&SPREAD, &SPREAD]), Err(Taken("spread")));
    assert_eq!(metric::register(&[&SPREAD]), Ok(()));
    assert_eq!(metric::register(&[&SPREAD]), Ok(()), "again does nothing");
    assert!(metric::register(&[]).is_err(), "others were registered");
    assert!(Metric::words().contains("spread"));
    let above = Metric::from_word("spread_above").unwrap();
    assert_eq!(above.stated, Stated::Above);

    let machine = DescribedMachine::open("rosta-rb8v7", &[]).unwrap();
    let experiment = machine.description().experiment("host-write-many").unwrap();
    let mut job = machine.job(experiment, At::parse("devices=2").unwrap()).unwrap();
    job.scenario.flows[1].volume.0 /= 2;
    let outcome = sim::run(&job.scenario, &dma::options()).unwrap();
    let spread = metric::simulated(above.quality, Unit::One, &job.scenario, &outcome).unwrap();
    let apps = [outcome.flows[0].app.0, outcome.flows[1].app.0];
    assert_eq!(spread, apps[0].max(apps[1]) / apps[0].min(apps[1]));

    let table = "system,experiment,at,metric,value,unit,source,note\n\
                 rosta-rb8v7,host-write-many,devices=2,spread_above,0.5,1,nobody,\n";
    let rows = reference::parse("own.csv", table).unwrap();
    assert_eq!(rows.rows[0].metric, above);
    assert_eq!(above.error_percent(spread, rows.rows[0].value), 0.0);
    let wrong = reference::parse("own.csv", &table.replace(",1,nobody", ",MB/s,nobody")).unwrap_err();
    assert!(wrong.to_string().contains("MB/s"), "{wrong}");
}
