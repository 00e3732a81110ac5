//! `lanescope symbols`: files of symbols, made of random packets, and read.

use crate::args::{Symbols, SymbolsMake, SymbolsRead, SymbolsWhat};
use crate::exit::{Complaint, End, Failure};
use crate::file;
use crate::screen::Screen;
use pcie::LinkSpeed;
use phy::coding::file::{About, Form};
use phy::coding::random::{self, Plan, Random, Sent};
use phy::coding::receive::receive;
use phy::coding::{Crossing, Event};
use std::fmt::Write as _;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Bytes of text that are kept before they are told.
const KEPT: usize = 1 << 16;

/// Makes or reads a file of symbols.
///
/// # Errors
/// A link or form that is none; a file that cannot be read or written.
pub fn run(asked: &Symbols, screen: &Screen) -> Result<End, Failure> {
    match &asked.what {
        SymbolsWhat::Make(asked) => make(asked, screen),
        SymbolsWhat::Read(asked) => read(asked, screen),
    }
}

fn make(asked: &SymbolsMake, screen: &Screen) -> Result<End, Failure> {
    let speed: LinkSpeed = asked
        .link
        .parse()
        .map_err(|error: pcie::link::LinkSpeedError| Complaint::new(error.to_string(), "as in `--link gen3x4`"))?;
    let form = form(asked.form.as_deref(), speed)?;
    let packets = beside(&asked.file);
    file::check(&asked.file)?;
    let usual = pcie::timing::skp(speed.generation.encoding(), false).interval_symbols;
    let plan = Plan {
        speed,
        packets: asked.packets,
        skp_interval: asked.skp_interval.unwrap_or(usual),
        nullified: asked.nullified,
        payload: asked.payload / 4 * 4,
        times: asked.times,
    };
    let made = random::make(&plan, asked.seed);
    let stream = crossing(asked, made.stream.width()).cross(&made.stream);
    let name = format!("random packets, seed {}", asked.seed);
    let about = About { speed, form, name, start_fs: 0, data_at: made.data_at };
    let mut bytes = Vec::new();
    phy::coding::file::write(&mut bytes, &about, &stream).map_err(|error| file::unwritable(&asked.file, &error))?;
    file::write(&asked.file, &bytes)?;
    file::write(&packets, random::lines(&made))?;
    let (count, times) = (made.sent.len(), stream.symbol_times());
    screen.tell(&format!("{}: {count} packets, {times} symbol times\n", asked.file.display()))?;
    Ok(End::Done)
}

fn form(word: Option<&str>, speed: LinkSpeed) -> Result<Form, Failure> {
    let encoding = speed.generation.encoding();
    let Some(word) = word else { return Ok(Form::whole(encoding)) };
    let found = Form::from_word(word).filter(|form| form.is_of(encoding));
    let right = "code or byte on Gen1 and Gen2, block on Gen3 and later";
    Ok(found.ok_or_else(|| Complaint::new(format!("`{word}` is no form of {speed}"), right))?)
}

fn crossing(asked: &SymbolsMake, lanes: usize) -> Crossing {
    let mut random = Random(asked.seed ^ 0xc0a5);
    Crossing {
        skew: (0..lanes).map(|_| random.below(asked.skew + 1) as usize).collect(),
        reversed: asked.reversed,
        inverted: (0..lanes).map(|_| asked.inverted && random.below(2) == 0).collect(),
    }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".packets");
    name.into()
}

fn read(asked: &SymbolsRead, screen: &Screen) -> Result<End, Failure> {
    let unreadable = |what: String| Complaint::new(what, "a file of symbols, as in docs/symbols.md");
    let path = asked.file.display();
    let opened =
        std::fs::File::open(&asked.file).map_err(|error| unreadable(format!("{path} cannot be read: {error}")))?;
    let (_, stream) =
        phy::coding::file::read(&mut BufReader::new(opened)).map_err(|error| unreadable(format!("{path}: {error}")))?;
    let (mut text, mut told) = (String::new(), Ok(()));
    let mut wrong = 0;
    if let Some(times) = asked.text {
        text = phy::coding::text::clocks(&stream, asked.from, times);
    } else {
        receive(&stream, &mut |at: u64, event: Event<'_>| {
            let line = match event {
                Event::Tlp { sequence, bytes } => {
                    random::line(at, &Sent::Tlp { sequence, bytes: bytes.to_vec(), nullified: false })
                }
                Event::Dllp(bytes) => random::line(at, &Sent::Dllp(bytes)),
                Event::Nullified => format!(r#"{{"kind":"tlp","at":{at},"nullified":true}}"#),
                Event::Set(set) => random::set_line(at, set),
                Event::Symptom(symptom) => {
                    wrong += 1;
                    format!(r#"{{"kind":"symptom","at":{at},"what":"{}"}}"#, symptom.word())
                }
            };
            // A string takes whatever is written to it.
            let _ = writeln!(text, "{line}");
            if text.len() > KEPT {
                // Behind an error of the screen nothing more is told.
                told = std::mem::replace(&mut told, Ok(())).and_then(|()| screen.tell(&text));
                text.clear();
            }
        });
    }
    told?;
    screen.tell(&text)?;
    Ok(if wrong > 0 { End::ErrorFound } else { End::Done })
}
