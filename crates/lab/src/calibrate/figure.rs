//! The figures of a host that a calibration finds, and the measurements that determine each.

/// How a figure is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchRange {
    /// Over all values of a time.
    Any,
    /// Among these values.
    Among(&'static [&'static str]),
}

/// A figure of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostFigure {
    /// The field of the host.
    pub field: &'static str,
    /// How it is searched.
    pub search: SearchRange,
    /// The measurement that determines it, by [`Measurement::name`].
    pub by: &'static str,
    /// Why that measurement determines it.
    pub why: &'static str,
}

/// The figures, the most important first. If the rows cannot tell two of them apart, the first is found and the other
/// keeps its default.
pub const FIGURES: [HostFigure; 7] = [
    HostFigure {
        field: "read_latency",
        search: SearchRange::Any,
        by: "one-read",
        why: "with one request in flight, each read takes the round trip, and all else of it is of the link and the card",
    },
    HostFigure {
        field: "completion_bytes",
        search: SearchRange::Among(&["64", "128", "256"]),
        by: "long-reads",
        why: "where the link decides, smaller completions carry more headers for the same bytes",
    },
    HostFigure {
        field: "read_gap",
        search: SearchRange::Any,
        by: "short-reads",
        why: "with many short requests in flight, the host's time for each request decides",
    },
    HostFigure {
        field: "nonposted_headers",
        search: SearchRange::Among(&["4", "8", "16", "32", "64", "128"]),
        by: "short-reads",
        why: "requests beyond what the host accepts wait: more requests in flight then give no more",
    },
    HostFigure {
        field: "line_service",
        search: SearchRange::Any,
        by: "long-writes",
        why: "where memory is slower than the link, writes of any size wait for it line by line",
    },
    HostFigure {
        field: "write_service",
        search: SearchRange::Any,
        by: "short-writes",
        why: "what a write costs besides its lines counts most for writes of one line",
    },
    HostFigure {
        field: "partial_line_service",
        search: SearchRange::Any,
        by: "partial-writes",
        why: "only writes that leave a line partly filled pay it",
    },
];

/// A measurement that a calibration asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measurement {
    /// Its name.
    pub name: &'static str,
    /// The row: experiment, `at` and metric.
    pub row: (&'static str, &'static str, &'static str),
    /// How it is made.
    pub how: &'static str,
}

/// The measurements, each with an example of its rows. Their experiments are those of [`super::bench::text`].
pub const MEASUREMENTS: [Measurement; 6] = [
    Measurement {
        name: "one-read",
        row: ("read", "requests=1;request=128 B", "throughput"),
        how: "the card reads 64 KiB of host memory again and again with one request in flight, in two sizes of request",
    },
    Measurement {
        name: "short-reads",
        row: ("read", "requests=32;request=128 B", "throughput"),
        how: "the same with requests of 128 bytes, and 4, 8, 16 ... of them in flight, up to what the card can",
    },
    Measurement {
        name: "long-reads",
        row: ("read", "requests=32;request=512 B", "throughput"),
        how: "the same with large requests, as many in flight as the card can",
    },
    Measurement {
        name: "short-writes",
        row: ("write", "payload=64", "throughput"),
        how: "the card writes 64 KiB of host memory again and again in TLPs of 64 bytes",
    },
    Measurement {
        name: "long-writes",
        row: ("write", "payload=256", "throughput"),
        how: "the same in TLPs of 128 bytes and of Max_Payload_Size",
    },
    Measurement {
        name: "partial-writes",
        row: ("write", "payload=32", "throughput"),
        how: "the same in TLPs of 16 and 32 bytes, which fill a line partly",
    },
];

/// The fields that a measurement determines.
pub fn determined_by(measurement: &str) -> Vec<&'static str> {
    FIGURES.iter().filter(|figure| figure.by == measurement).map(|figure| figure.field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_its_measurement_and_every_measurement_its_figure() {
        for figure in FIGURES {
            assert!(MEASUREMENTS.iter().any(|m| m.name == figure.by), "{}", figure.field);
        }
        for measurement in MEASUREMENTS {
            assert!(!determined_by(measurement.name).is_empty(), "{}", measurement.name);
        }
    }
}
