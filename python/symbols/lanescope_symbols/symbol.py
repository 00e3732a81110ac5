"""What a lane gives in one symbol time, as one integer.

At 2.5 and 5 GT/s: the byte, with `K` for a control symbol; `BAD` for a code that is none, `DISPARITY` beside a symbol whose
running disparity is wrong. From 8 GT/s: the byte; the first of a block has `START` and, above it, the two bits of its sync
header as `header()` reads them. `IDLE` is electrical idle.

Names and values of the control symbols: ngscopeclient/scopehal, PCIeGen2LogicalDecoder; PAD and EDB: the PIPE documents of
a BSD-2 fork of LitePCIe. K28.4 and K28.6 are in 8b/10b and have no use here."""

K = 0x100
IDLE = 0x200
START = 0x400
HEADER_SHIFT = 11
BAD = 0x2000
DISPARITY = 0x4000

COM = K | 0xBC  # K28.5
SKP = K | 0x1C  # K28.0
FTS = K | 0x3C  # K28.1
SDP = K | 0x5C  # K28.2
IDL = K | 0x7C  # K28.3
EIE = K | 0xFC  # K28.7
PAD = K | 0xF7  # K23.7
STP = K | 0xFB  # K27.7
END = K | 0xFD  # K29.7
EDB = K | 0xFE  # K30.7

NAMES = {
    COM: "COM", SKP: "SKP", FTS: "FTS", SDP: "SDP", IDL: "IDL", EIE: "EIE", PAD: "PAD", STP: "STP", END: "END", EDB: "EDB",
}

# Sync headers, the bit that is sent first being the lower (scopehal, PCIe128b130bDecoder: 1 then 0 is an ordered set).
ORDERED_SET = 0b01
DATA = 0b10


def start(value: int, header: int) -> int:
    """The first symbol of a block with this sync header."""
    return value | START | header << HEADER_SHIFT


def header(symbol: int) -> int:
    return symbol >> HEADER_SHIFT & 3


def name(symbol: int) -> str:
    """`COM`, `K28.4`, `D10.2`, `bad`."""
    if symbol & BAD:
        return "bad"
    if symbol & IDLE:
        return "idle"
    if symbol & ~DISPARITY & 0x1FF in NAMES:
        return NAMES[symbol & 0x1FF]
    return f"{'K' if symbol & K else 'D'}{symbol & 31}.{symbol >> 5 & 7}"
