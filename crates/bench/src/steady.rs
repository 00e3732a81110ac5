//! Whether the rate of a run stayed what it was.

/// Parts of a run whose rates are compared.
pub(crate) const PARTS: usize = 10;
/// How far parts may be from their mean, and how far a line through them may rise or fall from the first to the last: both of
/// the mean. So the Performance Test Specification of SNIA states it for its rounds: 20 % from the lowest to the highest, and a
/// slope of 10 %.
const AROUND: f64 = 0.1;
const SLOPE: f64 = 0.1;

/// What the parts of a run say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steadiness {
    /// All parts are within a tenth of the mean, and do not rise or fall by more than a tenth.
    Steady,
    /// They rise or fall: by so much of the mean over the run.
    Drifts(f64),
    /// They vary: the furthest is so much of the mean from it.
    Varies(f64),
}

impl Steadiness {
    /// Judges the rates of the parts of a run.
    pub fn of(rates: &[f64]) -> Steadiness {
        let count = rates.len() as f64;
        let mean = rates.iter().sum::<f64>() / count.max(1.0);
        if rates.len() < 2 || mean <= 0.0 {
            return Steadiness::Steady;
        }
        let middle = (count - 1.0) / 2.0;
        let place = |number: usize| number as f64 - middle;
        let (over, under) = rates.iter().enumerate().fold((0.0, 0.0), |(over, under), (number, rate)| {
            (over + place(number) * (rate - mean), under + place(number) * place(number))
        });
        let slope = over / under * (count - 1.0) / mean;
        let furthest = rates.iter().map(|rate| (rate / mean - 1.0).abs()).fold(0.0, f64::max);
        match () {
            () if slope.abs() > SLOPE => Steadiness::Drifts(slope),
            () if furthest > AROUND => Steadiness::Varies(furthest),
            () => Steadiness::Steady,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_rate_that_falls_or_varies_not_steady() {
        assert_eq!(Steadiness::of(&[100.0, 101.0, 99.0, 100.0]), Steadiness::Steady);
        assert_eq!(Steadiness::of(&[104.0, 102.0, 98.0, 96.0]), Steadiness::Steady, "8.4 % from the first to the last");
        let Steadiness::Drifts(slope) = Steadiness::of(&[120.0, 110.0, 100.0, 90.0, 80.0]) else { panic!("it falls") };
        assert!((slope + 0.4).abs() < 1e-9, "{slope}");
        let Steadiness::Varies(most) = Steadiness::of(&[100.0, 130.0, 100.0, 70.0, 100.0, 100.0, 100.0, 100.0]) else {
            panic!("it varies")
        };
        assert!((most - 0.3).abs() < 0.01, "{most}");
        assert_eq!(Steadiness::of(&[]), Steadiness::Steady);
    }
}
