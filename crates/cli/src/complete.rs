//! Completions for shells: systems, experiments, axes and their values, parts, kinds.

use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};
use std::ffi::{OsStr, OsString};
use system::{Description, Experiment};

/// Names of the bundled machines, and files.
pub fn systems(current: &OsStr) -> Vec<CompletionCandidate> {
    let about = |name: &str| Description::bundled(name).map(|d| d.title().to_string()).unwrap_or_default();
    let mut all = matching(current, system::bundled::names().map(|name| (name.to_string(), about(name))));
    all.extend(PathCompleter::file().complete(current));
    all
}

/// Names of the bundled workloads, and files.
pub fn workloads(current: &OsStr) -> Vec<CompletionCandidate> {
    let about = |name: &str| advise::Workload::open(name).map(|workload| workload.title).unwrap_or_default();
    let mut all = matching(current, advise::Workload::bundled().map(|name| (name.to_string(), about(name))));
    all.extend(PathCompleter::file().complete(current));
    all
}

/// Experiments of the machine on the command line.
pub fn experiments(current: &OsStr) -> Vec<CompletionCandidate> {
    let described = typed().iter().find_map(described);
    let experiments = described.iter().flat_map(Description::experiments);
    matching(current, experiments.map(|experiment| (experiment.name.clone(), experiment.about.clone())))
}

/// `axis=`, and after it `axis=value`, of the experiment on the command line or of all experiments.
pub fn axes(current: &OsStr) -> Vec<CompletionCandidate> {
    let words = typed();
    let described = words.iter().find_map(described);
    let experiments: Vec<&Experiment> = described.iter().flat_map(Description::experiments).collect();
    let named = experiments.iter().copied().find(|experiment| words.iter().any(|word| *word == *experiment.name));
    let chosen = named.map_or(experiments, |experiment| vec![experiment]);
    let axes = chosen.iter().flat_map(|experiment| &experiment.axes);
    let valued = current.to_string_lossy().contains('=');
    let mut texts: Vec<String> = axes
        .flat_map(|axis| match valued {
            true => axis.values.iter().map(|value| format!("{}={value}", axis.name)).collect(),
            false => vec![format!("{}=", axis.name)],
        })
        .collect();
    texts.sort();
    texts.dedup();
    matching(current, texts.into_iter().map(|text| (text, String::new())))
}

/// Entries of the catalogue.
pub fn parts(current: &OsStr) -> Vec<CompletionCandidate> {
    let entries = system::catalogue::entries().unwrap_or_default();
    matching(current, entries.iter().map(|entry| (entry.name.clone(), entry.about().to_string())))
}

/// Sets of reference rows, also after a comma.
pub fn sets(current: &OsStr) -> Vec<CompletionCandidate> {
    let sets = lab::sets::all().unwrap_or_default();
    let current_text = current.to_string_lossy();
    let before = current_text.rfind(',').map_or("", |comma| &current_text[..=comma]);
    matching(current, sets.into_iter().map(|set| (format!("{before}{}", set.name), set.about)))
}

/// Units of rates.
pub fn units(current: &OsStr) -> Vec<CompletionCandidate> {
    let rates = lab::Unit::ALL.into_iter().filter(|unit| unit.is_rate());
    matching(current, rates.map(|unit| (unit.word().to_string(), String::new())))
}

/// Kinds of part.
pub fn kinds(current: &OsStr) -> Vec<CompletionCandidate> {
    let kinds = system::registry::kinds().iter().map(|kind| (kind.word.to_string(), kind.about.to_string()));
    matching(current, kinds.chain([("port".to_string(), String::new())]))
}

fn matching(current: &OsStr, all: impl Iterator<Item = (String, String)>) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let fitting = all.filter(|(text, _)| text.starts_with(&*current));
    fitting
        .map(|(text, about)| {
            let first = about.split(". ").next().unwrap_or_default().to_string();
            CompletionCandidate::new(text).help(Some(first).filter(|about| !about.is_empty()).map(Into::into))
        })
        .collect()
}

/// The words of the current command line. The shell passes them after `--`, the program's name first.
fn typed() -> Vec<OsString> {
    std::env::args_os().skip_while(|word| word != "--").skip(2).collect()
}

/// The machine that a word names, if it names one.
fn described(word: &OsString) -> Option<Description> {
    let word = word.to_str().filter(|word| !word.is_empty() && !word.starts_with('-'))?;
    let file = || std::path::Path::new(word).is_file();
    (system::bundled::names().any(|name| name == word) || file()).then(|| Description::open(word).ok())?
}
