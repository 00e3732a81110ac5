//! The facts shown about ports.

use crate::machine::show::span::{Span, Tone};
use pcie::config::PortType;
use probe::function::Function;
use probe::link::Why;
use probe::tree::Tree;

/// The text for a port with nothing below it.
pub(super) fn empty(tree: &Tree, function: &Function) -> Option<Span> {
    let empty = tree.link_below(function.address).filter(|link| link.lower.is_none() && link.why == Why::Down)?;
    if !tree.children(function.address).is_empty() {
        return None;
    }
    let can = empty.upper_max.map_or(String::new(), |max| format!(", can {max}"));
    Some(Span::new(Tone::Faint, format!("nothing below{can}")))
}

/// The type of a port; `None` for devices, which are shown by name only.
pub(crate) fn kind(function: &Function) -> Option<&'static str> {
    Some(match function.port_type()? {
        PortType::RootPort => "root port",
        PortType::UpstreamPort => "upstream port",
        PortType::DownstreamPort => "downstream port",
        PortType::ExpressToPci | PortType::PciToExpress => "bridge",
        _ => return None,
    })
}
