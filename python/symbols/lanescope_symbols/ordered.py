"""Ordered sets: what one is, and what TS1 and TS2 say.

Sources. At 2.5 and 5 GT/s: scopehal's PCIeLinkTrainingDecoder (TS1 and TS2, their fields), PCIeGen2LogicalDecoder (SKP,
EIOS, EIEOS), a tutorial on FTS (cnblogs.com/linhaostudy, 18957951); the compliance pattern: assumed. From 8 GT/s: the
comments of an open Gen3 soft MAC on a KCU105 (pcie_gen3_os_tx, pcie_gen3_idle_tx), scopehal's PCIeGen3LogicalDecoder; of 32
GT/s (EIEOS, SKP 99h, SDS 87h): NourMamdouh/MAC-Layer-implementation-of-PCIe-5.0; EIEOS of 16 GT/s: assumed.
docs/symbols-sources.md has the table."""

from dataclasses import dataclass, field

TS1_ID, TS2_ID = 0x4A, 0x45
INVERTED_IDS = {0xB5: TS1_ID, 0xBA: TS2_ID}  # what they are on a lane with P and N exchanged
NAME_OF_ID = {TS1_ID: "TS1", TS2_ID: "TS2"}

RATES = ((0x02, "2.5"), (0x04, "5"), (0x08, "8"), (0x10, "16"), (0x20, "32"))
CONTROLS = ((1, "hot-reset"), (2, "disable-link"), (4, "loopback"), (8, "disable-scrambling"), (16, "compliance-receive"))


@dataclass
class OrderedSet:
    """One on one lane. `length` in symbols; `damaged` where some of its symbols were not what they should be."""

    name: str
    length: int
    damaged: bool = False
    fields: dict[str, object] = field(default_factory=dict)
    slipped: bool = False  # from 8 GT/s: it did not begin where the block before ended

    @property
    def is_skp(self) -> bool:
        return self.name in ("SKP", "SKP-control")


def rates(value: int) -> str:
    return "/".join(told for bit, told in RATES if value & bit)


def controls(value: int) -> str | None:
    return ",".join(told for bit, told in CONTROLS if value & bit) or None


def training(link: int | None, lane: int | None, n_fts: int, rate: int, control: int) -> dict[str, object]:
    """The fields of TS1 and TS2 that are the same at all rates."""
    fields: dict[str, object] = {"link": "PAD" if link is None else link, "lane": "PAD" if lane is None else lane, "n_fts": n_fts}
    fields |= {"rates": rates(rate), "speed_change": bool(rate & 0x80) or None, "control": controls(control)}
    return fields


# From 8 GT/s: the ordered set that a first symbol names.
FIRST_SYMBOL = {0x1E: "TS1", 0x2D: "TS2", 0x00: "EIEOS", 0x66: "EIOS", 0x55: "FTS", 0xE1: "SDS", 0xAA: "SKP", 0x99: "SKP"}
SKP_END, SKP_END_CONTROL = 0xE1, 0x78
SKP_SYMBOL = {3: 0xAA, 4: 0xAA, 5: 0x99}
SDS_SYMBOL = {3: 0x55, 4: 0x55, 5: 0x87}
# Symbols of each half of EIEOS that are equal: 00 FF; 00 00 FF FF; 00 00 00 00 FF FF FF FF.
EIEOS_RUN = {3: 1, 4: 2, 5: 4}
# In the last two symbols of TS1 and TS2, in place of the scrambled identifier, to balance the lane.
BALANCE = ((0x20, 0xDF), (0x08, 0xF7))


def eieos(generation: int) -> bytes:
    run = EIEOS_RUN[generation]
    return (bytes(run) + b"\xff" * run) * (8 // run)
