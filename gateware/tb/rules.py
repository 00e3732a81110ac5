# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""What a card may send, as the host has set it at that time, and in what order: looked at where the block meets the
link, for every card of every bench (`Link` feeds it). What is wrong is kept in `broken`, and ends the test.

The settings are those of configuration space. A smaller one counts `GRACE_NS` after it was set, because the standard
lets a host change it only while nothing is under way."""

from cocotb.utils import get_sim_time
from cocotbext.pcie.core.tlp import CplStatus, TlpType

READS = (TlpType.MEM_READ, TlpType.MEM_READ_64)
WRITES = (TlpType.MEM_WRITE, TlpType.MEM_WRITE_64)
DATA = (TlpType.CPL_DATA, TlpType.CPL_LOCKED_DATA)
TOP, BOTTOM = (0xf, 0xe, 0xc, 0x8), (0xf, 0x7, 0x3, 0x1)
GRACE_NS = 3000


class Broken(AssertionError):
    """A rule was broken; the text says which, and by what."""


class Rules:
    """`limits` gives (MPS, MRRS, Extended Tag Field Enable) in bytes and as a bool; `boundary` the host's RCB."""

    def __init__(self, limits, boundary=lambda: 64, now=lambda: get_sim_time("ns")):
        self.limits, self.boundary, self.now = limits, boundary, now
        self.was = []               # (limits, until when they count)
        self.last = None
        self.out_tags = {}          # tag: request
        self.records, self.vectors = {}, {}
        # By vector: what has asked for an interrupt since the last one; interrupts that may still come.
        self.due, self.credit = {}, {}
        self.late = 1               # so many more may be on their way when one is sent; see _message
        self.counts = dict(writes=0, reads=0, completions=0, records=0, interrupts=0)

    # ---- what the driver says of itself ----------------------------------------------------------
    def ring(self, addr, size, vector):
        """Records of a ring go to `size` bytes from `addr`; those that ask for an interrupt ask for this vector."""
        self.records[addr] = (size, vector)

    def vector(self, number, addr, data):
        self.vectors[addr, data] = number

    def user_interrupt(self, number):
        """The user's design has asked for one."""
        self._ask(number)

    def _ask(self, number):
        self.due[number] = self.due.get(number, 0) + 1
        self.credit[number] = self.credit.get(number, 0) + 1

    # ---- the rules -------------------------------------------------------------------------------
    def _allowed(self):
        now, limits = self.now(), self.limits()
        if self.last is not None and limits != self.last:
            self.was.append((self.last, now + GRACE_NS))
        self.last = limits
        self.was = [(l, t) for l, t in self.was if t > now]
        every = [limits] + [l for l, _ in self.was]
        return max(l[0] for l in every), max(l[1] for l in every), any(l[2] for l in every)

    @staticmethod
    def must(ok, rule, tlp):
        if not ok:
            raise Broken(f"{rule}: {tlp!r}")

    def out(self, tlp):
        """A TLP of the card."""
        mps, mrrs, ext_tag = self._allowed()
        if tlp.is_completion():
            self.counts["completions"] += 1
            if tlp.fmt_type in DATA:
                room = 4 * tlp.length - (tlp.lower_address & 3)
                self.must(4 * tlp.length <= mps, "a completion is longer than MPS", tlp)
                self.must(tlp.byte_count <= room or (tlp.lower_address + room) % 64 == 0,
                          "a completion that is not the last ends at no RCB", tlp)
            return
        if tlp.fmt_type not in READS + WRITES:
            return
        length = 4 * (tlp.length or 1024)
        self.must(tlp.address % 4096 + length <= 4096, "a request crosses 4 KiB", tlp)
        if tlp.length == 1:
            be = f"{tlp.first_be:04b}".strip("0")
            self.must(tlp.last_be == 0 and "0" not in be, "byte enables of one DW", tlp)
        else:
            self.must(tlp.first_be in TOP and tlp.last_be in BOTTOM, "byte enables", tlp)
        if tlp.fmt_type in READS:
            self.counts["reads"] += 1
            self.must(length <= mrrs, "a request is longer than MRRS", tlp)
            self.must(ext_tag or tlp.tag < 32, "a tag of 8 bits without Extended Tag Field Enable", tlp)
            self.must(tlp.tag not in self.out_tags, "a tag is used again while it is out", tlp)
            self.out_tags[tlp.tag] = tlp
        else:
            self.counts["writes"] += 1
            self.must(len(tlp.data) <= mps and len(tlp.data) == length, "a payload is longer than MPS", tlp)
            self._message(tlp)

    def _message(self, tlp):
        said = (tlp.address, int.from_bytes(tlp.data[:4], "little"))
        if tlp.length == 1 and said in self.vectors:
            v = self.vectors[said]
            self.counts["interrupts"] += 1
            credit = self.credit.get(v, 0)
            self.must(credit > 0, "an interrupt before its record, or without one", tlp)
            # Whatever is asked for while a vector is pending is one interrupt, and a vector that is on its way can be
            # pending once more: all that has asked so far may bring one more at most. With MSI the block has one in
            # hand besides, past which records go: two more.
            self.credit[v] = min(credit - 1, self.late)
            self.due[v] = 0                     # one interrupt stands for all that is due
            return
        for base, (size, v) in self.records.items():
            if base <= tlp.address < base + size and tlp.length == 4:
                self.counts["records"] += 1
                word = int.from_bytes(tlp.data[:4], "little")
                if word & 8 or word >> 8 & 15:
                    self._ask(v)

    def into(self, tlp):
        """A completion as it left the host, before the bench does anything to it."""
        asked = self.out_tags.get(tlp.tag)
        if not asked:
            return
        data = tlp.fmt_type in DATA and tlp.status == CplStatus.SC
        room = 4 * tlp.length - (tlp.lower_address & 3)
        if not data or tlp.byte_count <= room:
            del self.out_tags[tlp.tag]
        else:
            self.must((tlp.lower_address + room) % self.boundary() == 0, "the host splits at no RCB", tlp)

    def forget(self, tag=None):
        """Completions of this tag, or of all, will not come: the card finds out by its own timeout."""
        if tag is None:
            self.out_tags.clear()
        else:
            self.out_tags.pop(tag, None)

    def owed(self):
        """Vectors whose interrupt is due and has not been sent."""
        return {v for v, n in self.due.items() if n}
