//! Detects two settings of one field at a point, one of which would have no effect. They are refused.
//!
//! An experiment's own `set` is its default, which its axes and `--set` may change. Otherwise, a later setting that
//! covers an earlier one is an error. A later setting of part of the range (`card[3].mps` after `card.mps`) is an
//! exception to the earlier one, and allowed.

use crate::error::{Error, Problem};
use crate::source::{Place, Text};
use crate::written::which::Which;

/// The field that a path names, independent of its spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The name of a part, or `links`, `settings`, `experiments`.
    head: String,
    /// The element of an array, where it is for one only.
    index: Option<u64>,
    /// The ports, where it is for some ports only.
    port: Option<Which>,
    /// The field: `tx_latency`, `0.lanes`, `ports.down`.
    field: String,
}

impl Target {
    /// Reads `card[3].slots.pcie`. A path with wrong syntax is a target that equals no other.
    pub fn of(path: &str) -> Target {
        let (head, field) = path.split_once('.').unwrap_or((path, ""));
        let (head, index) = match head.split_once('[') {
            Some((name, index)) => (name, index.trim().trim_end_matches(']').trim().parse().ok()),
            None => (head, None),
        };
        let pieces: Vec<&str> = field.split('.').map(str::trim).collect();
        let mut field = pieces.join(".");
        if let Some(port) = field.strip_prefix("slots.").or(field.strip_prefix("ports.")) {
            field = format!("ports.{}", port.split('[').next().unwrap_or(port));
        }
        let head = head.trim().to_string();
        let of_part = !["links", "settings", "experiments"].contains(&head.as_str());
        let own = Which::split(&field).filter(|_| of_part).and_then(|(port, field)| Some((Which::parse(port)?, field)));
        let own = own.map(|(port, field)| (port, field.to_string()));
        let (port, field) = own.map_or((None, field), |(port, field)| (Some(port), field));
        Target { head, index, port, field }
    }
    /// A field of a part of a system.
    pub fn of_part(part: &str, field: &str) -> Target {
        Target::of(&format!("{part}.{field}"))
    }
    /// True where `self` names every field that `other` names.
    pub fn covers(&self, other: &Target) -> bool {
        let port = match (&self.port, &other.port) {
            (Some(own), Some(other)) => own.covers(other),
            (own, _) => own.is_none(),
        };
        let index = self.index.is_none() || self.index == other.index;
        self.head == other.head && self.field == other.field && index && port
    }
}

/// Who made a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The value of an axis.
    Axis,
    /// The command line.
    Asked,
}

/// A setting that must be visible in the result.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub target: Target,
    pub whose: Whose,
    /// As written: `--set card.mps=256`, `lanes=4`.
    pub text: String,
    pub place: Place,
}

impl Write {
    /// The setting of an axis at a value.
    pub fn by_axis(axis: &Text, value: &str, path: &str) -> Write {
        let text = format!("{}={value}", axis.text);
        Write { target: Target::of(path), whose: Whose::Axis, text, place: axis.place.clone() }
    }
    /// Refuses `self` where it covers one of the settings `before`.
    pub fn beside<'a>(&self, mut before: impl Iterator<Item = &'a Write>) -> Result<(), Error> {
        before.find(|old| self.target.covers(&old.target)).map_or(Ok(()), |old| Err(self.against(old)))
    }
    /// The error about two settings of one field.
    pub fn against(&self, old: &Write) -> Error {
        let Target { head, index, port, field } = &old.target;
        let index = index.map_or(String::new(), |index| format!("[{index}]"));
        let port = port.as_ref().map_or(String::new(), |port| format!(".{port}"));
        let field = format!("{head}{index}{port}.{field}");
        let problem = Problem::TwoSettings { first: old.text.clone(), second: self.text.clone(), field };
        let help = match (old.whose, self.whose) {
            (Whose::Axis, Whose::Axis) => "a point takes one of them: two axes that set one field are one axis".into(),
            (Whose::Asked, Whose::Asked) if self.text.starts_with("--params") => {
                "what is to be found is set by nothing else; where the search starts is `--start PATH=VALUE`"
                    .to_string()
            }
            (Whose::Asked, Whose::Asked) if self.target == old.target => "say it once".to_string(),
            (Whose::Asked, Whose::Asked) => "write the wider one first: a narrower one after it is an exception".into(),
            (Whose::Axis, _) => of_axis(&old.text),
            (_, Whose::Axis) => of_axis(&self.text),
        };
        Error::new(&self.place, problem, help)
    }
}

fn of_axis(text: &str) -> String {
    let axis = text.split('=').next().unwrap_or(text);
    format!(
        "leave one of them out: the axis `{axis}` is given other values by `--axis {axis}=...`, in a sweep by `--over {axis}=...`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_the_same_however_it_is_spelt() {
        assert_eq!(Target::of("host.slots.pcie"), Target::of(" host . ports.pcie"));
        assert_eq!(Target::of("card[ 3 ].mps"), Target::of_part("card[3]", "mps"));
        assert_eq!(Target::of("switch.ports.down[4]"), Target::of("switch.ports.down"));
    }

    #[test]
    fn the_wider_covers_the_narrower_and_not_the_other_way_round() {
        let (all, one, other) = (Target::of("card.mps"), Target::of("card[1].mps"), Target::of("card[2].mps"));
        assert!(all.covers(&one) && all.covers(&all) && one.covers(&one));
        assert!(!one.covers(&all) && !one.covers(&other) && !all.covers(&Target::of("card.setpci.mps")));
        let (port, of_all) = (Target::of("host[1].down[2].skp"), Target::of("host.skp"));
        assert!(of_all.covers(&port) && !port.covers(&of_all) && Target::of("host.down[1 .. 2].skp").covers(&port));
        assert!(!Target::of("host.mps").covers(&Target::of("host.a.setpci.mps")));
    }
}
