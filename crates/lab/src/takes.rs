//! What goes into a port, by its name: a description says the form of a slot in no other way. Ports of other names take any card,
//! and a drive on an adapter.

/// What goes into a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// The machine's own controller for SATA.
    Sata,
    /// A drive that is an endpoint itself, and no card.
    Drive,
    /// No drive: a link to a chipset or another socket, or a form in which there are none.
    None,
    /// Any card.
    Card,
}

/// What the beginning of a port's name says of what goes in. No other letter follows it.
const NAMES: [(&str, Takes); 19] = [
    ("sata", Takes::Sata),
    ("ahci", Takes::Sata),
    ("m2", Takes::Drive),
    ("u2", Takes::Drive),
    ("u3", Takes::Drive),
    ("e1", Takes::Drive),
    ("e3", Takes::Drive),
    ("edsff", Takes::Drive),
    ("nvme", Takes::Drive),
    ("dmi", Takes::None),
    ("chipset", Takes::None),
    ("upi", Takes::None),
    ("qpi", Takes::None),
    ("xgmi", Takes::None),
    ("usb", Takes::None),
    ("ocp", Takes::None),
    ("wifi", Takes::None),
    ("wlan", Takes::None),
    ("lan", Takes::None),
];

impl Takes {
    /// By the name of the port, as in `chipset.sata[1]`, or without its part.
    pub fn of(port: &str) -> Takes {
        let kind = port.rsplit_once('.').map_or(port, |(_, name)| name).to_ascii_lowercase();
        let says = |word: &str| {
            let rest = kind.strip_prefix(word);
            rest.is_some_and(|rest| {
                word.ends_with(|c: char| c.is_ascii_digit()) || !rest.starts_with(char::is_alphabetic)
            })
        };
        NAMES.iter().find(|(word, _)| says(word)).map_or(Takes::Card, |(_, takes)| *takes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_what_a_port_takes_read_from_the_whole_word() {
        for (name, takes) in [
            ("sata", Takes::Sata),
            ("SATA_1", Takes::Sata),
            ("m2", Takes::Drive),
            ("m2a", Takes::Drive),
            ("M2_1", Takes::Drive),
            ("e1s", Takes::Drive),
            ("dmi", Takes::None),
            ("lan1", Takes::None),
            ("lane", Takes::Card),
            ("pcie", Takes::Card),
            ("slot_0000_00_1c_4", Takes::Card),
            ("a", Takes::Card),
            ("chipset.sata[1]", Takes::Sata),
            ("host.slot1", Takes::Card),
        ] {
            assert_eq!(Takes::of(name), takes, "{name}");
        }
    }
}
