//! Work that takes long: counted on a terminal, ended by Ctrl-C, with all kinds of parts.

use crate::screen::Screen;
use crate::{interrupt, progress};
use cosim::Cosim;
use lab::sweep::RunOptions;

/// What `run` gives with the options of a command: its threads, its progress, and the flag that Ctrl-C sets. Nothing of the
/// progress is on the screen when this returns.
pub fn running<T>(threads: Option<u16>, screen: &Screen, run: impl FnOnce(&RunOptions<'_>) -> T) -> T {
    let interrupted = interrupt::flag();
    let progress = progress::Progress::counting(screen);
    let step = || progress.step();
    run(&RunOptions {
        threads: threads.map(usize::from),
        interrupted: &interrupted,
        step: &step,
        kinds: &[&Cosim::default(), &dma::Cards],
    })
}
