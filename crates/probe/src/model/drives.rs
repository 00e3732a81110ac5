//! Drives in a system: a controller of one drive is that drive; of several, a switch with a card for each.

use crate::address::Address;
use crate::os::BlockDevice;
use std::collections::BTreeMap;
use system::kind::Kind;
use system::kinds::SwitchParams;
use system::observed::PartSeen;

/// Drives, by the function that controls each.
#[derive(Clone, Debug, Default)]
pub struct Drives {
    /// The names of the drives of a controller.
    pub at: BTreeMap<Address, Vec<String>>,
    /// Drives that hang at no function: at the host, below links that are no bottleneck.
    pub loose: Vec<String>,
}

impl Drives {
    /// The drives of a device, by any of its functions.
    pub(super) fn of(&self, device: Address) -> Vec<String> {
        let place = |at: Address| (at.domain, at.bdf.bus(), at.bdf.device());
        self.at.iter().filter(|(at, _)| place(**at) == place(device)).flat_map(|(_, names)| names.clone()).collect()
    }
}

/// What hangs at the link of a controller with these drives: the only one, or a switch above several. `blocks` are those that
/// the operating system names there.
pub(super) fn at_link(card: &PartSeen, names: &[String], blocks: &[BlockDevice]) -> PartSeen {
    match names {
        [] => card.clone(),
        [name] => named(card, name, blocks),
        _ => PartSeen { kind: Kind::new(SwitchParams::default()), figures: Vec::new(), ..card.clone() },
    }
}

/// The drives below such a switch.
pub(super) fn below(card: &PartSeen, names: &[String], blocks: &[BlockDevice]) -> Vec<PartSeen> {
    let several = names.iter().filter(|_| names.len() > 1);
    several.map(|name| named(card, name, blocks)).collect()
}

/// A controller's card as one drive of it.
pub(super) fn named(card: &PartSeen, name: &str, blocks: &[BlockDevice]) -> PartSeen {
    let known = blocks.iter().find(|block| block.name == name).and_then(|block| block.model.clone());
    PartSeen { name: name.to_string(), model: known.unwrap_or_else(|| card.model.clone()), ..card.clone() }
}
