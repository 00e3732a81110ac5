// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A switch with drives below it, in the place of a drive below a host (nvme_below.h): routes configuration requests by
// bus, requests to registers by the windows of its ports, completions by their Requester, and takes TLPs of the
// drives in turn. It has no delay and the links below it have none: what there is on the link above it, that carries all, is
// what is measured. The credits for read requests, which a host's block gives, are shared out among the drives.
#pragma once
#include "nvme_rate_drive.h"

class Switch {
 public:
  uint64_t now = 0;
  double flight = 0;
  unsigned mps = 128;                                   // the largest of the drives'

  explicit Switch(std::deque<RateDrive>& drives) : drives_(drives), spaces_(drives.size() + 1) {
    for (auto& drive : drives) drive.credits(Credits / drives.size());
    for (auto& s : spaces_) {
      s.reg[0] = 0x87491234;
      s.reg[1] = 0x00100000;
      s.reg[2] = 0x06040000;
      s.reg[3] = 0x00010000;                            // Header Type 1
      s.reg[0x34 / 4] = 0x40;
      s.reg[0x40 / 4] = 0x00020010;
      s.reg[0x44 / 4] = 2;                              // Device Capabilities: MPS of 512 bytes
    }
  }

  void request(const Tlp& t) {
    if (!t.cfg) {
      for (unsigned i = 0; i < drives_.size(); i++)
        if (top().opens(t.h.addr) && port(i).opens(t.h.addr)) return drives_[i].request(t);
      if (t.h.kind == MemRd) unsupported(t);
      return;
    }
    unsigned bus = t.h.addr >> 20 & 0xff, device = t.h.addr >> 15 & 31;
    if (bus == 1) return device ? unsupported(t) : configures(top(), t);
    if (bus == top().secondary()) return device < drives_.size() ? configures(port(device), t) : unsupported(t);
    for (unsigned i = 0; i < drives_.size(); i++)
      if (bus && bus == port(i).secondary()) return device ? unsupported(t) : drives_[i].request(t);
    unsupported(t);
  }

  void completion(const Tlp& t) {
    for (unsigned i = 0; i < drives_.size(); i++)
      if (t.h.requester == port(i).secondary() << 8) return drives_[i].completion(t);
    wrong("a completion for nobody");
  }

  void work() {
    mps = 128;
    for (auto& drive : drives_) {
      drive.now = now;
      drive.flight = flight;
      drive.work();
      mps = std::max(mps, drive.mps);
    }
  }

  bool next(Tlp& t) {
    if (!own_.empty()) {
      t = own_[0];
      own_.pop_front();
      return true;
    }
    for (unsigned i = 0; i < drives_.size(); i++) {
      unsigned k = (turn_ + i) % drives_.size();
      if (!drives_[k].next(t)) continue;
      if (!t.is_cpl()) {
        t.h.requester = port(k).secondary() << 8;
        if (!(port(k).reg[1] & 4) || !(top().reg[1] & 4)) wrong("a request while Bus Master Enable is off");
      }
      if (t.bytes > port(k).payload() || t.bytes > top().payload()) wrong("a TLP longer than MPS of a port of the switch");
      turn_ = (k + 1) % drives_.size();
      return true;
    }
    return false;
  }

 private:
  struct Space {
    uint32_t reg[64] = {};
    unsigned secondary() const { return reg[0x18 / 4] >> 8 & 0xff; }
    unsigned payload() const { return 128 << (reg[0x48 / 4] >> 5 & 7); }
    bool opens(uint64_t address) const {
      uint64_t base = (reg[0x20 / 4] & 0xfff0u) << 16, last = (reg[0x20 / 4] & 0xfff00000u) | 0xfffff;
      return (reg[1] & 2) && address >= base && address <= last;
    }
  };
  Space& top() { return spaces_[0]; }
  Space& port(unsigned i) { return spaces_[i + 1]; }
  void unsupported(const Tlp& t) { own_.push_back(RateDrive::answer_of(t, 1, 0, false)); }
  void configures(Space& s, const Tlp& t) {
    unsigned at = (t.h.addr & 0xffc) / 4;
    uint32_t value = 0;
    memcpy(&value, t.data, 4);
    bool write = t.h.kind == MemWr;
    if (write && at == 1) s.reg[1] = (s.reg[1] & 0xffff0000) | (value & 0xffff);
    else if (write && at >= 4 && at < 64 && at != 0x34 / 4 && at != 0x40 / 4 && at != 0x44 / 4) s.reg[at] = value;
    own_.push_back(RateDrive::answer_of(t, 0, at < 64 ? s.reg[at] : 0, !write));
  }

  std::deque<RateDrive>& drives_;
  std::deque<Space> spaces_;                            // of the upstream port, and of the others
  std::deque<Tlp> own_;
  unsigned turn_ = 0;
};

// All drives' end of the one link.
template <typename Top> struct SharedEnd {
  std::deque<RateDrive> drives;
  std::deque<Switch> all;                               // one
  std::deque<Below<Top, Switch>> one;                   // likewise
  RateDrive& drive;
  Below<Top, Switch>& below;

  SharedEnd(Top* t, const Options& o) : drive(fill(o)), below(connect(t, o)) {}
  void wires(uint64_t now) {
    below.wires(now);
    for (auto& d : drives) d.pauses();
  }
  void moves(const std::function<void(unsigned)>& f) {
    for (auto& d : drives) d.moves = f;
  }

 private:
  RateDrive& fill(const Options& o) {
    for (unsigned i = 0; i < Drives; i++) {
      drives.emplace_back(o);
      drives[i].user = [i](uint64_t at) { return user_place(i, at); };
    }
    return drives[0];
  }
  Below<Top, Switch>& connect(Top* t, const Options& o) {
    all.emplace_back(drives);
    one.emplace_back(t, o.gen, o.mhz, o.mps, o.flight_ns, all[0]);
    return one[0];
  }
};
