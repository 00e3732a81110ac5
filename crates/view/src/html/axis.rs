//! Axes of charts: the positions of values, and which values have labels.

/// A linear axis, from zero or a round number to a round number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Linear {
    pub least: f64,
    pub most: f64,
    pub step: f64,
}

impl Linear {
    /// An axis from zero to the first round number not below `most`, in about `parts` steps of 1, 2, 2.5 or 5 times a
    /// power of ten.
    pub fn to(most: f64, parts: f64) -> Linear {
        let most = if most > 0.0 { most } else { 1.0 };
        let rough = most / parts;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|m| m * power).find(|step| *step >= rough * 0.999);
        let step = step.unwrap_or(10.0 * power);
        Linear { least: 0.0, most: (most / step - 1e-9).ceil() * step, step }
    }

    /// An axis from a round number not above `least` to one not below `most`. `None` where the two are equal, or where
    /// the picture would be less than twice as large as with an axis from zero.
    pub fn between(least: f64, most: f64, parts: f64) -> Option<Linear> {
        if !(least.is_finite() && most > least && least > most / 2.0) {
            return None;
        }
        let step = Linear::to(most - least, parts).step;
        let (low, high) = ((least / step + 1e-9).floor(), (most / step - 1e-9).ceil());
        Some(Linear { least: low * step, most: high * step, step })
    }

    /// The labelled values.
    pub fn ticks(self) -> impl Iterator<Item = f64> {
        let first = (self.least / self.step).round();
        let count = (self.most / self.step).round() - first;
        (0..=count as u32).map(move |k| (first + f64::from(k)) * self.step)
    }

    /// A value as text, with as few digits as the steps allow.
    pub fn print(self, value: f64) -> String {
        let digits = (-self.step.log10().floor()).max(0.0) as usize;
        let digits = if (self.step * 10f64.powi(digits as i32)).fract() > 1e-9 { digits + 1 } else { digits };
        format!("{value:.digits$}")
    }
}

/// The values of an experiment's axis, from left to right.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Across {
    pub values: Vec<String>,
    /// The position of each value, from 0 to 1.
    pub places: Vec<f64>,
    /// False where the values are words, which have nothing between them.
    pub numbers: bool,
}

impl Across {
    /// Places the values. If all are numbers, they are placed by size, or logarithmically where their range is large.
    /// Words are placed side by side.
    pub fn of(values: Vec<String>) -> Across {
        let numbers: Option<Vec<f64>> = values.iter().map(|value| value.parse().ok()).collect();
        let rising = |numbers: &Vec<f64>| numbers.is_sorted() && numbers.len() > 1 && numbers[0] >= 0.0;
        let numbers = numbers.filter(rising);
        let are_numbers = numbers.is_some();
        let places = match numbers {
            Some(numbers) => by_size(&numbers),
            None => {
                let gaps = values.len().saturating_sub(1).max(1) as f64;
                (0..values.len()).map(|k| if values.len() == 1 { 0.5 } else { k as f64 / gaps }).collect()
            }
        };
        Across { values, places, numbers: are_numbers }
    }
}

fn by_size(numbers: &[f64]) -> Vec<f64> {
    let (least, most) = (numbers[0], numbers[numbers.len() - 1]);
    let far = least > 0.0 && most / least >= 8.0;
    let scale = |value: f64| if far { value.log2() } else { value };
    let span = (scale(most) - scale(least)).max(f64::MIN_POSITIVE);
    numbers.iter().map(|&value| (scale(value) - scale(least)) / span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_the_named_values_round_and_not_below_the_greatest() {
        for most in [0.9, 1.0, 7.3, 1600.0, 2384.0, 0.034, 99999.0] {
            let axis = Linear::to(most, 5.0);
            assert!(axis.most >= most * 0.999 && axis.most < most * 1.6, "{most}: {axis:?}");
            assert!((3..=8).contains(&axis.ticks().count()), "{most}: {axis:?}");
        }
        assert_eq!(Linear::to(1600.0, 5.0).ticks().map(|t| Linear::to(1600.0, 5.0).print(t)).last().unwrap(), "2000");
        assert_eq!(Linear::to(0.9, 4.0).print(0.25), "0.25");
    }

    #[test]
    fn does_an_axis_of_near_values_begin_near_them() {
        let axis = Linear::between(1502.3, 1603.0, 5.0).unwrap();
        assert_eq!((axis.least, axis.most, axis.step), (1500.0, 1625.0, 25.0));
        assert_eq!(axis.ticks().collect::<Vec<_>>(), [1500.0, 1525.0, 1550.0, 1575.0, 1600.0, 1625.0]);
        assert_eq!(Linear::between(0.0, 1600.0, 5.0), None, "from zero it is as large");
        assert_eq!(Linear::between(5.0, 5.0, 5.0), None, "nothing lies between");
        assert_eq!(Linear::between(f64::INFINITY, 0.0, 5.0), None, "no values");
    }

    #[test]
    fn where_do_numbers_and_words_lie() {
        let places = |values: &[&str]| Across::of(values.iter().map(ToString::to_string).collect()).places;
        assert_eq!(places(&["1", "2", "4", "16"]), [0.0, 0.25, 0.5, 1.0]);
        assert_eq!(places(&["1", "2", "5"]), [0.0, 0.25, 1.0]);
        assert_eq!(places(&["1", "2", "ring8"]), [0.0, 0.5, 1.0]);
        assert_eq!(places(&["x"]), [0.5]);
    }
}
