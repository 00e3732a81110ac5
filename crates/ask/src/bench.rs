//! Measurements of disks and of cards: `lanescope bench disk` and `lanescope bench card`.

mod cards;
mod disks;
mod json;
mod limit;
mod pairs;
mod prepared;
mod served;
mod words;

pub use cards::AskedCards;
pub use disks::Asked;
pub use json::value;
pub(crate) use json::{CHANNEL, SCHEMA};
pub use limit::{PathLimit, limit_of, limits};
pub use pairs::card;
pub use prepared::{Changes, Measures, Prepared, Watched};
pub use served::{Served, Watch};
