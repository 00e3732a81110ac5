//! Descriptions: machines as YAML, their experiments, and overrides.
//!
//! ```
//! use lanescope_system::{Description, Point};
//!
//! let text = "
//! title: Two cards behind a switch
//! parts:
//!   host:   { part: generic/gen3-host, slots: { pcie: gen3 x8 } }   # a catalogue entry, its root ports
//!   switch: generic/gen3-switch                                     # the same in short
//!   card:   { part: generic/gen3-card, count: 2, read_requests: 8 } # an array; fields replace the entry's
//! links:
//!   - { join: host.pcie - switch.up, lanes: 4 }   # lanes wired, gen held to, propagation, sris
//!   - switch.down[i] - card[i].pcie               # for every i that the arrays have
//! settings: { mps_policy: tree-minimum, mrrs: 512, bars: below 4 GiB }
//! experiments:
//!   write:
//!     operation: dma-write
//!     flows: ['card[i] -> host']                  # in the direction of the data
//!     axes:
//!       payload: [128, 256]                       # TLP payload, MPS on the path
//!       size: [4096, 65536]                       # length of a command
//!       devices: [1, 2]                           # the first so many flows, or a name of `flow_sets`
//!       width: { narrow: { links.0.lanes: 1 }, wide: { links.0.lanes: 4 } }     # named, closed
//!       requests: { set: [card.read_requests], values: [8] }                   # any value of a field
//!     measures: [throughput_per_device]
//! ";
//! let mut description = Description::from_text("two-cards.yaml", text)?;
//! description.set("card[1].tx_latency=200 ns")?;
//! let experiment = description.experiment("write")?;
//! assert_eq!(experiment.points().len(), 16);
//! let point = Point::parse("devices=2;width=narrow;payload=64").unwrap_or_default();
//! let scenario = description.scenario(experiment, &point)?;
//! assert_eq!((scenario.flows.len(), scenario.system.links[0].speed.to_string().as_str()), (2, "Gen3 x1"));
//! # Ok::<(), lanescope_system::Error>(())
//! ```
//!
//! A part is a catalogue entry or has `kind: host | switch | dma-card` and `ports: { up: gen3 x8, "down[4]": gen3 x4 }`;
//! `bars: 64 MiB 64-bit, 64 KiB` and `setpci: { mps: 256, mrrs: 1024 }` are not fields of its kind. A figure
//! is `255 ns`, or `{ value: 255 ns, cited: ... }` with `fitted` or `assumed` as other origins.

mod at;
mod build;
mod check;
pub(crate) mod instance;
mod join;
mod port_line;
mod scenario;

use crate::bundled;
use crate::error::{Error, Problem};
use crate::experiment::Experiment;
use crate::figure::Origin;
use crate::graph::System;
use crate::settle::{Settings, settle};
use crate::source::{Source, Text};
use crate::suggest::suggest;
use crate::written::spec::Spec;
use crate::written::write::{Target, Whose, Write};
use crate::yaml::YamlNode;
use pcie::Width;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// An override from the command line.
#[derive(Clone, Debug)]
pub(crate) struct Override {
    path: Text,
    value: Text,
    origin: Origin,
    /// What requested it; `None` where a program tries a value in place of the requested one.
    pub(crate) write: Option<Write>,
}

impl Override {
    pub fn apply(&self, spec: &mut Spec) -> Result<(), Error> {
        spec.set(&self.path, self.value.clone(), self.origin.clone())
    }
}

/// A described machine with its experiments. Cheap to clone and to override.
#[derive(Clone, Debug)]
pub struct Description {
    pub(crate) spec: Spec,
    pub(crate) overrides: Vec<Override>,
    pub(crate) experiments: Vec<Experiment>,
    /// Settings of experiments from the command line.
    pub(crate) of_experiments: Vec<Write>,
    about: String,
    /// A hash of the content, without titles.
    content: u64,
}

impl Description {
    /// Reads a text. `name` is the file name, with or without directories.
    ///
    /// # Errors
    /// Errors of the text itself. [`Description::system`] finds inconsistencies.
    pub fn from_text(name: &str, text: &str) -> Result<Description, Error> {
        let root = YamlNode::parse(&Source::new(name, text))?;
        let stem = Path::new(name).file_stem().map_or(name.into(), |stem| stem.to_string_lossy());
        let spec = Spec::read(&stem, &root)?;
        let sections = root.map("a description")?;
        let experiments = sections.iter().find(|(key, _)| key.text == "experiments");
        let experiments = experiments.map_or(Ok(Vec::new()), |(_, node)| Experiment::read_all(node))?;
        let about = sections.iter().find(|(key, _)| key.text == "about");
        let about = about.map_or(Ok(String::new()), |(_, node)| node.text("`about`").map(|t| t.text))?;
        let said = sections.iter().filter(|(key, _)| !["title", "about"].contains(&key.text.as_str()));
        let mut hasher = DefaultHasher::new();
        said.for_each(|(key, node)| (key.text.as_str(), node.content()).hash(&mut hasher));
        let content = hasher.finish();
        Ok(Description { spec, overrides: Vec::new(), experiments, of_experiments: Vec::new(), about, content })
    }

    /// The machine with the parts, links and experiments of another text beside its own, as a card in one of its slots. A
    /// link of that text may name a port of either. Of its settings, those of the machine hold.
    ///
    /// # Errors
    /// Errors of the text itself, or a name that the machine has already.
    pub fn joined(&self, name: &str, text: &str) -> Result<Description, Error> {
        let more = Description::from_text(name, text)?;
        let mut whole = self.clone();
        let parts = whole.spec.parts.iter().map(|part| &part.name.text);
        let names: Vec<&String> = parts.chain(whole.experiments.iter().map(|experiment| &experiment.name)).collect();
        let new = more.spec.parts.iter().map(|part| &part.name);
        let new = new.chain(more.experiments.iter().map(|experiment| &experiment.at));
        if let Some(twice) = new.into_iter().find(|new| names.contains(&&new.text)) {
            let problem = Problem::Duplicate(twice.text.clone());
            return Err(Error::new(&twice.place, problem, "take another name"));
        }
        whole.spec.parts.extend(more.spec.parts);
        whole.spec.links.extend(more.spec.links);
        whole.experiments.extend(more.experiments);
        let mut hasher = DefaultHasher::new();
        (self.content, more.content).hash(&mut hasher);
        whole.content = hasher.finish();
        Ok(whole)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read; and those of [`Description::from_text`].
    pub fn load(path: impl AsRef<Path>) -> Result<Description, Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| {
            let help =
                format!("give a file, or a bundled machine: {}", bundled::names().collect::<Vec<_>>().join(", "));
            Error::nowhere(Problem::Io(format!("{name}: {error}")), help)
        })?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let place = crate::source::Place::new(&Source::new(&name, ""), 0, 0);
            let problem = Problem::Syntax(format!("byte {} is not UTF-8", error.utf8_error().valid_up_to()));
            Error::new(&place, problem, "save the file as UTF-8")
        })?;
        Description::from_text(&name, &text)
    }

    /// A description that comes with the program.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn bundled(name: &str) -> Result<Description, Error> {
        let Some(text) = bundled::text(name) else {
            let problem = Problem::Unknown { what: "system".into(), name: name.into() };
            return Err(Error::nowhere(problem, suggest(name, bundled::names())));
        };
        Description::from_text(&format!("systems/{name}.yaml"), text)
    }

    /// The bundled description of that name, or else a file.
    ///
    /// # Errors
    /// Those of [`Description::bundled`] and [`Description::load`].
    pub fn open(name_or_path: &str) -> Result<Description, Error> {
        let is_path = name_or_path.contains(['/', '\\', '.']) || Path::new(name_or_path).is_file();
        if bundled::text(name_or_path).is_some() || !is_path {
            return Description::bundled(name_or_path);
        }
        Description::load(name_or_path)
    }

    /// The name: `rosta-rb8v7`.
    pub fn name(&self) -> &str {
        &self.spec.name
    }
    /// The title, one line.
    pub fn title(&self) -> &str {
        &self.spec.title
    }
    /// The text about it.
    pub fn about(&self) -> &str {
        &self.about
    }
    /// True where two texts describe the same machine with the same experiments. Names, comments, titles, layout and
    /// overrides do not count.
    pub fn is_same(&self, other: &Description) -> bool {
        self.content == other.content
    }
    /// The experiments, in order of the file.
    pub fn experiments(&self) -> &[Experiment] {
        &self.experiments
    }
    /// The experiment of that name.
    ///
    /// # Errors
    /// There is none.
    pub fn experiment(&self, name: &str) -> Result<&Experiment, Error> {
        self.experiments.iter().find(|e| e.name == name).ok_or_else(|| {
            let problem = Problem::Unknown { what: format!("experiment of {}", self.name()), name: name.into() };
            Error::nowhere(problem, suggest(name, self.experiments.iter().map(|e| e.name.as_str())))
        })
    }

    /// Overrides a field of the machine, including fields that an experiment's own `set` has set: `card.tx_latency=200
    /// ns`, `card[3].mps=512`, `links.0.lanes=4`, `settings.mrrs=4096`, `experiments.host-write.volume=1 MiB`, and what a named choice of an axis
    /// sets: `experiments.dma-read.axes.core.p.card.fifo=8 KiB`.
    ///
    /// # Errors
    /// Wrong syntax; a part, link, setting or experiment that does not exist; a field that was overridden before.
    /// [`Description::system`] checks fields of parts, because it knows their kinds. [`Description::agree`] detects an
    /// axis that sets the same field.
    pub fn set(&mut self, assignment: &str) -> Result<(), Error> {
        self.set_by("--set", assignment)
    }

    /// As [`Description::set`], for a request by another option: `--over`.
    ///
    /// # Errors
    /// Those of [`Description::set`].
    pub fn set_by(&mut self, option: &str, assignment: &str) -> Result<(), Error> {
        let (whole, path, value) = halves(option, assignment)?;
        let text = format!("{option} {assignment}");
        let write = Write { target: Target::of(&path.text), whose: Whose::Asked, text, place: path.place.clone() };
        write.beside(self.asked())?;
        if path.text.starts_with("experiments.") {
            self.set_experiment(&whole, &path, &value)?;
            self.of_experiments.push(write);
            return Ok(());
        }
        self.put(Override { path, value, origin: Origin::Override(write.text.clone()), write: Some(write) })
    }

    /// Overrides a field with precedence over all other settings, axes included: for programs that try values.
    ///
    /// # Errors
    /// Those of [`Description::set`], except a field that was overridden before.
    pub fn supersede(&mut self, assignment: &str) -> Result<(), Error> {
        let (whole, path, value) = halves("--set", assignment)?;
        if path.text.starts_with("experiments.") {
            return self.set_experiment(&whole, &path, &value);
        }
        let origin = Origin::Override(format!("--set {assignment}"));
        self.put(Override { path, value, origin, write: None })
    }

    fn put(&mut self, new: Override) -> Result<(), Error> {
        new.apply(&mut self.overridden()?)?;
        self.overrides.push(new);
        Ok(())
    }

    fn set_experiment(&mut self, whole: &Text, path: &Text, value: &Text) -> Result<(), Error> {
        let rest = path.text.trim_start_matches("experiments.");
        let of_axis = rest.find(".axes.").map(|dot| (&rest[..dot], &rest[dot + 1..]));
        let (name, key) = of_axis.or_else(|| rest.rsplit_once('.')).unwrap_or((rest, ""));
        self.experiment(name)?;
        let key = Text { text: key.into(), place: whole.place.of(key) };
        let experiment = self.experiments.iter_mut().find(|e| e.name == name);
        experiment.map_or(Ok(()), |e| e.set(&key, value))
    }

    /// All overrides so far.
    pub(crate) fn asked(&self) -> impl Iterator<Item = &Write> {
        self.overrides.iter().filter_map(|o| o.write.as_ref()).chain(&self.of_experiments)
    }

    /// The settled machine.
    ///
    /// # Errors
    /// Any inconsistency: see [`Problem`].
    pub fn system(&self) -> Result<System, Error> {
        put_together(&self.overridden()?)
    }

    /// The settings of firmware and administrator, overrides included.
    ///
    /// # Errors
    /// An override that is not possible.
    pub fn settings(&self) -> Result<Settings, Error> {
        Ok(self.overridden()?.resolve_settings())
    }

    /// For each link of [`Graph::links`](crate::graph::Graph::links), the line under `links:` (from 0) that it comes from.
    ///
    /// # Errors
    /// As [`Description::system`].
    pub fn link_lines(&self) -> Result<Vec<usize>, Error> {
        let spec = self.overridden()?;
        let mut lines = Vec::new();
        for line in 0..spec.links.len() {
            let part = Spec { links: spec.links[..=line].to_vec(), ..spec.clone() };
            let links = build::build(&part)?.system.links.len();
            lines.resize(links, line);
        }
        Ok(lines)
    }

    /// For each line under `links:`, the number of wired lanes, if it states one.
    ///
    /// # Errors
    /// An override that is not possible.
    pub fn wired(&self) -> Result<Vec<Option<Width>>, Error> {
        Ok(self.overridden()?.links.iter().map(|link| link.lanes.as_ref().map(|(lanes, _)| *lanes)).collect())
    }

    fn overridden(&self) -> Result<Spec, Error> {
        let mut spec = self.spec.clone();
        self.overrides.iter().try_for_each(|o| o.apply(&mut spec))?;
        Ok(spec)
    }
}

/// The parts of an assignment: the whole, its path and its value.
fn halves(option: &str, assignment: &str) -> Result<(Text, Text, Text), Error> {
    let whole = Text::alone(option, assignment);
    let Some((path, value)) = assignment.split_once('=') else {
        let problem = Problem::Form { text: assignment.into(), wanted: "an override" };
        return Err(Error::new(&whole.place, problem, "write `path=value`, as in `card.tx_latency=200 ns`"));
    };
    let (path, value) = (path.trim(), value.trim());
    let path = Text { text: path.into(), place: whole.place.of(path) };
    let value = Text { text: value.into(), place: value_place(&whole, value) };
    Ok((whole, path, value))
}

/// The place after the `=`.
fn value_place(whole: &Text, value: &str) -> crate::source::Place {
    let start = whole.text.find('=').map_or(0, |at| at + 1);
    let start = start + whole.text[start..].find(value).unwrap_or(0);
    let source = Source::new(whole.place.file(), whole.text.as_str());
    crate::source::Place::new(&source, start, start + value.len())
}

/// Combines parts, links and settings as written, and settles the machine.
pub(crate) fn put_together(spec: &Spec) -> Result<System, Error> {
    settle(build::build(spec)?)
}
