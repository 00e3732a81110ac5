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
    /// They rise or fall along a line: by so much of the mean from its first part to its last. A fall is below -1 where the
    /// rate drops at once; see [`Steadiness::told`].
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

impl Steadiness {
    /// What it does over the run, as in `falls by 40 %`; empty where it is steady. A fall is told of where the line begins, and
    /// is at most all of it; a rise is told of the mean.
    pub fn told(&self) -> String {
        match self {
            Steadiness::Drifts(slope) if *slope < 0.0 => {
                format!("falls by {:.0} %", 100.0 * (-slope / (1.0 - slope / 2.0)).min(1.0))
            }
            Steadiness::Drifts(slope) => format!("rises by {:.0} % of its mean", 100.0 * slope),
            Steadiness::Varies(most) => format!("varies by {:.0} %", 100.0 * most),
            Steadiness::Steady => String::new(),
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

    #[test]
    fn does_no_rate_fall_by_more_than_all_of_it() {
        let told = |rates: &[f64]| Steadiness::of(rates).told();
        assert_eq!(told(&[120.0, 110.0, 100.0, 90.0, 80.0]), "falls by 33 %");
        assert_eq!(told(&[1000.0, 400.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), "falls by 100 %");
        assert_eq!(told(&[80.0, 90.0, 100.0, 110.0, 120.0]), "rises by 40 % of its mean");
        assert_eq!(told(&[100.0; 10]), "");
    }
}
