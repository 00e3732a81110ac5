#![allow(clippy::panic, clippy::unwrap_used)]
//! Is what this engine cannot be or do refused with what would be right?

mod common;
use common::{absent, scenario};
use cosim::Cosim;
use sim::{Options, SimError, run};

fn refusal(experiment: &str, overrides: &[&str]) -> String {
    let cosim = Cosim::default();
    let options = Options { kinds: &[&cosim, &dma::Cards], ..Options::default() };
    match run(&scenario(experiment, overrides), &options) {
        Err(error @ SimError::Kind { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn does_a_card_that_cannot_be_had_say_what_would_be_right() {
    if absent("does_a_card_that_cannot_be_had_say_what_would_be_right") {
        return;
    }
    let tags = refusal("write", &["card.read_requests=7"]);
    assert!(tags.contains("no build") && tags.contains("read_requests 32"), "{tags}");
    assert!(refusal("write", &["card.bars=1 MiB"]).contains("bars: [64 KiB, 1 MiB]"));
    assert!(refusal("write", &["card.payload=64"]).contains("payload of 128 bytes or more"));
    assert!(refusal("peer", &["card.design=ping-pong"]).contains("two p2p-write flows, there and back"));
    assert!(refusal("write", &["card.core_clock=infinite"]).contains("core_clock: 250 MHz"));
}

#[test]
fn is_gateware_without_a_compiled_engine_refused_in_one_line_that_says_what_to_install() {
    let error = run(&scenario("write", &[]), &dma::options()).unwrap_err().to_string();
    assert!(error.contains("gateware") && !error.contains('\n'), "{error}");
    if !cosim::is_there() {
        let error = refusal("write", &[]);
        assert!(error.contains("make engine") && !error.contains('\n'), "{error}");
    }
}

/// Cargo runs a build script that watches a missing file at every build, and compiles all that depends on it anew.
#[test]
fn does_a_second_build_find_nothing_to_do() {
    let output = std::path::Path::new(env!("OUT_DIR")).with_file_name("output");
    let text = std::fs::read_to_string(output).unwrap();
    let watched: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("cargo:rerun-if-changed=")).collect();
    assert!(watched.iter().any(|path| path.ends_with("build.rs")), "{text}");
    for path in watched {
        assert!(std::path::Path::new(path).exists(), "{path} is not there");
    }
}
