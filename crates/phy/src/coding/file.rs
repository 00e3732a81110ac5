//! Files of symbols, as `docs/symbols.md` describes them.

use crate::coding::bits::{BLOCK_BITS, Bits, SYMBOLS};
use crate::coding::code::{Disparity, K};
use crate::coding::stream::{ELECTRICAL_IDLE, Lanes, Stream};
use pcie::{Encoding, Generation, LinkSpeed, Width};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

const FORMAT: &str = "lanescope symbols";
const VERSION: u64 = 1;
/// The ten bits of a code.
const CODE: u16 = 0x3ff;
const START: u16 = 1 << 8;
const HEADER_SHIFT: u32 = 9;
const WRONG_DISPARITY: u16 = 1 << 13;
const VIOLATION: u16 = 1 << 14;

/// What a word holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Codes of 8b/10b.
    Code,
    /// Bytes and K of 8b/10b.
    Byte,
    /// Bytes of the blocks of 128b/130b.
    Block,
}

impl Form {
    /// The form with that name in a file.
    pub fn from_word(word: &str) -> Option<Form> {
        [Form::Code, Form::Byte, Form::Block].into_iter().find(|form| form.word() == word)
    }

    /// Its name in a file.
    pub const fn word(self) -> &'static str {
        match self {
            Form::Code => "code",
            Form::Byte => "byte",
            Form::Block => "block",
        }
    }

    /// Whether links of that encoding have it.
    pub const fn is_of(self, encoding: Encoding) -> bool {
        matches!((self, encoding), (Form::Code | Form::Byte, Encoding::E8b10b) | (Form::Block, Encoding::E128b130b))
    }

    /// The form that has everything.
    pub const fn whole(encoding: Encoding) -> Form {
        match encoding {
            Encoding::E8b10b => Form::Code,
            Encoding::E128b130b => Form::Block,
        }
    }
}

/// The first line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Generation and width.
    pub speed: LinkSpeed,
    /// What a word holds.
    pub form: Form,
    /// Where the stream comes from.
    pub name: String,
    /// The time of the first symbol time after training, femtoseconds.
    pub start_fs: u64,
    /// Symbol times of training.
    pub data_at: u64,
}

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The first line is not that of a file of symbols.
    #[error("the first line is not that of a file of symbols: {0}")]
    Header(String),
    /// A file of some other version.
    #[error("version {0} is not read here, only {VERSION}")]
    Version(u64),
    /// The words do not fill whole symbol times.
    #[error("{bytes} bytes behind the first line are no whole number of symbol times of {lanes} lanes, {} each", 2 * .lanes)]
    Length {
        /// Of words.
        bytes: usize,
        /// Of the first line.
        lanes: u64,
    },
}

impl About {
    /// The first line without its line feed.
    pub fn line(&self) -> String {
        let LinkSpeed { generation, width } = self.speed;
        json!({
            "format": FORMAT, "version": VERSION, "generation": generation.number(), "lanes": width.lanes(),
            "form": self.form.word(), "name": self.name, "start_fs": self.start_fs, "data_at": self.data_at,
        })
        .to_string()
    }

    /// Reads the first line.
    ///
    /// # Errors
    /// No JSON, another format or version, an unknown generation, width or form.
    pub fn read(line: &str) -> Result<About, FileError> {
        let bad = |what: &str| FileError::Header(what.to_string());
        let value: Value = serde_json::from_str(line).map_err(|error| FileError::Header(error.to_string()))?;
        let number = |name: &str| value.get(name).and_then(Value::as_u64);
        if value.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return Err(bad("`format` is not \"lanescope symbols\""));
        }
        match number("version") {
            Some(VERSION) => {}
            Some(other) => return Err(FileError::Version(other)),
            None => return Err(bad("it has no `version`")),
        }
        let generation = number("generation").and_then(|n| Generation::from_number(u8::try_from(n).ok()?));
        let generation = generation.ok_or_else(|| bad("`generation` is not 1 to 5"))?;
        let width =
            number("lanes").and_then(Width::new).ok_or_else(|| bad("`lanes` is not 1, 2, 4, 8, 12, 16 or 32"))?;
        let form = value.get("form").and_then(Value::as_str).and_then(Form::from_word);
        let form = form.filter(|form| form.is_of(generation.encoding()));
        let form =
            form.ok_or_else(|| bad("`form` is not \"code\" or \"byte\" of generation 1 or 2, or \"block\" of 3 to 5"))?;
        Ok(About {
            speed: LinkSpeed { generation, width },
            form,
            name: value.get("name").and_then(Value::as_str).unwrap_or_default().to_string(),
            start_fs: number("start_fs").unwrap_or(0),
            data_at: number("data_at").unwrap_or(0),
        })
    }
}

/// Writes a whole file.
///
/// # Errors
/// Those of the file.
pub fn write(file: &mut impl Write, about: &About, stream: &Stream) -> io::Result<()> {
    writeln!(file, "{}", about.line())?;
    append(file, about.form, stream, &mut vec![Disparity::default(); stream.width()])
}

/// Writes words behind those that are in the file. `disparities` are those of the lanes, for [`Form::Byte`].
///
/// # Errors
/// Those of the file.
pub fn append(file: &mut impl Write, form: Form, stream: &Stream, disparities: &mut [Disparity]) -> io::Result<()> {
    match &stream.lanes {
        Lanes::Codes(rows) => {
            for row in rows.chunks(stream.width()) {
                for (&code, disparity) in row.iter().zip(disparities.iter_mut()) {
                    let word = if form == Form::Byte { byte(code, disparity) } else { code };
                    file.write_all(&word.to_le_bytes())?;
                }
            }
        }
        Lanes::Bits(lanes) => {
            let lanes: Vec<Vec<u16>> = lanes.iter().map(block_words).collect();
            for time in 0..lanes.iter().map(Vec::len).max().unwrap_or(0) {
                for lane in &lanes {
                    let word = lane.get(time).copied().unwrap_or(ELECTRICAL_IDLE);
                    file.write_all(&word.to_le_bytes())?;
                }
            }
        }
    }
    Ok(())
}

fn byte(code: u16, disparity: &mut Disparity) -> u16 {
    if code & ELECTRICAL_IDLE != 0 {
        return ELECTRICAL_IDLE;
    }
    match disparity.decode(code) {
        Ok((symbol, true)) => symbol,
        Ok((symbol, false)) => symbol | WRONG_DISPARITY,
        Err(_) => VIOLATION,
    }
}

/// The words of a lane of blocks of sixteen symbols, behind symbol times of zeros that stand for electrical idle.
fn block_words(bits: &Bits) -> Vec<u16> {
    let mut words = Vec::with_capacity(bits.len() / 8);
    // No two numbers of idle symbol times below 65 leave a whole number of blocks.
    let idle =
        (0..65).find(|idle| bits.len() >= 8 * idle && (bits.len() - 8 * idle).is_multiple_of(BLOCK_BITS)).unwrap_or(0);
    words.resize(idle, ELECTRICAL_IDLE);
    let mut at = idle * 8;
    while let Some((header, payload)) = bits.block(at) {
        words.extend(payload.to_le_bytes().map(u16::from));
        let first = words.len() - SYMBOLS;
        words[first] |= START | u16::from(header) << HEADER_SHIFT;
        at += BLOCK_BITS;
    }
    words
}

/// Reads a whole file.
///
/// # Errors
/// A first line that is none, words that are cut off, or the file's own errors.
pub fn read(file: &mut impl BufRead) -> Result<(About, Stream), FileError> {
    const LONGEST_LINE: u64 = 1 << 16;
    let mut line = Vec::new();
    file.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    let about = About::read(&String::from_utf8_lossy(&line))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let width = about.speed.width.lanes();
    if !bytes.len().is_multiple_of(2 * width as usize) {
        return Err(FileError::Length { bytes: bytes.len(), lanes: width });
    }
    let words: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|&pair| u16::from_le_bytes(pair)).collect();
    let width = width as usize;
    let lanes = match about.form {
        // Bits without a meaning are left out: the receiver compares whole words.
        Form::Code => Lanes::Codes(words.into_iter().map(|word| word & (ELECTRICAL_IDLE | CODE)).collect()),
        Form::Byte => {
            let mut disparities = vec![Disparity::default(); width];
            let code = |(at, &word)| code(word, &mut disparities[at % width]);
            Lanes::Codes(words.iter().enumerate().map(code).collect())
        }
        Form::Block => {
            Lanes::Bits((0..width).map(|lane| bits(words[lane.min(words.len())..].iter().step_by(width))).collect())
        }
    };
    Ok((Stream { speed: about.speed, lanes }, about)).map(|(stream, about)| (about, stream))
}

/// A code for a byte: zero, which is none, where the byte had none; one of the other disparity where that was wrong.
fn code(word: u16, disparity: &mut Disparity) -> u16 {
    if word & ELECTRICAL_IDLE != 0 {
        return ELECTRICAL_IDLE;
    }
    if word & VIOLATION != 0 {
        return 0;
    }
    if word & WRONG_DISPARITY != 0 {
        *disparity = Disparity::new(!disparity.is_positive());
    }
    disparity.encode(word & (K | 0xff)).unwrap_or(0)
}

fn bits<'a>(words: impl Iterator<Item = &'a u16>) -> Bits {
    let mut out = Bits::default();
    for &word in words {
        if word & ELECTRICAL_IDLE != 0 {
            out.push(0, 8);
            continue;
        }
        if word & START != 0 {
            out.push(u64::from(word >> HEADER_SHIFT) & 3, 2);
        }
        out.push(word.into(), 8);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::Crossing;
    use crate::coding::random::{Plan, make};

    #[test]
    fn is_a_file_read_as_it_was_written_in_every_form() {
        for (link, form) in
            [("gen1 x2", Form::Code), ("gen2 x8", Form::Byte), ("gen3 x1", Form::Block), ("gen5 x12", Form::Block)]
        {
            let speed = link.parse().unwrap();
            let plan = Plan { speed, packets: 50, skp_interval: 300, nullified: true, payload: 256, times: u64::MAX };
            let made = make(&plan, 7);
            let crossing = Crossing { skew: vec![0, 9, 20], reversed: true, inverted: vec![form != Form::Byte] };
            let stream = crossing.cross(&made.stream);
            let about = About { speed, form, name: "a test".into(), start_fs: 5, data_at: made.data_at };
            let mut file = Vec::new();
            write(&mut file, &about, &stream).unwrap();
            let (read_about, read_stream) = read(&mut file.as_slice()).unwrap();
            assert_eq!(read_about, about);
            let words = file[about.line().len() + 1..].as_chunks::<2>().0.iter().map(|&pair| u16::from_le_bytes(pair));
            let headers =
                words.filter(|word| form == Form::Block && word & START != 0).map(|word| word >> HEADER_SHIFT);
            assert!(
                headers.into_iter().all(|header| header == 1 || header == 2),
                "blocks begin where they are told to"
            );
            let same = |stream: &Stream| {
                let mut events = Vec::new();
                crate::coding::receive::receive(stream, &mut |at: u64, event: crate::coding::Event<'_>| {
                    events.push((at, format!("{event:x?}")));
                });
                events
            };
            let (direct, from_file) = (same(&stream), same(&read_stream));
            assert!(direct.len() > 50);
            assert_eq!(direct, from_file, "{link}");
        }
    }

    #[test]
    fn is_what_is_no_file_refused() {
        for bad in [
            "",
            "{}",
            "[1",
            r#"{"format":"lanescope symbols"}"#,
            r#"{"format":"lanescope symbols","version":1,"generation":6,"lanes":1,"form":"code"}"#,
            r#"{"format":"lanescope symbols","version":1,"generation":3,"lanes":1,"form":"code"}"#,
            r#"{"format":"lanescope symbols","version":1,"generation":3,"lanes":3,"form":"block"}"#,
        ] {
            assert!(matches!(About::read(bad), Err(FileError::Header(_))), "{bad}");
        }
        let cut =
            b"{\"format\":\"lanescope symbols\",\"version\":1,\"generation\":1,\"lanes\":2,\"form\":\"code\"}\nabc";
        assert!(matches!(read(&mut cut.as_slice()), Err(FileError::Length { bytes: 3, lanes: 2 })));
    }
}
