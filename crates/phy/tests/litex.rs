//! Is every code that of another project, litex, which hardware has used?
#![allow(clippy::panic, reason = "a test that cannot go on has failed")]

use lanescope_phy::coding::code::Disparity;
use std::process::Command;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/litex_codes.py");

#[test]
fn is_every_code_that_of_litex_in_both_disparities() {
    let Some(python) = testing::python("is_every_code_that_of_litex_in_both_disparities", "litex") else { return };
    let output = match Command::new(python).arg(SCRIPT).output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        other => panic!("{other:?}"),
    };
    let mut compared = 0;
    for line in output.lines() {
        let numbers: Vec<u16> = line.split(' ').filter_map(|number| number.parse().ok()).collect();
        let [symbol, before, code, after] = numbers[..] else { panic!("{line}") };
        let mut disparity = Disparity::new(before == 1);
        assert_eq!(disparity.encode(symbol), Some(code), "{symbol:#x} after {before}");
        assert_eq!(disparity.is_positive(), after == 1, "{symbol:#x} after {before}");
        assert_eq!(Disparity::new(before == 1).decode(code), Ok((symbol, true)));
        compared += 1;
    }
    assert_eq!(compared, 2 * 268);
}
