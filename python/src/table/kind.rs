//! What answers are, as tables: their rows and columns.

use lab::Unit;

/// A column: its name, its unit (empty: text), and where its value is in a row; with `^` in what the row is part of, with
/// `=` in the first figure of its point that is of its flow.
pub(super) type Column = (&'static str, &'static str, &'static str);

/// What an answer is: the command that it is of, the list that is its rows, and its columns.
#[derive(Clone, Debug)]
pub struct Kind {
    /// The command.
    pub word: &'static str,
    /// The pointer to the list of rows in each item; empty: the items are the rows.
    pub(super) inner: &'static str,
    pub(super) columns: &'static [Column],
    /// Names of columns after the others, which the question gave.
    pub asked: Vec<String>,
    /// The unit of rates; `None`: bytes a second.
    pub(super) unit: Option<Unit>,
}

/// The unit of a column of plain numbers.
const ONE: &str = "1";
pub(super) const RATE: &str = "B/s";
/// How the name of a column of rates ends, where no unit was asked for.
pub(super) const RATE_NAME: &str = "_rate_bytes_per_s";
/// Bytes a second of one of the rates in an answer, which are in MB/s.
pub(super) const MB: f64 = 1e6;
/// The column behind which the axes are.
pub(super) const AT: &str = "at";

/// The columns of fitted figures.
const FIT_COLUMNS: &[Column] = &[
    ("figure", "", "/path"),
    ("found", "", "/value"),
    ("standard_error", "", "/standard_error"),
    ("global_correlation", ONE, "/global_correlation"),
    ("was", "", "/was"),
];

impl Kind {
    const fn of(word: &'static str, inner: &'static str, columns: &'static [Column]) -> Kind {
        Kind { word, inner, columns, asked: Vec::new(), unit: None }
    }
    /// The same, with rates in this unit.
    #[must_use]
    pub fn told_in(self, unit: Option<Unit>) -> Kind {
        Kind { unit, ..self }
    }
    /// The unit of rates, where one was asked for.
    pub fn unit(&self) -> Option<Unit> {
        self.unit
    }
    /// The words by which [`Kind::again`] finds it.
    pub fn words(&self) -> (&'static str, &'static str) {
        (self.word, self.inner)
    }
    /// The kind with these words.
    pub fn again(word: &str, inner: &str, asked: Vec<String>, unit: Option<Unit>) -> Option<Kind> {
        let all = [
            Kind::LIMIT,
            Kind::WHAT_IF,
            Kind::RUN,
            Kind::TUNE,
            Kind::FIT,
            Kind::VALIDATE,
            Kind::sweep(Vec::new()),
            Kind::SHOW,
            Kind::STREAM,
            Kind::ADVISE,
            Kind::EXPLAIN,
            Kind::CALIBRATE,
            Kind::NEEDS,
            Kind::FUNCTIONS,
            Kind::LINKS,
            Kind::LIMITS,
        ];
        let found = all.into_iter().find(|kind| kind.words() == (word, inner));
        found.map(|kind| Kind { asked, unit, ..kind })
    }
    /// `limit`: one row for each flow of a point.
    pub const LIMIT: Kind = Kind::of(
        "limit",
        "/flows",
        &[
            ("system", "", "^/system"),
            ("experiment", "", "^/experiment"),
            ("at", "", "^/at"),
            ("flow", "", "/name"),
            // An answer that was kept by the version before has other names.
            ("limit_rate_bytes_per_s", RATE, "/limit/stream_mb_per_s|/alone/stream_mb_per_s"),
            ("fair_rate_bytes_per_s", RATE, "/fair/stream_mb_per_s|/together/stream_mb_per_s"),
            ("application_rate_bytes_per_s", RATE, "/fair/app_mb_per_s|/together/app_mb_per_s"),
            ("latency_ns", "ns", "/fair/latency_ns|/together/latency_ns"),
            ("bottleneck", "", "/fair/bottleneck/name|/together/bottleneck/name"),
            ("bottleneck_what", "", "/fair/bottleneck/what|/together/bottleneck/what"),
        ],
    );
    /// `limit --what-if`: one row for each change.
    pub const WHAT_IF: Kind = Kind::of(
        "what-if",
        "/gains",
        &[
            ("system", "", "^/system"),
            ("experiment", "", "^/experiment"),
            ("what", "", "/what"),
            ("where", "", "/where"),
            ("from", "", "/from"),
            ("to", "", "/to"),
            ("gained_rate_bytes_per_s", RATE, "/gained_mb_per_s"),
            ("then_rate_bytes_per_s", RATE, "/then_mb_per_s"),
            ("then_held_by", "", "/then_held_by"),
        ],
    );
    /// `run`: one row for each flow of a point.
    pub const RUN: Kind = Kind::of(
        "run",
        "/flows",
        &[
            ("system", "", "^/system"),
            ("experiment", "", "^/experiment"),
            ("at", "", "^/at"),
            ("flow", "", "/name"),
            ("operation", "", "/operation"),
            ("rate_bytes_per_s", RATE, "/stream_mb_per_s"),
            ("limit_rate_bytes_per_s", RATE, "/limit/stream_mb_per_s"),
            ("fair_rate_bytes_per_s", RATE, "/fair/stream_mb_per_s"),
            ("application_rate_bytes_per_s", RATE, "/app_mb_per_s"),
            ("latency_median_ns", "ns", "/latency_ns/median"),
            ("latency_p99_ns", "ns", "/latency_ns/p99"),
            ("bottleneck", "", "/bottleneck/name"),
            ("bottleneck_what", "", "/bottleneck/what"),
            ("bottleneck_gain_percent", "%", "/bottleneck/gain_percent"),
            ("metric", "", "=metric"),
            ("metric_unit", "", "=unit"),
            ("metric_simulated", "by the column metric_unit", "=simulated"),
            ("metric_limit", "by the column metric_unit", "=limit"),
            ("metric_fair", "by the column metric_unit", "=fair"),
            ("metric_published", "by the column metric_unit", "=published"),
            ("error_percent", "%", "=error_percent"),
        ],
    );
    /// `tune`: one row for each setting.
    pub const TUNE: Kind =
        Kind::of("tune", "/turns", &[("set", "", "/what"), ("from", "", "/from"), ("to", "", "/to")]);
    /// `fit`: one row for each figure.
    pub const FIT: Kind = Kind::of("fit", "/figures", FIT_COLUMNS);
    /// `validate`: one row for each row of the references.
    pub const VALIDATE: Kind = Kind::of(
        "validate",
        "",
        &[
            ("system", "", "/system"),
            ("experiment", "", "/experiment"),
            ("at", "", "/at"),
            ("metric", "", "/metric"),
            ("unit", "", "/unit"),
            ("published", "", "/value"),
            ("simulated", "by the column unit", "/simulated"),
            ("limit", "by the column unit", "/limit"),
            ("error_percent", "%", "/error_percent"),
        ],
    );
    /// `sweep`: one row for each figure of a point.
    pub fn sweep(dimensions: Vec<String>) -> Kind {
        const COLUMNS: &[Column] = &[
            ("system", "", "/system"),
            ("experiment", "", "/experiment"),
            ("at", "", "/at"),
            ("metric", "", "/metric"),
            ("operation", "", "/operation"),
            ("unit", "", "/unit"),
            ("simulated", "by the column unit", "/simulated"),
            ("limit", "by the column unit", "/limit"),
            ("bottleneck", "", "/bottleneck"),
            ("latency_median_ns", "ns", "/latency_median_ns"),
            ("latency_p99_ns", "ns", "/latency_p99_ns"),
            ("latency_p999_ns", "ns", "/latency_p999_ns"),
            ("problem", "", "/problem"),
        ];
        Kind { asked: dimensions, ..Kind::of("sweep", "", COLUMNS) }
    }
    /// `show`: one row for each figure of a part, with its origin.
    pub const SHOW: Kind = Kind::of(
        "show",
        "/figures",
        &[
            ("parts", "", "/parts"),
            ("model", "", "/model"),
            ("figure", "", "/figure"),
            ("value", "", "/value"),
            ("origin", "", "/origin_in_full"),
        ],
    );
    /// `stream`: one row for each part of a stream.
    pub const STREAM: Kind = Kind::of(
        "stream",
        "/mb_per_s",
        &[
            ("system", "", "^/system"),
            ("experiment", "", "^/experiment"),
            ("at", "", "^/at"),
            ("rate_bytes_per_s", RATE, ""),
        ],
    );
    /// `advise`: one row for each candidate.
    pub const ADVISE: Kind = Kind::of(
        "advise",
        "/candidates",
        &[
            ("candidate", "", "/name"),
            ("about", "", "/about"),
            ("drives", ONE, "/drives"),
            ("headroom", ONE, "/headroom"),
            ("headroom_grown", ONE, "/headroom_grown"),
            ("verdict", "", "/verdict"),
        ],
    );
    /// `explain`: one row for each hypothesis.
    pub const EXPLAIN: Kind = Kind::of(
        "explain",
        "/hypotheses",
        &[
            ("cause", "", "/cause"),
            ("sentence", "", "/sentence"),
            ("score", ONE, "/score"),
            ("off", ONE, "/off"),
            ("verdict", "", "^/verdict"),
        ],
    );
    /// `calibrate`: one row for each figure that was found.
    pub const CALIBRATE: Kind = Kind::of("calibrate", "/fit/figures", FIT_COLUMNS);
    /// `calibrate` without measurements: one row for each that it needs.
    pub const NEEDS: Kind = Kind::of("calibrate", "/measurements", &[("name", "", "/name"), ("how", "", "/how")]);
    /// `inspect`: one row for each function.
    pub const FUNCTIONS: Kind = Kind::of(
        "inspect",
        "/functions",
        &[
            ("address", "", "/address"),
            ("class", "", "/class_name"),
            ("name", "", "/name"),
            ("port_type", "", "/port_type"),
            ("mps_bytes", "B", "/mps_bytes"),
            ("mrrs_bytes", "B", "/mrrs_bytes"),
            ("tag_bits", ONE, "/tag_bits"),
            ("driver", "", "/os/driver"),
            ("numa_node", ONE, "/os/numa_node"),
        ],
    );
    /// `inspect`: one row for each link.
    pub const LINKS: Kind = Kind::of(
        "inspect",
        "/links",
        &[
            ("upper", "", "/upper"),
            ("lower", "", "/lower"),
            ("gt_per_s", "GT/s", "/now/gt_per_s"),
            ("width", ONE, "/now/width"),
            ("possible_gt_per_s", "GT/s", "/possible/gt_per_s"),
            ("possible_width", ONE, "/possible/width"),
            ("why", "", "/why"),
        ],
    );
    /// `inspect`: one row for each device that moves data to and from memory.
    pub const LIMITS: Kind = Kind::of(
        "inspect",
        "/limits/devices",
        &[
            ("address", "", "/at"),
            ("role", "", "/role"),
            ("to_memory_rate_bytes_per_s", RATE, "/to_memory_mb_per_s"),
            ("to_memory_set_by", "", "/to_memory_set_by"),
            ("from_memory_rate_bytes_per_s", RATE, "/from_memory_mb_per_s"),
            ("from_memory_set_by", "", "/from_memory_set_by"),
        ],
    );
}
