#!/usr/bin/env python3
"""Does the decoder read what hand-made streams carry, at every generation and width, across skew, reversal and polarity? The
last line has the counts."""

import unittest

import suite
from lanescope_symbols import Decoder, symbol as s
from lanescope_symbols.code8b10b import IDLE_CODE, _code
from sender import ACK, Sender3, Sender12, crossed, delivered, draws, random_stream, read, write

WIDTHS = (1, 2, 4, 8, 12, 16)


def decoded(rows, generation, lanes, **options):
    decoder = Decoder(generation, lanes, **options)
    events = [event for row in rows for event in decoder.feed(row)]
    return events + decoder.finish()


def wrong(events):
    return [str(event) for event in events if event.kind in ("error", "rule")]


def named(events, name):
    return [event for event in events if event.name == name]


class Streams(unittest.TestCase):
    def test_is_all_that_was_sent_delivered_at_every_generation_and_width(self):
        for generation in range(1, 6):
            for lanes in WIDTHS:
                draw = draws(generation * 100 + lanes)
                sender = random_stream(draw, generation, lanes, 30, 5)
                skews = [draw.randrange(21) for _ in range(lanes)]
                inverted = [lane for lane in range(lanes) if draw.random() < 0.3]
                rows = crossed(sender.rows, skews, draw.random() < 0.5, inverted, generation > 2)
                events = decoded(rows, generation, lanes)
                self.assertEqual(delivered(events), sender.sent, (generation, lanes))
                self.assertEqual(wrong(events), [], (generation, lanes))
                self.assertEqual(sorted(event.lane for event in named(events, "polarity")), inverted)

    def test_is_the_skew_what_it_was(self):
        for generation in (2, 3):
            sender = random_stream(draws(3), generation, 4, 5, 2)
            events = decoded(crossed(sender.rows, [3, 0, 20, 7]), generation, 4)
            self.assertEqual(events[-1].fields["skew"], [3, 0, 20, 7])

    def test_is_skew_of_more_than_twenty_symbols_not_taken_for_skew(self):
        """Lanes are put together by the next ordered sets that are near; packets are not delivered wrong."""
        sender = random_stream(draws(3), 1, 4, 30, 2)
        events = decoded(crossed(sender.rows, [30, 0, 0, 0]), 1, 4)
        self.assertTrue(all(packet in sender.sent for packet in delivered(events)))
        self.assertTrue(wrong(events))

    def test_is_a_reversed_link_found_by_its_training(self):
        for generation in (1, 4):
            for lanes in (4, 16):
                sender = random_stream(draws(9), generation, lanes, 5, 2)
                events = decoded(crossed(sender.rows, reverse=True), generation, lanes)
                self.assertEqual(delivered(events), sender.sent)
                (order,) = named(events, "lane-order")
                self.assertEqual(order.fields["order"], ",".join(map(str, reversed(range(lanes)))))

    def test_is_a_stream_read_from_its_middle(self):
        """Without training: from the first SKP on, in the order that is given."""
        for generation in (1, 3, 5):
            sender = random_stream(draws(4), generation, 2, 40, 3)
            rows = sender.rows[len(sender.rows) // 3 // 16 * 16:]
            while generation > 2 and not rows[0][0] & s.START:
                rows = rows[1:]
            events = decoded(rows, generation, 2)
            got = delivered(events)
            self.assertGreater(len(got), 10)
            self.assertEqual(got, sender.sent[-len(got):])
            self.assertEqual(wrong(events), [])

    def test_are_events_given_as_soon_as_they_can_be(self):
        """For a core that answers: a packet is told in the clock of its END; from 8 GT/s with the block that holds its end,
        or, as EDB may be behind it, the next token."""
        sender = Sender12(1).start()
        sender.dllp(ACK)
        decoder = Decoder(1, 1)
        self.assertEqual([event.name for event in [decoder.feed(row) for row in sender.rows][-1]], ["Ack"])

    def test_are_codes_of_ten_bits_read(self):
        sender = random_stream(draws(5), 1, 2, 10, 3)
        state, rows = [1, -1], []
        for row in crossed(sender.rows, [0, 4]):
            codes = []
            for lane, symbol in enumerate(row):
                if symbol is None or symbol & s.IDLE:
                    codes.append(symbol and IDLE_CODE)
                    continue
                code, state[lane] = _code(symbol, state[lane])
                codes.append(code ^ (0x3FF if lane == 1 else 0))
            rows.append(codes)
        events = decoded(rows, 1, 2, codes=True)
        self.assertEqual(delivered(events), sender.sent)
        self.assertEqual(wrong(events), [])

    def test_is_a_link_without_scrambling_read_where_its_training_says_so(self):
        sender = Sender12(1)
        sender.training(control=8)
        sender.training(0x45, 0, control=8)
        sender.skp()
        plain = len(sender.rows)
        sender.tlp(write())
        key = 0
        from lanescope_symbols.scramble import SEQUENCE_16
        for row in sender.rows[plain:]:
            row[0] = row[0] if row[0] & s.K else row[0] ^ SEQUENCE_16[key]
            key += 1
        self.assertEqual(delivered(decoded(sender.rows, 1, 1)), sender.sent)


class OrderedSets(unittest.TestCase):
    def test_are_the_fields_of_training_sequences_told(self):
        for generation, sender in ((1, Sender12(4).start()), (3, Sender3(3, 4).start())):
            sender.idle(2)
            sender.idle(16)
            events = decoded(sender.rows, generation, 4)
            one, two = named(events, "TS1")[0], named(events, "TS2")[0]
            self.assertEqual((one.fields["link"], one.fields["lane"], one.fields["n_fts"]), ("PAD", "0,1,2,3", 32))
            self.assertEqual(two.fields["link"], 0)
            self.assertEqual(two.fields["rates"], "2.5/5" if generation == 1 else "2.5/5/8")

    def test_is_each_ordered_set_of_gen2_named(self):
        sender = Sender12(2).start()
        sender.set(s.COM, s.FTS, s.FTS, s.FTS)
        sender.set(s.COM, *[s.EIE] * 14, 0x4A)
        sender.set(s.COM, 0xB5, s.COM, 0x4A)
        sender.skp(1)
        sender.skp(5)
        sender.set(s.COM, s.IDL, s.IDL, s.IDL)
        events = decoded(sender.rows + [[s.IDLE, s.IDLE]] * 8, 2, 2)
        names = [event.name for event in events if event.kind == "ordered-set"]
        self.assertEqual(names, ["TS1"] * 3 + ["TS2", "SKP", "FTS", "EIEOS", "compliance", "SKP", "SKP", "EIOS", "electrical-idle"])
        self.assertEqual([event.fields["lanes"][0]["symbols"] for event in named(events, "SKP")], [3, 1, 5])
        self.assertEqual(wrong(events), [])

    def test_is_a_skp_the_last_before_electrical_idle_one(self):
        sender = Sender12(2).start()
        sender.skp()
        events = decoded(sender.rows + [[s.IDLE, s.IDLE]] * 3, 1, 2)
        self.assertEqual([event.name for event in events if event.kind == "ordered-set"][-2:], ["SKP", "electrical-idle"])
        self.assertEqual(wrong(events), [])

    def test_is_each_ordered_set_of_gen3_to_gen5_named(self):
        for generation in (3, 4, 5):
            sender = Sender3(generation, 2).start()
            sender.put(bytes(28) + b"\x1f\x80\x90\x00")
            sender.skp(control=True)
            sender.put(bytes(28) + b"\x1f\x80\x90\x00")
            sender.ordered(b"\x66" * 16)
            sender.ordered(b"\x55" * 16)
            sender.eieos()
            sender.sds()
            events = decoded(sender.rows, generation, 2)
            names = [event.name for event in events if event.kind == "ordered-set"]
            self.assertEqual(names, "EIEOS TS1 TS1 EIEOS TS2 SKP SDS SKP-control EIOS FTS EIEOS SDS".split())
            self.assertEqual(wrong(events), [])

    def test_is_the_interval_between_skps_watched(self):
        """Late where a packet that began after one was due went before it, not where one that began in time had to end."""
        for begin, late in ((1480, 0), (1700, 1)):
            sender = Sender12(1).start()
            sender.skp()
            sender.idle(begin)
            sender.tlp(write(data=bytes(256)))
            sender.skp()
            events = decoded(sender.rows, 1, 1)
            self.assertEqual((events[-1].fields["skp_late"], len(named(events, "skp-interval"))), (late, late))
            self.assertEqual(events[-1].fields["skp_most"], 4 + begin + 20 + 256)

    def test_is_the_interval_of_gen3_watched_in_blocks(self):
        for blocks, late in ((373, 0), (390, 1)):
            sender = Sender3(3, 1).start()
            sender.sos()
            sender.put(bytes(16 * (blocks - 1)))
            sender.sos()
            events = decoded(sender.rows, 3, 1)
            self.assertEqual(events[-1].fields["skp_late"], late, blocks)


class Packets(unittest.TestCase):
    def streams(self):
        return (1, Sender12(4).start()), (3, Sender3(3, 4).start())

    def test_is_a_nullified_tlp_not_delivered_and_the_next_is(self):
        for generation, sender in self.streams():
            sender.tlp(write(tag=1), nullified=True)
            sender.tlp(write(tag=2))
            sender.idle(70)
            events = decoded(sender.rows, generation, 4)
            self.assertEqual([event.fields["status"] for event in named(events, "MWr")], ["nullified", "good"])
            self.assertEqual(wrong(events), [])

    def test_is_a_bad_lcrc_told_and_what_follows_out_of_sequence(self):
        for generation, sender in self.streams():
            sender.tlp(write(tag=1))
            sender.tlp(write(tag=2), bad=True)
            sender.sequence += 1
            sender.tlp(write(tag=3))
            sender.sequence -= 2
            sender.tlp(write(tag=2))
            sender.sequence -= 1
            sender.tlp(write(tag=2))
            sender.idle(70)
            events = decoded(sender.rows, generation, 4)
            statuses = [event.fields["status"] for event in events if event.kind == "tlp"]
            self.assertEqual(statuses, ["good", "bad", "out-of-sequence", "good", "duplicate"])

    def test_do_sequence_numbers_go_on_after_4095(self):
        for generation, sender in self.streams():
            sender.sequence = 4094
            for tag in range(4):
                sender.tlp(read(tag=tag))
            sender.idle(70)
            self.assertEqual(delivered(decoded(sender.rows, generation, 4)), sender.sent)

    def test_is_a_dllp_with_a_wrong_crc_bad(self):
        sender = Sender12(1).start()
        sender.packet(s.SDP, ACK + b"\0\0", s.END)
        events = decoded(sender.rows, 1, 1)
        self.assertEqual([(event.name, event.fields["why"]) for event in events if event.kind == "dllp"], [("DLLP", "CRC")])

    def test_is_a_packet_in_a_wrong_lane_told_and_read(self):
        sender = Sender12(8).start()
        for symbol in (0, 0, 0, 0):
            sender.put(symbol)
        sender.dllp(ACK)
        sender.idle(2)
        events = decoded(sender.rows, 1, 8)
        self.assertEqual([event.name for event in events if event.kind == "rule"], ["placement"])
        self.assertEqual(delivered(events), sender.sent)


class Refused(unittest.TestCase):
    def test_is_what_no_link_is_refused(self):
        for generation, lanes, options in ((6, 1, {}), (1, 3, {}), (3, 1, {"codes": True}), (1, 2, {"order": [0, 0]})):
            with self.assertRaises(ValueError):
                Decoder(generation, lanes, **options)

    def test_is_a_row_of_another_width_refused(self):
        with self.assertRaises(ValueError):
            Decoder(1, 2).feed([0])


if __name__ == "__main__":
    suite.main()
