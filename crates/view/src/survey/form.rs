//! The output forms of a survey. This list is the only place that defines them.

use crate::survey::lines::{csv, json, json_lines};
#[cfg(feature = "parquet")]
use crate::survey::parquet::parquet;
use lab::Error;
use lab::survey::Record;

/// A function that writes columns and rows.
type Writes = fn(&[String], &[&Record]) -> Result<Vec<u8>, Error>;

/// One output form.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The file extension that selects it.
    pub ending: &'static str,
    /// The function that writes it; `None` where this build does not include it.
    written: Option<Writes>,
    /// The feature of the crate `lanescope-cli` that includes it; `None` where it is always included.
    pub feature: Option<&'static str>,
}

/// All forms. The first is the default.
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
    /// The form for a file extension.
    pub fn of(ending: &str) -> Option<&'static Form> {
        FORMS.iter().find(|form| form.ending == ending)
    }

    /// True where this build includes the form.
    pub fn is_there(&self) -> bool {
        self.written.is_some()
    }

    /// Writes columns and rows in this form; the result is empty where this build does not include the form.
    ///
    /// # Errors
    /// What the form cannot represent.
    pub fn write(&self, columns: &[String], records: &[&Record]) -> Result<Vec<u8>, Error> {
        self.written.map_or_else(|| Ok(Vec::new()), |written| written(columns, records))
    }

    /// The extensions as text: `.csv, .json or .parquet`. With `all`, all of them; otherwise those in this build.
    pub fn endings(all: bool) -> String {
        let named: Vec<String> =
            FORMS.iter().filter(|form| all || form.is_there()).map(|form| format!(".{}", form.ending)).collect();
        match named.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => named.concat(),
        }
    }
}
