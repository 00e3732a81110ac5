//! Extends flows beyond their volumes until all of them have been active together for long enough, and detects flows
//! that starve.

use crate::engine::flows::Flows;
use crate::engine::window::{Need, Starvation, Starved};
use crate::parts::{MOST_REAL_BYTES, Provider, provider};
use pcie::{Bytes, Time};
use system::{Flow, Scenario};

/// The volume of an extended flow: more than any run reaches.
const ENDLESS_BYTES: u64 = 1 << 50;

/// `scenario` with extended flows, which continue command after command.
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

/// True where a part that works on bytes sends or receives the flow.
fn is_real(scenario: &Scenario, flow: &Flow, brought: &[&dyn Provider]) -> bool {
    let of = |part| provider(brought, scenario.system.part(part));
    [flow.initiator, flow.target].into_iter().filter_map(of).any(Provider::works_on_bytes)
}

/// How long extended flows continue: a flow with too few bytes by then starves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    time: Time,
    bytes: u64,
    /// The bytes that the flows moved in the first run.
    pub before: u64,
}

/// A flow is given this many times the time that it needed for as many bytes in the first run, and this many times its
/// equal share of all bytes. It starves only where both are exceeded: the first protects slow flows, the second flows
/// among many others.
const PATIENCE: u64 = 32;

impl Patience {
    /// `ended` is what the flows did in the first run, `needs` what they are to move.
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

    /// True where the time is over.
    pub fn is_over(&self, flows: &Flows, now: Time) -> bool {
        flows.all_delivered > self.bytes && now > self.time
    }
}

/// The flow that lacks most, and the evidence.
pub(crate) fn starved(scenario: &Scenario, flows: &Flows, why: impl FnOnce(Bytes) -> Starvation) -> Starved {
    let lack = |&number: &usize| flows.accounts[number].fulfilled(flows.opened.is_some());
    let worst = (0..flows.accounts.len()).min_by(|a, b| lack(a).total_cmp(&lack(b))).unwrap_or(0);
    let name = scenario.flows.get(worst).map_or_else(String::new, |flow| flow.name.clone());
    let delivered = flows.accounts.get(worst).map_or(0, |account| account.delivered);
    Starved { flow: name, why: why(Bytes(delivered)) }
}
