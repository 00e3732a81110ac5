//! Compares the reported rates of the flows over a direction with what that direction carried. The rates may be higher
//! only by the bytes that had crossed the direction and were not delivered when the window opened. Anything else is an
//! internal error.

use crate::engine::numbering::named;
use crate::link::fabric::Fabric;
use crate::run::error::SimError;
use pcie::{Rate, Time};
use system::System;

/// One direction during the window, in payload bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Crossing {
    /// The sum over its flows of reported rate times window.
    told: f64,
    /// The bytes that it carried.
    carried: u64,
    /// Bytes that had crossed it and were not delivered when the window opened.
    buffered: u64,
}

/// Rounding error of a rate that is converted to a float and back.
const ROUNDING: f64 = 1e-6;

impl Crossing {
    fn balances(&self) -> bool {
        self.told <= (self.carried + self.buffered) as f64 * (1.0 + ROUNDING) + 1.0
    }
}

/// Compares the reported rates of all flows of `fabric` with what each direction carried in the window.
///
/// # Errors
/// [`SimError::Unbalanced`] for the first direction whose flows exceed it.
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
