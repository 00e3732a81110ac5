//! Does a copy engine appear everywhere, below its limit and near it, with the cause that was planted?

#![allow(clippy::unwrap_used)]

use copy_engine::COPY_ENGINE;
use limit::Limits;
use serde_json::Value;
use std::process::{Command, Output};
use system::{Description, Point};

const MACHINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/server.yaml");

fn program(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_copy-engine")).args(words).output().unwrap()
}

fn printed(words: &[&str]) -> String {
    let output = program(words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The one flow of an experiment with these settings: its rate, the bound, and what sets the limit.
fn copy(experiment: &str, point: &[(&str, &str)], settings: &[&str]) -> (f64, f64, String) {
    let (rates, limits) = copies(experiment, point, settings);
    (rates[0], limits.bound().0, limits.together[0].bottleneck.to_string())
}

/// The rates of all flows, and their limits.
fn copies(experiment: &str, point: &[(&str, &str)], settings: &[&str]) -> (Vec<f64>, Limits) {
    let _ = sim::parts::register(&[COPY_ENGINE]);
    let mut description = Description::open(MACHINE).unwrap();
    settings.iter().for_each(|setting| description.set(setting).unwrap());
    let point = point.iter().fold(Point::default(), |point, (axis, value)| point.with(axis, value));
    let scenario = description.scenario(description.experiment(experiment).unwrap(), &point).unwrap();
    let outcome = sim::run(&scenario, &sim::Options::default()).unwrap();
    (outcome.flows.iter().map(|flow| flow.stream.unwrap().0).collect(), limit::limit(&scenario))
}

/// What `run` names as the bottleneck of the first flow.
fn named(experiment: &str, axis: &str, settings: &[&str]) -> Value {
    let sets = settings.iter().flat_map(|setting| ["--set", *setting]);
    let words: Vec<&str> = ["run", MACHINE, experiment, "--axis", axis, "--json"].into_iter().chain(sets).collect();
    let run: Value = serde_json::from_str(&printed(&words)).unwrap();
    run[0]["flows"][0]["bottleneck"].clone()
}

/// An experiment, a point of it, and what is set.
type Asked<'a> = (&'a str, Vec<(&'a str, &'a str)>, &'a [&'a str]);

#[test]
fn is_the_kind_where_all_kinds_are() {
    assert!(printed(&["kinds"]).contains("copy-engine: an engine that copies"));
    assert!(printed(&["parts"]).contains("copy/two-queues"));
    assert!(printed(&["systems"]).contains("copy-server"));
    let schema: Value = serde_json::from_str(&printed(&["schema"])).unwrap();
    assert!(schema["$defs"]["copy-engine"]["properties"]["read_buffer"].is_object());
}

#[test]
fn are_wrong_values_refused_where_they_are_written() {
    let text = std::fs::read_to_string(MACHINE).unwrap();
    for (field, says) in [
        ("fetched: 200", "a read asks for 4096 B at most: write 128 or less"),
        ("cached: 2", "it has room for what one read brings: write 8 or more"),
        ("read_buffer: 1 KiB", "it holds a read request: write 4 KiB or more"),
        ("descriptor_bytes: 16", "write 24 to 128: it has two addresses and a length"),
    ] {
        let wrong = text.replace("{ part: copy/two-queues }", &format!("{{ part: copy/two-queues, {field} }}"));
        let file = std::env::temp_dir().join(format!("lanescope-copy-{}.yaml", std::process::id()));
        std::fs::write(&file, wrong).unwrap();
        let output = program(&["run", file.to_str().unwrap(), "both"]);
        std::fs::remove_file(&file).unwrap();
        let said: String = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        let (name, value) = field.split_once(": ").unwrap();
        assert!(!output.status.success() && said.contains(name) && said.contains(value), "{field}: {said}");
        assert!(said.contains(says) && said.contains(".yaml:8"), "{field}: {said}");
    }
    let output = program(&["run", MACHINE, "both", "--axis", "jobs=3"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("two"), "{output:?}");
}

#[test]
fn is_no_point_above_its_limit() {
    let mut points: Vec<Asked<'_>> = vec![("apart", Vec::new(), &[])];
    for requests in ["1", "2", "3", "4", "8", "64"] {
        points.push(("large", vec![("requests", requests)], &[]));
        points.push((
            "large",
            vec![("requests", requests)],
            &["engine.read_buffer=4 KiB", "engine.write_buffer=512 B"],
        ));
    }
    for batch in ["1", "4", "16", "64"] {
        points.push(("small", vec![("batch", batch)], &[]));
        points.push(("small", vec![("batch", batch)], &["host.notice=polling", "host.command_cost=0 ns"]));
        points.push(("small", vec![("batch", batch)], &["host.read_latency=2 us"]));
    }
    for completions in ["1", "2", "4"] {
        points.push(("moderated", vec![("completions", completions)], &[]));
    }
    for jobs in ["1", "2"] {
        points.push(("both", vec![("jobs", jobs)], &[]));
        points.push(("both", vec![("jobs", jobs)], &["engine.cached=8", "host.read_latency=5 us"]));
    }
    for (experiment, point, settings) in points {
        let (rates, limits) = copies(experiment, &point, settings);
        let sum: f64 = rates.iter().sum();
        println!(
            "{experiment} {point:?} {settings:?}: {:.4} of {}",
            sum / limits.bound().0,
            limits.together[0].bottleneck
        );
        assert!(sum <= limits.bound().0 * 1.001, "{experiment} {point:?} {settings:?}: {rates:?} {limits:?}");
        for (rate, limit) in rates.iter().zip(&limits.together) {
            assert!(*rate <= limit.most.0 * 1.001, "{experiment} {point:?} {settings:?}: {rate} {limit:?}");
        }
    }
}

/// One request in flight: 512 bytes a round trip. Its time is twice that with twice the latency of memory, less the links.
#[test]
fn are_tags_times_latency_what_limits_a_copy_with_few_requests() {
    for requests in [1u32, 2] {
        let (simulated, bound, by) = copy("large", &[("requests", &requests.to_string())], &[]);
        assert!(simulated > 0.99 * bound, "{requests}: {simulated} {bound}");
        assert!(by.contains("read request"), "{by}");
    }
    let round = |latency: &str| 512.0 / copy("large", &[("requests", "1")], &[latency]).0;
    let more = round("host.read_latency=1250 ns") - round("host.read_latency=250 ns");
    assert!((more / 1e-6 - 1.0).abs() < 0.002, "{more}");
}

#[test]
fn is_the_link_what_limits_a_large_copy() {
    let (simulated, bound, by) = copy("large", &[("requests", "64")], &[]);
    assert!(simulated > 0.95 * bound && by.contains("Gen4 x4"), "{simulated} {bound} {by}");
    let settings = ["links.0.gen=3"];
    let (slower, bound, by) = copy("large", &[("requests", "64")], &settings);
    assert!(slower > 0.95 * bound && by.contains("Gen3 x4"), "{slower} {bound} {by}");
    assert!((simulated / slower - 2.0).abs() < 0.05, "{simulated} {slower}");
}

#[test]
fn do_both_queues_share_the_link() {
    let (one, _) = copies("both", &[("jobs", "1")], &[]);
    let (two, limits) = copies("apart", &[], &[]);
    assert!((two[0] / two[1] - 1.0).abs() < 0.02, "they take turns: {two:?}");
    let sum = two[0] + two[1];
    assert!((sum / one[0] - 1.0).abs() < 0.02, "{two:?} {one:?}");
    assert!(sum <= limits.bound().0, "{sum} {:?}", limits.bound());
}

#[test]
fn is_the_cause_named_that_was_planted() {
    for (experiment, axis, settings, what) in [
        ("large", "requests=2", vec![], "read_requests 2"),
        // The axis sets `fetched` and `cached`, of which the engine takes more of the second alone.
        ("small", "batch=1", vec![], "cached 1"),
        ("moderated", "completions=4", vec!["engine.moderation_time=50 us"], "moderat"),
        ("large", "requests=64", vec![], "Gen4 x4"),
    ] {
        let named = named(experiment, axis, &settings);
        assert!(named.to_string().contains(what), "{experiment} {axis}: {named}");
        assert!(named["proved"] == true, "{experiment} {axis}: {named}");
    }
}
