//! The BARs that an endpoint requests.

use crate::field::FieldType;
use pcie::Bytes;

/// A BAR before address assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarRequest {
    /// A power of two.
    pub bytes: u64,
    /// 64-bit and prefetchable.
    pub is_64bit: bool,
}

/// The smallest memory BAR that the standard allows for a PCI Express endpoint, bytes.
const LEAST_BYTES: u64 = 128;
/// The largest BAR accepted, bytes.
const MOST_BYTES: u64 = 1 << 44;

impl BarRequest {
    /// The BAR of a card whose description names none.
    pub const DEFAULT: BarRequest = BarRequest { bytes: 1 << 20, is_64bit: false };
    /// The accepted syntax.
    pub const EXPECTS: &'static str = "up to 6 sizes, powers of two from 128 B up, as in `64 MiB 64-bit, 64 KiB` (a 64-bit one counts twice), or `none`";

    /// Reads `64 MiB 64-bit, 64 KiB`, or `none`.
    pub fn parse(text: &str) -> Option<Vec<BarRequest>> {
        if text == "none" {
            return Some(Vec::new());
        }
        let one = |text: &str| {
            let text = text.trim();
            let (size, is_64bit) = match text.strip_suffix("64-bit") {
                Some(size) => (size, true),
                None => (text, false),
            };
            let bytes = Bytes::parse(size.trim())?.0;
            let legal = bytes.is_power_of_two() && (LEAST_BYTES..=MOST_BYTES).contains(&bytes);
            legal.then_some(BarRequest { bytes, is_64bit })
        };
        let all = text.split(',').map(one).collect::<Option<Vec<_>>>()?;
        let registers: usize = all.iter().map(|bar| 1 + usize::from(bar.is_64bit)).sum();
        (registers <= 6).then_some(all)
    }
    /// The text as in a description.
    pub fn print(all: &[BarRequest]) -> String {
        let one = |bar: &BarRequest| format!("{}{}", Bytes(bar.bytes), if bar.is_64bit { " 64-bit" } else { "" });
        if all.is_empty() { "none".into() } else { all.iter().map(one).collect::<Vec<_>>().join(", ") }
    }
}
