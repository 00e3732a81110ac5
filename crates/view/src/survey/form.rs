//! What the lines of a survey are written as: one entry of a list each, from which everything else that names them is made.

use crate::survey::lines::{csv, json, json_lines};
#[cfg(feature = "parquet")]
use crate::survey::parquet::parquet;
use lab::Error;
use lab::survey::Record;

/// Writes columns and lines.
type Writes = fn(&[String], &[&Record]) -> Result<Vec<u8>, Error>;

/// What lines are written as.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The ending of a file that asks for it.
    pub ending: &'static str,
    /// What writes columns and lines; `None` where this build leaves it out.
    written: Option<Writes>,
    /// The feature of the crate `lanescope-cli` that brings it, where it is not always there.
    pub feature: Option<&'static str>,
}

/// All of them; the first where nothing is asked for.
pub static FORMS: [Form; 4] = [
    Form { ending: "csv", written: Some(|columns, records| Ok(csv(columns, records).into_bytes())), feature: None },
    Form { ending: "json", written: Some(|columns, records| Ok(json(columns, records).into_bytes())), feature: None },
    Form {
        ending: "jsonl",
        written: Some(|columns, records| Ok(json_lines(columns, records).into_bytes())),
        feature: None,
    },
    #[cfg(feature = "parquet")]
    Form { ending: "parquet", written: Some(parquet), feature: Some("parquet") },
    #[cfg(not(feature = "parquet"))]
    Form { ending: "parquet", written: None, feature: Some("parquet") },
];

impl Form {
    /// The one of a file's ending.
    pub fn of(ending: &str) -> Option<&'static Form> {
        FORMS.iter().find(|form| form.ending == ending)
    }

    /// True where this build has it.
    pub fn is_there(&self) -> bool {
        self.written.is_some()
    }

    /// Columns and lines in it; nothing where this build leaves it out.
    ///
    /// # Errors
    /// What cannot be written so.
    pub fn write(&self, columns: &[String], records: &[&Record]) -> Result<Vec<u8>, Error> {
        self.written.map_or_else(|| Ok(Vec::new()), |written| written(columns, records))
    }

    /// The endings for people: `.csv, .json or .parquet`; those that are there, or all.
    pub fn endings(all: bool) -> String {
        let named: Vec<String> =
            FORMS.iter().filter(|form| all || form.is_there()).map(|form| format!(".{}", form.ending)).collect();
        match named.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => named.concat(),
        }
    }
}
