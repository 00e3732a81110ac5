//! Does a kind of part that lanescope does not know appear everywhere, with the figures of its own words?

#![allow(clippy::unwrap_used)]

use frame_grabber::FRAME_GRABBER;
use pcie::Time;
use serde_json::Value;
use std::process::Command;
use system::{Description, Point};

const MACHINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/camera.yaml");

/// What the program with the kind prints.
fn printed(words: &[&str]) -> String {
    let program = Command::new(env!("CARGO_BIN_EXE_frame-grabber")).args(words).output().unwrap();
    assert!(program.status.success(), "{words:?}: {}", String::from_utf8_lossy(&program.stderr));
    String::from_utf8(program.stdout).unwrap()
}

/// The film with pixels that come so fast: its rate simulated, and its limit with what sets it.
fn film(pixels: &str) -> (f64, f64, String) {
    sim::parts::register(&[FRAME_GRABBER]).unwrap();
    let description = Description::open(MACHINE).unwrap();
    let film = description.experiment("film").unwrap();
    let scenario = description.scenario(film, &Point::default().with("pixels", pixels)).unwrap();
    let outcome = sim::run(&scenario, &sim::Options::default()).unwrap();
    let limit = limit::limit(&scenario).together.remove(0);
    (outcome.flows[0].stream.unwrap().0, limit.stream.0, limit.bottleneck.to_string())
}

#[test]
fn is_the_kind_where_all_kinds_are() {
    assert!(printed(&["kinds"]).contains("frame-grabber: a sensor"));
    assert!(printed(&["parts"]).contains("example/vga-camera"));
    let schema: Value = serde_json::from_str(&printed(&["schema"])).unwrap();
    assert!(schema["$defs"]["frame-grabber"]["properties"]["pixel_rate"].is_object(), "an editor completes its fields");
    let mut shell = Command::new(env!("CARGO_BIN_EXE_frame-grabber"));
    let offered = shell.args(["--", "lanescope", "kinds", "fr"]).env("LANESCOPE_COMPLETE", "fish").output().unwrap();
    assert!(String::from_utf8_lossy(&offered.stdout).contains("frame-grabber"), "{offered:?}");
}

#[test]
fn is_each_figure_beside_its_limit_and_its_bottleneck() {
    let run: Value = serde_json::from_str(&printed(&["run", MACHINE, "film", "--json"])).unwrap();
    let text = run.to_string();
    assert!(text.contains("pixel_rate"), "a change of the sensor proves that it is the bottleneck: {text}");
    assert!(printed(&["limit", MACHINE, "film"]).contains("camera: the sensor"));
    let flow = &run[0]["flows"][0];
    for budget in [&flow["budget"], &flow["limit"]["budget"]] {
        assert!(budget["waits for the sensor"].as_f64().is_some_and(|share| share > 0.5), "{budget}");
        assert!(budget["waits for the card's core"].is_null(), "{budget}");
    }
}

#[test]
fn is_the_sensor_as_fast_as_its_frames_and_no_faster_than_the_link() {
    let (simulated, limit, by) = film("55 MB/s");
    let frame = 614_400.0;
    let hand = frame / (frame / 55e6 + Time::from_us(10).as_secs());
    assert!((limit / hand - 1.0).abs() < 1e-9, "{limit} {hand}");
    assert!(simulated <= limit * 1.0001 && simulated > 0.995 * limit, "{simulated} {limit}");
    assert!(by.contains("the sensor"), "{by}");
    let (simulated, limit, by) = film("1 GB/s");
    assert!(simulated <= limit * 1.0001 && simulated > 0.995 * limit, "{simulated} {limit}");
    assert!(by.contains("Gen2 x1"), "{by}");
}

#[test]
fn is_what_the_kind_cannot_do_refused_where_it_is_written() {
    sim::parts::register(&[FRAME_GRABBER]).unwrap();
    let text = std::fs::read_to_string(MACHINE)
        .unwrap()
        .replace("dma-write", "dma-read")
        .replace("camera -> host", "host -> camera");
    let description = Description::from_text("camera.yaml", &text).unwrap();
    let film = description.experiment("film").unwrap();
    let error = description.scenario(film, &Point::default().with("pixels", "55 MB/s")).unwrap_err();
    assert!(error.report().contains("`camera` is a frame-grabber, which does no dma-read"), "{}", error.report());
}

#[test]
fn are_the_listings_of_the_page_these_files() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let page = std::fs::read_to_string(format!("{root}../../docs/extending.md")).unwrap();
    for file in [
        "Cargo.toml",
        "src/lib.rs",
        "src/catalogue.yaml",
        "src/part.rs",
        "src/main.rs",
        "camera.yaml",
        "tests/registered.rs",
    ] {
        let text = std::fs::read_to_string(format!("{root}{file}")).unwrap();
        assert!(page.contains(text.trim_end()), "docs/extending.md shows another {file}");
    }
    let shown = printed(&["run", &format!("{root}camera.yaml"), "film"]);
    let table = shown.lines().skip(1).collect::<Vec<_>>().join("\n");
    assert!(page.contains(&table), "docs/extending.md shows another table than\n{table}");
}
