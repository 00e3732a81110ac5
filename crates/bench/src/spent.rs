//! How a card's engine spent its cycles: its own counters of a channel, which the driver shows in sysfs, between two looks at
//! them in a run. What counts as what is said by the engine (`gateware/docs/ls_core.md`); a channel without such counters,
//! and one that was set up anew between the looks, has none here.

use crate::drive::Drive;
use std::path::Path;

/// What a cycle is spent on, as the driver's files are named. Each cycle of a channel is one of these.
pub const CAUSES: [&str; 8] = ["idle", "moving", "credit", "tag", "stream", "descriptor", "host", "pipeline"];

/// Cycles of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// From the first beat to the last.
    pub span: u64,
    /// Those of each of [`CAUSES`], in their order.
    pub cycles: [u64; CAUSES.len()],
}

impl Spent {
    /// So far, of a channel; nothing of what is none, and where the driver does not tell.
    pub(crate) fn read(drive: &Drive) -> Option<Spent> {
        drive.direction()?;
        Spent::of(Path::new("/sys"), drive.device)
    }

    fn of(sys: &Path, (major, minor): (u32, u32)) -> Option<Spent> {
        let folder = sys.join(format!("dev/char/{major}:{minor}/engine"));
        let value = |name: &str| {
            std::fs::read_to_string(folder.join(format!("{name}_cycles"))).ok()?.trim().parse::<u64>().ok()
        };
        let mut cycles = [0; CAUSES.len()];
        for (cycles, name) in cycles.iter_mut().zip(CAUSES) {
            *cycles = value(name)?;
        }
        Some(Spent { span: value("span")?, cycles })
    }

    /// What was spent since `before`; `None` where a counter went back.
    pub(crate) fn since(&self, before: &Spent) -> Option<Spent> {
        let mut cycles = self.cycles;
        for (now, then) in cycles.iter_mut().zip(before.cycles) {
            *now = now.checked_sub(then)?;
        }
        let span = self.span.checked_sub(before.span).filter(|span| *span > 0)?;
        Some(Spent { span, cycles })
    }

    /// The shares of all cycles, the greatest first.
    pub fn shares(&self) -> Vec<(&'static str, f64)> {
        // The files are read one after the other, while the engine counts on.
        let all = self.cycles.iter().sum::<u64>().max(1) as f64;
        let mut shares: Vec<_> = CAUSES.into_iter().zip(self.cycles.map(|cycles| cycles as f64 / all)).collect();
        shares.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        shares
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn are_cycles_those_between_two_looks_and_none_where_the_channel_was_set_up_anew() {
        let sys = std::env::temp_dir().join(format!("lanescope-spent-{}", std::process::id()));
        let folder = sys.join("dev/char/240:3/engine");
        fs::create_dir_all(&folder).unwrap();
        let show = |span: u64, moving: u64, host: u64| {
            let value = |name: &str| match name {
                "span" => span,
                "moving" => moving,
                "host" => host,
                _ => 0,
            };
            for name in CAUSES.into_iter().chain(["span"]) {
                fs::write(folder.join(format!("{name}_cycles")), format!("{}\n", value(name))).unwrap();
            }
            Spent::of(&sys, (240, 3)).unwrap()
        };
        let before = show(1000, 700, 300);
        let spent = show(5000, 3700, 1300).since(&before).unwrap();
        assert_eq!((spent.span, &spent.shares()[..3]), (4000, &[("moving", 0.75), ("host", 0.25), ("idle", 0.0)][..]));
        assert_eq!(show(5000, 3700, 200).since(&before), None, "a counter went back");
        assert_eq!(before.since(&before), None, "nothing was counted");
        assert_eq!(Spent::of(&sys, (240, 4)), None);
        fs::remove_file(folder.join("tag_cycles")).unwrap();
        assert_eq!(Spent::of(&sys, (240, 3)), None, "a driver that tells less tells nothing");
        fs::remove_dir_all(&sys).unwrap();
    }
}
