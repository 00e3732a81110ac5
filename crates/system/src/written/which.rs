//! A range of ports of a part, as in `down[2..3]`.

use std::fmt;

/// Ports of a part: `down`, `down[2]` or `down[2..3]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Which {
    /// Their name, without an index.
    pub base: String,
    /// The first and the last index; `None` for all ports of that name.
    pub range: Option<(u64, u64)>,
}

impl Which {
    /// Splits `down[2].port_cap`; `None` where that is not a field of a port.
    pub fn split(path: &str) -> Option<(&str, &str)> {
        let dot = match path.find(['[', '.'])? {
            at if path[at..].starts_with('[') => at + path[at..].find(']')? + 1,
            at => at,
        };
        let field = path[dot..].trim_start().strip_prefix('.')?.trim();
        let port = path[..dot].trim();
        (!["ports", "slots", "setpci"].contains(&port)).then_some((port, field))
    }

    /// `None` for wrong syntax.
    pub fn parse(text: &str) -> Option<Which> {
        let (base, range) = match text.split_once('[') {
            None => (text, None),
            Some((base, inner)) => {
                let inner = inner.trim_end().strip_suffix(']')?;
                let (first, last) = inner.split_once("..").unwrap_or((inner, inner));
                let number = |text: &str| text.trim().parse::<u64>().ok();
                (base, Some((number(first)?, number(last)?)).filter(|(first, last)| first <= last)?.into())
            }
        };
        Some(Which { base: base.trim().to_string(), range })
    }

    /// True where the port with that name and index is in the range.
    pub fn holds(&self, base: &str, index: u64) -> bool {
        self.base == base && self.range.is_none_or(|(first, last)| (first..=last).contains(&index))
    }

    /// True where the ranges overlap and `self` is not a proper part of `other`.
    pub fn covers(&self, other: &Which) -> bool {
        let bounds = |which: &Which| which.range.unwrap_or((0, u64::MAX));
        let ((a, b), (c, d)) = (bounds(self), bounds(other));
        let is_exception = c <= a && b <= d && (a, b) != (c, d);
        self.base == other.base && a <= d && c <= b && !is_exception
    }
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.range {
            None => f.write_str(&self.base),
            Some((first, last)) if first == last => write!(f, "{}[{first}]", self.base),
            Some((first, last)) => write!(f, "{}[{first}..{last}]", self.base),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_a_port_some_or_all_of_an_array() {
        assert_eq!(Which::split("down[2..3].port_cap"), Some(("down[2..3]", "port_cap")));
        assert_eq!(Which::split(" pcie . setpci.mps"), Some(("pcie", "setpci.mps")));
        for no in ["setpci.mps", "ports.down[4]", "mps", "down[2]"] {
            assert_eq!(Which::split(no), None, "{no}");
        }
        let holds = |text: &str, index| Which::parse(text).unwrap().holds("down", index);
        assert!(holds("down", 9) && holds("down[2]", 2) && !holds("down[2]", 3) && holds("down[2 .. 3]", 3));
        for no in ["down[3..2]", "down[x]", "down[", "down[1..]"] {
            assert_eq!(Which::parse(no), None, "{no}");
        }
    }

    #[test]
    fn a_narrower_one_is_an_exception_and_one_that_overlaps_is_none() {
        let covers = |a: &str, b: &str| Which::parse(a).unwrap().covers(&Which::parse(b).unwrap());
        assert!(covers("down", "down[2]") && covers("down[0..3]", "down[2]") && covers("down[1]", "down[1]"));
        assert!(covers("down[0..2]", "down[1..3]"), "two settings of down[1]");
        assert!(!covers("down[2]", "down") && !covers("down[2]", "down[3]") && !covers("down", "up"));
    }
}
