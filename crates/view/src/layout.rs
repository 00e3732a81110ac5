//! Text for a terminal of some width: sentences, lines of a tree, tables and lists.
//!
//! Everything that the program prints for people passes through here, so that nothing is wider than the terminal but
//! a single word that is. Words are never cut: an address or a name stays whole, and can be searched for.
//!
//! What it is not: it knows no terminal. Who calls says how many columns there are (`Screen` of the command line).
//!
//! Widths are columns: escape sequences of colours take none.

mod fold;
mod list;
mod table;

pub use fold::{fit, hanging, items, paragraph, width};
pub use list::list;
pub use table::{Side, Table};
