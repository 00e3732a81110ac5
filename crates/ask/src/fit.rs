//! What a fit is asked: `lanescope fit`.

use crate::error::{Complaint, Error};
use lab::fit::{Ask, By, Found};
use lab::{RowPattern, Selection, Unit, reference};
use std::path::Path;
use system::Scale;

/// The word of `--hold-out` for all rows that `--rows` leaves.
const REST: &str = "rest";

/// The options of a fit, as their text.
pub struct Asked<'a> {
    /// The paths of the unknown figures.
    pub params: &'a [String],
    /// The file of measurements, or the name of a bundled one.
    pub on: &'a str,
    /// Patterns of the rows to use.
    pub rows: &'a [String],
    /// Patterns of the rows to predict; `rest` for all that `rows` leaves.
    pub hold_out: &'a [String],
    /// Where the search starts: `PATH=VALUE`.
    pub start: &'a [String],
    /// The values that a figure is chosen from: `PATH=VALUE,VALUE`.
    pub choose: &'a [String],
    /// What computes the rows.
    pub by: By,
    /// The unit of rates; `None`: as the rows have them.
    pub told_in: Option<Unit>,
}

impl Asked<'_> {
    /// Reads the rows and parses the options.
    ///
    /// # Errors
    /// A row, pattern, start or choice that is wrong; a file that cannot be read.
    pub fn ask(&self) -> Result<Ask, Error> {
        let mut on = reference::open(Path::new(self.on))?;
        on.told_in(self.told_in);
        let starts = self.start.iter().map(|text| {
            pair(text).ok_or_else(|| {
                Complaint::new(format!("`--start {text}` says nothing"), "as in `--start host.read_latency=500ns`")
            })
        });
        let (rest, hold_out): (Vec<String>, Vec<String>) =
            self.hold_out.iter().cloned().partition(|text| text.trim() == REST);
        Ok(Ask {
            parameters: self.params.iter().map(|path| path.trim().to_string()).collect(),
            starts: starts.collect::<Result<_, _>>()?,
            choices: self.choose.iter().map(choice).collect::<Result<_, _>>()?,
            on,
            file: self.on.to_string(),
            rows: Selection { one_of: patterns(self.rows, "--rows")?, but: Vec::new() },
            hold_out: patterns(&hold_out, "--hold-out")?,
            hold_out_rest: !rest.is_empty(),
            by: self.by,
        })
    }
}

/// `PATH=VALUE`, both without blanks around them; `None` if one is missing.
fn pair(text: &str) -> Option<(String, String)> {
    let (path, value) = text.split_once('=')?;
    let [path, value] = [path, value].map(|half| half.trim().to_string());
    (!path.is_empty() && !value.is_empty()).then_some((path, value))
}

/// `PATH=VALUE,VALUE`.
fn choice(text: &String) -> Result<(String, Vec<String>), Complaint> {
    let wrong =
        || Complaint::new(format!("`--choose {text}` says nothing"), "as in `--choose card.read_requests=32,64`");
    let (path, values) = pair(text).ok_or_else(wrong)?;
    Ok((path, values.split(',').map(|value| value.trim().to_string()).filter(|value| !value.is_empty()).collect()))
}

fn patterns(texts: &[String], option: &str) -> Result<Vec<RowPattern>, Error> {
    let one = |text: &String| {
        RowPattern::parse(text).map_err(|word| {
            let right = "an experiment, `axis=value` pairs and a metric, as in `dma-read size=4096..`";
            Complaint::new(format!("`{word}` in `{option} {text}` says nothing"), right).into()
        })
    };
    texts.iter().map(one).collect()
}

/// An uncertainty with two significant digits.
pub fn written(scale: Scale, error: f64) -> String {
    let (unit, word) = match scale {
        Scale::Time => (1e6, "ns"),
        Scale::Rate => (1e6, "MB/s"),
        Scale::Frequency => (1e6, "MHz"),
        _ => (1.0, "ppm"),
    };
    let value = error / unit;
    let digits = (1.0 - value.abs().log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{value:.digits$} {word}")
}

/// The origin of a figure: the rows that it was fitted on, and its standard error.
pub fn origin(found: &Found, provenance: &str) -> String {
    let spread = found.uncertainty.map(|error| format!(", +- {}", written(found.parameter.scale, error)));
    format!("{provenance}{}", spread.unwrap_or_default())
}
