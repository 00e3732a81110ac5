//! One unknown figure: what it is, where the search starts, and its range.

use crate::error::Error;
use crate::fit::inside::inside;
use crate::machine::DescribedMachine;
use crate::path;
use pcie::PayloadSize;
use system::{FieldType, Origin, Scale};

/// The longest latency of a part (fs).
const MOST_TIME_FS: f64 = 1e16;
/// The delay of a 200 m cable (fs), the longest that a description accepts.
const MOST_PROPAGATION_FS: f64 = 1e9;
/// The start of a time that is described as zero (fs).
const FIRST_TIME_FS: f64 = 1e8;
/// The start of a rate that is described as infinite: about one Gen3 lane (bytes a second).
const FIRST_RATE: f64 = 1e9;
/// The start of a frequency that is described as infinite (Hz).
const FIRST_FREQUENCY: f64 = 2.5e8;
/// The start of a size or a count that is described as infinite.
const FIRST_COUNT: f64 = 4096.0;
/// The range of a scan: this many factors of two in each direction from the start.
const SCAN_OCTAVES: i32 = 5;

/// Whole numbers up to this one are tried one by one.
const FIRST_WHOLE: u32 = 16;
/// Above this number, counts are tried in equal ratios, a fixed number of them per octave.
const FIRST_STEPPED: f64 = 16.0;
const STEPS: f64 = 8.0;

/// One unknown figure.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The path, as in `host.read_latency`. Several paths that share one number are joined by `+`, as in
    /// `card.tx_latency+card.rx_latency`. A port is named as in `host.a.port_cap`, a choice of an axis as in
    /// `axes.core.p.card.command_latency`.
    pub path: String,
    /// The paths for overrides.
    paths: Vec<String>,
    /// The values to choose from; `None` if any legal value may be taken.
    choices: Option<Vec<String>>,
    /// The type of the quantity.
    pub scale: Scale,
    /// The described value and its origin.
    pub described: (String, Origin),
    /// The start of the search.
    pub start: String,
    /// The least legal value.
    pub least: f64,
    /// The greatest legal value.
    pub most: f64,
}

impl Parameter {
    /// The figure that `path` names. It starts at `start`, or else at its described value.
    ///
    /// # Errors
    /// A path that names no figure; a start that is not a legal value of it.
    pub fn new(machine: &DescribedMachine, path: &str, start: Option<&str>) -> Result<Parameter, Error> {
        let first_path = path.split('+').next().unwrap_or(path).trim();
        let propagation = path.starts_with("links.") && path.ends_with(".propagation");
        let (scale, described, origin) = if propagation {
            (Scale::Time, "0 ns".to_string(), Origin::Default)
        } else {
            let figure = match inside(machine, first_path)? {
                Some(inside) => inside.figure,
                None => path::figure(&machine.description().system()?, first_path)?,
            };
            (figure.field.scale, figure.value, figure.origin)
        };
        let mut paths: Vec<String> = Vec::new();
        for one in path.split('+').map(str::trim) {
            paths.extend(inside(machine, one)?.map_or_else(|| vec![one.to_string()], |inside| inside.paths));
        }
        let start = start.map_or_else(|| first(scale, &described), str::to_string);
        let words = matches!(scale, Scale::Words(_) | Scale::Switch);
        if !words && scale.number(&start).is_none() {
            let expects = expects(scale);
            return Err(Error::asked(format!("`{start}` is no start for {path}"), format!("write {expects}")));
        }
        // An illegal value is reported here, with its place.
        machine.with(sets(&paths, &start))?.description().system()?;
        let most = match scale {
            Scale::Time if propagation => MOST_PROPAGATION_FS,
            Scale::Time => MOST_TIME_FS,
            Scale::Ppm => 1e4,
            _ => f64::INFINITY,
        };
        let least = if matches!(scale, Scale::Rate | Scale::Frequency) { 1.0 } else { 0.0 };
        let described = (described, origin);
        Ok(Parameter { path: path.to_string(), paths, choices: None, scale, described, start, least, most })
    }
    /// The same figure, which takes one of `values` and no other. The search starts at the start if that is one of
    /// them, and else at the first.
    ///
    /// # Errors
    /// A value that is not legal, or fewer than two.
    pub fn choosing(mut self, machine: &DescribedMachine, values: &[String]) -> Result<Parameter, Error> {
        if values.len() < 2 {
            let what = format!("`{}` is to choose from fewer than two values", self.path);
            return Err(Error::asked(what, format!("list them, as in `--choose {}=64,256`", self.path)));
        }
        for value in values {
            if !matches!(self.scale, Scale::Words(_) | Scale::Switch) && self.scale.number(value).is_none() {
                let what = format!("`{value}` is no value of {}", self.path);
                return Err(Error::asked(what, format!("write {}", expects(self.scale))));
            }
            machine.with(sets(&self.paths, value))?.description().system()?;
        }
        let same =
            |value: &&String| **value == self.start || self.scale.number(value) == self.scale.number(&self.start);
        let is_start = |value: &&String| same(value) && (self.scale.number(value).is_some() || **value == self.start);
        self.start.clone_from(values.iter().find(is_start).unwrap_or(&values[0]));
        self.choices = Some(values.to_vec());
        Ok(self)
    }
    /// The overrides that give a value to all paths of the parameter.
    pub(crate) fn sets(&self, value: &str) -> Vec<String> {
        sets(&self.paths, value)
    }
    /// True if the value is continuous.
    pub fn is_continuous(&self) -> bool {
        self.scale.is_continuous() && self.choices.is_none()
    }
    /// The neighbours of a value that is not continuous.
    pub(crate) fn beside(&self, value: &str) -> Vec<String> {
        match &self.choices {
            Some(values) => values.iter().filter(|other| *other != value).cloned().collect(),
            None => self.scale.beside(value),
        }
    }
    /// The unit of the search: the expected size of the figure.
    pub fn unit(&self) -> f64 {
        self.scale.number(&self.start).filter(|&n| n > 0.0).unwrap_or(1.0)
    }
    /// Values over a wide range around the start, to find the minimum that the search then approaches.
    pub fn scan(&self) -> Vec<String> {
        if self.choices.is_some() || matches!(self.scale, Scale::Words(_) | Scale::Switch) {
            return self.beside(&self.start);
        }
        let unit = self.unit();
        let octaves = (-SCAN_OCTAVES..=SCAN_OCTAVES).map(|n| unit * f64::from(n).exp2());
        let legal = octaves.filter(|&n| n >= self.least && n <= self.most);
        let whole = |n: f64| self.is_continuous() || n.fract() == 0.0;
        legal.filter(|&n| whole(n)).map(|n| self.scale.write(n)).collect()
    }
    /// Every value at which a count or a word is tried. All words and sizes; whole numbers each up to 16. Above that,
    /// and for sizes in bytes, eight values per octave over the range of a scan.
    pub fn grid(&self) -> Vec<String> {
        if let Some(values) = &self.choices {
            return values.clone();
        }
        let all: Vec<String> = match self.scale {
            Scale::Words(words) => words.iter().map(|word| (*word).to_string()).collect(),
            Scale::Switch => vec!["no".into(), "yes".into()],
            Scale::Size => PayloadSize::ALL.into_iter().map(|size| size.print()).collect(),
            _ => {
                let [low, high] = [-SCAN_OCTAVES, SCAN_OCTAVES].map(|n| self.unit() * f64::from(n).exp2());
                let least = if let Scale::Whole(least) = self.scale { least as f64 } else { 1.0 };
                let first = if let Scale::Whole(_) = self.scale { FIRST_WHOLE } else { 0 };
                let by_ratio = (0..).map(|n| FIRST_STEPPED * (f64::from(n) / STEPS).exp2()).take_while(|&n| n <= high);
                let stepped = by_ratio.map(f64::round).filter(|&n| n >= low || first > 0);
                let numbers = (0..=first).map(f64::from).chain(stepped).filter(|&n| n >= least);
                numbers.map(|n| self.scale.write(n)).collect()
            }
        };
        let mut seen = std::collections::BTreeSet::new();
        all.into_iter().filter(|text| seen.insert(text.clone())).collect()
    }
    /// A continuous value, limited to the range.
    pub fn clamp(&self, number: f64) -> f64 {
        number.clamp(self.least, self.most)
    }
}

fn sets(paths: &[String], value: &str) -> Vec<String> {
    paths.iter().map(|path| format!("{path}={value}")).collect()
}

/// The start of the search if none is given.
fn first(scale: Scale, described: &str) -> String {
    let first = match scale {
        Scale::Time => FIRST_TIME_FS,
        Scale::Rate => FIRST_RATE,
        Scale::Frequency => FIRST_FREQUENCY,
        Scale::Ppm => 100.0,
        _ => FIRST_COUNT,
    };
    match scale.number(described) {
        Some(number) if number > 0.0 || !scale.is_continuous() => described.to_string(),
        None if matches!(scale, Scale::Words(_) | Scale::Switch) => described.to_string(),
        _ => scale.write(first),
    }
}

fn expects(scale: Scale) -> &'static str {
    match scale {
        Scale::Time => pcie::Time::EXPECTS,
        Scale::Rate => pcie::Rate::EXPECTS,
        Scale::Bytes => pcie::Bytes::EXPECTS,
        Scale::Frequency => system::field::Frequency::EXPECTS,
        Scale::Ppm => system::field::Ppm::EXPECTS,
        Scale::Size => pcie::PayloadSize::EXPECTS,
        _ => u64::EXPECTS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_tried_at_each_number_and_further_up_by_ratios() {
        let machine = DescribedMachine::open("kfcr-5400", &[]).unwrap();
        let grid = |path: &str, start: &str| Parameter::new(&machine, path, Some(start)).unwrap().grid();
        let requests = grid("card.read_requests", "16");
        assert_eq!(requests[..16], std::array::from_fn::<_, 16, _>(|n| (n + 1).to_string()));
        assert_eq!(requests[16..20], ["17", "19", "21", "23"].map(String::from));
        assert_eq!(requests.last().map(String::as_str), Some("512"));
        assert_eq!(grid("card.read_request", "1024 B").len(), 6);
        assert_eq!(grid("card.fifo", "1 KiB")[..2], ["32 B", "35 B"].map(String::from));
    }

    #[test]
    fn a_figure_starts_where_it_is_described_or_somewhere_plausible() {
        let machine = DescribedMachine::open("kfcr-5400", &[]).unwrap();
        let start = |path: &str| Parameter::new(&machine, path, None).unwrap().start;
        assert_eq!((start("host.read_latency"), start("host.poll_interval")), ("766 ns".into(), "100 ns".into()));
        assert_eq!((start("host.port_cap"), start("card.read_requests")), ("1000 MB/s".into(), "1".into()));
        assert!(Parameter::new(&machine, "host.read_latency", Some("100")).unwrap_err().right().contains("unit"));
    }
}
