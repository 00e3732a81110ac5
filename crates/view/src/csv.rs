//! Tables as CSV.

/// A head and rows as CSV text.
pub fn text<R: IntoIterator<Item = String>>(columns: &[&str], rows: impl IntoIterator<Item = R>) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail, and every row has as many fields as the head.
    let _ = writer.write_record(columns);
    for row in rows {
        let _ = writer.write_record(row.into_iter().collect::<Vec<_>>());
    }
    String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()).into_owned()
}

/// A number as text; empty for `None`.
pub fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
