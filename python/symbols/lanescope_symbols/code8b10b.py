"""8b/10b: codes of ten bits to symbols, with running disparity.

A code is written as its bits abcdei fghj, `a`, which is sent first, being the highest of ten. The tables are those of A. X.
Widmer and P. A. Franaszek, "A DC-Balanced, Partitioned-Block, 8B/10B Transmission Code", IBM Journal of Research and
Development 27 (5), 1983."""

from .symbol import BAD, DISPARITY, K

IDLE_CODE = 0x400  # electrical idle, where codes are given

# For negative running disparity; a block that is not balanced, and 111000, is complemented at positive.
SIX = """100111 011101 101101 110001 110101 101001 011001 111000 111001 100101 010101 110100 001101 101100 011100 010111
011011 100011 010011 110010 001011 101010 011010 111010 110011 100110 010110 110110 001110 101110 011110 101011""".split()
SIX_K28 = "001111"
FOUR = "1011 1001 0101 1100 1101 1010 0110 1110".split()
FOUR_K = "1011 0110 1010 1100 1101 0101 1001 0111".split()  # each is complemented at positive
ALTERNATE = "0111"  # instead of 1110, where five equal bits would follow one another
ALTERNATE_AT = {-1: (17, 18, 20), 1: (11, 13, 14)}
K_WITH_7 = (23, 27, 29, 30)


def _complement(bits: str) -> str:
    return bits.translate(str.maketrans("01", "10"))


def _at(bits: str, disparity: int, always: bool) -> str:
    """The block as it is sent at this running disparity."""
    return _complement(bits) if disparity > 0 and (always or bits.count("1") * 2 != len(bits)) else bits


def _after(bits: str, disparity: int) -> int:
    ones = bits.count("1") * 2 - len(bits)
    return disparity if ones == 0 else (1 if ones > 0 else -1)


def _code(symbol: int, disparity: int) -> tuple[int, int]:
    """The code of a symbol at a running disparity, and the disparity after it."""
    x, y, control = symbol & 31, symbol >> 5 & 7, bool(symbol & K)
    six = _at(SIX_K28 if control and x == 28 else SIX[x], disparity, x == 7)
    middle = _after(six, disparity)
    if control:
        four = _at(FOUR_K[y], middle, True)
    elif y == 7 and x in ALTERNATE_AT[middle]:
        four = _at(ALTERNATE, middle, True)
    else:
        four = _at(FOUR[y], middle, y == 3)
    return int(six + four, 2), _after(four, middle)


SYMBOLS = [*range(256), *(K | 28 | y << 5 for y in range(8)), *(K | x | 7 << 5 for x in K_WITH_7)]
# (disparity before, code) to (symbol, disparity after)
_TABLE: dict[int, dict[int, tuple[int, int]]] = {-1: {}, 1: {}}
# The symbol that the inverted code of a symbol is: what a lane with P and N exchanged carries.
INVERTED: dict[int, int] = {}

for _disparity in (-1, 1):
    for _symbol in SYMBOLS:
        _bits, _next = _code(_symbol, _disparity)
        _TABLE[_disparity][_bits] = (_symbol, _next)
for _symbol in SYMBOLS:
    INVERTED[_symbol] = _TABLE[1][_code(_symbol, -1)[0] ^ 0x3FF][0]


class Decoder8b10b:
    """One lane: codes in their order. `disparity` is None until the first code says what it is."""

    def __init__(self) -> None:
        self.disparity: int | None = None

    def symbol(self, code: int) -> int:
        """The symbol, with `DISPARITY` where it is one of the other running disparity; `BAD` where no symbol has this code."""
        before = self.disparity
        found = _TABLE[-1 if before is None else before].get(code)
        if found is None:
            found = _TABLE[1 if before is None else -before].get(code)
            if found is None:
                ones = code.bit_count()
                if ones != 5:
                    self.disparity = 1 if ones > 5 else -1
                return BAD
            self.disparity = found[1]
            return found[0] if before is None else found[0] | DISPARITY
        self.disparity = found[1]
        return found[0]
