//! Named reference formulas: what a publication computed, reproduced exactly, for comparison with the true limit.

use crate::at::At;
use pcie::generation::Generation;
use pcie::tlp::HEADER_3DW_BYTES;
use pcie::{Encoding, Framing, LinkSpeed, Rate, Shape, Width};

/// Bytes that the paper adds to each payload: 23 for every header size.
const PAPER_OVERHEAD_BYTES: f64 = 23.0;

/// Why the paper's Gen3 column lies above what such a link can carry.
pub const GEN3_DIFFERENCE: &str = "At Gen3 the formula takes 8 GT/s for 8 Gbit/s: it leaves 128b/130b out, so its information \
     rate lies 130/128 (1.6 %) above what the link can carry.";

/// The quantity of a formula row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// `information_rate`: the rate after line encoding, in MiB/s.
    InformationRate,
    /// `payload_rate`: the rate of payload, in MiB/s.
    PayloadRate,
    /// `fraction`: payload rate over information rate.
    Fraction,
}

impl Quantity {
    /// The quantity by the name of its metric.
    pub fn from_word(word: &str) -> Option<Quantity> {
        match word {
            "information_rate" => Some(Quantity::InformationRate),
            "payload_rate" => Some(Quantity::PayloadRate),
            "fraction" => Some(Quantity::Fraction),
            _ => None,
        }
    }
    /// The name of its metric.
    pub fn word(self) -> &'static str {
        match self {
            Quantity::InformationRate => "information_rate",
            Quantity::PayloadRate => "payload_rate",
            Quantity::Fraction => "fraction",
        }
    }
    /// The experiment whose rows have this quantity.
    pub fn experiment(self) -> &'static str {
        if self == Quantity::Fraction { "efficiency" } else { "link-table" }
    }
    /// The axes of that experiment.
    pub fn axes(self) -> &'static [&'static str] {
        match self {
            Quantity::InformationRate => &["gen", "lanes"],
            Quantity::PayloadRate => &["gen", "lanes", "payload"],
            Quantity::Fraction => &["payload"],
        }
    }
    /// The unit of its rows.
    pub fn unit(self) -> &'static str {
        if self == Quantity::Fraction { "1" } else { "MiB/s" }
    }
}

/// A quantity at one point, by the formula and by the standard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// By the formula `rosta`, as the paper prints it: truncated to whole MiB/s, or to three digits for a fraction.
    pub formula: f64,
    /// By the standard: the true line encoding, a 3 DW header and its framing.
    pub standard: f64,
}

/// The formula `rosta`. Information rate = lanes x GT/s x 8/10, but 8 GT/s count as 8 Gbit/s. Payload rate =
/// information rate x p/(p + 23). Results are truncated. (Rumyantsev, Direct data transfer between Virtex-7 FPGAs over
/// PCI Express.)
///
/// # Errors
/// The axis that is missing or has no legal value, and what would be valid.
pub fn rosta(quantity: Quantity, at: &At) -> Result<Answer, (String, String)> {
    if let Some((axis, _)) = at.pairs().find(|(axis, _)| !quantity.axes().contains(axis)) {
        let axes = quantity.axes().join(", ");
        return Err((format!("`{}` has no axis `{axis}`", quantity.word()), format!("its axes are {axes}")));
    }
    let bytes = if quantity.axes().contains(&"payload") { payload(at)? } else { 0.0 };
    let fraction = bytes / (bytes + PAPER_OVERHEAD_BYTES);
    let shape = Shape::new(HEADER_3DW_BYTES, bytes as u64);
    let of = |encoding: Encoding| bytes / Framing::of(encoding).tlp_bytes(shape) as f64;
    if quantity == Quantity::Fraction {
        // The publication's links use 8b/10b encoding.
        return Ok(Answer { formula: cut(fraction * 1000.0) / 1000.0, standard: of(Encoding::E8b10b) });
    }
    let speed = LinkSpeed { generation: generation(at)?, width: width(at)? };
    let true_fraction = of(speed.generation.encoding());
    let (information, encoded) = (information_rate(speed).as_mib_per_s(), speed.encoded().as_mib_per_s());
    Ok(match quantity {
        Quantity::PayloadRate => Answer { formula: cut(information * fraction), standard: encoded * true_fraction },
        _ => Answer { formula: cut(information), standard: encoded },
    })
}

/// The paper's payload rate without truncation, as the reference of `fraction_of_theory`.
pub fn rosta_payload_rate(speed: LinkSpeed, payload: u64) -> Rate {
    Rate(information_rate(speed).0 * payload as f64 / (payload as f64 + PAPER_OVERHEAD_BYTES))
}

/// True if the formula and the standard differ by the encoding: see [`GEN3_DIFFERENCE`].
pub fn leaves_encoding_out(at: &At) -> bool {
    at.number("gen").is_some_and(|number| number >= 3.0)
}

fn information_rate(speed: LinkSpeed) -> Rate {
    let bits = if speed.generation < Generation::Gen3 { 0.8 } else { 1.0 };
    Rate(speed.signalled().0 * bits)
}

/// Truncates to a whole number. A value that is below a whole number only by rounding error counts as that number.
fn cut(value: f64) -> f64 {
    (value + 1e-9).floor()
}

fn payload(at: &At) -> Result<f64, (String, String)> {
    let legal = |n: &f64| *n >= 4.0 && *n <= 4096.0 && *n % 4.0 == 0.0;
    at.number("payload").filter(legal).ok_or_else(|| wrong(at, "payload", "whole double words from 4 to 4096 bytes"))
}

fn generation(at: &At) -> Result<Generation, (String, String)> {
    let known = at.get("gen").and_then(|text| text.parse().ok()).and_then(Generation::from_number);
    known.ok_or_else(|| wrong(at, "gen", "1, 2, 3, 4 or 5"))
}

fn width(at: &At) -> Result<Width, (String, String)> {
    let known = at.get("lanes").and_then(|text| text.parse().ok()).and_then(Width::new);
    known.ok_or_else(|| wrong(at, "lanes", "1, 2, 4, 8, 12, 16 or 32"))
}

fn wrong(at: &At, axis: &str, right: &str) -> (String, String) {
    let what = match at.get(axis) {
        Some(value) => format!("`{axis}` cannot be `{value}`"),
        None => format!("the axis `{axis}` is missing"),
    };
    (what, format!("{axis} is {right}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> At {
        At::parse(text).unwrap()
    }

    #[test]
    fn the_paper_leaves_128b130b_out_at_gen3_and_the_standard_does_not() {
        let answer = rosta(Quantity::InformationRate, &at("gen=3;lanes=8")).unwrap();
        assert_eq!(answer.formula, 7629.0);
        assert!((answer.standard - 7629.39 * 128.0 / 130.0).abs() < 0.01);
        let gen2 = rosta(Quantity::InformationRate, &at("gen=2;lanes=8")).unwrap();
        assert_eq!((gen2.formula, gen2.standard.floor()), (3814.0, 3814.0));
    }

    #[test]
    fn a_fraction_is_cut_to_three_digits() {
        assert_eq!(rosta(Quantity::Fraction, &at("payload=16")).unwrap().formula, 0.41);
        assert_eq!(rosta(Quantity::Fraction, &at("payload=8")).unwrap().formula, 0.258);
    }

    #[test]
    fn an_axis_that_is_wrong_missing_or_unknown_is_told_with_what_would_be_right() {
        let told = |text: &str| rosta(Quantity::PayloadRate, &at(text)).unwrap_err();
        assert_eq!(told("gen=9;lanes=8;payload=128").1, "gen is 1, 2, 3, 4 or 5");
        assert_eq!(told("gen=1;lanes=8").0, "the axis `payload` is missing");
        assert_eq!(told("gen=1;lanes=8;payload=128;size=4").0, "`payload_rate` has no axis `size`");
    }
}
