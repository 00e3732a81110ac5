// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// TLPs between ls_nvme_host and a drive, whole, and the ports of the host at which they come and go, a beat a
// cycle. Here is no time of a link and nothing of NVMe: nvme_link.h, nvme_drive.h.
#pragma once
#include "Vtop.h"
#include "host.h"

#include <algorithm>
#include <cstring>
#include <string>

[[noreturn]] void wrong(const std::string& what);       // ends the run; each program says where it was

struct Tlp {
  Header h;
  bool cfg = false;
  unsigned bytes = 0;
  uint8_t data[512];
  bool is_cpl() const { return h.kind == Cpl || h.kind == CplD; }
  unsigned wire() const {                               // bytes, with sequence number, LCRC and framing
    bool four = (h.kind == MemRd || h.kind == MemWr) && h.addr >> 32;
    return (four ? 16 : 12) + bytes + 8;
  }
};

// A completion of that request, with one DW of data or none; a request for whole DWs, where it is a write without its data.
inline Tlp answer_of(const Tlp& t, unsigned status, uint32_t value, bool data) {
  Tlp c;
  c.h.kind = data ? CplD : Cpl;
  c.h.len_dw = data;
  c.h.tag = t.h.tag;
  c.h.status = status;
  c.h.addr = t.h.addr & 0x7c;
  c.h.byte_count = 4;
  c.bytes = data ? 4 : 0;
  memcpy(c.data, &value, 4);
  return c;
}
inline Tlp request_of(unsigned kind, uint64_t addr, unsigned len) {
  Tlp t;
  t.h.kind = kind;
  t.h.addr = addr;
  t.h.len_dw = len / 4;
  t.h.first_be = 15;
  t.h.last_be = len > 4 ? 15 : 0;
  t.bytes = kind == MemWr ? len : 0;
  return t;
}

enum Op : unsigned { OpRead = 0, OpWrite = 1, OpFlush = 2, OpZero = 3, OpTrim = 4, OpFormat = 5 };
constexpr uint64_t FormatKey = 0x4552415345414c4c;      // as in ls_nvme_pkg
template <typename W> void put_user(W& cmd, Op op, uint64_t lba, unsigned blocks, unsigned tag, bool fua = false) {
  unsigned at = 0;
  put(cmd, at, 16, tag);
  put(cmd, at, 32, blocks - 1);
  put(cmd, at, 64, lba);
  put(cmd, at, 1, fua);
  put(cmd, at, 3, op);
}
struct Report {
  unsigned tag, status, why;
};
inline Report get_report(uint64_t done) { return {unsigned(done & 0xffff), unsigned(done >> 16 & 0x7fff), unsigned(done >> 31 & 15)}; }

// Of a host that is the top, or of one of several: then `Top` has what belongs to it, by the same names.
template <typename Top> struct PortsOf {
  Top* top;
  std::deque<Tlp> rx;                                   // to the host
  std::deque<Tlp> rq, cpl;                              // from it, each with its last beat
  unsigned mps = 512;                                   // no completion is longer
  unsigned rx_at = 0, rx_stalled = 0;
  bool mid = false;                                     // a completion has begun

  explicit PortsOf(Top* t) : top(t) {}

  // Before the clock: what of `rx` is shown.
  void show() {
    rx_req_ = rx_cpl_ = false;
    if (!rx.empty()) {
      Tlp& t = rx[0];
      rx_cpl_ = t.is_cpl();
      rx_req_ = !rx_cpl_;
      bool sop = rx_at == 0, eop = rx_at + Bytes >= t.bytes;
      if (rx_req_) {
        if (sop) put_header(top->rx_req_hdr_i, t.h);
        memcpy(&top->rx_req_data_i, t.data + rx_at, Bytes);
        top->rx_req_sop_i = sop;
        top->rx_req_eop_i = eop;
      } else {
        put_header(top->rx_cpl_hdr_i, t.h);
        memcpy(&top->rx_cpl_data_i, t.data + rx_at, Bytes);
        top->rx_cpl_sop_i = sop;
        top->rx_cpl_eop_i = eop;
      }
    }
    top->rx_req_valid_i = rx_req_;
    top->rx_cpl_valid_i = rx_cpl_;
  }
  // With the outputs of this cycle: what is taken on either side.
  void move() {
    if (!rx.empty() && (rx_cpl_ || top->rx_req_ready_o)) {
      rx_at += Bytes;
      if (rx_at >= rx[0].bytes) {
        rx.pop_front();
        rx_at = 0;
      }
    } else if (!rx.empty()) {
      rx_stalled++;
    }
    if (top->rq_valid_o && top->rq_ready_i) {
      Tlp t;
      t.h = get_header(top->rq_hdr_o);
      t.cfg = top->rq_cfg_o;
      t.bytes = t.h.kind == MemWr ? 4 : 0;
      memcpy(t.data, &top->rq_data_o, 4);
      rq.push_back(t);
    }
    if (top->cpl_valid_o && top->cpl_ready_i) {
      if (top->cpl_sop_o) {
        open_.h = get_header(top->cpl_hdr_o);
        open_.bytes = 0;
        if (open_.h.len_dw * 4 > mps) wrong("a completion longer than MPS");
      }
      memcpy(open_.data + open_.bytes, &top->cpl_data_o, std::min<size_t>(Bytes, sizeof open_.data - open_.bytes));
      open_.bytes = std::min(open_.bytes + Bytes, open_.h.len_dw * 4);
      mid = !top->cpl_eop_o;
      if (!mid) cpl.push_back(open_);
    }
  }

 private:
  Tlp open_;
  bool rx_req_ = false, rx_cpl_ = false;
};
using Ports = PortsOf<Vtop>;
