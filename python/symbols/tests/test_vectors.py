#!/usr/bin/env python3
"""Does the decoder agree with figures that others made: codes, scramblers, checks, packets? Each vector names whose it is.
The last line has the counts."""

import unittest

import suite
from lanescope_symbols import code8b10b, crc, dllp, ordered, scramble, symbol as s, tlp
from lanescope_symbols.code8b10b import Decoder8b10b

# A DisplayPort scrambler's header, "verified against Appendix C": what scrambles the symbols after COM.
SEQUENCE = "ff17c014b2e7028272 6e28a6be6dbf8d".replace(" ", "")
# ECP5-PCIe, Tests/lfsr_states.csv: the register after each symbol.
STATES = (0xE817, 0x0328, 0x284B, 0x4DE8, 0xE755)
# Captured from a root port (ECP5-PCIe, Tests) and printed by pcievhost (README and logs).
DLLPS = {
    "50080020": "12d9", "400800e0": "f506", "60000000": "d892", "0000001a": "f892", "800cc403": "fb50",
    "90168016": "cd0d", "00000039": "198a",
}
# README of pcievhost: between STP and END, with what it says of them.
COMPLETION = bytes.fromhex("003a0a008000000000040001 4300f1bcee5dba49eb4e")
COMPLETION_DATA = bytes.fromhex("""00394a00802100000080000142 03337e5c734add90277f8dd39d9bfe695c179ba3c3ea4d52a99f408140aae9
643ffc488b40d56a5b66da33bf44675a1bfa26b582a1e1b728ea94371a01c7722cb81a5433e122f375fb735d5e12fe9375e09ed58e38ed2040a55cf6994e835d111c
b52abd1fd87fc52e739318ce09b15e56a6842f50b79182211e0568ed86b1fab5f4000000cb5c1be73f8ff05d""")


class Scramblers(unittest.TestCase):
    def test_is_the_sequence_after_com_that_of_displayport(self):
        self.assertEqual(scramble.SEQUENCE_16[:16].hex(), SEQUENCE)

    def test_are_the_states_those_of_ecp5_pcie(self):
        state, states = 0xFFFF, []
        for _ in STATES:
            state = scramble.step16(state)[1]
            states.append(state)
        self.assertEqual(tuple(states), STATES)

    def test_does_the_sequence_come_again_after_its_period(self):
        """So that a stream without COM for longer than it is right."""
        state = 0xFFFF
        for _ in range(scramble.PERIOD_16):
            state = scramble.step16(state)[1]
        self.assertEqual(state, 0xFFFF)

    def test_does_a_skp_after_eieos_carry_what_a_gen3_mac_prints_for_lane_0(self):
        """Comments of pcie_gen3_os_tx: E1 9D BF BC, with the complement of the highest bit before."""
        state = scramble.SEEDS[0]
        carried = bytes([(~state >> 22 & 1) << 7 | state >> 16, state >> 8 & 0xFF, state & 0xFF])
        self.assertEqual((b"\xe1" + carried).hex(), "e19dbfbc")

    def test_is_a_block_of_keys_what_the_register_gives_bit_by_bit(self):
        """The register as scopehal's PCIe128b130bDecoder describes it: 0x210125 added when the highest bit leaves."""
        for seed in scramble.SEEDS:
            state, keys = seed, []
            for _ in range(40):
                key = 0
                for bit in range(8):
                    top = state >> 22
                    state = (state << 1 & 0x7FFFFF) ^ (0x210125 if top else 0)
                    key |= top << bit
                keys.append(key)
            self.assertEqual(scramble.block23(seed, 40), (bytes(keys), state))


class Checks(unittest.TestCase):
    def test_are_the_crcs_of_dllps_those_of_captures(self):
        for body, check in DLLPS.items():
            self.assertEqual(crc.dllp_crc(bytes.fromhex(body)).hex(), check)

    def test_are_lcrc_and_ecrc_those_that_pcievhost_prints(self):
        for packet, sequence in ((COMPLETION, 58), (COMPLETION_DATA, 57)):
            body = packet[2:-4]
            self.assertEqual(crc.lcrc(sequence, body), packet[-4:])
            self.assertEqual(crc.ecrc(body[:-4]), body[-4:])

    def test_is_an_eds_an_stp_of_length_1_with_its_check_and_parity(self):
        """1F 80 90 00 (scopehal, PCIeGen3LogicalDecoder)."""
        token = bytes([0x0F | 1 << 4, crc.frame_parity(1) << 7, crc.frame_crc(1) << 4, 0])
        self.assertEqual(token.hex(), "1f809000")

    def test_is_the_check_of_an_stp_a_division(self):
        """test_soc_pcie_gen3_continuous_rx_integrity: the length's bits in reverse, divided by X^4 + X + 1."""
        for length in range(2048):
            rest = int(f"{length:011b}"[::-1], 2) << 4
            for bit in range(14, 3, -1):
                if rest >> bit & 1:
                    rest ^= 0b10011 << bit - 4
            self.assertEqual(crc.frame_crc(length), rest)


class Packets(unittest.TestCase):
    def test_are_the_fields_of_completions_those_that_pcievhost_prints(self):
        name, fields = tlp.decode(COMPLETION[2:-4])
        told = {key: fields[key] for key in ("completer", "completion", "byte_count", "bcm", "requester", "tag", "lower_address", "digest")}
        wanted = dict(completer=0, completion="SC", byte_count=4, bcm=None, requester=1, tag=0x43, lower_address=0, digest="good")
        self.assertEqual((name, told), ("Cpl", wanted))
        name, fields = tlp.decode(COMPLETION_DATA[2:-4])
        told = {key: fields[key] for key in ("length", "byte_count", "tag", "lower_address", "digest")}
        wanted = dict(length=0x21, byte_count=0x80, tag=0x42, lower_address=3, digest="good")
        self.assertEqual((name, told, "malformed" in fields), ("CplD", wanted, False))

    def test_are_dllps_what_pcievhost_says_that_they_are(self):
        self.assertEqual(dllp.decode(bytes.fromhex("90168016")), ("UpdateFC-NP", {"vc": 0, "header": 90, "data": 22}))
        self.assertEqual(dllp.decode(bytes.fromhex("00000039")), ("Ack", {"sequence": 57}))

    def test_are_captured_credits_those_of_a_root_port(self):
        self.assertEqual(dllp.decode(bytes.fromhex("50080020")), ("InitFC1-NP", {"vc": 0, "header": 32, "data": 32}))
        self.assertEqual(dllp.decode(bytes.fromhex("60000000"))[0], "InitFC1-Cpl")


class Codes(unittest.TestCase):
    def test_does_every_symbol_come_back_at_both_disparities(self):
        """268 symbols; the disparity after them is that of their ones."""
        for before in (-1, 1):
            for symbol in code8b10b.SYMBOLS:
                code, after = code8b10b._code(symbol, before)
                lane = Decoder8b10b()
                lane.disparity = before
                self.assertEqual((lane.symbol(code), lane.disparity), (symbol, after))
                self.assertEqual((after - before) // 2 * 2, code.bit_count() * 2 - 10)

    def test_are_the_codes_of_commas_those_of_the_paper(self):
        known = {(s.COM, -1): 0b0011111010, (s.COM, 1): 0b1100000101, (0xB5, -1): 0b1010101010, (0x4A, 1): 0b0101010101}
        for (symbol, disparity), code in known.items():
            self.assertEqual(code8b10b._code(symbol, disparity)[0], code)

    def test_has_no_code_more_than_five_equal_bits(self):
        for before in (-1, 1):
            for symbol in code8b10b.SYMBOLS:
                bits = f"{code8b10b._code(symbol, before)[0]:010b}"
                self.assertFalse("000000" in bits or "111111" in bits, bits)

    def test_is_every_other_code_a_violation_and_a_wrong_disparity_told(self):
        for code in range(1024):
            at = {disparity: code in code8b10b._TABLE[disparity] for disparity in (-1, 1)}
            for before in (-1, 1):
                lane = Decoder8b10b()
                lane.disparity = before
                symbol = lane.symbol(code)
                self.assertEqual(bool(symbol & s.BAD), not any(at.values()))
                self.assertEqual(bool(symbol & s.DISPARITY), not at[before] and at[-before])

    def test_is_an_inverted_lane_one_of_other_symbols(self):
        """TS1 and TS2 read D21.5 and D26.5, as the complements of their codes are; COM and SKP stay."""
        inverted = code8b10b.INVERTED
        self.assertEqual([inverted[0x4A], inverted[0x45], inverted[s.COM], inverted[s.SKP]], [0xB5, 0xBA, s.COM, s.SKP])
        self.assertEqual({value: key for key, value in ordered.INVERTED_IDS.items()}, {0x4A: 0xB5, 0x45: 0xBA})
        self.assertTrue(all(inverted[inverted[symbol]] == symbol for symbol in code8b10b.SYMBOLS))


def litex():
    try:
        from litex.soc.cores import code_8b10b
        from migen import run_simulation
    except ImportError:
        return None
    return code_8b10b, run_simulation


@unittest.skipUnless(litex(), "litex is not installed")
class BesideLitex(unittest.TestCase):
    def test_are_all_codes_those_of_litex(self):
        """PyPI litex, soc/cores/code_8b10b.py, run beside: 268 symbols at both disparities."""
        cores, run_simulation = litex()
        encoder = cores.SingleEncoder(lsb_first=False)
        found = {}

        def drive():
            yield encoder.ce.eq(1)
            for before in (-1, 1):
                for symbol in code8b10b.SYMBOLS:
                    yield encoder.d.eq(symbol & 0xFF)
                    yield encoder.k.eq(symbol >> 8)
                    yield encoder.disp_in.eq(before > 0)
                    yield
                    yield
                    yield
                    code = yield encoder.output
                    after = yield encoder.disp_out
                    found[before, symbol] = code, 1 if after else -1

        run_simulation(encoder, drive())
        for (before, symbol), what in found.items():
            self.assertEqual(code8b10b._code(symbol, before), what, (before, s.name(symbol)))
        self.assertEqual(len(found), 536)


if __name__ == "__main__":
    suite.main()
