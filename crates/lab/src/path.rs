//! Figures of a settled machine by their paths, in the form of `--set`: `card.tx_latency`, `card[3].tx_latency`.

use crate::error::Error;
use system::{Field, Origin, System};

/// A figure named by a path.
#[derive(Clone, Debug)]
pub struct Figure {
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
pub fn figure(system: &System, path: &str) -> Result<Figure, Error> {
    let form = || Error::asked(format!("`{path}` is no path of a figure"), "write it as in `host.read_latency`");
    let (part, field) = path.split_once('.').ok_or_else(form)?;
    let named = |p: &&system::Node| p.name == part || base(&p.name) == part;
    let Some(found) = system.parts.iter().find(named) else {
        let mut names: Vec<&str> = system.parts.iter().map(|p| base(&p.name)).collect();
        names.dedup();
        return Err(Error::asked(format!("`{part}` is no part"), format!("the parts are {}", names.join(", "))));
    };
    let (Some(known), Some(value)) = (found.fields().find(|f| f.name == field), found.value(field)) else {
        let names: Vec<&str> = found.fields().map(|f| f.name).collect();
        let what = format!("`{field}` is no field of a {}", found.kind.word());
        return Err(Error::asked(what, format!("its fields are {}", names.join(", "))));
    };
    let origin = found.figures.iter().find(|f| f.field == field).map_or(Origin::Default, |f| f.origin.clone());
    Ok(Figure { field: known, value, origin })
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
}
