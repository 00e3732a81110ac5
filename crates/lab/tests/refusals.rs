//! Every question refuses the same: what a run cannot carry out is refused where its scenario is read.

use lanescope_lab::{At, DescribedMachine, Error};
use sim::SimError;
use system::Description;
use testing::described::described;

const SYSTEMS: u64 = 600;
/// What a run handles at most: enough to build all, and to see a start that gets stuck.
const EVENTS: u64 = 100_000;

fn job(name: &str, text: &str) -> Result<lanescope_lab::sweep::Job, Error> {
    let machine = DescribedMachine::described(name, Description::from_text(name, text)?)?;
    machine.job(machine.description().experiment("e")?, At::default())
}

/// The same scenario without the check, if the description reads.
fn unchecked(text: &str) -> Option<system::Scenario> {
    let description = Description::from_text("random.yaml", text).ok()?;
    description.scenario(description.experiment("e").ok()?, &system::Point::default()).ok()
}

fn register() {
    // Another test of this program may have registered them.
    let _ = storage::register();
}

#[test]
fn does_limit_refuse_what_run_refuses() {
    register();
    let text = include_str!("limits/limit_answers_run_refuses.yaml");
    let Err(Error::System(error)) = job("g1042.yaml", text) else { panic!("it is answered") };
    assert_eq!(error.place().map(|place| place.line()), Some(21), "{}", error.report());
    assert!(error.to_string().starts_with("`s2`: `s2 -> h0`: "), "{error}");
    assert!(error.advice().contains("queue_depth"), "{}", error.advice());
    assert!(job("g1042.yaml", &text.replace("queue_depth: 64", "queue_depth: 8")).is_ok());
}

#[test]
fn is_a_second_job_of_a_drive_with_one_queue_refused_with_its_place() {
    register();
    let text = include_str!("limits/limit_answers_run_refuses.yaml").replace("queue_depth: 64", "queue_depth: 8");
    let Err(Error::System(error)) = job("g1042.yaml", &text.replace("jobs: 1", "jobs: 2")) else {
        panic!("it is answered")
    };
    assert!(error.place().is_some() && error.advice().contains("jobs: 1"), "{}", error.report());
}

#[test]
fn does_no_random_scenario_pass_the_check_and_fail_to_be_built() {
    register();
    let (mut read, mut refused, mut apart) = (0, 0, Vec::new());
    for seed in 0..SYSTEMS {
        let text = described(seed);
        let Some(mut scenario) = unchecked(&text) else { continue };
        read += 1;
        let checked = job("random.yaml", &text);
        refused += u64::from(checked.is_err());
        // One command of each flow is enough to build all.
        scenario.flows.iter_mut().for_each(|flow| flow.volume = flow.command);
        let brief = sim::Brief { prolonged: false, warm_part: 1, part: 1, most_events: EVENTS };
        let run = sim::run(&scenario, &sim::Options { brief: Some(brief), ..dma::options() });
        let built = !matches!(run, Err(SimError::Kind { .. } | SimError::NoBar { .. }));
        if checked.is_ok() != built {
            apart.push((
                seed,
                checked.as_ref().err().map(ToString::to_string),
                run.as_ref().err().map(ToString::to_string),
            ));
        }
        if let Err(SimError::Stuck { what, .. } | SimError::Part { what, .. }) = &run {
            apart.push((seed, None, Some(what.clone())));
        }
    }
    assert!(apart.is_empty(), "{apart:#?}");
    assert!(read > 200 && refused > 20, "{refused} of {read} are refused: the generator makes too few of one sort");
}
