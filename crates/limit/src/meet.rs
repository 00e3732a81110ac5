//! What commands wait for those of other flows at servers that are not full.
//!
//! A loop with a few commands or requests in flight waits wherever it finds others. By mean value analysis (Reiser and Lavenberg,
//! 1980, with Schweitzer's estimate of what one finds): at a server that flows share, each of the others is there for the part of the
//! time that its bytes take, longer as it waits itself, and always at most. While it is there, both take turns, so that what
//! the own command takes of the server takes so much longer; a command that streams through several servers is held up by one
//! of them. Besides, a TLP that comes while another one is on a link waits for the half of it, on each link anew.
//!
//! Chance decides when others are there, but for two cases. Loops of one queue whose rounds are as long, but for less than
//! what a command takes there, fall in step: each comes when the one before has passed, and waits for nobody. Like loops that
//! take turns begin together, and stay so: each TLP of a command but the last waits for one of each of the others.
//!
//! Servers that are full are [`crate::split`]'s: who has many commands in flight waits there for its part.

use crate::crowd::Crowd;
use crate::resource::Use;
use crate::solve::Solved;
use crate::table::Holds;
use std::collections::BTreeMap;
use system::Cause;

/// A loop of commands or of requests.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// Bytes in flight.
    bytes: f64,
    /// A round without others.
    fs: f64,
    /// Bytes of one command or request.
    each: f64,
}

impl Loop {
    /// Those of a flow; none of a flow whose commands wait in queues of a part: it sends their data one behind the other, and those
    /// of its other flows, which then fall in step.
    pub fn all(solved: &Solved<'_>) -> Vec<Loop> {
        if solved.plan.queued.is_some() {
            return Vec::new();
        }
        let cut = &solved.plan.cut;
        // A flow has more in its window than its slowest row allows, by what is under way when that opens.
        let window = solved.table.fs_per_byte() / solved.fs_per_byte;
        let (command, request) = (cut.bytes as f64, cut.bytes as f64 / cut.count().max(1.0));
        let of = |row: &crate::table::Row| {
            let Holds::Loop { bytes, round_fs } = row.holds else { return None };
            let fs = round_fs / window;
            match row.by.cause {
                Cause::Software(_) | Cause::CommandStart(_) => Some(Loop { bytes, fs, each: bytes.min(command) }),
                _ => row.answered.then(|| Loop { bytes, fs, each: bytes.min(request) }),
            }
        };
        solved.table.rows.iter().filter_map(of).collect()
    }

    /// Its rate where each byte of a command waits `longer`, and each command `rest` besides.
    fn rate(&self, longer: f64, rest: f64) -> f64 {
        self.bytes / (self.fs + rest + longer * self.each)
    }
}

/// What the flows of a crowd find at the servers that they share.
pub struct Meets {
    /// By class: its loops.
    loops: Vec<Vec<Loop>>,
    servers: Vec<Server>,
    /// By use: the number of others that one finds there, on average.
    others: Vec<f64>,
    /// By use: the rest of a TLP of another flow that a TLP waits for.
    rests: Vec<f64>,
    /// By flow: the rate of its loops with what they wait.
    rates: Vec<f64>,
}

/// A server that loops share with others: its users, those of one queue as neighbours.
struct Server(Vec<User>);

struct User {
    /// The use.
    number: usize,
    /// The time of a TLP; nothing where it is no link.
    tlp_fs: f64,
    /// Those that are in step with it, itself among them: places among the users.
    in_step: std::ops::Range<usize>,
    /// Like loops that take turns with it.
    alike: f64,
    /// What each of these counts.
    turns: f64,
}

impl Meets {
    /// Before any has met another; the `shared` servers are those where they do.
    pub fn new(crowd: &Crowd<'_>, shared: &[usize]) -> Meets {
        let loops: Vec<Vec<Loop>> = crowd.solved.iter().map(Loop::all).collect();
        let of_use = |number: usize| &loops[crowd.classes[crowd.uses.all[number].flow]][..];
        let is_met = |users: &&Vec<usize>| users.len() > 1 && users.iter().any(|&number| !of_use(number).is_empty());
        let users = shared.iter().map(|&server| &crowd.uses.users[server]).filter(is_met);
        let servers = users.map(|users| Server::new(crowd, users, of_use)).collect();
        let none = || vec![0.0; crowd.uses.all.len()];
        let rates = vec![f64::INFINITY; crowd.ways.len()];
        Meets { loops, servers, others: none(), rests: none(), rates }
    }

    /// The rate of the loops of a flow; infinite where it has none, or has met nobody.
    pub fn rate(&self, flow: usize) -> f64 {
        self.rates[flow]
    }

    /// Looks at what the flows find at the servers while they have `rates`.
    pub fn look(&mut self, crowd: &Crowd<'_>, rates: &[f64]) {
        for server in &self.servers {
            server.look(crowd, rates, (&mut self.others, &mut self.rests));
        }
        for flow in 0..rates.len() {
            let loops = &self.loops[crowd.classes[flow]];
            if loops.is_empty() {
                continue;
            }
            let (mut longer, mut rest) = (0.0, 0.0);
            for number in crowd.uses.of[flow].clone() {
                longer = f64::max(longer, self.others[number] * crowd.uses.all[number].fs_per_byte);
                rest += self.rests[number];
            }
            self.rates[flow] = loops.iter().map(|of| of.rate(longer, rest)).fold(f64::INFINITY, f64::min);
        }
    }
}

impl Server {
    fn new<'a>(crowd: &Crowd<'_>, users: &[usize], loops: impl Fn(usize) -> &'a [Loop]) -> Server {
        let class = |number: usize| crowd.classes[crowd.uses.all[number].flow];
        let queue = |number: usize| {
            let through = crowd.uses.through(&crowd.uses.all[number]);
            through.iter().rev().find(|source| source.one_queue).map(|source| source.name)
        };
        // From one command or request to the next; infinite for what does not wait for answers.
        let period = |number: usize| {
            let slowest = loops(number).iter().map(|of| of.fs * of.each / of.bytes).fold(0.0, f64::max);
            if slowest > 0.0 { slowest } else { f64::INFINITY }
        };
        let mut order: Vec<(Option<u64>, f64, usize)> = users.iter().map(|&n| (queue(n), period(n), n)).collect();
        order.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let (mut alike, mut of_queue) = (BTreeMap::new(), BTreeMap::new());
        for &(queue, _, number) in &order {
            *alike.entry(class(number)).or_insert(0) += 1;
            *of_queue.entry((queue, class(number))).or_insert(0) += 1;
        }
        let user = |(place, &(queue, period, number)): (usize, &(Option<u64>, f64, usize))| {
            let of = &crowd.uses.all[number];
            let command = loops(number).iter().map(|of| of.each).fold(0.0, f64::max) * of.fs_per_byte;
            let near = |other: &(Option<u64>, f64, usize)| {
                other.0.cmp(&queue).then(if other.1 < period - command {
                    std::cmp::Ordering::Less
                } else if other.1 > period + command {
                    std::cmp::Ordering::Greater
                } else {
                    std::cmp::Ordering::Equal
                })
            };
            let in_step = match queue {
                Some(_) if period.is_finite() => {
                    order.partition_point(|other| near(other).is_lt())
                        ..order.partition_point(|other| near(other).is_le())
                }
                _ => place..place + 1,
            };
            let own = if queue.is_some() { of_queue[&(queue, class(number))] } else { 1 };
            let tlp_fs = tlp_fs(crowd, of);
            let turns = if command > 0.0 { (1.0 - tlp_fs / command).max(0.0) } else { 0.0 };
            User { number, tlp_fs, in_step, alike: f64::from(alike[&class(number)] - own), turns }
        };
        Server(order.iter().enumerate().map(user).collect())
    }

    fn look(&self, crowd: &Crowd<'_>, rates: &[f64], (others, rests): (&mut [f64], &mut [f64])) {
        // The part of the time in which a user is there, and the rest of its TLP that another finds.
        let found = |user: &User| {
            let of = &crowd.uses.all[user.number];
            let busy = (rates[of.flow] * of.fs_per_byte).min(1.0);
            ((busy * (1.0 + others[user.number])).min(1.0), busy * user.tlp_fs / 2.0)
        };
        let each: Vec<(f64, f64)> = self.0.iter().map(found).collect();
        // The sums of all before each.
        let mut before = Vec::with_capacity(each.len() + 1);
        let mut all = (0.0, 0.0);
        for one in &each {
            before.push(all);
            all = (all.0 + one.0, all.1 + one.1);
        }
        before.push(all);
        for (user, own) in self.0.iter().zip(&each) {
            let (from, to) = (before[user.in_step.start], before[user.in_step.end]);
            let met = |all: f64, in_step: f64, own: f64, like: f64| (all - in_step - user.alike * own).max(0.0) + like;
            others[user.number] = met(all.0, to.0 - from.0, own.0, user.alike * user.turns);
            rests[user.number] = met(all.1, to.1 - from.1, own.1, 0.0);
        }
    }
}

/// The time of a TLP of a use on its link; nothing elsewhere.
fn tlp_fs(crowd: &Crowd<'_>, of: &Use) -> f64 {
    let tlps = of.back().map_or(0.0, |_| crowd.load(of).tlps());
    if tlps > 0.0 { of.fs_per_byte / tlps } else { 0.0 }
}
