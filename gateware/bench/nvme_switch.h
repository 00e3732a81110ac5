// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A switch with drives below it, in the place of a drive below a host: routes configuration requests by bus, requests to
// registers by the windows of its ports, completions by their Requester, and takes TLPs of the drives in turn. It has no
// delay and the links below it have none: what there is on the link above it, that carries all, is what is measured. Where a
// drive's link is down, the switch answers for it. What must not be, as a TLP longer than MPS of a port, ends the run.
//
// `Device` is a drive, or what has one: `linked`, `comes_in`, `work_on` and `sends` of nvme_drive.h, and `largest`.
#pragma once
#include "nvme_drive.h"

template <typename Device> class Switch {
 public:
  uint64_t now = 0;
  static constexpr unsigned mps = 512;                  // of completions that come in; of each drive's it is looked at here
  uint64_t unlinked = 0;                                // TLPs for a drive whose link was down

  explicit Switch(std::deque<Device>& devices) : devices_(devices) { resets(); }
  bool whole() const {
    return std::all_of(devices_.begin(), devices_.end(), [](const Device& d) { return d.whole(); });
  }
  unsigned largest() const { return mps; }

  // As after a reset.
  void resets() {
    own_.clear();
    spaces_.assign(devices_.size() + 1, Space());
    for (Space& s : spaces_) {
      s.reg[0] = 0x87491234;
      s.reg[1] = 0x00100000;
      s.reg[2] = 0x06040000;
      s.reg[3] = 0x00010000;                            // Header Type 1
      s.reg[0x34 / 4] = 0x40;
      s.reg[0x40 / 4] = 0x00020010;
      s.reg[0x44 / 4] = 2;                              // Device Capabilities: MPS of 512 bytes
    }
  }

  void comes_in(const Tlp& t) {
    if (t.is_cpl()) completion(t);
    else if (t.cfg) configuration(t);
    else registers(t);
  }

  void work_on() {
    for (Device& d : devices_) {
      d.now = now;
      d.work_on();
    }
  }

  bool sends(Tlp& t) {
    if (!own_.empty()) {
      t = own_[0];
      own_.pop_front();
      return true;
    }
    for (unsigned i = 0; i < devices_.size(); i++) {
      unsigned k = (turn_ + i) % devices_.size();
      if (!devices_[k].linked() || !devices_[k].sends(t)) continue;
      if (!t.is_cpl()) {
        t.h.requester = port(k).secondary() << 8;
        if (!(port(k).reg[1] & 4) || !(top().reg[1] & 4)) wrong("a request while Bus Master Enable is off");
      }
      fits(t, k);
      turn_ = (k + 1) % devices_.size();
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
  void fits(const Tlp& t, unsigned i) {
    if (t.bytes > port(i).payload() || t.bytes > top().payload()) wrong("a TLP longer than MPS of a port of the switch");
  }
  void unsupported(const Tlp& t) { own_.push_back(answer_of(t, 1, 0, false)); }
  // To the drive below port i.
  void passes(const Tlp& t, unsigned i) {
    if (devices_[i].linked()) return devices_[i].comes_in(t);
    unlinked++;
    if (t.cfg || t.h.kind == MemRd) unsupported(t);
  }
  void registers(const Tlp& t) {
    for (unsigned i = 0; i < devices_.size(); i++)
      if (top().opens(t.h.addr) && port(i).opens(t.h.addr)) return passes(t, i);
    if (t.h.kind == MemRd) unsupported(t);
  }
  void configuration(const Tlp& t) {
    unsigned bus = t.h.addr >> 20 & 0xff, device = t.h.addr >> 15 & 31;
    if (bus == 1) return device ? unsupported(t) : configures(top(), t);
    if (bus == top().secondary()) return device < devices_.size() ? configures(port(device), t) : unsupported(t);
    for (unsigned i = 0; i < devices_.size(); i++)
      if (bus && bus == port(i).secondary()) return device ? unsupported(t) : passes(t, i);
    unsupported(t);
  }
  void configures(Space& s, const Tlp& t) {
    unsigned at = (t.h.addr & 0xffc) / 4;
    uint32_t value = 0;
    memcpy(&value, t.data, 4);
    bool write = t.h.kind == MemWr;
    if (write && at == 1) s.reg[1] = (s.reg[1] & 0xffff0000) | (value & 0xffff);
    else if (write && at >= 4 && at < 64 && at != 0x34 / 4 && at != 0x40 / 4 && at != 0x44 / 4) s.reg[at] = value;
    own_.push_back(answer_of(t, 0, at < 64 ? s.reg[at] : 0, !write));
  }
  void completion(const Tlp& t) {
    for (unsigned i = 0; i < devices_.size(); i++)
      if (t.h.requester == port(i).secondary() << 8) {
        fits(t, i);
        if (devices_[i].linked() && t.bytes > devices_[i].largest()) wrong("a completion longer than MPS");
        return passes(t, i);
      }
    wrong("a completion for nobody");
  }

  std::deque<Device>& devices_;
  std::vector<Space> spaces_;                           // of the upstream port, and of the others
  std::deque<Tlp> own_;
  unsigned turn_ = 0;
};
