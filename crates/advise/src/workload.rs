//! What must be carried.

use crate::candidate::{self, Candidate};
use crate::key::{number, one_of, read, wrong};
use pcie::{Bytes, Rate, Time};
use std::path::Path;
use system::source::{Source, Text};
use system::suggest::suggest;
use system::yaml::YamlNode;
use system::{Error, Problem};

/// Commands that an application may have in flight where it does not say.
const USUAL_IN_FLIGHT: u64 = 256;
/// The most of them: one ladder of simulations, each twice as deep.
const MOST_IN_FLIGHT: u64 = 65_536;
/// The usual lengths of a block.
const SEQUENTIAL: Bytes = Bytes(1 << 20);
const RANDOM: Bytes = Bytes(4096);
/// The unit of blocks.
const SECTOR: u64 = 512;

macro_rules! bundled {
    ($($name:literal),*) => {
        /// What comes with the program, and its names.
        const BUNDLED: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../../workloads/", $name, ".yaml")))),*];
    };
}
bundled!("office", "game", "film", "films", "capture", "cameras", "backup", "database");

/// What a stream needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Need {
    /// So much a second.
    Rate(Rate),
    /// So many blocks a second.
    Iops(f64),
    /// A volume that somebody waits for, and the time that it may take.
    Load(Bytes, Time),
}

/// One stream, or several alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// Its name.
    pub name: String,
    /// True if it is written.
    pub writes: bool,
    /// What one of them needs.
    pub need: Need,
    /// How many there are.
    pub count: u64,
    /// True if its blocks are anywhere.
    pub random: bool,
    /// The length of a block.
    pub block: Bytes,
    /// Blocks in flight at most, of all of them together.
    pub in_flight: u64,
    /// Threads that give commands.
    pub threads: u64,
    /// The longest mean latency of a block that is good enough.
    pub latency: Option<Time>,
    /// How many times as much it must be able to become.
    pub growth: f64,
}

impl Stream {
    /// What all of them need, before they grow.
    pub fn demand(&self) -> Rate {
        let one = match self.need {
            Need::Rate(rate) => rate.0,
            Need::Iops(iops) => iops * self.block.0 as f64,
            Need::Load(bytes, time) => bytes.0 as f64 / time.as_secs(),
        };
        Rate(one * self.count as f64)
    }
    /// Bytes that somebody waits for.
    pub fn load(&self) -> Option<Bytes> {
        match self.need {
            Need::Load(bytes, _) => Some(Bytes(bytes.0.saturating_mul(self.count))),
            _ => None,
        }
    }
}

/// What must be carried.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// One line.
    pub title: String,
    /// Its streams.
    pub streams: Vec<Stream>,
    /// What is asked about, cheapest first.
    pub candidates: Vec<Candidate>,
}

impl Workload {
    /// Reads a text. `name` is that of its file.
    ///
    /// # Errors
    /// What is wrong, with its place.
    pub fn from_text(name: &str, text: &str) -> Result<Workload, Error> {
        let root = YamlNode::parse(&Source::new(name, text))?;
        let stem = Path::new(name).file_stem().map_or(name.into(), |stem| stem.to_string_lossy());
        let mut workload = Workload { title: stem.into_owned(), streams: Vec::new(), candidates: Vec::new() };
        for (key, node) in root.map("a workload")? {
            match key.text.as_str() {
                "title" => workload.title = node.text("`title`")?.text,
                "streams" => {
                    let streams = node.map("`streams`")?.iter();
                    workload.streams = streams.map(|(name, node)| stream(name, node)).collect::<Result<_, _>>()?;
                }
                "candidates" => workload.candidates = candidate::read(node)?,
                other => {
                    let problem = Problem::Unknown { what: "section of a workload".into(), name: other.into() };
                    return Err(Error::new(&key.place, problem, suggest(other, ["title", "streams", "candidates"])));
                }
            }
        }
        if workload.streams.is_empty() {
            let problem = Problem::Missing { what: "the workload".into(), key: "streams" };
            return Err(Error::new(&root.place, problem, "write `streams: { film: { rate: 900 MB/s } }`"));
        }
        if workload.candidates.is_empty() {
            workload.candidates = candidate::usual()?;
        }
        Ok(workload)
    }

    /// The workload of that name that comes with the program, or else a file.
    ///
    /// # Errors
    /// Those of [`Workload::from_text`] and [`Workload::load`]; a name that is neither.
    pub fn open(name: &str) -> Result<Workload, Error> {
        if let Some((_, text)) = BUNDLED.iter().find(|(known, _)| *known == name) {
            return Workload::from_text(&format!("workloads/{name}.yaml"), text);
        }
        if !name.contains(['/', '\\', '.']) && !Path::new(name).is_file() {
            let problem = Problem::Unknown { what: "workload".into(), name: name.into() };
            return Err(Error::nowhere(problem, suggest(name, Workload::bundled())));
        }
        Workload::load(Path::new(name))
    }

    /// The names of the workloads that come with the program.
    pub fn bundled() -> impl Iterator<Item = &'static str> {
        BUNDLED.iter().map(|(name, _)| *name)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read; and those of [`Workload::from_text`].
    pub fn load(path: &Path) -> Result<Workload, Error> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            let help = "give a file that says what must be carried: `lanescope advise --help` has one";
            Error::nowhere(Problem::Io(format!("{name}: {error}")), help)
        })?;
        Workload::from_text(&name, &text)
    }
}

/// What a stream says, as far as it is read.
#[derive(Default)]
struct Said {
    writes: bool,
    random: bool,
    rate: Option<Rate>,
    iops: Option<f64>,
    load: Option<Bytes>,
    within: Option<Time>,
    count: Option<u64>,
    block: Option<Bytes>,
    in_flight: Option<u64>,
    threads: Option<u64>,
    latency: Option<Time>,
    growth: Option<f64>,
}

const KEYS: [&str; 12] = [
    "operation",
    "pattern",
    "rate",
    "iops",
    "load",
    "within",
    "count",
    "block",
    "in_flight",
    "threads",
    "latency",
    "growth",
];

fn stream(name: &Text, node: &YamlNode) -> Result<Stream, Error> {
    let mut said = Said::default();
    for (key, node) in node.map(&format!("stream `{}`", name.text))? {
        said.set(key, &node.text(&format!("`{}`", key.text))?)?;
    }
    said.stream(name)
}

impl Said {
    fn set(&mut self, key: &Text, text: &Text) -> Result<(), Error> {
        let positive = |expects: &'static str| {
            let number = text.text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
            number.ok_or_else(|| wrong(key, text, expects))
        };
        match key.text.as_str() {
            "operation" => self.writes = one_of(key, text, ["read", "write"])? == 1,
            "pattern" => self.random = one_of(key, text, ["sequential", "random"])? == 1,
            "rate" => self.rate = Some(read(key, text, |_| true)?),
            "iops" => self.iops = Some(positive("blocks a second, as in `300000`")?),
            "load" => self.load = Some(read(key, text, |bytes: &Bytes| bytes.0 > 0)?),
            "within" => self.within = Some(read(key, text, |time: &Time| *time > Time::ZERO)?),
            "count" => self.count = Some(number(key, text, 1 << 20)?),
            "block" => {
                let whole = |bytes: &Bytes| bytes.0 > 0 && bytes.0.is_multiple_of(SECTOR) && bytes.0 <= 64 << 20;
                self.block =
                    Some(read(key, text, whole).map_err(|_| {
                        wrong(key, text, "a whole number of 512 bytes, at most 64 MiB, as in `128 KiB`")
                    })?);
            }
            "in_flight" => self.in_flight = Some(number(key, text, MOST_IN_FLIGHT)?),
            "threads" => self.threads = Some(number(key, text, 1024)?),
            "latency" => self.latency = Some(read(key, text, |time: &Time| *time > Time::ZERO)?),
            "growth" => {
                let growth = positive("how many times as much it may become, as in `1.5`")?;
                self.growth = Some(growth).filter(|growth| *growth >= 1.0);
                self.growth.ok_or_else(|| wrong(key, text, "1 or more"))?;
            }
            other => {
                let problem = Problem::Unknown { what: "key of a stream".into(), name: other.into() };
                return Err(Error::new(&key.place, problem, suggest(other, KEYS)));
            }
        }
        Ok(())
    }

    fn stream(self, name: &Text) -> Result<Stream, Error> {
        let need = match (self.rate, self.iops, self.load) {
            (Some(rate), None, None) => Need::Rate(rate),
            (None, Some(iops), None) => Need::Iops(iops),
            (None, None, Some(load)) => {
                let missing = || {
                    let problem = Problem::Missing { what: format!("stream `{}`", name.text), key: "within" };
                    Error::new(&name.place, problem, "say how long it may take, as in `within: 10 s`")
                };
                Need::Load(load, self.within.ok_or_else(missing)?)
            }
            _ => {
                let what = format!("stream `{}` needs one of `rate`, `iops` and `load`", name.text);
                let help = "write `rate: 900 MB/s`, `iops: 300000`, or `load: 50 GB` with `within: 10 s`";
                return Err(Error::new(&name.place, Problem::Experiment(what), help));
            }
        };
        if self.within.is_some() && self.load.is_none() {
            let what = format!("`within` of stream `{}` says how long a `load` may take", name.text);
            return Err(Error::new(&name.place, Problem::Experiment(what), "write `load`, or leave `within` out"));
        }
        Ok(Stream {
            name: name.text.clone(),
            writes: self.writes,
            need,
            count: self.count.unwrap_or(1),
            random: self.random,
            block: self.block.unwrap_or(if self.random { RANDOM } else { SEQUENTIAL }),
            in_flight: self.in_flight.unwrap_or(USUAL_IN_FLIGHT),
            threads: self.threads.unwrap_or(1),
            latency: self.latency,
            growth: self.growth.unwrap_or(1.0),
        })
    }
}
