# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Where the data of a command lies, as its PRP entries and lists tell a controller."""


async def pages(read, rule, prp1, prp2, length):
    """[(address, bytes)] of the data. `read` gives bytes of host memory, or None; `rule` takes what must hold, and the rule."""
    rule(prp1 % 4 == 0, "PRP 1 is not a multiple of 4")
    first = min(length, 4096 - prp1 % 4096)
    out, length = [(prp1, first)], length - first
    if not length:
        return out
    if length <= 4096:
        rule(prp2 % 4096 == 0, "PRP 2 has an offset")
        return out + [(prp2, length)]
    rule(prp2 % 8 == 0, "a PRP list that is not a multiple of 8")
    while length:
        wanted = -(-length // 4096)
        room = (4096 - prp2 % 4096) // 8
        here = min(wanted, room)
        raw = await read(prp2, 8 * here)
        if raw is None:
            return None
        entries = [int.from_bytes(raw[8 * i:8 * i + 8], "little") for i in range(here)]
        if wanted > room:
            prp2 = entries.pop()
        for entry in entries:
            rule(entry % 4096 == 0, "a PRP list entry has an offset")
            out.append((entry, min(length, 4096)))
            length -= min(length, 4096)
    return out
