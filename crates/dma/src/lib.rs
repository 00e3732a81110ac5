//! DMA cards as parts of the simulation: endpoints with an engine whose behaviour the fields of
//! [`CardParams`](system::kinds::CardParams) define.
//!
//! A card (`card`) has a channel (`channel`) for each flow that it initiates. A channel writes (`writer`) or reads
//! (`reader`), command by command (`command`); two may start their commands in turn (`turns`), and one may be given them
//! one by one (`timed`). It has a descriptor ring where the card fetches descriptors (`ring`), and a FIFO
//! where another flow feeds it (`feed`). The software for such a card is in `software`.
//!
//! Not here: links, switches and hosts (`sim`); gateware (`cosim`); the fields of the kind and its entries in the limit
//! (`system`, `limit`).
//!
//! | word | meaning |
//! |---|---|
//! | channel | carries out one flow at its card |
//! | command | what software starts at once; an engine that overlaps commands starts the next before the last one has ended |
//! | core | the logic that payload passes at the card's own clock |
//! | feed | the FIFO between an arriving flow and a leaving flow |

mod ats;
mod card;
mod channel;
mod command;
mod feed;
mod memory;
mod orders;
mod pop;
mod provider;
mod reader;
mod ring;
mod software;
mod timed;
mod turns;
mod writer;

pub use provider::{Cards, KINDS, options};
