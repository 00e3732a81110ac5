//! Devices that a user asks about together: what each gets when all of them move data at once.

use crate::address::Address;
use crate::limits::{DeviceLimit, behind_unknown, device_limit};
use crate::model::Device;
use crate::rates::Way;
use crate::role::Role;
use crate::view::View;
use miette::Diagnostic;
use pcie::Rate;
use std::fmt;
use std::str::FromStr;

/// A selection of devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Together {
    /// All devices of a role: `ssds`.
    Role(Role),
    /// All devices below a port, or below the switch that a function is the upstream port of: `behind=00:1c.0`.
    Behind(Address),
    /// All devices below the chipset: `behind=chipset`.
    Chipset,
    /// Devices by any of their functions: `81:00.0,84:00.0`.
    Named(Vec<Address>),
}

const ROLES: [(&str, Role); 5] = [
    ("ssds", Role::Ssd),
    ("gpus", Role::Gpu),
    ("accelerators", Role::Accelerator),
    ("nics", Role::Nic),
    ("storage", Role::Storage),
];

/// The forms of a selection, for error messages.
const WORDS: &str =
    "ssds, gpus, accelerators, nics, storage, behind=PORT, behind=chipset, or addresses as in 81:00.0,84:00.0";

/// Why there is no limit for a selection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TogetherError {
    /// A text that is no selection.
    #[error("`{0}` names no devices: write {WORDS}")]
    Text(String),
    /// No device matches.
    #[error("there are no {0} here whose link says what it carries")]
    None(String),
    /// There is no function at this address.
    #[error("there is no function {0}")]
    Absent(Address),
    /// A function that belongs to no device with a limit.
    #[error("{0} is no device below a link that says what it carries")]
    NoDevice(Address),
    /// A function with no devices below it.
    #[error("{0} is no port with devices behind it")]
    NoPort(Address),
    /// A device that is named twice.
    #[error("{0} is named twice")]
    Twice(Address),
}

impl Diagnostic for TogetherError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = match self {
            TogetherError::Text(_) => return None,
            TogetherError::Twice(_) => "name each device once; functions of one device share its link",
            _ => "`lanescope inspect` lists the devices that have limits, and the ports above them",
        };
        Some(Box::new(help))
    }
}

impl FromStr for Together {
    type Err = TogetherError;
    fn from_str(text: &str) -> Result<Together, TogetherError> {
        let wrong = |_| TogetherError::Text(text.to_string());
        if let Some((_, role)) = ROLES.iter().find(|(word, _)| *word == text) {
            return Ok(Together::Role(*role));
        }
        match text.strip_prefix("behind=") {
            Some("chipset") => Ok(Together::Chipset),
            Some(port) => port.parse().map(Together::Behind).map_err(wrong),
            None => text
                .split(',')
                .map(|at| at.trim().parse())
                .collect::<Result<_, _>>()
                .map(Together::Named)
                .map_err(wrong),
        }
    }
}

impl fmt::Display for Together {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Together::Role(role) => {
                f.pad(ROLES.iter().find(|(_, one)| one == role).map_or("devices", |(word, _)| word))
            }
            Together::Behind(port) => f.pad(&format!("devices behind {port}")),
            Together::Chipset => f.pad("devices behind the chipset"),
            Together::Named(all) => f.pad(&all.iter().map(Address::to_string).collect::<Vec<_>>().join(", ")),
        }
    }
}

/// The limits of the selected devices at once.
#[derive(Clone, Debug, PartialEq)]
pub struct TogetherLimit {
    /// The selection.
    pub of: Together,
    /// The share of each device.
    pub shares: Vec<DeviceLimit>,
    /// The limit of each device alone.
    pub alone: Vec<DeviceLimit>,
    /// The number of these devices that share a chipset link of unknown rate.
    pub behind_unknown: usize,
    /// True where the port above one of them was not seen: they may share what is above.
    pub is_unseen: bool,
}

impl TogetherLimit {
    /// The sum of the shares in one direction.
    pub fn sum(&self, way: Way) -> Rate {
        sum(&self.shares, way)
    }
    /// The sum of what the devices get one at a time, in one direction.
    pub fn one_by_one(&self, way: Way) -> Rate {
        sum(&self.alone, way)
    }
}

fn sum(limits: &[DeviceLimit], way: Way) -> Rate {
    Rate(limits.iter().map(|limit| limit.way(way).rate.0).sum())
}

impl Together {
    /// The limits of the selected devices of a machine.
    ///
    /// # Errors
    /// No device matches, or a named function belongs to no device with a limit.
    pub fn limit(&self, view: &View<'_>) -> Result<TogetherLimit, TogetherError> {
        let devices = self.devices(view)?;
        let [to, from] = [Way::ToMemory, Way::FromMemory].map(|way| view.rates.together(&devices, way, &[]));
        let share = |((device, to_memory), from_memory): ((&&Device, _), _)| DeviceLimit {
            at: device.main,
            role: device.role,
            to_memory,
            from_memory,
        };
        let shares = devices.iter().zip(to).zip(from).map(share).collect();
        let alone = devices.iter().filter_map(|device| device_limit(view, device)).collect();
        let behind_unknown = behind_unknown(view, &devices);
        let is_unseen = devices.iter().any(|device| !view.is_rooted(device));
        Ok(TogetherLimit { of: self.clone(), shares, alone, behind_unknown, is_unseen })
    }

    fn devices<'m>(&self, view: &View<'m>) -> Result<Vec<&'m Device>, TogetherError> {
        let real = |devices: Vec<&'m Device>| devices.into_iter().filter(|d| !d.is_virtual).collect::<Vec<_>>();
        let found = match self {
            Together::Role(role) => view.of_role(*role),
            Together::Chipset => real(view.model.below_chipset()),
            Together::Behind(port) => real(behind(view, *port)?),
            Together::Named(all) => named(view, all)?,
        };
        match (found.is_empty(), self) {
            (false, _) => Ok(found),
            (true, Together::Behind(port)) => Err(TogetherError::NoPort(*port)),
            (true, _) => Err(TogetherError::None(self.to_string())),
        }
    }
}

fn behind<'m>(view: &View<'m>, port: Address) -> Result<Vec<&'m Device>, TogetherError> {
    view.function(port).ok_or(TogetherError::Absent(port))?;
    let joins = |link: &&crate::link::Link| link.upper == Some(port) || link.lower == Some(port);
    let is_port = view.function(port).is_some_and(|function| function.header.is_bridge());
    let link = view.tree.links().iter().filter(|_| is_port).find(joins).ok_or(TogetherError::NoPort(port))?;
    Ok(view.across(link))
}

fn named<'m>(view: &View<'m>, all: &[Address]) -> Result<Vec<&'m Device>, TogetherError> {
    let place = |at: Address| (at.domain, at.bdf.bus(), at.bdf.device());
    let mut found: Vec<&Device> = Vec::new();
    for &at in all {
        view.function(at).ok_or(TogetherError::Absent(at))?;
        let device = view.model.devices.iter().find(|d| place(d.address) == place(at) && !d.is_virtual);
        let device = device.ok_or(TogetherError::NoDevice(at))?;
        if found.iter().any(|known| known.address == device.address) {
            return Err(TogetherError::Twice(at));
        }
        found.push(device);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_what_somebody_writes_read_and_what_names_nothing_refused() {
        assert_eq!("gpus".parse(), Ok(Together::Role(Role::Gpu)));
        assert_eq!("behind=chipset".parse(), Ok(Together::Chipset));
        let named: Together = "81:00.0, 0001:84:00.0".parse().unwrap();
        assert_eq!(named.to_string(), "0000:81:00.0, 0001:84:00.0");
        for text in ["", "disks", "behind=", "behind=ssds", "81:00.0,", "gpus,nics"] {
            assert_eq!(text.parse::<Together>(), Err(TogetherError::Text(text.to_string())));
        }
    }
}
