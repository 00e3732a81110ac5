//! Described machines.

use crate::answer::Answer;
use crate::errors::{guarded, raised};
use crate::table::Kind;
use crate::value::to_python;
use lab::{DescribedMachine, Unit};
use pyo3::prelude::*;
use serde_json::{Value, json};
use system::Description;

/// A described machine with its experiments.
#[pyclass(frozen, module = "lanescope._native")]
pub struct System {
    pub machine: DescribedMachine,
    /// The overrides, as for `--set`.
    pub sets: Vec<String>,
    /// The unit of all rates, as for `--unit`; `None`: as described and published.
    pub unit: Option<Unit>,
}

/// The names of the bundled machines.
#[pyfunction]
pub fn bundled() -> Vec<&'static str> {
    system::bundled::names().collect()
}

/// The values of axes as texts.
pub type Axes = Vec<(String, Vec<String>)>;

#[pymethods]
impl System {
    /// Opens a bundled machine or a file.
    #[staticmethod]
    fn open(py: Python<'_>, name: &str) -> PyResult<System> {
        py.detach(|| guarded(|| Ok(System::of(DescribedMachine::open(name, &[])?))))
    }
    /// Reads a description. `name` is the file name that errors tell, `called` the name of the machine.
    #[staticmethod]
    #[pyo3(signature = (name, text, called=None))]
    fn from_text(py: Python<'_>, name: &str, text: &str, called: Option<&str>) -> PyResult<System> {
        let read = || {
            let description = Description::from_text(name, text)?;
            let called = called.unwrap_or(description.name()).to_string();
            Ok(System::of(DescribedMachine::described(&called, description)?))
        };
        py.detach(|| guarded(read))
    }
    /// A copy with other values, each as `PATH=VALUE`.
    fn with_sets(&self, py: Python<'_>, sets: Vec<String>) -> PyResult<System> {
        let changed = || {
            let mut description = self.machine.description().clone();
            for set in &sets {
                description.set(set)?;
            }
            let machine = DescribedMachine::described(self.machine.name(), description)?;
            let sets = self.sets.iter().chain(&sets).cloned().collect();
            Ok(System { machine: machine.told_in(self.unit), sets, unit: self.unit })
        };
        py.detach(|| guarded(changed))
    }
    /// A copy that tells all rates in this unit.
    fn told_in(&self, py: Python<'_>, unit: &str) -> PyResult<System> {
        let changed = || {
            let found = Unit::from_word(unit).filter(|unit| unit.is_rate()).ok_or_else(|| {
                let rates = Unit::ALL.into_iter().filter(|unit| unit.is_rate()).map(Unit::word).collect::<Vec<_>>();
                ask::Complaint::new(format!("`{unit}` is no unit of rates"), format!("one of {}", rates.join(", ")))
            })?;
            Ok(System {
                machine: self.machine.clone().told_in(Some(found)),
                sets: self.sets.clone(),
                unit: Some(found),
            })
        };
        py.detach(|| guarded(changed))
    }
    /// The unit of all rates, where one was asked for.
    #[getter]
    fn unit(&self) -> Option<&'static str> {
        self.unit.map(Unit::word)
    }
    /// The name by which it was asked for.
    #[getter]
    fn name(&self) -> &str {
        self.machine.name()
    }
    /// Its title.
    #[getter]
    fn title(&self) -> &str {
        self.machine.description().title()
    }
    /// The overrides, each as `PATH=VALUE`.
    #[getter]
    fn sets(&self) -> Vec<String> {
        self.sets.clone()
    }
    /// The experiments, with their axes.
    #[getter]
    fn experiments(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let all = self.machine.description().experiments().iter().map(|experiment| {
            let axes = experiment.axes.iter().map(|axis| (axis.name.clone(), axis.values.clone().into()));
            json!({
                "name": experiment.name,
                "about": experiment.about,
                "axes": Value::Object(axes.collect()),
                "measures": experiment.measures,
            })
        });
        to_python(py, &all.collect())
    }
    /// The settled tree as text.
    fn tree(&self) -> PyResult<String> {
        guarded(|| Ok(system::tree::brief(&self.machine.description().system()?)))
    }
    /// Parts, links and figures with their origins; with `all`, those that are at their defaults, too.
    #[pyo3(signature = (all=false))]
    fn show(&self, py: Python<'_>, all: bool) -> PyResult<Answer> {
        let shown = || {
            let description = self.machine.description();
            let names: Vec<&str> = description.experiments().iter().map(|e| e.name.as_str()).collect();
            Ok(Answer::new(Kind::SHOW, ask::show::value(&description.system()?, &names, all)))
        };
        py.detach(|| guarded(shown))
    }
    /// The limits of the flows of each point.
    #[pyo3(signature = (experiment, axes))]
    fn limit(&self, py: Python<'_>, experiment: Option<&str>, axes: Axes) -> PyResult<Answer> {
        let limits = || {
            let found = ask::limit::of(&self.machine, experiment, &axes)?;
            let points = found.iter().flat_map(|(_, answers)| answers);
            Ok(Answer::new(Kind::LIMIT.told_in(self.unit), points.map(ask::limit::value).collect()))
        };
        py.detach(|| guarded(limits))
    }
    /// The changes that would make the flows faster, the best first.
    #[pyo3(signature = (experiment, axes))]
    fn what_if(&self, py: Python<'_>, experiment: Option<&str>, axes: Axes) -> PyResult<Answer> {
        let changes = || {
            let found = ask::what_if::of(&self.machine, experiment, &axes)?;
            let values = found.iter().map(|answer| ask::what_if::value(&self.machine, answer));
            Ok(Answer::new(Kind::WHAT_IF.told_in(self.unit), values.collect()))
        };
        py.detach(|| guarded(changes))
    }
}

impl System {
    fn of(machine: DescribedMachine) -> System {
        System { machine, sets: Vec::new(), unit: None }
    }
}

/// The values of a JSON text that a library wrote.
///
/// # Errors
/// None, unless the library contradicts itself.
pub fn value_of(text: &str) -> PyResult<Value> {
    let wrong = |error: serde_json::Error| raised(ask::Complaint::new(error.to_string(), "report it").into());
    serde_json::from_str(text).map_err(wrong)
}
