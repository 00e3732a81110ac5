//! Which format a file is written in.

use std::path::Path;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Packets for Wireshark and tshark.
    Pcapng,
    /// Tracks for Perfetto's viewer, in its native protobuf format.
    Perfetto,
}

/// A file whose name ends in no known way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` does not say which format the trace is to have")]
pub struct UnknownFormat(pub String);

impl Format {
    /// By the end of the file's name: `.pcapng`, or `.perfetto`, `.pftrace`, `.perfetto-trace`.
    ///
    /// # Errors
    /// Any other end.
    pub fn of(path: &Path) -> Result<Format, UnknownFormat> {
        match path.extension().and_then(|end| end.to_str()) {
            Some("pcapng") => Ok(Format::Pcapng),
            Some("perfetto" | "pftrace" | "perfetto-trace") => Ok(Format::Perfetto),
            _ => Err(UnknownFormat(path.display().to_string())),
        }
    }
}
