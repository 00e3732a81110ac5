"""DLLPs by their first byte. Types and the places of credits: scopehal, PCIeDataLinkDecoder; the scales of credits,
Data_Link_Feature and NOP: assumed."""

NAMES = {
    0x00: "Ack", 0x10: "Nak", 0x02: "Data_Link_Feature", 0x20: "PM_Enter_L1", 0x21: "PM_Enter_L23",
    0x23: "PM_Active_State_Request_L1", 0x24: "PM_Request_Ack", 0x30: "Vendor", 0x31: "NOP",
}
CREDITS = {
    0x40: "InitFC1-P", 0x50: "InitFC1-NP", 0x60: "InitFC1-Cpl", 0xC0: "InitFC2-P", 0xD0: "InitFC2-NP", 0xE0: "InitFC2-Cpl",
    0x80: "UpdateFC-P", 0x90: "UpdateFC-NP", 0xA0: "UpdateFC-Cpl",
}


def decode(body: bytes) -> tuple[str, dict[str, object]]:
    """Name and fields of the four bytes before the CRC."""
    kind, one, two, three = body
    credit = CREDITS.get(kind & 0xF8)
    if credit is not None:
        fields: dict[str, object] = {"vc": kind & 7, "header": (one & 0x3F) << 2 | two >> 6, "data": (two & 15) << 8 | three}
        if one >> 6 or two >> 4 & 3:
            fields |= {"header_scale": one >> 6, "data_scale": two >> 4 & 3}
        return credit, fields
    name = NAMES.get(kind, "unknown")
    if name in ("Ack", "Nak"):
        return name, {"sequence": (two & 15) << 8 | three}
    if name == "unknown":
        return name, {"value": int.from_bytes(body, "big")}
    return name, {"value": int.from_bytes(body[1:], "big") or None}
