//! Flows that go on beyond their volumes until all of them have been active together long enough, and when it is clear
//! that one of them never will.

use crate::engine::flows::Flows;
use crate::engine::window::{Need, Starvation, Starved};
use crate::parts::{MOST_REAL_BYTES, Provider, provider};
use pcie::{Bytes, Time};
use system::{Flow, Scenario};

/// Where a flow ends that goes on: nowhere that a run comes to.
const ENDLESS_BYTES: u64 = 1 << 50;

/// `scenario` with flows that go on, command after command as before.
pub(crate) fn prolonged(scenario: &Scenario, brought: &[&dyn Provider]) -> Scenario {
    let mut scenario = scenario.clone();
    scenario.integrity = false;
    for number in 0..scenario.flows.len() {
        let most = if is_real(&scenario, &scenario.flows[number], brought) { MOST_REAL_BYTES.0 } else { ENDLESS_BYTES };
        let flow = &mut scenario.flows[number];
        let command = flow.command.0.max(1);
        flow.volume = Bytes(flow.volume.0.max(most / command * command));
    }
    scenario
}

/// True where a part that works on bytes sends or receives a flow.
fn is_real(scenario: &Scenario, flow: &Flow, brought: &[&dyn Provider]) -> bool {
    let of = |part| provider(brought, scenario.system.part(part));
    [flow.initiator, flow.target].into_iter().filter_map(of).any(Provider::works_on_bytes)
}

/// How far flows go on: a flow of which not enough has arrived by then starves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    time: Time,
    bytes: u64,
    /// What the flows moved when they ended with their volumes.
    pub before: u64,
}

/// So much more time than a flow took for as many bytes when it ended with its volume, and so much more than it would
/// take of all bytes if all flows had equal parts of them. Both have to be over: a flow that is slow by itself is
/// given time, one that has company is given its turn.
const PATIENCE: u64 = 32;

impl Patience {
    /// `ended` is what the flows did while they ended with their volumes, `needs` what they are to do.
    pub fn after(ended: &Flows, needs: &[Need]) -> Patience {
        let each = |need: &Need| need.warm + need.enough;
        let most = needs.iter().map(each).max().unwrap_or(0);
        let took = |(account, need): (&crate::engine::flows::Account, &Need)| {
            let scale = each(need) as f64 / account.delivered.max(1) as f64;
            account.last.as_secs() * scale
        };
        let time = ended.accounts.iter().zip(needs).map(took).fold(0.0, f64::max);
        Patience {
            time: Time::from_secs_f64(time * PATIENCE as f64).unwrap_or(Time::NEVER),
            bytes: most.saturating_mul(needs.len() as u64).saturating_mul(PATIENCE),
            before: ended.delivered().1,
        }
    }

    /// True where it is over.
    pub fn is_over(&self, flows: &Flows, now: Time) -> bool {
        flows.all_delivered > self.bytes && now > self.time
    }
}

/// The flow that lacks most, and how that shows.
pub(crate) fn starved(scenario: &Scenario, flows: &Flows, why: impl FnOnce(Bytes) -> Starvation) -> Starved {
    let lack = |&number: &usize| flows.accounts[number].fulfilled(flows.opened.is_some());
    let worst = (0..flows.accounts.len()).min_by(|a, b| lack(a).total_cmp(&lack(b))).unwrap_or(0);
    let name = scenario.flows.get(worst).map_or_else(String::new, |flow| flow.name.clone());
    let delivered = flows.accounts.get(worst).map_or(0, |account| account.delivered);
    Starved { flow: name, why: why(Bytes(delivered)) }
}
