//! Text for a terminal of a given width: sentences, lines of a tree, tables and lists.
//!
//! Everything that the program prints for people passes through this module, so that no line is wider than the terminal
//! unless it is a single word. Words are never cut: an address or a name stays whole and can be searched for.
//!
//! This module does not query the terminal. The caller gives the number of columns (`Screen` of the command line).
//!
//! Widths are in columns; escape sequences for colours count as 0.

mod fold;
mod list;
mod table;

pub use fold::{fit, hanging, items, paragraph, width};
pub use list::list;
pub use table::{Side, Table};
