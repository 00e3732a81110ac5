//! The physical layer: from packets to the symbols of every lane, and back.
//!
//! It shows what is on every lane of a link, so that what [`sim`] counts for framing, SKP and headers can be held against it,
//! and a core in logic against a reader that is not the core. Its first room is [`coding`]. Channels, equalisation, eyes and
//! error rates are to come beside it.
//!
//! What it is not: it trains no link (training is written and read, no state machine answers it), it knows no credits, no
//! replay, no policy of TLPs, no time but symbol times, and no part of any system. Of this project it uses [`pcie`] alone.
//!
//! | word | meaning |
//! |---|---|
//! | symbol | a byte, or a control symbol of 8b/10b, on one lane |
//! | symbol time | the time of one symbol, in which each lane carries one; sync headers take none |
//! | code | the ten bits of a symbol at 8b/10b |
//! | block | sync header and sixteen symbols of a lane at 128b/130b |
//! | position | a place in the order of striping: lane `p mod lanes` in symbol time `p / lanes` since training |
//! | stream | what all lanes of one direction carry in a window |
//! | crossing | what boards do to a stream: skew, reversal, inverted lanes |
//! | upset | an error of the line |
//! | symptom | what a receiver sees of it |
//!
//! | format | its home | source | outside vector |
//! |---|---|---|---|
//! | 8b/10b | [`coding::code`] | Widmer and Franaszek 1983, US patent 4,486,739 | litex, all 268 symbols in both disparities |
//! | scrambler of Gen1 and Gen2 | [`coding::scrambler`] | open cores | two published tables |
//! | scrambler of 128b/130b, seeds | [`coding::scrambler`] | two open UCIe implementations | the seeds |
//! | ordered sets | [`coding::ordered`] | open cores, in part assumed | the content of a SKP |
//! | framing tokens | [`coding::token`] | assumed | EDS |
//! | LCRC, DLLP CRC | [`pcie::framing`], [`pcie::dllp`] | open cores | five captured or printed DLLPs |
//! | places of packets on lanes | [`coding::transmit`] | OpenSPARC T2's model of a link, MindShare 2012 | none |
//!
//! `docs/coding.md` has each format in full. Sources are public: the base specification, which is for members, and copies of it
//! were not read. What nobody prints freely is marked `assumed`.
//!
//! [`sim`]: https://docs.rs/lanescope-sim

pub mod coding;
