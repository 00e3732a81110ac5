//! `lanescope schema`.

use crate::exit::{End, Failure};
use crate::screen::Screen;

/// Prints the JSON Schema of a description.
///
/// # Errors
/// A reader that went away.
pub fn run(screen: &Screen) -> Result<End, Failure> {
    screen.print(&view::json::plain(&system::schema::schema()))?;
    Ok(End::Done)
}
