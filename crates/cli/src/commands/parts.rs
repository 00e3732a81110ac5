//! `lanescope parts`.

use crate::exit::{End, Failure};
use crate::output::{Side, Table};
use crate::screen::Screen;

/// Prints the catalogue's entries.
///
/// # Errors
/// None but for a mistake in the catalogue.
pub fn run(screen: &Screen) -> Result<End, Failure> {
    let mut table = Table::new(screen, &[("part", Side::Left), ("what", Side::Left)]);
    for entry in system::catalogue::entries()? {
        table.row([entry.name.clone(), entry.about().to_string()]);
    }
    screen.tell(&table.to_string())?;
    Ok(End::Done)
}
