//! Measures the time of a question: the limit of the eight cards of `rosta-rb8v7` that write at once, with its JSON. Prints
//! the median of many calls. `tools/python.py call` prints it beside the same question from Python.

use lab::DescribedMachine;
use std::time::{Duration, Instant};

const CALLS: usize = 2000;

fn main() -> Result<(), ask::Error> {
    let machine = DescribedMachine::open("rosta-rb8v7", &[])?;
    let axes = [("devices".to_string(), vec!["8".to_string()])];
    let mut times = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let since = Instant::now();
        let found = ask::limit::of(&machine, Some("host-write-many"), &axes)?;
        let value: serde_json::Value = found.iter().flat_map(|(_, answers)| answers).map(ask::limit::value).collect();
        std::hint::black_box(value);
        times.push(since.elapsed());
    }
    times.sort();
    let median: Duration = times[CALLS / 2];
    println!("{:.1} us a call from Rust", median.as_secs_f64() * 1e6);
    Ok(())
}
