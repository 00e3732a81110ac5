//! Who builds DMA cards, and their software.

use crate::card::Card;
use crate::software::Commands;
use sim::parts::{KindError, Part, Provider};
use sim::{Driver, Options};
use system::kinds::CardParams;
use system::{Drive, PartId, Scenario};

/// Who builds DMA cards that are not compiled.
#[derive(Clone, Copy, Debug)]
pub struct Cards;

/// What this crate brings to a run.
pub const KINDS: &[&dyn Provider] = &[&Cards];

/// Options of a run with DMA cards.
pub fn options() -> Options<'static> {
    Options { kinds: KINDS, ..Options::default() }
}

impl Provider for Cards {
    fn builds(&self, part: &system::Part) -> bool {
        part.kind.card().is_some_and(|card| !card.is_compiled())
    }

    fn part(&self, scenario: &Scenario, part: PartId) -> Result<Box<dyn Part>, KindError> {
        Ok(Box::new(Card::new(scenario, part, params(scenario, part)?)?))
    }

    fn driver(&self, scenario: &Scenario, flow: usize) -> Result<Option<Box<dyn Driver>>, KindError> {
        let none = || KindError { what: "there is no such flow".into(), help: "take it out".into() };
        let described = scenario.flows.get(flow).ok_or_else(none)?;
        Ok(match described.drive {
            Drive::Card => None,
            Drive::Software => Some(Box::new(Commands::new(scenario, flow, params(scenario, described.initiator)?)?)),
        })
    }
}

/// The settings of a card.
fn params(scenario: &Scenario, part: PartId) -> Result<&CardParams, KindError> {
    let none = || KindError { what: "this is no DMA card".into(), help: "take it out".into() };
    scenario.system.part(part).kind.card().ok_or_else(none)
}
