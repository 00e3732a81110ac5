//! The files of published figures that are built into the program.

/// A bundled CSV file.
pub(crate) struct File {
    /// Its path in the source.
    pub path: &'static str,
    /// Its contents.
    pub text: &'static str,
    /// One line, for people.
    pub about: &'static str,
    /// True where its rows are compared unless others are asked for.
    pub usual: bool,
}

/// The bundled files. The name of a set is the file's name without folder and extension.
pub(crate) const FILES: [File; 6] = [
    File {
        path: "reference/kfcr.csv",
        text: include_str!("../../../reference/kfcr.csv"),
        about: "An FPGA card with two soft cores in two hosts of 2008",
        usual: true,
    },
    File {
        path: "reference/rosta.csv",
        text: include_str!("../../../reference/rosta.csv"),
        about: "Eight Virtex-7 cards behind three switches",
        usual: true,
    },
    File {
        path: "reference/pciebench.csv",
        text: include_str!("../../../reference/pciebench.csv"),
        about: "A network processor's DMA engine in a Xeon server, commands of many sizes and places",
        usual: false,
    },
    File {
        path: "reference/ahci.csv",
        text: include_str!("../../../reference/ahci.csv"),
        about: "Disks behind AHCI cards on one lane, in slots of a chipset",
        usual: true,
    },
    File {
        path: "reference/bit-nvme.csv",
        text: include_str!("../../../reference/bit-nvme.csv"),
        about: "NVMe hosts in the logic of three FPGA boards, one and two drives",
        usual: true,
    },
    File {
        path: "reference/e5-storage.csv",
        text: include_str!("../../../reference/e5-storage.csv"),
        about: "SATA SSDs on a chipset and on an adapter on lanes of the CPU",
        usual: true,
    },
];
