# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Are both CRCs those that others have printed and captured, and those of the second decoder; and does it read the DLLPs as what they are meant to say?"""

import os
import random
import sys
from pathlib import Path

import cocotb
from cocotb.triggers import Timer

sys.path.append(str(Path(__file__).resolve().parents[2] / "python/symbols/tests"))
from lanescope_symbols.crc import dllp_crc, lcrc  # noqa: E402
from lanescope_symbols.dllp import decode  # noqa: E402
from test_vectors import COMPLETION, COMPLETION_DATA, DLLPS  # noqa: E402

SEED = int(os.environ.get("SEED", "1"))


async def rest(dut, which, bits, body):
    """The register behind these bytes."""
    state = (1 << bits) - 1
    for at in range(0, len(body), 2):
        getattr(dut, which + "_i").value, dut.word_i.value = state, int.from_bytes(body[at:at + 2], "little")
        await Timer(1, "ns")
        state = int(getattr(dut, which + "_o").value)
    return state


async def lcrc_of(dut, body):
    return (~await rest(dut, "lcrc", 32, body) & 0xFFFFFFFF).to_bytes(4, "little")


@cocotb.test()
async def the_lcrc_is_what_others_have_printed(dut):
    for packet in (COMPLETION, COMPLETION_DATA):        # sequence number, TLP, LCRC
        assert await lcrc_of(dut, packet[:-4]) == packet[-4:]
        assert await rest(dut, "lcrc", 32, packet) == int(dut.right_o.value)
        assert await rest(dut, "lcrc", 32, packet[:-4] + bytes(byte ^ 0xFF for byte in packet[-4:])) == 0


@cocotb.test()
async def the_lcrc_follows_the_second_decoder(dut):
    draw = random.Random(SEED)
    for _ in range(60):
        sequence, body = draw.randrange(4096), draw.randbytes(4 * draw.randrange(3, 40))
        assert await lcrc_of(dut, sequence.to_bytes(2, "big") + body) == lcrc(sequence, body)


@cocotb.test()
async def the_crc_of_a_dllp_is_what_others_have_captured(dut):
    draw = random.Random(SEED)
    for body, check in [(bytes.fromhex(b), bytes.fromhex(c)) for b, c in DLLPS.items()] + [(b, dllp_crc(b)) for b in (draw.randbytes(4) for _ in range(200))]:
        assert (~await rest(dut, "dllp_crc", 16, body) & 0xFFFF).to_bytes(2, "little") == check, body.hex()


@cocotb.test()
async def dllps_say_what_they_are_meant_to(dut):
    draw = random.Random(SEED)
    for _ in range(300):
        nak, sequence, kind, of_class, hdr, data = (draw.randrange(n) for n in (2, 4096, 3, 3, 256, 4096))
        dut.nak_i.value, dut.seq_i.value, dut.kind_i.value, dut.class_i.value, dut.fc_i.value = nak, sequence, kind + 1, of_class, hdr << 12 | data
        await Timer(1, "ns")
        assert decode(int(dut.ack_o.value).to_bytes(4, "little")) == (("Ack", "Nak")[nak], {"sequence": sequence})
        name = ("InitFC1", "UpdateFC", "InitFC2")[kind] + "-" + ("P", "NP", "Cpl")[of_class]
        assert decode(int(dut.credit_o.value).to_bytes(4, "little")) == (name, {"vc": 0, "header": hdr, "data": data})
