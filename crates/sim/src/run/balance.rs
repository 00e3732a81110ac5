//! What flows are said to have over a direction beside what that direction carried: more can only be what was on its
//! way beyond it when the window opened. Anything else is an error of this program.

use crate::engine::numbering::named;
use crate::link::fabric::Fabric;
use crate::run::error::SimError;
use pcie::{Rate, Time};
use system::System;

/// One direction in the window, in bytes of payload.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Crossing {
    /// Sum of the flows that cross it, by the rates that are told of them.
    told: f64,
    /// What it carried.
    carried: u64,
    /// What had crossed it and was not where it went when the window opened.
    buffered: u64,
}

/// Rounding of a rate to a float and back.
const ROUNDING: f64 = 1e-6;

impl Crossing {
    fn balances(&self) -> bool {
        self.told <= (self.carried + self.buffered) as f64 * (1.0 + ROUNDING) + 1.0
    }
}

/// Compares the rates that are told of the flows of `fabric` with what each direction carried in the window.
///
/// # Errors
/// [`SimError::Unbalanced`] for the first direction that its flows are said to exceed.
pub(crate) fn check(system: &System, fabric: &Fabric, rates: &[Option<Rate>]) -> Result<(), SimError> {
    let Some((open, close)) = fabric.flows.window() else { return Ok(()) };
    let window = close - open;
    for (index, (before, after)) in fabric.opened.iter().zip(&fabric.closed).enumerate() {
        let mut account = Crossing::default();
        for (number, meter) in after.flows.iter() {
            let flow = &fabric.flows.accounts[number as usize];
            let (crossed_before, crossed) = (before.payload_of(number), meter.payload);
            let number = number as usize;
            if crossed > 0 {
                account.told += rates[number].map_or(0.0, |rate| rate.0) * window.as_secs();
                account.carried += crossed - crossed_before;
                account.buffered += crossed_before.saturating_sub(flow.before_window());
            }
        }
        if !account.balances() {
            return Err(unbalanced(system, index, &account, window));
        }
    }
    Ok(())
}

fn unbalanced(system: &System, index: usize, account: &Crossing, window: Time) -> SimError {
    let rate = |bytes: f64| Rate(bytes / window.as_secs()).as_mib_per_s().round() as u64;
    SimError::Unbalanced {
        direction: system.direction_name(named(index as u32)),
        told: rate(account.told),
        carried: rate(account.carried as f64),
        most: rate((account.carried + account.buffered) as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_a_sum_balance_with_what_a_direction_carried_and_what_was_on_its_way_beyond_it() {
        let account = |told: f64| Crossing { told, carried: 1_000_000, buffered: 4096 };
        assert!(account(1_000_000.0).balances() && account(1_004_096.0).balances());
        assert!(!account(1_004_200.0).balances());
    }
}
