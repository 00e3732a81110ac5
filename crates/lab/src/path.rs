//! Figures of a settled machine by their paths, in the form of `--set`: `card.tx_latency`, `card[3].tx_latency`, and of
//! one port or some ports `host.a.port_cap`, `switch.down[0..3].tlps_per_ack`.

use crate::error::Error;
use system::{Field, Node, Origin, Port, System};

/// A figure named by a path.
#[derive(Clone, Debug)]
pub struct NamedFigure {
    /// The field.
    pub field: &'static Field,
    /// Its value, as written in a description; for an array of parts, that of the first.
    pub value: String,
    /// Its origin.
    pub origin: Origin,
}

/// The figure that `path` names.
///
/// # Errors
/// A part or a field that does not exist; the error lists those that do.
pub fn figure(system: &System, path: &str) -> Result<NamedFigure, Error> {
    let form = || Error::asked(format!("`{path}` is no path of a figure"), "write it as in `host.read_latency`");
    let (part, field) = path.split_once('.').ok_or_else(form)?;
    let named = |p: &&system::Node| p.name == part || base(&p.name) == part;
    let Some(found) = system.parts.iter().find(named) else {
        let mut names: Vec<&str> = system.parts.iter().map(|p| base(&p.name)).collect();
        names.dedup();
        return Err(Error::asked(format!("`{part}` is no part"), format!("the parts are {}", names.join(", "))));
    };
    if let Some((port, field)) = field.rsplit_once('.') {
        return of_port(system, found, port, field);
    }
    let (Some(known), Some(value)) = (found.fields().find(|f| f.name == field), found.value(field)) else {
        let names: Vec<&str> = found.fields().map(|f| f.name).collect();
        let what = format!("`{field}` is no field of a {}", found.kind.word());
        return Err(Error::asked(what, format!("its fields are {}", names.join(", "))));
    };
    let origin = found.figures.iter().find(|f| f.field == field).map_or(Origin::Default, |f| f.origin.clone());
    Ok(NamedFigure { field: known, value, origin })
}

/// The figure of a port: its own, or that of its part. Of several ports, that of the first.
fn of_port(system: &System, part: &Node, port: &str, field: &str) -> Result<NamedFigure, Error> {
    let local = |port: &Port| port.name.strip_prefix(&format!("{}.", part.name)).unwrap_or(&port.name).to_string();
    let ports = || part.ports.iter().map(|&id| system.port(id));
    let Some(found) = ports().find(|known| is_port(port, &local(known))) else {
        let names: Vec<String> = ports().map(local).collect();
        let what = format!("`{}` has no port `{port}`", part.name);
        return Err(Error::asked(what, format!("its ports are {}", names.join(", "))));
    };
    let fields = || part.fields().filter(|known| known.is_of_port);
    let Some(known) = fields().find(|known| known.name == field) else {
        let names: Vec<&str> = fields().map(|known| known.name).collect();
        let what = format!("`{field}` is no field of a port of a {}", part.kind.word());
        return Err(Error::asked(what, format!("its ports have {}", names.join(", "))));
    };
    let own = found.own.iter().chain(&part.figures).find(|figure| figure.field == field);
    let default = || (part.value(field).unwrap_or_default(), Origin::Default);
    let (value, origin) = own.map_or_else(default, |figure| (figure.value.clone(), figure.origin.clone()));
    Ok(NamedFigure { field: known, value, origin })
}

/// True if `asked` (`down`, `down[2]`, `down[0..3]`) names the port `local` (`up`, `down[2]`) of a part.
fn is_port(asked: &str, local: &str) -> bool {
    let index = |text: &str| text.split_once('[').map(|(_, index)| index.trim_end_matches(']').to_string());
    let within = |range: &str, index: &str| {
        let (first, last) = range.split_once("..").unwrap_or((range, range));
        let number = |text: &str| text.trim().parse::<u64>().ok();
        matches!((number(first), number(last), number(index)), (Some(a), Some(b), Some(n)) if (a..=b).contains(&n))
    };
    base(asked) == base(local)
        && match (index(asked), index(local)) {
            (None, _) => true,
            (Some(range), Some(index)) => within(&range, &index),
            (Some(_), None) => false,
        }
}

/// A part's name without its index in an array.
pub fn base(name: &str) -> &str {
    name.split_once('[').map_or(name, |(base, _)| base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::Description;

    #[test]
    fn a_path_finds_the_figure_of_a_part_of_its_ports_and_of_one_of_an_array() {
        let system = Description::bundled("rosta-rb8v7").unwrap().system().unwrap();
        let value = |path: &str| figure(&system, path).map(|f| f.value).map_err(|e| e.right());
        assert_eq!(value("card[3].tx_latency").unwrap(), "233 ns");
        assert_eq!(value("board.tlps_per_ack").unwrap(), "4");
        assert!(value("cart.tx_latency").unwrap_err().contains("card"));
        assert!(value("host.tx_latency").unwrap_err().contains("read_latency"));
        assert!(value("host").unwrap_err().contains("host.read_latency"));
    }

    #[test]
    fn a_path_finds_the_figure_of_one_port_and_of_some() {
        let text = "
parts:
  host: { part: generic/gen3-host, slots: { a: gen3 x8, b: gen3 x8 }, port_cap: 3 GB/s, at: { b: { port_cap: 800 MB/s } } }
  switch: { part: generic/gen3-switch, at: { \"down[2]\": { tlps_per_ack: 7 } } }
links: [host.a - switch.up]
";
        let system = Description::from_text("m.yaml", text).unwrap().system().unwrap();
        let value = |path: &str| figure(&system, path).map(|f| f.value).map_err(|e| e.right());
        assert_eq!(value("host.a.port_cap").unwrap(), "3000 MB/s");
        assert_eq!(value("host.b.port_cap").unwrap(), "800 MB/s");
        assert_eq!(value("switch.down[2].tlps_per_ack").unwrap(), "7");
        assert_eq!(value("switch.down[2..3].tlps_per_ack").unwrap(), "7");
        assert_eq!(value("switch.down[3].tlps_per_ack").unwrap(), "4");
        assert!(value("host.c.port_cap").unwrap_err().contains("a, b"));
        assert!(value("switch.down[9].tlps_per_ack").unwrap_err().contains("down[3]"));
        assert!(value("host.a.read_latency").unwrap_err().contains("port_cap"));
    }
}
