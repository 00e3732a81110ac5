#!/usr/bin/env python3
"""What does the decoder see of errors on the line, and where is it back in step? The last line has the counts."""

import unittest

import suite
from lanescope_symbols import Decoder, symbol as s
from sender import ACK, Sender3, Sender12, crossed, delivered, draws, random_stream, write
from test_streams import decoded, named, wrong


def hit(rows, at, lane, symbol):
    """The rows with one symbol replaced."""
    return [[symbol if (index, number) == (at, lane) else old for number, old in enumerate(row)] for index, row in enumerate(rows)]


def slipped(rows, at, lane, double):
    """The rows with one symbol of a lane doubled or lost."""
    columns = [list(column) for column in zip(*rows)]
    if double:
        columns[lane].insert(at, columns[lane][at])
    else:
        del columns[lane][at]
    return [[column[index] if index < len(column) else None for column in columns] for index in range(max(map(len, columns)))]


def taken(events):
    """Packets whose check was right, whether or not the sequence number was due."""
    return [(event.kind, event.fields.get("sequence") if event.kind == "tlp" else None, event.fields["bytes"])
            for event in events if event.kind in ("tlp", "dllp") and event.fields["status"] in ("good", "out-of-sequence")]


def is_part(some, all_):
    """Whether they come in this order among all."""
    rest = iter(all_)
    return all(one in rest for one in some)


class Gen1(unittest.TestCase):
    def stream(self, lanes=4):
        """Two packets, a SKP, a packet, a SKP, a packet; and where the first SKP begins."""
        sender = Sender12(lanes).start()
        sender.dllp(ACK)
        sender.tlp(write(tag=1))
        sender.fill()
        at = len(sender.rows)
        sender.skp()
        sender.tlp(write(tag=2))
        sender.skp()
        sender.tlp(write(tag=3))
        sender.idle(2)
        return sender, at

    def test_is_a_skp_that_was_hit_still_one(self):
        for at_in, symbol in ((1, s.BAD), (2, s.BAD), (3, s.BAD), (1, 0x55), (2, 0x55)):
            sender, at = self.stream()
            events = decoded(hit(sender.rows, at + at_in, 2, symbol), 1, 4)
            self.assertEqual(delivered(events), sender.sent, at_in)
            self.assertEqual(named(events, "SKP")[1].fields["damaged_on"], [2])

    def test_is_a_lane_without_com_back_in_step_at_the_next(self):
        """Its scrambler is not set, so the packet behind is bad; the lanes stay beside one another."""
        sender, at = self.stream()
        events = decoded(hit(sender.rows, at, 1, s.BAD), 1, 4)
        self.assertEqual(taken(events), [sender.sent[0], sender.sent[1], sender.sent[3]])
        self.assertEqual(len(named(events, "deskew")), 1)

    def test_is_a_link_without_com_back_in_step_at_the_next(self):
        sender, at = self.stream(1)
        events = decoded(hit(sender.rows, at, 0, s.BAD), 1, 1)
        self.assertEqual(taken(events), [sender.sent[0], sender.sent[1], sender.sent[3]])
        self.assertEqual(len(named(events, "code-violation")), 1)

    def test_is_a_lane_that_lost_or_doubled_a_symbol_back_at_the_next_skp(self):
        for double in (False, True):
            sender, at = self.stream()
            events = decoded(slipped(sender.rows, at - 4, 3, double), 1, 4)
            self.assertEqual(taken(events)[-2:], sender.sent[-2:])
            self.assertEqual([event.lane for event in named(events, "slip")], [3], double)

    def test_is_a_training_sequence_that_was_hit_still_one(self):
        sender = Sender12(2)
        sender.training()
        events = decoded(hit(sender.rows, 12, 0, s.BAD) + Sender12(2).start().rows, 1, 2)
        first = named(events, "TS1")[0]
        self.assertEqual((first.time, first.fields["damaged_on"]), (0, [0]))

    def test_is_what_only_begins_like_an_ordered_set_none(self):
        sender, at = self.stream(1)
        for count, symbol in ((3, s.STP), (1, s.END)):
            broken = [[s.COM], *[[0x11]] * (count - 1), [symbol]]
            events = decoded(sender.rows[:at] + broken + sender.rows[at:], 1, 1)
            self.assertEqual(len(named(events, "broken")), 1)
            self.assertEqual(delivered(events), sender.sent)

    def test_is_an_eios_with_one_symbol_hit_still_one(self):
        sender, _ = self.stream(1)
        sender.set(s.COM, s.IDL, s.IDL, s.IDL)
        events = decoded(hit(sender.rows, len(sender.rows) - 2, 0, s.BAD), 1, 1)
        self.assertEqual(len(named(events, "EIOS")), 1)

    def test_does_a_hit_start_or_end_cost_the_packet_and_no_more(self):
        """In x1, where the packet is the only one that the symbol touches. Without END the next start ends it."""
        for symbol in (s.STP, s.END):
            for other in (s.BAD, 0x33, s.COM, s.PAD):
                sender, at = self.stream(1)
                where = [index for index, row in enumerate(sender.rows) if row == [symbol]]
                events = decoded(hit(sender.rows, where[-2], 0, other), 1, 1)
                lost = sender.sent[2]
                self.assertEqual([packet for packet in sender.sent if packet not in taken(events)], [lost], (s.name(symbol), s.name(other)))
                self.assertTrue(any(event.is_wrong for event in events))

    def test_is_a_packet_bad_in_which_a_symbol_is_none(self):
        sender, at = self.stream()
        events = decoded(hit(sender.rows, at - 3, 0, s.BAD), 1, 4)
        (bad,) = [event for event in events if event.fields.get("status") == "bad"]
        self.assertEqual((bad.kind, bad.fields["why"]), ("tlp", "code violation"))

    def test_is_a_packet_bad_in_which_the_disparity_is_wrong(self):
        sender, at = self.stream()
        symbol = sender.rows[at - 3][0] | s.DISPARITY
        events = decoded(hit(sender.rows, at - 3, 0, symbol), 1, 4)
        (bad,) = [event for event in events if event.fields.get("status") == "bad"]
        self.assertEqual((bad.kind, bad.fields["why"], len(named(events, "disparity"))), ("tlp", "disparity", 1))

    def test_is_a_lane_that_falls_silent_not_waited_for(self):
        """It is told; nothing more is delivered; the other lanes are not kept for ever."""
        for generation in (1, 3):
            sender = random_stream(draws(8), generation, 4, 80, 5)
            half = len(sender.rows) // 2
            rows = sender.rows[:half] + [[*row[:3], s.IDLE] for row in sender.rows[half:]]
            decoder = Decoder(generation, 4)
            events = [event for row in rows for event in decoder.feed(row)]
            self.assertTrue(is_part(delivered(events), sender.sent))
            self.assertEqual({event.lane for event in named(events, "silent")}, {3})
            self.assertLess(max(len(lane.out) for lane in decoder._lanes), 200)

    def test_is_a_stream_without_ordered_sets_told(self):
        events = decoded([[0x12], [0x34]] * 20, 1, 1)
        self.assertEqual([event.name for event in events if event.kind == "error"], ["no-lock"])


class Gen3(unittest.TestCase):
    def stream(self, lanes=1):
        """A packet, a SKP, two packets, a SKP, a packet; the rows at which the data stream begins."""
        sender = Sender3(3, lanes).start()
        self.begin = len(sender.rows)
        sender.dllp(ACK)
        sender.tlp(write(tag=1))
        sender.sos()
        sender.dllp(ACK)
        sender.tlp(write(tag=2))
        sender.sos()
        sender.tlp(write(tag=3))
        sender.idle(32)
        sender.fill()
        return sender

    def flip(self, sender, byte, mask):
        """In x1 a byte of the data stream is a row."""
        rows = [list(row) for row in sender.rows]
        rows[self.begin + byte][0] ^= mask
        return rows

    def test_is_each_field_of_stp_checked(self):
        """The token is behind the DLLP of 8 bytes: length, parity, check, sequence number, which the LCRC covers."""
        for byte, mask, why in ((8, 0x10, "STP: check"), (9, 0x01, "STP: check"), (9, 0x80, "STP: parity"), (10, 0x10, "STP: check"),
                                (8, 0x01, "no token"), (10, 0x01, "LCRC"), (11, 0x01, "LCRC")):
            sender = self.stream()
            events = decoded(self.flip(sender, byte, mask), 3, 1)
            told = [str(event.fields["why"]) for event in events if event.is_wrong and "why" in event.fields]
            self.assertIn(why, told[0][:len(why)], (byte, mask))

    def test_is_a_receiver_after_a_framing_error_deaf_until_sds(self):
        """With `resume` it is back after the next SKP."""
        sender = self.stream()
        rows = self.flip(sender, 0, 0x01)
        self.assertEqual(delivered(decoded(rows, 3, 1)), [])
        self.assertEqual(taken(decoded(rows, 3, 1, resume=True)), sender.sent[2:])
        sender.eds()
        sender.eieos()
        sender.sds()
        sender.dllp(ACK)
        sender.idle(8)
        sender.fill()
        events = decoded(self.flip(sender, 0, 0x01), 3, 1)
        self.assertEqual(delivered(events), sender.sent[-1:])

    def test_is_edb_that_was_hit_a_framing_error(self):
        sender = Sender3(3, 1).start()
        begin = len(sender.rows)
        sender.tlp(write(tag=1), nullified=True)
        sender.idle(32)
        sender.fill()
        rows = [list(row) for row in sender.rows]
        rows[begin + 24][0] ^= 1
        events = decoded(rows, 3, 1)
        self.assertEqual(delivered(events), [])
        self.assertEqual([event.name for event in events if event.kind == "error"], ["framing"])

    def test_are_ordered_sets_without_eds_a_framing_error(self):
        sender = Sender3(3, 2).start()
        sender.idle(16)
        sender.fill()
        sender.skp()
        sender.idle(16)
        sender.fill()
        events = decoded(sender.rows, 3, 2)
        self.assertEqual([event.fields["why"] for event in named(events, "framing")], ["SKP without EDS before it"])

    def test_is_data_behind_eds_a_framing_error(self):
        sender = Sender3(3, 1).start()
        sender.eds()
        sender.put(bytes(16))
        events = decoded(sender.rows, 3, 1)
        self.assertEqual([event.fields["why"] for event in named(events, "framing")], ["data block where an ordered set is due"])

    def test_is_a_sync_header_that_is_none_told(self):
        """A block with a wrong header on one lane is lost on all; from the next SKP on all is well again."""
        for header in (0, 3):
            sender = self.stream(2)
            rows = hit(sender.rows, self.begin, 1, s.start(sender.rows[self.begin][1] & 0xFF, header))
            events = decoded(rows, 3, 2, resume=True)
            self.assertEqual([event.lane for event in named(events, "sync-header")], [1])
            self.assertEqual(taken(events), sender.sent[2:])

    def test_is_a_data_block_that_became_an_ordered_set_told(self):
        sender = self.stream(4)
        rows = hit(sender.rows, self.begin, 1, s.start(sender.rows[self.begin][1] & 0xFF, s.ORDERED_SET))
        events = decoded(rows, 3, 4, resume=True)
        self.assertEqual({event.lane for event in named(events, "deskew")}, {1})
        self.assertEqual(taken(events), sender.sent[2:])

    def test_is_a_skp_block_that_became_data_told(self):
        sender = self.stream(4)
        at = next(index for index, row in enumerate(sender.rows) if index > self.begin and row[0] & s.START and row[0] & 0xFF == 0xAA)
        events = decoded(hit(sender.rows, at, 2, s.start(0xAA, s.DATA)), 3, 4, resume=True)
        self.assertEqual({event.lane for event in named(events, "deskew")}, {2})
        self.assertEqual(named(events, "SKP")[1].fields["damaged_on"], [2])
        self.assertEqual(taken(events)[-1:], sender.sent[-1:])

    def test_is_a_lane_that_lost_or_doubled_a_symbol_back_at_the_next_skp(self):
        for double in (False, True):
            for lane in (0, 3):
                sender = self.stream(4)
                events = decoded(slipped(sender.rows, self.begin + 5, lane, double), 3, 4, resume=True)
                self.assertEqual(taken(events)[-3:], sender.sent[2:], (double, lane))
                self.assertTrue(wrong(events))

    def test_is_a_lane_whose_blocks_slipped_lost_until_sds(self):
        """The last symbol of a block doubled: the next does not begin where it ended, and the link has to be trained."""
        sender = self.stream(4)
        events = decoded(slipped(sender.rows, self.begin + 15, 1, True), 3, 4)
        self.assertEqual(taken(events), sender.sent[:2])
        self.assertEqual([event.fields["why"] for event in named(events, "framing")], ["blocks slipped"])

    def test_is_what_a_skp_carries_checked(self):
        """Scrambler and parity of the data; the scrambler of the SKP is taken."""
        sender = self.stream()
        at = next(index for index, row in enumerate(sender.rows) if index > self.begin and row[0] & s.START and row[0] & 0xFF == 0xAA)
        for offset, mask, name in ((13, 0x80, "data-parity"), (14, 0x01, "scrambler")):
            rows = [list(row) for row in sender.rows]
            rows[at + offset][0] ^= mask
            events = decoded(rows, 3, 1, resume=True)
            self.assertEqual([event.name for event in events if event.kind == "error"][0], name)
            if name == "data-parity":
                self.assertEqual(delivered(events), sender.sent)

    def test_is_a_bit_error_in_data_seen_by_the_parity_of_its_lane(self):
        sender = self.stream(2)
        rows = hit(sender.rows, self.begin + 8, 1, sender.rows[self.begin + 8][1] ^ 4)
        self.assertEqual([event.lane for event in named(decoded(rows, 3, 2), "data-parity")], [1])


class Drawn(unittest.TestCase):
    def test_is_nothing_delivered_that_was_not_sent(self):
        """A symbol replaced, lost or doubled, anywhere: what is delivered was sent, in its order; and a loss is never silent."""
        for seed in range(150):
            draw = draws(seed)
            generation, lanes = draw.randrange(1, 6), draw.choice((1, 2, 4, 8))
            sender = random_stream(draw, generation, lanes, 20, 4)
            at, lane = draw.randrange(len(sender.rows) // 3, len(sender.rows) - 20), draw.randrange(lanes)
            kind = draw.choice(("hit", "lost", "doubled"))
            if kind == "hit":
                old = sender.rows[at][lane]
                rows = hit(sender.rows, at, lane, old ^ 1 << draw.randrange(8) if generation > 2 else draw.choice((s.BAD, s.COM, s.STP, s.END, 77)))
            else:
                rows = slipped(sender.rows, at, lane, kind == "doubled")
            events = decoded(crossed(rows, blocks=generation > 2) if kind == "hit" else rows, generation, lanes, resume=True)
            self.assertTrue(is_part(taken(events), sender.sent), (seed, kind))
            self.assertTrue(is_part(delivered(events), sender.sent), (seed, kind))
            if len(taken(events)) < len(sender.sent):
                self.assertTrue(any(event.is_wrong for event in events), (seed, kind))


if __name__ == "__main__":
    suite.main()
