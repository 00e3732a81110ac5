//! What `lanescope bench card` says in the guest, looked at.

use serde_json::Value;

/// A result, without what it has of the machine, which would hide the rest in a message.
fn result_of(line: &str) -> Value {
    let mut result: Value = serde_json::from_str(line).unwrap();
    result.as_object_mut().unwrap().remove("capture");
    result
}

/// What `bench card --rings` said of it: no system calls, and no interrupts but one that was armed before.
pub fn check_rings(out: &str, iommu: bool) {
    let Some(line) = out.lines().find_map(|line| line.strip_prefix("rings ")) else { return };
    let result = result_of(line);
    assert_eq!(result["complete"], true, "{result}");
    let drives = result["runs"][0]["drives"].as_array().unwrap();
    assert_eq!(drives.len(), 2);
    for drive in drives {
        assert!(drive["mb_per_s"].as_f64().unwrap() > 0.0, "{drive}");
        assert_eq!(drive["calls_per_block"], 0.0, "{drive}");
        let interrupts = drive["interrupts"].as_array().unwrap();
        let cores = interrupts.iter().flat_map(|vector| vector["by_core"].as_object().unwrap().values());
        assert!(cores.map(|count| count.as_u64().unwrap()).all(|count| count <= 1), "{drive}");
    }
    // An IOMMU bounds what they reach, and they need no leave.
    assert_eq!(out.contains("ring mode of /dev/lanescope0/c2h0 is refused"), !iommu, "who is refused ring mode");
    let status = if iommu { 0 } else { 2 };
    crate::says(out, &format!("bench of rings that nobody allowed ends with {status}"));
}

/// What `bench card --in-turn` said of both cards: each thread has as many calls each way, of whole frames; and interrupts tell of
/// calls that do not look.
pub fn check_turns(out: &str) {
    let Some(line) = out.lines().find_map(|line| line.strip_prefix("turns ")) else { return };
    let result = result_of(line);
    assert_eq!(result["complete"], true, "{result}");
    let runs = result["runs"].as_array().unwrap();
    let of = |run: &Value| (run["calls"]["in_turn"].clone(), run["calls"]["poll_us"].clone(), run["polled"].clone());
    let turn = || Value::from("write,read");
    assert_eq!(of(&runs[0]), (turn(), 0.into(), false.into()), "{result}");
    assert_eq!(of(&runs[1]), (turn(), 2000.into(), true.into()), "{result}");
    for run in runs {
        let drives = run["drives"].as_array().unwrap();
        assert_eq!(drives.len(), 4, "{run}");
        for pair in drives.chunks(2) {
            let count = |drive: &Value| drive["latency"]["count"].as_u64().unwrap();
            let (read, written) = (count(&pair[0]), count(&pair[1]));
            assert!(read > 2 && read.abs_diff(written) <= 1, "{read} and {written} calls: {run}");
            let bytes = pair[0]["mb_per_s"].as_f64().unwrap() * 1e6 / pair[0]["iops"].as_f64().unwrap();
            assert!((bytes - 2048.0).abs() < 1.0, "{bytes} bytes of each frame come back: {run}");
        }
    }
    let interrupts = |run: &Value| {
        let all =
            run["drives"].as_array().unwrap().iter().flat_map(|drive| drive["interrupts"].as_array().unwrap().clone());
        let cores = all.flat_map(|vector| vector["by_core"].as_object().unwrap().values().cloned().collect::<Vec<_>>());
        cores.map(|count| count.as_u64().unwrap()).sum::<u64>() as f64
            / run["latency"]["count"].as_u64().unwrap() as f64
    };
    let (told, polled) = (interrupts(&runs[0]), interrupts(&runs[1]));
    println!("in turn: {told:.2} interrupts a call without a look, {polled:.2} with one");
    assert!(told > 0.5 && polled < told / 2.0, "{told} and {polled} interrupts a call");
    crate::says(out, "settings after turns: 7 0 0 0 0 0 0 0 ");
    assert!(out.contains("nothing moves at lanescope0/c2h0"), "no bench says that nothing moves");
    crate::says(out, "settings under way: 9");
    crate::says(out, "interrupted bench ends with 130; settings: 7 0 0 0 0 0 0 0 ");
}

/// What `bench card --peers` said of both cards: these kernels have no P2PDMA, so that each pair is refused, and has no figure.
/// `make soak-driver` has a kernel with it.
pub fn check_peers(out: &str) {
    let Some(line) = out.lines().find_map(|line| line.strip_prefix("peers ")) else { return };
    let result = result_of(line);
    let of = |pair: &Value| [&pair["from"], &pair["to"]].map(|card| card.as_str().unwrap().to_string());
    let pairs = result["card_to_card"].as_array().unwrap();
    let expected = [["lanescope0", "lanescope1"], ["lanescope1", "lanescope0"]];
    assert_eq!(pairs.iter().map(of).collect::<Vec<_>>(), expected, "{result}");
    for pair in pairs {
        let why = pair["refused"].as_str().unwrap();
        assert!(why.contains("does not know that one card reaches the other"), "{why}");
    }
    assert_eq!((&result["complete"], &result["runs"]), (&true.into(), &Value::Array(Vec::new())), "{result}");
    crate::says(out, "card to card ends with 0");
}

/// What `bench card` said of the loopback: one direction of it moves nothing alone, both move the same.
pub fn check_bench(out: &str) {
    let Some(line) = out.lines().find_map(|line| line.strip_prefix("bench ")) else {
        return println!("bench card: not run: no program beside this test");
    };
    let result = result_of(line);
    assert_eq!(result["complete"], true, "{result}");
    let way = result["drives"][0]["way"].as_array().unwrap();
    assert_eq!(way.last().unwrap(), "0000:00:05.0");
    let runs = result["runs"].as_array().unwrap();
    let rate = |run: usize, drive: usize| runs[run]["drives"][drive]["mb_per_s"].as_f64().unwrap();
    assert_eq!(rate(0, 0), 0.0, "{}", runs[0]);
    let (from_card, to_card) = (rate(1, 0), rate(1, 1));
    assert!(out.contains(": a transfer of 16384 bytes failed"), "no bench says that a transfer has failed");
    crate::says(out, "bench of a card that fails ends with 2");
    for drive in runs[1]["drives"].as_array().unwrap() {
        let cycles = |cause: &str| drive["engine"][format!("{cause}_cycles")].as_u64().unwrap();
        assert!(cycles("moving") > 0 && cycles("moving") < cycles("span"), "{drive}");
    }
    assert!(from_card > 0.0 && to_card > 0.0, "{from_card} and {to_card} MB/s");
    // One way is ahead of the other by what is under way at most, when the run begins and when it ends.
    let blocks = |drive: usize| runs[1]["drives"][drive]["latency"]["count"].as_u64().unwrap();
    let under_way = runs[1]["depth"].as_u64().unwrap();
    let (read, written) = (blocks(0), blocks(1));
    assert!(read.abs_diff(written) <= 2 * under_way, "{read} blocks have come back, and {written} gone");
}
