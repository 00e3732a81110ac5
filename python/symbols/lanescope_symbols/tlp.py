"""TLP headers: type, length, and what that type carries. Formats: the appendix "Transaction Layer Packet (TLP) Header
Formats" of Intel's PCI Express user guides (683647, 683733); tags of 10 bits: assumed."""

from .crc import ecrc

NO_DATA_3, NO_DATA_4, DATA_3, DATA_4, PREFIX = range(5)

MEMORY = {0x00: ("MRd", "MWr"), 0x01: ("MRdLk", None), 0x0C: (None, "FetchAdd"), 0x0D: (None, "Swap"), 0x0E: (None, "CAS")}
ID_ROUTED = {0x04: ("CfgRd0", "CfgWr0"), 0x05: ("CfgRd1", "CfgWr1")}
COMPLETIONS = {0x0A: ("Cpl", "CplD"), 0x0B: ("CplLk", "CplDLk")}
IO = {0x02: ("IORd", "IOWr")}
ATOMICS = ("FetchAdd", "Swap", "CAS")
STATUS = {0: "SC", 1: "UR", 2: "CRS", 4: "CA"}
ROUTING = ("root", "address", "id", "broadcast", "local", "gathered", "6", "7")


def decode(tlp: bytes) -> tuple[str, dict[str, object]]:
    """Name and fields of a TLP without sequence number and LCRC. `malformed` says what does not fit."""
    prefixes = 0
    while len(tlp) > 16 and tlp[0] >> 5 == PREFIX:
        tlp, prefixes = tlp[4:], prefixes + 1
    form, kind = tlp[0] >> 5, tlp[0] & 31
    with_data = form in (DATA_3, DATA_4)
    header = 16 if form in (NO_DATA_4, DATA_4) else 12
    fields: dict[str, object] = {}
    name = _name(kind, with_data, form)
    if name is None or len(tlp) < header:
        return "unknown", {"malformed": "type" if name is None else "length", "type": tlp[0]}
    length = int.from_bytes(tlp[2:4], "big") & 0x3FF or 1024
    fields["length"] = length if with_data or name in ("MRd", "MRdLk") else None
    fields |= _common(tlp)
    if name in ("Cpl", "CplD", "CplLk", "CplDLk"):
        fields |= _completion(tlp)
    else:
        fields |= {"requester": int.from_bytes(tlp[4:6], "big"), "tag": _tag(tlp, tlp[6])}
        fields |= _request(name, tlp, header)
    if prefixes:
        fields["prefixes"] = prefixes
    expected = header + 4 * length * with_data + 4 * (tlp[2] >> 7)
    if len(tlp) != expected:
        fields["malformed"] = f"{len(tlp)} bytes where the header says {expected}"
    return name, fields


def _name(kind: int, with_data: bool, form: int) -> str | None:
    if form >= PREFIX:
        return None
    four = form in (NO_DATA_4, DATA_4)
    if kind >> 3 == 2:
        return ("MsgD" if with_data else "Msg") if four else None
    if kind in MEMORY:
        return MEMORY[kind][with_data]
    found = (IO | ID_ROUTED | COMPLETIONS).get(kind)
    return found[with_data] if found and not four else None


def _tag(tlp: bytes, low: int) -> int:
    return low | (tlp[1] >> 3 & 1) << 8 | (tlp[1] >> 7) << 9


def _common(tlp: bytes) -> dict[str, object]:
    """What is left out where it is 0."""
    attributes = (tlp[1] & 4) | tlp[2] >> 4 & 3
    return {
        "tc": tlp[1] >> 4 & 7 or None, "attr": attributes or None, "at": tlp[2] >> 2 & 3 or None,
        "th": bool(tlp[1] & 1) or None, "ep": bool(tlp[2] & 0x40) or None, "digest": _digest(tlp),
    }


def _digest(tlp: bytes) -> str | None:
    if not tlp[2] & 0x80:
        return None
    return "good" if ecrc(tlp[:-4]) == tlp[-4:] else "bad"


def _completion(tlp: bytes) -> dict[str, object]:
    return {
        "completer": int.from_bytes(tlp[4:6], "big"), "completion": STATUS.get(tlp[6] >> 5, tlp[6] >> 5),
        "byte_count": (tlp[6] & 15) << 8 | tlp[7] or 4096, "bcm": bool(tlp[6] & 16) or None,
        "requester": int.from_bytes(tlp[8:10], "big"), "tag": _tag(tlp, tlp[10]), "lower_address": tlp[11] & 0x7F,
    }


def _request(name: str, tlp: bytes, header: int) -> dict[str, object]:
    if name in ("Msg", "MsgD"):
        return {"code": tlp[7], "routing": ROUTING[tlp[0] & 7], "message": tlp[8:16].hex()}
    enables: dict[str, object] = {"first_be": tlp[7] & 15, "last_be": tlp[7] >> 4}
    if name.startswith("Cfg"):
        bdf = f"{tlp[8]:02x}:{tlp[9] >> 3:02x}.{tlp[9] & 7}"
        return enables | {"target": bdf, "register": (tlp[10] & 15) << 8 | tlp[11] & 0xFC}
    if name in ATOMICS:
        enables = {}
    return enables | {"address": int.from_bytes(tlp[8:header], "big") & ~3}
