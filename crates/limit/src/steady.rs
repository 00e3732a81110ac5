//! Whether all commands of a flow take the same time.

use crate::plan::Plan;

/// True where no command of `plan` waits for what others do not wait for. Only then is it known where on its links each packet is
/// ready: of times that are known on average, the grid of starts tells nothing.
pub fn is_steady(plan: &Plan<'_>) -> bool {
    let whole = |count: f64| (count - count.round()).abs() < 1e-9;
    let command = plan.flow.command.0 as f64;
    let translations = plan.translations.as_ref().map_or(0.0, |all| all.per_byte);
    plan.cut.sizes.iter().all(|&(_, count)| whole(count))
        && whole(plan.walks * command)
        && whole(translations * command)
        && plan.completer.latency_fs == plan.completer.median_fs
        && (plan.host.mean_invalidation() == pcie::Time::ZERO || plan.host.invalidation_commands.0 <= 1)
}
