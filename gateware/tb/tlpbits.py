# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""The internal TLP header and commands as integers: the same fields as in rtl/ls_pkg.sv."""

from cocotbext.pcie.core.tlp import CplStatus, Tlp, TlpAttr, TlpTc, TlpType
from cocotbext.pcie.core.utils import PcieId

HDR = [("kind", 2), ("addr", 64), ("len_dw", 11), ("first_be", 4), ("last_be", 4), ("tag", 8),
       ("requester_id", 16), ("attr", 3), ("tc", 3), ("ep", 1), ("status", 3),
       ("byte_count", 13), ("bar", 3)]
CMD = [("addr", 64), ("len", 24), ("sof", 1), ("eof", 1), ("irq", 1), ("bad", 1), ("fetch", 1),
       ("fabric", 1), ("id", 24)]
DONE = [("len", 24), ("sof", 1), ("eof", 1), ("irq", 1), ("regular", 1), ("fabric", 1),
        ("cause", 4), ("id", 24)]
SETTINGS = [("mps", 3), ("mrrs", 3), ("ext_tag", 1), ("master", 1), ("msix", 1)]
MSI = [("enable", 1), ("granted", 3), ("mask", 32), ("back", 1), ("vector", 4)]
ASK_MSI = 3             # AskMsi of ls_pkg
CONFIG = [("enable", 1), ("stop", 1), ("ring", 1), ("record", 1), ("first", 1), ("keep", 1), ("tell", 1),
          ("attr", 3), ("size_log2", 4), ("vector", 4), ("coal_count", 8), ("coal_time", 16), ("tail", 16)]
MRD, MWR, CPL, CPLD = range(4)


def pack(fields, values):
    out = 0
    for name, bits in fields:
        value = int(values.get(name, 0))
        assert 0 <= value < (1 << bits), (name, value)
        out = (out << bits) | value
    return out


def unpack(fields, value):
    out = {}
    for name, bits in reversed(fields):
        out[name] = value & ((1 << bits) - 1)
        value >>= bits
    return out


def tlp_to_hdr(tlp, bar=0):
    """Header struct of a received TLP."""
    common = dict(len_dw=tlp.length or (1024 if tlp.has_data() else 0), tag=tlp.tag,
                  requester_id=int(tlp.requester_id), attr=int(tlp.attr), tc=int(tlp.tc),
                  ep=tlp.ep)
    if tlp.fmt_type in (TlpType.CPL, TlpType.CPL_DATA):
        kind = CPLD if tlp.fmt_type == TlpType.CPL_DATA else CPL
        return pack(HDR, dict(common, kind=kind, addr=tlp.lower_address, status=int(tlp.status),
                              byte_count=tlp.byte_count or (4096 if kind == CPLD else 0)))
    read = tlp.fmt_type in (TlpType.MEM_READ, TlpType.MEM_READ_64)
    return pack(HDR, dict(common, kind=MRD if read else MWR, addr=tlp.address, bar=bar,
                          len_dw=tlp.length or 1024,
                          first_be=tlp.first_be, last_be=tlp.last_be))


def hdr_to_tlp(value, data, own_id):
    """A TLP to send, of a header struct and its payload."""
    h = unpack(HDR, value)
    tlp = Tlp()
    tlp.attr = TlpAttr(h["attr"])
    tlp.tc = TlpTc(h["tc"])
    tlp.tag = h["tag"]
    tlp.ep = bool(h["ep"])
    tlp.length = h["len_dw"]
    if h["kind"] in (CPL, CPLD):
        tlp.fmt_type = TlpType.CPL_DATA if h["kind"] == CPLD else TlpType.CPL
        tlp.requester_id = PcieId.from_int(h["requester_id"])
        tlp.completer_id = own_id
        tlp.status = CplStatus(h["status"])
        tlp.byte_count = h["byte_count"]
        tlp.lower_address = h["addr"] & 0x7f
    else:
        wide = h["addr"] > 0xffffffff
        if h["kind"] == MRD:
            tlp.fmt_type = TlpType.MEM_READ_64 if wide else TlpType.MEM_READ
        else:
            tlp.fmt_type = TlpType.MEM_WRITE_64 if wide else TlpType.MEM_WRITE
        tlp.requester_id = own_id
        tlp.address = h["addr"]
        tlp.first_be = h["first_be"]
        tlp.last_be = h["last_be"]
    if h["kind"] in (MWR, CPLD):
        tlp.data = bytearray(data[:h["len_dw"] * 4])
    return tlp
