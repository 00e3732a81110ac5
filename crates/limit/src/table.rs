//! The table of a flow: one row for each mechanism that can limit it.
//!
//! A row is a *server*, which takes time for each byte, or a *loop*, in which a number of bytes may be in flight and
//! one round takes its latency. The steady rate of a flow is that of its slowest row. Each row is made in one place, in
//! `rows`. Bounds, shares among flows and budgets read the rows and are independent of the mechanisms.

use crate::place::{By, Place};
use crate::resource::Need;
use system::{Cause, Wait};

/// How a row limits a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Holds {
    /// A server: takes bytes one after another.
    Server {
        /// Time for each byte of the flow's payload.
        fs_per_byte: f64,
    },
    /// A loop: lets a number of bytes pass in each round.
    Loop {
        /// Payload bytes that may be in flight.
        bytes: f64,
        /// From the start of the first byte until its place is free again.
        round_fs: f64,
    },
}

/// Buffers in sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ahead {
    /// Payload that they hold.
    pub bytes: f64,
    /// From the time when they start to fill to the time when they start again, where nothing after them delays this.
    pub round_fs: f64,
}

impl Ahead {
    /// These buffers followed by others.
    pub fn and(self, then: Ahead) -> Ahead {
        Ahead { bytes: self.bytes + then.bytes, round_fs: self.round_fs + then.round_fs }
    }
}

/// One row of a table.
#[derive(Clone, Debug)]
pub struct Row {
    /// Place and cause.
    pub by: By,
    /// How the row limits the flow.
    pub holds: Holds,
    /// The least time for each byte, where `holds` is what the row takes on average: the limit is of the least, what is
    /// fair of the mean.
    pub least: Option<f64>,
    /// The least time for each byte where TLPs of other flows may stand on the links, where that is less: behind one a TLP may
    /// start sooner than behind idle.
    pub among: Option<f64>,
    /// Hops between the source and this row.
    pub hop: usize,
    /// The buffers between the source and this row. They take their bytes before the row delays the source.
    pub ahead: Ahead,
    /// For a loop: the least time for each byte at which its places become free.
    pub returns: f64,
    /// For a loop of a read: true where a round contains the whole way of a request and of its data.
    pub answered: bool,
    /// True where the row delays the pieces within a command but not one command after another.
    pub within: bool,
    /// Payload that passes this row at once, beyond that of a TLP. For a row of requests this is what one request asks
    /// for.
    pub grain: f64,
    /// For a direction: DLLPs after each TLP.
    pub dllps: f64,
    /// What the payload's direction waits for because of this row; `None` where that direction itself is full.
    pub wait: Option<Wait>,
    /// For a server that other flows can use too: what the flow needs of it.
    pub need: Option<Need>,
}

impl Row {
    /// A server of `fs_per_byte`.
    pub fn server(fs_per_byte: f64, place: Place, cause: Cause) -> Row {
        Row::new(Holds::Server { fs_per_byte }, place, cause)
    }

    /// A loop of `bytes` with a round of `round_fs`.
    pub fn of_loop(bytes: f64, round_fs: f64, place: Place, cause: Cause) -> Row {
        Row::new(Holds::Loop { bytes: bytes.max(1.0), round_fs }, place, cause)
    }

    fn new(holds: Holds, place: Place, cause: Cause) -> Row {
        let by = By { place, cause, shared: false };
        Row {
            by,
            holds,
            least: None,
            among: None,
            hop: 0,
            ahead: Ahead::default(),
            returns: 0.0,
            answered: false,
            within: false,
            grain: 0.0,
            dllps: 0.0,
            wait: Some(cause.wait()),
            need: None,
        }
    }

    /// Puts the row after `hop` hops with the buffers `ahead`.
    pub fn after(self, hop: usize, ahead: Ahead) -> Row {
        Row { hop, ahead, ..self }
    }

    /// Marks its time as a mean, of which a byte takes at least `fs_per_byte`.
    pub fn at_least(self, fs_per_byte: f64) -> Row {
        Row { least: Some(fs_per_byte.min(self.fs_per_byte())), ..self }
    }

    /// Gives the least time for each byte among other flows.
    pub fn among_others(self, fs_per_byte: f64) -> Row {
        Row { among: Some(fs_per_byte.min(self.fs_per_byte())), ..self }
    }

    /// Marks the row as a resource that other flows can use.
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

    /// The least time for each byte of payload in any run.
    pub fn least_fs_per_byte(&self) -> f64 {
        self.least.unwrap_or_else(|| self.fs_per_byte())
    }

    /// The same among other flows.
    pub fn among_fs_per_byte(&self) -> f64 {
        self.among.map_or(f64::INFINITY, |among| among).min(self.least_fs_per_byte())
    }

    /// From the first piece to the piece `bytes` later, where only this row and a server of `fs_per_byte` limit them. A
    /// loop passes its bytes at the server's rate, then waits for the end of the round.
    fn span_fs(&self, bytes: f64, fs_per_byte: f64) -> f64 {
        match self.holds {
            Holds::Server { fs_per_byte } => bytes * fs_per_byte,
            Holds::Loop { bytes: held, round_fs } => {
                let rounds = (bytes / held + 1e-9).floor();
                if rounds < 1.0 {
                    return 0.0;
                }
                // Bytes after the first round pass as places become free.
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
    /// The rows: in any order while the table is built, then with the slowest first.
    pub rows: Vec<Row>,
}

impl Table {
    /// Puts the slowest row first.
    pub fn sort(&mut self) {
        self.rows.sort_by(|a, b| b.fs_per_byte().total_cmp(&a.fs_per_byte()));
    }

    /// Adds rows whose pieces have `grain` bytes more than a TLP.
    pub fn append(&mut self, rows: Table, grain: f64) {
        self.rows.extend(rows.rows.into_iter().map(|row| Row { grain, ..row }));
    }

    /// Adds a row, if it takes a finite time.
    pub fn add(&mut self, row: Row) {
        if row.fs_per_byte() > 0.0 && row.fs_per_byte().is_finite() {
            self.rows.push(row);
        }
    }

    /// What the flow needs of each resource that it can share, with the place and cause to report.
    /// With each, the least that it takes of what it takes on average.
    pub fn needs(&self) -> impl Iterator<Item = (By, &Need, f64)> {
        let least = |row: &Row| row.among_fs_per_byte() / row.fs_per_byte();
        self.rows.iter().filter_map(move |row| Some((By { shared: true, ..row.by }, row.need.as_ref()?, least(row))))
    }

    /// Time for each byte of the slowest row.
    pub fn fs_per_byte(&self) -> f64 {
        self.rows.iter().map(Row::fs_per_byte).fold(0.0, f64::max)
    }

    /// The least time for each byte that any run of the flow takes.
    pub fn least_fs_per_byte(&self) -> f64 {
        self.rows.iter().map(Row::least_fs_per_byte).fold(0.0, f64::max)
    }

    /// The same of a run in which other flows are active.
    pub fn among_fs_per_byte(&self) -> f64 {
        self.rows.iter().map(Row::among_fs_per_byte).fold(0.0, f64::max)
    }

    /// From the start of the first TLP to the start of the last, `bytes` later, from an idle state; and the row that
    /// gives this time. At that time the last TLP has passed the first `through` hops, so their buffers do not count.
    /// For a row of requests, the data of the last request is added; where that is the larger part, the row is that of
    /// the data.
    pub fn span<'a>(&'a self, bytes: f64, through: usize) -> (f64, Option<&'a Row>) {
        let ahead = |row: &Row| if row.hop < through { Ahead::default() } else { row.ahead };
        let server = |row: &Row| match row.holds {
            Holds::Server { fs_per_byte } if ahead(row) == Ahead::default() => fs_per_byte,
            _ => 0.0,
        };
        let fastest = |grain: f64| self.rows.iter().filter(|row| row.grain <= grain).map(server).fold(0.0, f64::max);
        let data = self.rows.iter().filter(|row| row.grain <= 0.0 && server(row) > 0.0);
        let data = data.max_by(|a, b| server(a).total_cmp(&server(b)));
        let of_row = |row: &'a Row| {
            let held = bytes - ahead(row).bytes - row.grain;
            let (own, of_data) =
                (ahead(row).round_fs + row.span_fs(held, fastest(row.grain)), row.grain * fastest(0.0));
            (held >= 0.0).then(|| (own + of_data, data.filter(|_| of_data > own).unwrap_or(row)))
        };
        let spans = self.rows.iter().filter_map(of_row);
        spans.max_by(|a, b| a.0.total_cmp(&b.0)).map_or((0.0, None), |(span, row)| (span, Some(row)))
    }
}
