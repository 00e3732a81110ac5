"""Prints what litex's encoder makes of each of the 268 symbols in both disparities: symbol, disparity, code, disparity after."""

from litex.soc.cores.code_8b10b import SingleEncoder
from litex.gen.sim import run_simulation

CONTROLS = [0x1C, 0x3C, 0x5C, 0x7C, 0x9C, 0xBC, 0xDC, 0xFC, 0xF7, 0xFB, 0xFD, 0xFE]


def drive(encoder):
    yield encoder.ce.eq(1)
    for symbol in list(range(256)) + [0x100 | byte for byte in CONTROLS]:
        for disparity in (0, 1):
            yield encoder.d.eq(symbol & 0xFF)
            yield encoder.k.eq(symbol >> 8)
            yield encoder.disp_in.eq(disparity)
            for _ in range(3):
                yield
            print(symbol, disparity, (yield encoder.output), (yield encoder.disp_out))


encoder = SingleEncoder(lsb_first=True)
run_simulation(encoder, drive(encoder))
