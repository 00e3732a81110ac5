//! Link speeds as configuration space encodes them.

use crate::generation::Generation;
use std::fmt;

/// A link speed, coded as in Max Link Speed (Link Capabilities Register): 1 is 2.5 GT/s, 7 is 128 GT/s. The codes are
/// also the bit numbers of the Supported Link Speeds Vector (Link Capabilities 2 Register).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Speed(u8);

impl Speed {
    /// All defined speeds, slowest first.
    pub const ALL: [Speed; 7] = [Speed(1), Speed(2), Speed(3), Speed(4), Speed(5), Speed(6), Speed(7)];
    /// 2.5 GT/s.
    pub const GT2_5: Speed = Speed(1);
    /// 64 GT/s.
    pub const GT64: Speed = Speed(6);

    /// From the code in a register; `None` for undefined codes (0, and 8 to 15).
    pub fn from_code(code: u32) -> Option<Speed> {
        Speed::ALL.into_iter().find(|speed| u32::from(speed.0) == code)
    }
    /// The code in a register.
    pub const fn code(self) -> u8 {
        self.0
    }
    /// Reads text as tools print it: `8GT/s`, `8.0 GT/s PCIe`, `2.5 GT/s`.
    pub fn parse(text: &str) -> Option<Speed> {
        let number = text.trim().split("GT/s").next().filter(|number| *number != text.trim())?.trim();
        let tenths = (number.parse::<f64>().ok()? * 10.0).round();
        Speed::ALL.into_iter().find(|speed| f64::from(speed.tenths()) == tenths)
    }
    /// The transfer rate of one lane in units of 100 MT/s.
    pub const fn tenths(self) -> u32 {
        match self.0 {
            1 => 25,
            2 => 50,
            code => 80 << (code - 3),
        }
    }
    /// The generation; `None` where this crate does not model it.
    pub fn generation(self) -> Option<Generation> {
        Generation::from_number(self.0)
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = self.tenths();
        let text = if tenths.is_multiple_of(10) {
            (tenths / 10).to_string()
        } else {
            format!("{:.1}", f64::from(tenths) / 10.0)
        };
        f.pad(&format!("{text} GT/s"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_every_speed_printed_and_read_again() {
        let printed = Speed::ALL.map(|speed| speed.to_string());
        assert_eq!(printed, ["2.5 GT/s", "5 GT/s", "8 GT/s", "16 GT/s", "32 GT/s", "64 GT/s", "128 GT/s"]);
        assert!(Speed::ALL.iter().zip(printed).all(|(speed, text)| Speed::parse(&text) == Some(*speed)));
    }

    #[test]
    fn are_the_spellings_of_lspci_and_of_sysfs_read_and_nothing_else() {
        assert_eq!(Speed::parse("8.0 GT/s PCIe"), Speed::from_code(3));
        assert_eq!(Speed::parse("2.5GT/s"), Some(Speed::GT2_5));
        assert_eq!(["Unknown", "unknown", "8", "9GT/s", "GT/s", "NaN GT/s"].map(Speed::parse), [None; 6]);
    }
}
