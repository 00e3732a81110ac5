//! A resolved part: catalogue entry, then description, then overrides; every field with its origin.

use crate::catalogue;
use crate::description::check;
use crate::description::port_line::PortLine;
use crate::error::{Error, Problem};
use crate::field::{self, FieldType, Params};
use crate::figure::{Figure, Origin};
use crate::graph::PortRole;
use crate::kinds::PortParams;
use crate::kinds::kind::{Kind, TreePosition};
use crate::registry;
use crate::settle::{BarRequest, PartDraft};
use crate::source::Text;
use crate::suggest::{one_of, suggest};
use crate::written::setting::Setting;
use crate::written::spec::PartSpec;
use crate::written::which::Which;
use pcie::{LinkSpeed, PayloadSize};

/// The largest number of root ports of a host. A bus has room for 31; each may have a Segment Group of its own.
const MOST_ROOT_PORTS: u64 = 256;
/// The largest number of ports of an endpoint.
const MOST_ENDPOINTS: u64 = 4;

/// A port or an array of ports of one name.
#[derive(Clone, Debug)]
pub(crate) struct Ports {
    /// The name without index.
    pub base: String,
    /// The size of the array; `None` for a single port.
    pub count: Option<u64>,
    /// The speed and width that each supports.
    pub able: LinkSpeed,
    /// The role of each.
    pub role: PortRole,
}

/// A part with its settings, not linked yet.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    /// As in `card[3]`.
    pub name: String,
    /// Catalogue entry or kind.
    pub model: String,
    /// Its kind, with its settings.
    pub kind: Kind,
    /// The settings of its ports.
    pub habits: PortParams,
    /// In order.
    pub ports: Vec<Ports>,
    /// The own settings of its ports, in order.
    pub own: Vec<PortLine>,
    /// All fields with their origins.
    pub figures: Vec<Figure>,
    /// Its requests to `settle`.
    pub draft: PartDraft,
}

impl Instance {
    /// The element `index` of `spec`.
    pub fn resolve(spec: &PartSpec, index: u64) -> Result<Instance, Error> {
        let own: Vec<&Setting> = spec.settings.iter().filter(|s| s.index.is_none_or(|i| i == index)).collect();
        let last = |name: &str| own.iter().rev().find(|s| s.name.text == name).map(|s| &s.value);
        let entry = last("part").map(catalogue::entry).transpose()?;
        let inherited: Vec<&Setting> = entry.iter().flat_map(|e| &e.body.settings).collect();
        let kind_word = last("kind").or_else(|| inherited.iter().find(|s| s.name.text == "kind").map(|s| &s.value));
        let Some(word) = kind_word else {
            let problem = Problem::Missing { what: format!("part `{}`", spec.name.text), key: "part" };
            let kinds: Vec<&str> = registry::words().collect();
            let help = format!("name a catalogue entry (`part: generic/gen3-host`) or a `kind`: {}", one_of(&kinds));
            return Err(Error::new(&spec.name.place, problem, help));
        };
        let kind = registry::kind(&word.text).ok_or_else(|| {
            let problem = Problem::Unknown { what: "kind of part".into(), name: word.text.clone() };
            Error::new(&word.place, problem, suggest(&word.text, registry::words()))
        })?;
        let mut instance = Instance {
            name: spec.name_of(index),
            model: last("part").map_or(&word.text, |part| &part.text).clone(),
            kind,
            habits: PortParams::default(),
            ports: Vec::new(),
            own: Vec::new(),
            figures: Vec::new(),
            draft: PartDraft::new(&spec.name.place),
        };
        if instance.kind.is_endpoint() {
            instance.draft.bars = vec![BarRequest::DEFAULT];
        }
        let mut origins = Vec::new();
        // Slots of a host, where they are written, are all that it has.
        let is_port = |setting: &&Setting| setting.name.text.starts_with("ports.");
        let of_ports = |setting: &&Setting| is_port(setting) || Which::split(&setting.name.text).is_some();
        let written = |setting: &&Setting| matches!(setting.origin, Origin::Given { .. });
        let replaced = instance.kind.is_root() && own.iter().copied().filter(is_port).any(|s| written(&s));
        let inherited = inherited.into_iter().filter(|setting| !(replaced && of_ports(setting)));
        for setting in inherited.chain(own.iter().copied()) {
            instance.apply(setting, &mut origins)?;
        }
        instance.check_ports(&spec.name)?;
        instance.check_own()?;
        let Instance { name, kind, habits, draft, .. } = &instance;
        check::combined((name, &draft.place), (kind, habits), own.into_iter())?;
        check::stated((name, &draft.place), kind, &origins)?;
        instance.figures = instance.list(&origins);
        Ok(instance)
    }

    fn apply<'a>(&mut self, setting: &'a Setting, origins: &mut Vec<(&'a str, Origin)>) -> Result<(), Error> {
        let (name, value) = (setting.name.text.as_str(), &setting.value);
        let wrong = |expects: &str| {
            let problem = Problem::Value { field: format!("`{name}`"), value: value.text.clone() };
            Error::new(&value.place, problem, field::instead(expects, &value.text))
        };
        if let Some(own) = Which::split(name) {
            return self.set_own(own, setting);
        }
        self.drop_own(name);
        let size = || PayloadSize::parse(&value.text).ok_or_else(|| wrong(PayloadSize::EXPECTS));
        match name {
            "part" | "kind" => return Ok(()),
            "bars" if self.kind.is_endpoint() => {
                self.draft.bars = BarRequest::parse(&value.text).ok_or_else(|| wrong(BarRequest::EXPECTS))?;
                if matches!(setting.origin, Origin::Given { .. } | Origin::Override(_)) {
                    self.draft.bars_place = value.place.clone();
                }
            }
            "setpci.mps" => self.draft.mps = Some((size()?, value.place.clone())),
            "setpci.mrrs" => self.draft.mrrs = Some((size()?, value.place.clone())),
            _ => match name.strip_prefix("ports.") {
                Some(port) => return self.set_port(port, setting),
                None => {
                    let tried = self.kind.set(name, &value.text).or_else(|| self.habits.set(name, &value.text));
                    tried.ok_or_else(|| self.unknown(setting))?.map_err(wrong)?;
                    check::single(name, value)?;
                }
            },
        }
        origins.retain(|(n, _)| *n != name);
        origins.push((name, setting.origin.clone()));
        Ok(())
    }

    fn unknown(&self, setting: &Setting) -> Error {
        let name = &setting.name;
        let problem = Problem::Unknown { what: format!("field of a {}", self.kind.word()), name: name.text.clone() };
        let own = self.kind.fields().iter().chain(PortParams::FIELDS).map(|f| f.name);
        Error::new(
            &name.place,
            problem,
            suggest(&name.text, own.chain(["bars", "ports", "at", "setpci.mps", "setpci.mrrs"])),
        )
    }

    /// `down[2]: gen3 x4`.
    fn set_port(&mut self, port: &str, setting: &Setting) -> Result<(), Error> {
        let able: LinkSpeed = setting.value.text.parse().map_err(|e: pcie::link::LinkSpeedError| {
            Error::new(&setting.value.place, Problem::Width(e.to_string()), "write a port as `gen2 x8`")
        })?;
        let (base, count) = match port.strip_suffix(']').and_then(|p| p.split_once('[')) {
            Some((base, count)) => (base, Some(count.parse::<u64>().ok().filter(|n| (1..=32).contains(n)))),
            None => (port, None),
        };
        let letters = !base.is_empty() && base.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !letters || count == Some(None) {
            let problem = Problem::Form { text: port.into(), wanted: "a port" };
            return Err(Error::new(
                &setting.name.place,
                problem,
                "write `up: gen3 x8` or `down[4]: gen3 x4` (up to 32)",
            ));
        }
        let count = count.flatten();
        if let Some(old) = self.ports.iter_mut().find(|p| p.base == base) {
            old.able = able;
            old.count = count.or(old.count);
            return Ok(());
        }
        let role = match self.kind.place() {
            TreePosition::Root => PortRole::Root,
            TreePosition::Switch if base == "up" => PortRole::Upstream,
            TreePosition::Switch => PortRole::Downstream,
            TreePosition::Endpoint => PortRole::Endpoint,
        };
        self.ports.push(Ports { base: base.into(), count, able, role });
        Ok(())
    }

    fn check_ports(&self, name: &Text) -> Result<(), Error> {
        let number = |role| self.ports.iter().filter(|p| p.role == role).map(|p| p.count.unwrap_or(1)).sum::<u64>();
        let arrays_up = self.ports.iter().any(|p| p.count.is_some() && !p.role.faces_down());
        let (right, help) = match self.kind.place() {
            TreePosition::Root => (
                (1..=MOST_ROOT_PORTS).contains(&number(PortRole::Root)),
                "a host has 1 to 256 root ports (more than 31 with `segments: root-port`): `slots: { pcie: gen3 x8 }`",
            ),
            TreePosition::Switch => (
                number(PortRole::Upstream) == 1 && (1..=32).contains(&number(PortRole::Downstream)),
                "a switch has one port `up` and 1 to 32 others: `ports: { up: gen3 x8, down[2]: gen3 x4 }`",
            ),
            TreePosition::Endpoint => (
                (1..=MOST_ENDPOINTS).contains(&number(PortRole::Endpoint)),
                "an endpoint has one port, or up to 4: `ports: { pcie: gen3 x8 }`",
            ),
        };
        if right && !arrays_up {
            return Ok(());
        }
        let count = self.ports.iter().map(|p| p.count.unwrap_or(1)).sum::<u64>();
        let problem = Problem::Form { text: format!("{} with {count} ports", self.name), wanted: "a part" };
        Err(Error::new(&name.place, problem, help))
    }

    fn list(&self, origins: &[(&str, Origin)]) -> Vec<Figure> {
        let figure = |field: &'static str, value: Option<String>| {
            let found = origins.iter().find(|(name, _)| *name == field).map(|(_, origin)| origin.clone());
            Figure { field, value: value.unwrap_or_default(), origin: found.unwrap_or(Origin::Default) }
        };
        let own = self.kind.fields().iter().map(|f| figure(f.name, self.kind.get(f.name)));
        let habits = PortParams::FIELDS.iter().map(|f| figure(f.name, self.habits.get(f.name)));
        let bars = self.kind.is_endpoint().then(|| figure("bars", Some(BarRequest::print(&self.draft.bars))));
        own.chain(habits).chain(bars).collect()
    }
}
