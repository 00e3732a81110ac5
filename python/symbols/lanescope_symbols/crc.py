"""The checks of a link.

The LCRC is the CRC-32 of Ethernet, over the two bytes of the sequence number, whose upper four bits are 0, and the TLP; it
goes out lowest byte first (test_soc_pcie_gen3_continuous_rx_integrity of H. M. Akbulut's open SoC). The CRC of a DLLP has
X^16 + X^12 + X^3 + X + 1, starts from all ones, takes each byte lowest bit first, and goes out complemented, each byte in
the reverse order of bits (captures of ECP5-PCIe and pcievhost agree). The check of an STP token: the same open SoC,
soc_pcie_gen3_stp."""

import zlib

_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def lcrc(sequence: int, tlp: bytes) -> bytes:
    return zlib.crc32(sequence.to_bytes(2, "big") + tlp).to_bytes(4, "little")


def ecrc(tlp: bytes) -> bytes:
    """The digest of a TLP, given without it: with the bits that may change on the way, the lowest of the type and EP, as
    ones (README of pcievhost prints two)."""
    fixed = bytes((tlp[0] | 1, tlp[1], tlp[2] | 0x40)) + tlp[3:]
    return zlib.crc32(fixed).to_bytes(4, "little")


def dllp_crc(body: bytes) -> bytes:
    """Of the four bytes before it."""
    state = 0xFFFF
    for byte in body:
        for bit in range(8):
            feedback = (state >> 15 ^ byte >> bit) & 1
            state = state << 1 & 0xFFFF
            if feedback:
                state ^= 0x100B
    state ^= 0xFFFF
    return bytes((_REVERSED[state >> 8], _REVERSED[state & 0xFF]))


# Which bits of the length each bit of the check is the sum of.
_FRAME = (0b10011010111, 0b11010111100, 0b01101011110, 0b00110101111)


def frame_crc(length: int) -> int:
    """The four bits that an STP token carries with its length of eleven bits (in DW)."""
    return sum(((length & mask).bit_count() & 1) << bit for bit, mask in enumerate(_FRAME))


def frame_parity(length: int) -> int:
    """Makes the number of ones in length, check and parity even."""
    return (length.bit_count() + frame_crc(length).bit_count()) & 1
