//! The files of published figures that are built into the program.

/// A bundled CSV file.
pub(crate) struct File {
    /// Its path in the source.
    pub path: &'static str,
    /// Its contents.
    pub text: &'static str,
    /// One line, for people.
    pub about: &'static str,
}

/// The bundled files. The name of a set is the file's name without folder and extension.
pub(crate) const FILES: [File; 2] = [
    File {
        path: "reference/kfcr.csv",
        text: include_str!("../../../reference/kfcr.csv"),
        about: "An FPGA card with two soft cores in two hosts of 2008",
    },
    File {
        path: "reference/rosta.csv",
        text: include_str!("../../../reference/rosta.csv"),
        about: "Eight Virtex-7 cards behind three switches",
    },
];
