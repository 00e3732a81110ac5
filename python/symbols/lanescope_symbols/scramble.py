"""The two scramblers.

2.5 and 5 GT/s: X^16 + X^5 + X^4 + X^3 + 1, all ones after COM, the same on each lane (scopehal, PCIeGen2LogicalDecoder;
README of baselkelziye/PCIe_Scrambler). From 8 GT/s: X^23 + X^21 + X^16 + X^8 + X^5 + X^2 + 1 (scopehal,
PCIe128b130bDecoder), with a seed for each lane, the eight of them again for lanes 8 to 15 (ucb-bar/ucie, aboElhammd/UCIE_phy; the comments of
the rmblink verification files). In both the highest bit is the output, and scrambles the bit of a byte that is sent first,
which is the lowest, first."""

SEEDS = (0x1DBFBC, 0x0607BB, 0x1EC760, 0x18C0DB, 0x010F12, 0x19CFC9, 0x0277CE, 0x1BB807)
PERIOD_16 = 65535  # in bytes as well as in bits: 8 and 65535 have no common divisor


def step16(state: int) -> tuple[int, int]:
    """The byte that scrambles, and the state after it."""
    out = 0
    for bit in range(8):
        if state & 0x8000:
            out |= 1 << bit
            state ^= 0x1C
            state = state << 1 & 0xFFFF | 1
        else:
            state = state << 1 & 0xFFFF
    return out, state


def _sequence() -> bytes:
    state, out = 0xFFFF, bytearray()
    for _ in range(PERIOD_16):
        byte, state = step16(state)
        out.append(byte)
    return bytes(out)


SEQUENCE_16 = _sequence()  # from COM on: the first is that of the symbol after COM


def _step23(state: int) -> tuple[int, int]:
    out = 0
    for bit in range(8):
        state <<= 1
        if state & 0x800000:
            state ^= 0x800000 | 0x210125
            out |= 1 << bit
    return out, state


# A step of eight bits is linear, and what leaves the register and comes back is of its upper eight alone.
_OUT_23, _BACK_23 = zip(*(_step23(_top << 15) for _top in range(256)))


def block23(state: int, count: int = 16) -> tuple[bytes, int]:
    """The next `count` bytes that scramble, and the state after them."""
    out = bytearray(count)
    for index in range(count):
        top = state >> 15
        out[index] = _OUT_23[top]
        state = (state << 8 & 0x7FFFFF) ^ _BACK_23[top]
    return bytes(out), state


def xor(one: bytes, other: bytes) -> bytes:
    """Of the same length."""
    return (int.from_bytes(one, "little") ^ int.from_bytes(other, "little")).to_bytes(len(one), "little")
