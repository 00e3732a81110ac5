//! The table of a flow: everything that can hold it back, one row each.
//!
//! A row is a *server*, which takes its time for each byte, or a *loop*: so many bytes may be on their way round, and one round
//! takes its latency. The steady rate of a flow is that of its slowest row. Each row is made in one place, below [`crate::rows`];
//! bounds, shares among flows and budgets read the rows and know no mechanism.

use crate::load::Load;
use crate::place::{By, Place};
use crate::plan::Plan;
use crate::resource::Need;
use crate::rows;
use system::{Cause, Wait};

/// How a row holds a flow back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Holds {
    /// Takes bytes one after another.
    Server {
        /// Time for each byte of the flow's payload.
        fs_per_byte: f64,
    },
    /// Lets so many bytes go in each round.
    Loop {
        /// Payload bytes that may be on their way.
        bytes: f64,
        /// From the first of them to the time at which its place is free again.
        round_fs: f64,
    },
}

/// Buffers one after another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ahead {
    /// Payload that they take.
    pub bytes: f64,
    /// From the start of what fills them to the start of the next, where nothing after them holds it.
    pub round_fs: f64,
}

impl Ahead {
    /// These and then others.
    pub fn and(self, then: Ahead) -> Ahead {
        Ahead { bytes: self.bytes + then.bytes, round_fs: self.round_fs + then.round_fs }
    }
}

/// One row.
#[derive(Clone, Debug)]
pub struct Row {
    /// Where, and what of it.
    pub by: By,
    /// How.
    pub holds: Holds,
    /// Hops between the source and this row.
    pub hop: usize,
    /// The buffers between the source and this row: they take so many bytes before the row holds the source.
    pub ahead: Ahead,
    /// Of a loop: time for each byte in which its places come back, at least.
    pub returns: f64,
    /// True where it holds pieces of one command back and not one command after another.
    pub within: bool,
    /// Payload of what goes by this row at once, beyond that of a TLP: of a row of requests, what one asks for.
    pub grain: f64,
    /// Of a direction: DLLPs after each TLP.
    pub dllps: f64,
    /// What the payload's direction waits for under this row; `None` where that direction is full itself.
    pub wait: Option<Wait>,
    /// Of a server that other flows can use as well: what the flow needs of it.
    pub need: Option<Need>,
}

impl Row {
    /// A server.
    pub fn server(fs_per_byte: f64, place: Place, cause: Cause) -> Row {
        Row::new(Holds::Server { fs_per_byte }, place, cause)
    }

    /// A loop of `bytes` that takes `round_fs`.
    pub fn of_loop(bytes: f64, round_fs: f64, place: Place, cause: Cause) -> Row {
        Row::new(Holds::Loop { bytes: bytes.max(1.0), round_fs }, place, cause)
    }

    fn new(holds: Holds, place: Place, cause: Cause) -> Row {
        let by = By { place, cause, shared: false };
        Row {
            by,
            holds,
            hop: 0,
            ahead: Ahead::default(),
            returns: 0.0,
            within: false,
            grain: 0.0,
            dllps: 0.0,
            wait: Some(cause.wait()),
            need: None,
        }
    }

    /// After `hop` hops, whose buffers are `ahead`.
    pub fn after(self, hop: usize, ahead: Ahead) -> Row {
        Row { hop, ahead, ..self }
    }

    /// Which other flows can use as well.
    pub fn shared(self, need: Need) -> Row {
        Row { need: Some(need), ..self }
    }

    /// The least time for each byte of payload.
    pub fn fs_per_byte(&self) -> f64 {
        match self.holds {
            Holds::Server { fs_per_byte } => fs_per_byte,
            Holds::Loop { bytes, round_fs } => round_fs / bytes,
        }
    }

    /// From the first piece to the one `bytes` later, where only this row and a server of `fs_per_byte` hold them: a loop lets
    /// its bytes go at the server's rate, then waits for the round.
    fn span_fs(&self, bytes: f64, fs_per_byte: f64) -> f64 {
        match self.holds {
            Holds::Server { fs_per_byte } => bytes * fs_per_byte,
            Holds::Loop { bytes: held, round_fs } => {
                let rounds = (bytes / held + 1e-9).floor();
                if rounds < 1.0 {
                    return 0.0;
                }
                // What goes after the first round goes as places come back.
                let pace = fs_per_byte.max(self.returns);
                let one_by_one = round_fs + (bytes - held) * self.returns;
                one_by_one.max(rounds * round_fs + (bytes - rounds * held).max(0.0) * pace)
            }
        }
    }
}

/// All rows of one flow.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// In no order in particular while it is made, the slowest first then.
    pub rows: Vec<Row>,
}

impl Table {
    /// The table of `plan`, whose loads are `loads`, the slowest row first.
    pub fn new(plan: &Plan<'_>, loads: &[Load]) -> Table {
        let mut table = Table::default();
        rows::add_all(&mut table, plan, loads);
        table.rows.sort_by(|a, b| b.fs_per_byte().total_cmp(&a.fs_per_byte()));
        table
    }

    /// Adds rows of pieces of `grain` bytes more than a TLP.
    pub fn append(&mut self, rows: Table, grain: f64) {
        self.rows.extend(rows.rows.into_iter().map(|row| Row { grain, ..row }));
    }

    /// Adds a row that takes time.
    pub fn add(&mut self, row: Row) {
        if row.fs_per_byte() > 0.0 && row.fs_per_byte().is_finite() {
            self.rows.push(row);
        }
    }

    /// What the flow needs of each resource that it can share with others, and whom that names.
    pub fn needs(&self) -> impl Iterator<Item = (By, &Need)> {
        self.rows.iter().filter_map(|row| Some((By { shared: true, ..row.by }, row.need.as_ref()?)))
    }

    /// Time for each byte under the slowest row.
    pub fn fs_per_byte(&self) -> f64 {
        self.rows.iter().map(Row::fs_per_byte).fold(0.0, f64::max)
    }

    /// From the start of the first TLP to that of the last, `bytes` later, with nothing before them; and the row that takes longest.
    /// The last one has passed the first `through` hops then, buffers or not. What a row of requests lets go last still has to come.
    pub fn span(&self, bytes: f64, through: usize) -> (f64, Option<&Row>) {
        let ahead = |row: &Row| if row.hop < through { Ahead::default() } else { row.ahead };
        let server = |row: &Row| match row.holds {
            Holds::Server { fs_per_byte } if ahead(row) == Ahead::default() => fs_per_byte,
            _ => 0.0,
        };
        let fastest = |grain: f64| self.rows.iter().filter(|row| row.grain <= grain).map(server).fold(0.0, f64::max);
        let of_row = |row: &Row| {
            let held = bytes - ahead(row).bytes - row.grain;
            (held >= 0.0)
                .then(|| ahead(row).round_fs + row.span_fs(held, fastest(row.grain)) + row.grain * fastest(0.0))
        };
        let spans = self.rows.iter().filter_map(|row| Some((of_row(row)?, row)));
        spans.max_by(|a, b| a.0.total_cmp(&b.0)).map_or((0.0, None), |(span, row)| (span, Some(row)))
    }
}
