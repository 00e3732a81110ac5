//! The formats of trace files.

use std::path::Path;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Packets for Wireshark and tshark.
    Pcapng,
    /// Tracks for Perfetto's viewer, in its native protobuf format.
    Perfetto,
    /// The symbols of every lane of one direction.
    Symbols,
}

/// A file name with an unknown extension.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` does not say which format the trace is to have")]
pub struct UnknownFormat(pub String);

impl Format {
    /// The format for a file name: `.pcapng`, or `.perfetto`, `.pftrace`, `.perfetto-trace`, or `.symbols`.
    ///
    /// # Errors
    /// Any other extension.
    pub fn of(path: &Path) -> Result<Format, UnknownFormat> {
        match path.extension().and_then(|end| end.to_str()) {
            Some("pcapng") => Ok(Format::Pcapng),
            Some("perfetto" | "pftrace" | "perfetto-trace") => Ok(Format::Perfetto),
            Some("symbols") => Ok(Format::Symbols),
            _ => Err(UnknownFormat(path.display().to_string())),
        }
    }
}
