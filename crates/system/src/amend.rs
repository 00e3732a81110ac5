//! Changes of a settled system: by an axis of an experiment, by a search for a bottleneck, or by the repair of a real
//! machine. Each change is recorded with its origin.

use crate::field::{FieldType, Params};
use crate::figure::{Figure, Origin};
use crate::graph::{LinkId, PartId, PortId, System};
use crate::kinds::PortParams;
use pcie::{LinkSpeed, PayloadSize};

/// One change of a settled system.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A field of a part's kind, or of all its ports, with its value as in a description.
    Field(PartId, &'static str, String),
    /// A field of one port, with its value as in a description.
    PortField(PortId, &'static str, String),
    /// Max_Payload_Size of a part, with all its ports.
    Mps(PartId, PayloadSize),
    /// Max_Payload_Size of one port of a host or a switch.
    PortMps(PortId, PayloadSize),
    /// Max_Read_Request_Size of a part.
    Mrrs(PartId, PayloadSize),
    /// The number of tags of a part.
    Tags(PartId, u64),
    /// The speed of a link.
    Speed(LinkId, LinkSpeed),
    /// The base address of a BAR.
    Bar(PartId, usize, u64),
}

/// Why a change was refused. The system is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmendError {
    /// There is no such part, port, link or BAR.
    #[error("there is no such part, port, link or BAR")]
    Nobody,
    /// The part has no such field.
    #[error("`{part}` is a {kind}, which has no field `{field}`")]
    NoField {
        /// The part.
        part: String,
        /// Its kind.
        kind: &'static str,
        /// The field.
        field: &'static str,
    },
    /// The field does not accept the value.
    #[error("`{field}` of `{part}` takes {expects}")]
    Value {
        /// The part.
        part: String,
        /// The field.
        field: &'static str,
        /// What the field accepts.
        expects: &'static str,
    },
}

/// The name under which a settled MPS is listed among a part's figures.
pub(crate) const MPS: &str = "Max_Payload_Size";
/// See [`MPS`].
pub(crate) const MRRS: &str = "Max_Read_Request_Size";
/// See [`MPS`].
pub(crate) const TAGS: &str = "tags";
/// The same of a clock that follows a link.
pub(crate) const CORE_CLOCK: &str = "core clock";

impl System {
    /// Makes one change, and records its origin. Link speeds and BAR addresses are not figures of a part: for these no
    /// origin is recorded.
    ///
    /// # Errors
    /// The part, port, link, BAR or field does not exist, or the field does not accept the value. Nothing is changed
    /// then.
    pub fn amend(&mut self, change: Change, origin: Origin) -> Result<(), AmendError> {
        let (part, field, value) = match change {
            Change::Field(part, field, value) => {
                self.set_field(part, field, &value)?;
                (part, field, value)
            }
            Change::PortField(port, field, value) => {
                self.try_own(port, field, &value)?;
                self.graph.ports[port.0].list(Figure { field, value, origin });
                return Ok(());
            }
            Change::Mps(part, size) => {
                self.graph.parts.get_mut(part.0).ok_or(AmendError::Nobody)?.mps = size;
                self.drop_own(part, MPS);
                (part, MPS, size.print())
            }
            Change::PortMps(port, size) => {
                let own = self.graph.ports.get_mut(port.0).ok_or(AmendError::Nobody)?;
                if self.graph.parts[own.part.0].kind.is_endpoint() {
                    let (part, kind) = (own.name.clone(), "port of an endpoint");
                    return Err(AmendError::NoField { part, kind, field: MPS });
                }
                own.mps = Some(size);
                own.list(Figure { field: MPS, value: size.print(), origin });
                return Ok(());
            }
            Change::Mrrs(part, size) => {
                self.graph.parts.get_mut(part.0).ok_or(AmendError::Nobody)?.mrrs = size;
                (part, MRRS, size.print())
            }
            Change::Tags(part, tags) => {
                self.graph.parts.get_mut(part.0).ok_or(AmendError::Nobody)?.tags = tags;
                (part, TAGS, tags.to_string())
            }
            Change::Speed(link, speed) => {
                let own = self.graph.links.get_mut(link.0).ok_or(AmendError::Nobody)?;
                own.speed = speed;
                let ends = [own.upper, own.lower].map(|port| self.port(port).part);
                ends.into_iter().for_each(|part| self.list_clock(part));
                return Ok(());
            }
            Change::Bar(part, number, base) => {
                let bar = self.graph.parts.get_mut(part.0).and_then(|part| part.bars.get_mut(number));
                bar.ok_or(AmendError::Nobody)?.window.base = base;
                return Ok(());
            }
        };
        self.graph.parts[part.0].list(Figure { field, value, origin });
        self.list_clock(part);
        Ok(())
    }

    fn set_field(&mut self, id: PartId, field: &'static str, value: &str) -> Result<(), AmendError> {
        let part = self.graph.parts.get_mut(id.0).ok_or(AmendError::Nobody)?;
        let (name, kind) = (part.name.clone(), part.kind.word());
        let taken = part.kind.set(field, value).or_else(|| part.habits.set(field, value));
        let taken = taken.ok_or_else(|| AmendError::NoField { part: name.clone(), kind, field })?;
        taken.map_err(|expects| AmendError::Value { part: name, field, expects })?;
        if let (true, Some(host)) = (field == "clock_slow", part.kind.host()) {
            self.graph.clock_slow_ppm = host.clock_slow.0;
        }
        self.drop_own(id, field);
        Ok(())
    }

    /// Removes a field's values of single ports, because the field was set for the whole part.
    fn drop_own(&mut self, part: PartId, field: &str) {
        for port in self.graph.parts[part.0].ports.clone() {
            let port = &mut self.graph.ports[port.0];
            port.own.retain(|own| own.field != field);
            port.mps = port.mps.filter(|_| field != MPS);
        }
    }

    /// Refuses a field that ports do not have, and a value that the field does not accept.
    fn try_own(&self, port: PortId, field: &'static str, value: &str) -> Result<(), AmendError> {
        let port = self.graph.ports.get(port.0).ok_or(AmendError::Nobody)?;
        let part = self.part(port.part);
        let is_own = part.fields().any(|known| known.name == field && known.is_of_port);
        let is_settled = part.kind.is_endpoint() && field == "mps";
        let (mut kind, mut habits): (_, PortParams) = (part.kind.clone(), part.habits.clone());
        let taken = kind.set(field, value).or_else(|| habits.set(field, value)).filter(|_| is_own && !is_settled);
        let none = || AmendError::NoField { part: port.name.clone(), kind: "port", field };
        let name = || port.name.clone();
        taken.ok_or_else(none)?.map_err(|expects| AmendError::Value { part: name(), field, expects })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Description;

    #[test]
    fn is_what_was_changed_written_down_and_what_does_not_go_left_as_it_was() {
        let mut system = Description::bundled("rosta-rb8v7").unwrap().system().unwrap();
        let card = system.part_named("card[0]").unwrap();
        let by = || Origin::Override("a test".into());
        system.amend(Change::Field(card, "fifo", "8 KiB".into()), by()).unwrap();
        let figure = |system: &System| {
            let all = &system.part(card).figures;
            all.iter().find(|figure| figure.field == "fifo").unwrap().clone()
        };
        assert_eq!((figure(&system).value.as_str(), figure(&system).origin), ("8 KiB", by()));
        let before = figure(&system);
        for (field, value) in [("fifo", "many"), ("fifos", "8 KiB")] {
            assert!(system.amend(Change::Field(card, field, value.into()), by()).is_err());
        }
        assert_eq!(figure(&system), before);
        assert_eq!(system.amend(Change::Tags(PartId(999), 3), by()), Err(AmendError::Nobody));
        let host = system.host();
        system.amend(Change::Field(host, "clock_slow", "300 ppm".into()), by()).unwrap();
        assert_eq!(system.clock_slow_ppm, 300, "the links follow their host's clock");
    }
}
