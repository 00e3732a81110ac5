//! Figures written as exactly as they are known.

use system::Scale;

/// `number` rounded to `resolution`, in its shortest form.
pub fn rounded(scale: Scale, number: f64, resolution: f64) -> String {
    let near = |unit: f64| {
        let digits = (unit / resolution).log10().ceil().clamp(0.0, 9.0) as usize;
        format!("{:.digits$}", (number / resolution).round() * resolution / unit)
    };
    match scale {
        Scale::Time if number >= 1e10 => format!("{} us", near(1e9)),
        Scale::Time => format!("{} ns", near(1e6)),
        Scale::Rate => format!("{} MB/s", near(1e6)),
        Scale::Frequency => format!("{} MHz", near(1e6)),
        _ => scale.write(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_found_figure_is_written_as_exactly_as_it_is_known() {
        assert_eq!(rounded(Scale::Time, 766_345_678.0, 1e5), "766.3 ns");
        assert_eq!(rounded(Scale::Time, 766_345_678.0, 1e6), "766 ns");
        assert_eq!(rounded(Scale::Time, 766_345_678.0, 1e7), "770 ns");
        assert_eq!(rounded(Scale::Time, 23_456_000_000.0, 1e8), "23.5 us");
        assert_eq!(rounded(Scale::Rate, 412_345_678.0, 1e5), "412.3 MB/s");
    }
}
