//! The own settings of ports: each line is checked as it is read, and all together at the end.

use crate::description::check;
use crate::description::instance::{Instance, Ports};
use crate::description::port_line::{ADDRESS, ADDRESS_EXPECTS, PortLine, SETPCI_MPS, What};
use crate::error::{Error, Problem};
use crate::field::{self, Field, FieldType, Params};
use crate::figure::Figure;
use crate::kinds::PortParams;
use crate::suggest::{one_of, suggest};
use crate::written::setting::Setting;
use crate::written::which::Which;
use pcie::PayloadSize;

impl Instance {
    /// `down[2].port_cap: 800 MB/s`.
    pub fn set_own(&mut self, (port, name): (&str, &str), setting: &Setting) -> Result<(), Error> {
        let which = Which::parse(port).ok_or_else(|| {
            let problem = Problem::Form { text: port.into(), wanted: "a port or some of an array" };
            Error::new(&setting.name.place, problem, "write `pcie`, `down[2]`, `down[0..3]`, or `down` for all")
        })?;
        let value = &setting.value;
        let wrong = |expects: &str| {
            let problem = Problem::Value { field: format!("`{name}`"), value: value.text.clone() };
            Error::new(&value.place, problem, field::instead(expects, &value.text))
        };
        if self.kind.is_endpoint() && [SETPCI_MPS, "mps"].contains(&name) {
            let problem = Problem::Unknown { what: "field of a port of an endpoint".into(), name: name.into() };
            let help = format!("an endpoint has one Max_Payload_Size: write `{name}` for the part");
            return Err(Error::new(&setting.name.place, problem, help));
        }
        let what = if name == SETPCI_MPS {
            What::Mps(PayloadSize::parse(&value.text).ok_or_else(|| wrong(PayloadSize::EXPECTS))?)
        } else if name == ADDRESS {
            pcie::bdf::address(&value.text).ok_or_else(|| wrong(ADDRESS_EXPECTS))?;
            What::Address(value.text.clone())
        } else {
            let field =
                self.port_fields().find(|field| field.name == name).ok_or_else(|| self.no_field(setting, name))?;
            let tried = self.kind.clone().set(name, &value.text).or_else(|| self.habits.clone().set(name, &value.text));
            tried.unwrap_or(Err(field.expects)).map_err(wrong)?;
            check::single(name, value)?;
            What::Figure(Figure { field: field.name, value: value.text.clone(), origin: setting.origin.clone() })
        };
        let own = PortLine { which, name: setting.name.clone(), value: value.clone(), what };
        self.own.push(own);
        Ok(())
    }

    /// A line for the whole part removes earlier lines of its single ports.
    pub fn drop_own(&mut self, name: &str) {
        self.own.retain(|own| own.field() != name);
    }

    fn port_fields(&self) -> impl Iterator<Item = &'static Field> {
        self.kind.fields().iter().chain(PortParams::FIELDS).filter(|field| field.is_of_port)
    }

    fn no_field(&self, setting: &Setting, name: &str) -> Error {
        let (place, kind) = (&setting.name.place, self.kind.word());
        let problem = Problem::Unknown { what: format!("field of a port of a {kind}"), name: name.into() };
        let of_part = self.kind.fields().iter().chain(PortParams::FIELDS).any(|field| field.name == name);
        let help = match of_part {
            true => format!("it is of the whole part: write `{name}` among the part's own lines"),
            false => suggest(name, self.port_fields().map(|field| field.name).chain([SETPCI_MPS, ADDRESS])),
        };
        Error::new(place, problem, help)
    }

    /// Refuses lines for ports that do not exist, and fields that contradict each other at a port.
    pub fn check_own(&self) -> Result<(), Error> {
        self.own.iter().try_for_each(|own| self.check_ports_of(own))?;
        if self.own.is_empty() {
            return Ok(());
        }
        for group in &self.ports {
            for index in 0..group.count.unwrap_or(1) {
                self.check_together(group, index)?;
            }
        }
        Ok(())
    }

    fn check_ports_of(&self, own: &PortLine) -> Result<(), Error> {
        let refuse = |problem, help: String| Err(Error::new(&own.name.place, problem, help));
        let which = &own.which;
        let Some(group) = self.ports.iter().find(|group| group.base == which.base) else {
            let names: Vec<&str> = self.ports.iter().map(|group| group.base.as_str()).collect();
            let problem = Problem::Dangling(format!("`{}` has no port `{}`", self.name, which.base));
            let help = if names.len() == 1 { one_of(&names) } else { suggest(&which.base, names) };
            return refuse(problem, help);
        };
        match (which.range, group.count) {
            (Some((_, last)), Some(count)) if last >= count => {
                let problem = Problem::Index { name: own.name.text.clone(), why: format!("there are {count}, from 0") };
                refuse(problem, format!("write `{0}[0]` to `{0}[{1}]`", group.base, count - 1))
            }
            (Some(_), None) => {
                let problem = Problem::Dangling(format!("`{}` is one, no array", group.base));
                refuse(problem, format!("write `{}` without an index", group.base))
            }
            _ => Ok(()),
        }
    }

    fn check_together(&self, group: &Ports, index: u64) -> Result<(), Error> {
        let (mut kind, mut habits) = (self.kind.clone(), self.habits.clone());
        let mine: Vec<&PortLine> = self.own.iter().filter(|own| own.which.holds(&group.base, index)).collect();
        for own in &mine {
            if let What::Figure(figure) = &own.what {
                // It was tried before.
                let _ = kind.set(figure.field, &figure.value).or_else(|| habits.set(figure.field, &figure.value));
            }
        }
        let Some(check::Wrong { field, value, help }) = check::wrong(&kind, &habits) else { return Ok(()) };
        let place = mine.iter().rfind(|own| own.field() == field).or(mine.last()).map(|own| own.place());
        let name = port_name(group, index);
        let problem = Problem::Value { field: format!("`{}.{name}.{field}`", self.name), value };
        Err(Error::new(place.unwrap_or(&self.draft.place), problem, help))
    }

    /// The own figures of a port, the last one for each field; and its Max_Payload_Size by hand.
    pub fn own_of(&self, group: &Ports, index: u64) -> (Vec<Figure>, Option<&PortLine>) {
        let (mut figures, mut mps): (Vec<Figure>, _) = (Vec::new(), None);
        for own in self.own.iter().filter(|own| own.which.holds(&group.base, index)) {
            match &own.what {
                What::Figure(figure) => {
                    figures.retain(|known| known.field != figure.field);
                    figures.push(figure.clone());
                }
                What::Mps(_) => mps = Some(own),
                What::Address(_) => {}
            }
        }
        (figures, mps)
    }

    /// The address that a port has in the machine that is described.
    pub fn address_of(&self, group: &Ports, index: u64) -> Option<String> {
        let own = self.own.iter().filter(|own| own.which.holds(&group.base, index));
        own.filter_map(|own| if let What::Address(address) = &own.what { Some(address.clone()) } else { None })
            .next_back()
    }
}

/// `down[2]` for an array, `up` for a single port.
pub(crate) fn port_name(group: &Ports, index: u64) -> String {
    match group.count {
        Some(_) => format!("{}[{index}]", group.base),
        None => group.base.clone(),
    }
}
