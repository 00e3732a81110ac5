//! Published figures: rows of a CSV with the columns system, experiment, at, metric, value, unit, source, note.

use crate::at::At;
use crate::bundled::FILES;
use crate::error::Error;
use crate::metric::Metric;
pub use crate::place::RowPlace;
use crate::span::Span;
use crate::unit::Unit;
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

/// The columns, in the order in which they are written.
pub const COLUMNS: [&str; 8] = ["system", "experiment", "at", "metric", "value", "unit", "source", "note"];

/// One file of published figures.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The file's name without folder and extension, as in `rosta`.
    pub name: String,
    /// The rows, in the order of the file.
    pub rows: Vec<Row>,
}

/// One published figure.
#[derive(Clone, Debug)]
pub struct Row {
    /// The machine: the name of a bundled one, or a file.
    pub system: String,
    /// The name of the experiment.
    pub experiment: String,
    /// The point of the experiment.
    pub at: At,
    /// The measured quantity.
    pub metric: Metric,
    /// The value or the range.
    pub value: Span,
    /// The unit of the value.
    pub unit: Unit,
    /// The publication.
    pub source: String,
    /// A remark.
    pub note: String,
    /// The place of the row in its file.
    pub place: RowPlace,
}

impl Row {
    /// The row with its value converted to `unit`, if its metric takes that unit.
    #[must_use]
    pub fn told_in(mut self, unit: Unit) -> Row {
        if let Some(factor) = self.unit.to(unit).filter(|_| self.metric.quality.takes(unit) && self.unit != unit) {
            self.value = self.value.scaled(factor);
            self.unit = unit;
        }
        self
    }
}

impl Reference {
    /// Converts all rows to one unit, if one is given.
    pub fn told_in(&mut self, unit: Option<Unit>) {
        if let Some(unit) = unit {
            self.rows = std::mem::take(&mut self.rows).into_iter().map(|row| row.told_in(unit)).collect();
        }
    }
}

/// Converts all rows of some files to one unit, if one is given.
pub fn told_in(mut references: Vec<Reference>, unit: Option<Unit>) -> Vec<Reference> {
    references.iter_mut().for_each(|reference| reference.told_in(unit));
    references
}

impl Row {
    /// True if two rows have the same contents, at any places.
    pub fn is_same(&self, other: &Row) -> bool {
        (&self.system, &self.experiment, &self.at, self.metric, self.value, self.unit)
            == (&other.system, &other.experiment, &other.at, other.metric, other.value, other.unit)
    }
}

/// The default unit for the rates of a machine: that of its published figures.
pub fn unit_of_machine(name: &str, references: &[Reference]) -> Unit {
    let rows = references.iter().flat_map(|reference| &reference.rows).filter(|row| row.system == name);
    rows.map(|row| row.unit).find(|unit| unit.is_rate()).unwrap_or(Unit::MibPerS)
}

/// All bundled references.
///
/// # Errors
/// An error in a bundled file; none otherwise.
pub fn bundled() -> Result<Vec<Reference>, Error> {
    FILES.iter().map(|file| parse(file.path, file.text)).collect()
}

/// The bundled references that are compared unless others are asked for.
///
/// # Errors
/// As [`bundled`].
pub fn usual() -> Result<Vec<Reference>, Error> {
    FILES.iter().filter(|file| file.usual).map(|file| parse(file.path, file.text)).collect()
}

/// The bundled reference of that name, as in `kfcr`.
pub fn bundled_named(name: &str) -> Option<&'static Reference> {
    static ALL: std::sync::OnceLock<Vec<Reference>> = std::sync::OnceLock::new();
    // An error in a bundled file is reported to callers of [`bundled`].
    ALL.get_or_init(|| bundled().unwrap_or_default()).iter().find(|reference| reference.name == name)
}

/// Reads a file of the user. A system that is a file is looked for beside the table first.
///
/// # Errors
/// A file that cannot be read, and everything that [`parse`] refuses.
pub fn load(path: &Path) -> Result<Reference, Error> {
    let text =
        std::fs::read_to_string(path).map_err(|source| Error::Read { file: path.display().to_string(), source })?;
    let mut reference = parse(&path.display().to_string(), &text)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        reference.rows.iter_mut().for_each(|row| row.system = beside(folder, &row.system));
    }
    Ok(reference)
}

/// The system of a row: a file beside the table, where there is one of that name; else as written.
fn beside(folder: &Path, system: &str) -> String {
    let path = folder.join(system);
    let is_beside = !system.is_empty() && system::bundled::names().all(|name| name != system) && path.is_file();
    if is_beside { path.display().to_string() } else { system.to_string() }
}

/// Reads a file of the user, or a bundled file by its name, as in `kfcr.csv`.
///
/// # Errors
/// As [`load`].
pub fn open(path: &Path) -> Result<Reference, Error> {
    let bundled = FILES.iter().find(|file| Path::new(file.path).ends_with(path));
    match bundled.filter(|_| !path.exists()) {
        Some(file) => parse(file.path, file.text),
        None => load(path),
    }
}

/// The mark that some programs write at the start of a text in UTF-8 (byte order mark).
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Parses the rows of a CSV. Lines end with LF or CRLF; a byte order mark before the first column is not read. Systems,
/// experiments and axes are not looked up here.
///
/// # Errors
/// Columns other than [`COLUMNS`], and a row with a field that cannot be parsed.
pub fn parse(file: &str, text: &str) -> Result<Reference, Error> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let (file_name, text): (Arc<str>, Arc<str>) = (file.into(), text.into());
    // After CRLF the reader's position is before the LF; the row begins after it.
    let first = |at: usize| at + text[at..].len() - text[at..].trim_start_matches(['\r', '\n']).len();
    // Rows come in order: lines are counted from the row before.
    let before = Cell::new((0, 1));
    let place = |position: Option<&csv::Position>| {
        let start = position.map_or(0, |p| first((p.byte() as usize).min(text.len())));
        let (from, line) = if before.get().0 <= start { before.get() } else { (0, 1) };
        let line = line + text[from..start].matches('\n').count() as u64;
        before.set((start, line));
        RowPlace { file: file_name.clone(), text: text.clone(), line, start }
    };
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let wanted = format!("the columns are {}", COLUMNS.join(","));
    let head = reader.headers().map_err(|e| place(e.position()).error(e.to_string(), wanted.clone()))?;
    if head.iter().map(str::trim).ne(COLUMNS) {
        let found = head.iter().collect::<Vec<_>>().join(",");
        return Err(place(None).error(format!("the columns are `{found}`"), wanted));
    }
    let rows = reader.records().map(|record| {
        let record = record.map_err(|e| place(e.position()).error(e.to_string(), wanted.clone()))?;
        row(&record, place(record.position()))
    });
    let stem = Path::new(file).file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    Ok(Reference { name: stem, rows: rows.collect::<Result<_, _>>()? })
}

fn row(record: &csv::StringRecord, place: RowPlace) -> Result<Row, Error> {
    if record.len() != COLUMNS.len() {
        let what = format!("the row has {} fields", record.len());
        return Err(place.error(what, format!("it has {}: {}", COLUMNS.len(), COLUMNS.join(","))));
    }
    let field = |n: usize| record.get(n).unwrap_or_default().trim().to_string();
    let at = At::parse(&field(2)).map_err(|piece| {
        place.error(
            format!("`{piece}` in `at` says nothing"),
            "axis=value pairs joined by `;`, each axis once, as in `lanes=8;size=4096`",
        )
    })?;
    let metric = Metric::from_word(&field(3)).ok_or_else(|| {
        let right = format!("one of {}, or one of them with `_below` or `_above` behind it", Metric::words());
        place.error(format!("the metric `{}` is unknown", field(3)), right)
    })?;
    let value = Span::parse(&field(4)).ok_or_else(|| {
        place.error(
            format!("the value `{}` is no number", field(4)),
            "a number or a range, as in `1603`, `1.5..2` or `64..`",
        )
    })?;
    if value.high.is_none_or(|high| high == 0.0) && value.low == 0.0 {
        return Err(place.error("the value is zero", "a figure that something can be compared with"));
    }
    let unit = Unit::from_word(&field(5)).filter(|&unit| metric.quality.takes(unit)).ok_or_else(|| {
        let fitting = Unit::ALL.into_iter().filter(|&u| metric.quality.takes(u)).map(Unit::word);
        let right = format!("{} is counted in {}", metric.word(), fitting.collect::<Vec<_>>().join(" or "));
        place.error(format!("the unit `{}` does not fit", field(5)), right)
    })?;
    let (system, experiment) = (field(0), field(1));
    Ok(Row { system, experiment, at, metric, value, unit, source: field(6), note: field(7), place })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "system,experiment,at,metric,value,unit,source,note\n";

    #[test]
    fn the_bundled_files_are_read_whole() {
        let rows: Vec<usize> = bundled().unwrap().iter().map(|r| r.rows.len()).collect();
        assert_eq!(rows, [38, 74, 2532, 7, 7, 10]);
    }

    #[test]
    fn a_row_that_says_nothing_is_an_error_with_its_line_and_what_would_be_right() {
        let error = |line: &str| parse("own.csv", &format!("{HEAD}{line}\n")).unwrap_err();
        let no_number = error("rosta-rb8v7,p2p-write,flows=1,throughput,fast,MiB/s,me,");
        assert_eq!(no_number.to_string(), "own.csv:2: the value `fast` is no number");
        let metric = error("rosta-rb8v7,p2p-write,flows=1,speed,1,MiB/s,me,");
        assert!(metric.right().contains("throughput_per_flow"), "{}", metric.right());
        let unit = error("rosta-rb8v7,p2p-write,flows=1,latency,1,MiB/s,me,");
        assert_eq!(unit.right(), "latency is counted in ns or us");
        let rate = error("rosta-rb8v7,p2p-write,flows=1,throughput,1,furlongs,me,");
        assert_eq!(rate.right(), "throughput is counted in MB/s or MiB/s or GB/s or GiB/s or Gbit/s or IOPS");
        assert_eq!(error("a,b,c").to_string(), "own.csv:2: the row has 3 fields");
        assert_eq!(error("a,b,flows,latency,1,ns,me,").to_string(), "own.csv:2: `flows` in `at` says nothing");
    }

    #[test]
    fn rows_with_crlf_and_a_byte_order_mark_are_those_of_a_plain_file_and_errors_name_the_same_row() {
        let plain = format!("{HEAD}a,b,size=1,latency,1,ns,me,\n\na,b,size=2,latency,2,ns,me,\n");
        let windows = format!("\u{feff}{}", plain.replace('\n', "\r\n"));
        let read = |text: &str| parse("own.csv", text).unwrap().rows;
        let (ours, theirs) = (read(&plain), read(&windows));
        assert_eq!(ours.len(), 2);
        for (a, b) in ours.iter().zip(&theirs) {
            assert!(a.is_same(b));
            assert_eq!((a.place.line, b.note.as_str()), (b.place.line, ""));
            assert!(b.place.text[b.place.start..].starts_with("a,b,size="), "{:?}", &b.place.text[b.place.start..]);
        }
        assert_eq!((ours[0].place.line, ours[1].place.line), (2, 4));
        let broken = windows.replace("size=2", "size");
        assert_eq!(parse("own.csv", &broken).unwrap_err().to_string(), "own.csv:4: `size` in `at` says nothing");
    }

    #[test]
    fn other_columns_are_refused() {
        let error = parse("own.csv", "system,at\n").unwrap_err();
        assert_eq!(error.to_string(), "own.csv:1: the columns are `system,at`");
    }
}
