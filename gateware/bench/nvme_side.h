// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// One drive of a faulty machine: a link that may go down, a faulty drive (nvme_faulty.h), what may be on it
// (nvme_truth.h), and which causes its host may tell, from the faults that have come. The link is that of the root port, or
// with SHARED that of a port of the switch, of which the host is told nothing.
#pragma once
#include "nvme_beside.h"
#include "nvme_root.h"
#include "nvme_switch.h"
#include "nvme_truth.h"

enum Why : unsigned {
  WhyNone, WhyStatus, WhyTimeout, WhyUr, WhyCa, WhyPoison, WhyCrs, WhyCfs, WhyCid, WhyReset, WhyAbsent, WhyUnfit, WhyLost, WhyAbort, WhyRefused, WhyCount
};
inline const char* name_of(Why why) {
  static const char* names[] = {"done", "status", "timeout", "UR", "CA", "poisoned", "CRS", "CFS", "identifier", "reset", "absent", "unfit", "lost", "abort", "refused"};
  return names[why];
}
// The causes that a fault may bring, but WhyStatus of a command.
inline unsigned causes_of(Fault f) {
  switch (f) {
    case Fault::Silent: case Fault::WrongPhase: case Fault::NoReg: case Fault::NotReady: case Fault::PauseLong: case Fault::Stuck: return 1 << WhyTimeout;
    case Fault::Double: case Fault::BadCid: return 1 << WhyCid;
    case Fault::PoisonData: case Fault::PoisonEntry: case Fault::PoisonReg: return 1 << WhyPoison;
    case Fault::UrReg: return 1 << WhyUr;
    case Fault::CaReg: return 1 << WhyCa;
    case Fault::CrsLong: return 1 << WhyCrs;
    case Fault::Cfs: return 1 << WhyCfs;
    // In the middle of the bring-up all ones are first taken for what they say.
    case Fault::Ones: return 1 << WhyAbsent | 1 << WhyUr | 1 << WhyTimeout | 1 << WhyUnfit;
    // A bring-up that did not look at the link while it was down finds a drive without addresses. Below a switch it cannot
    // look, and takes all ones for what they say.
    case Fault::LinkDown: case Fault::Removed: return 1 << WhyAbsent | 1 << WhyUr | 1 << WhyTimeout | Shared << WhyUnfit;
    default: return 0;
  }
}
// Where no answer may be the cause, an Abort that fails too may be.
inline unsigned causes(Fault f) {
  unsigned all = causes_of(f);
  return Beside && all >> WhyTimeout & 1 ? all | 1 << WhyAbort : all;
}

class Side {
 public:
  Lane lane;
  BesideDrive drive;
  Truth truth;
  uint64_t now = 0, ups = 0, deaths = 0, late_stores = 0, blocks_stored = 0;
  bool restart = false, wrong_data = false;             // begin again, now; a planted error
  std::function<void(const std::string&)> says;
  std::function<void(Fault)> on_hit;
  std::function<void(uint64_t cycles)> root_goes_down;  // where the drive is below a root port

  Side(Vtop& top, unsigned index, uint64_t seed, unsigned blocks, unsigned mps)
      : lane(top, index), drive(mps == 128 ? 0 : 1, 1 + seed % 2, seed, blocks), truth(blocks) {
    drive.user = [index](uint64_t block) { return user_place(index, block * BlockBytes) / BlockBytes; };
    drive.hit = [this](Fault f) { hits(f); };
    drive.loses_power = [this] { truth.power_lost(now); };
    drive.stores = [this](uint64_t serial, uint64_t block) { stores(serial, block); };
    drive.fails_bring_up = [this] { may_.back() |= 1 << WhyStatus; };
    drive.fails_abort = [this] { may_.back() |= 1 << WhyAbort; };
  }

  bool up() const { return lane.runs(); }
  bool dead() const { return lane.dead(); }
  bool linked() const { return now >= down_until_; }
  bool whole() const { return linked() && drive.healthy(); }
  unsigned largest() const { return whole() ? drive.mps : 512; }        // a reset drive has forgotten what was set
  // The causes that a command may be told that was taken when the host had come up so often.
  unsigned known(uint64_t ups_then) const {
    unsigned all = 0;
    for (uint64_t n = ups_then; n <= ups; n++) all |= may_[n];
    return all;
  }

  void comes(Fault f, uint64_t cycles) {
    if (f == Fault::LinkDown || f == Fault::Removed) link_goes_down(f, cycles);
    else drive.comes(f, cycles);
  }

  // Before the clock, with the link as the host sees it; after it.
  void show(bool link) {
    lane.drives(link, restart);
    restart = false;
  }
  void looks() {
    if (up() && !was_up_) {
      says("up");
      ups++;
      may_.push_back(over_it_);                         // what came over the drive may show only now
      over_it_ = 0;
    } else if (!up() && was_up_) {
      over_it_ = 0;
    }
    if (dead() != was_dead_) over_it_ = 0;
    if (dead() && !was_dead_) {
      deaths++;
      says("dead: step " + std::to_string(lane.step_o) + ", " + name_of(Why(lane.why_o)));
    }
    was_up_ = up();
    was_dead_ = dead();
  }

  // As a device below a link.
  void comes_in(const Tlp& given) {
    Tlp t = given;
    if (wrong_data && blocks_stored > 50 && t.bytes >= 128) t.data[5] ^= 1;
    drive.now = now;
    drive.comes_in(t);
  }
  void work_on() {
    drive.now = now;
    drive.work_on();
  }
  bool sends(Tlp& t) { return drive.sends(t); }

 private:
  // The link goes down for so long, with the drive's power or without.
  void link_goes_down(Fault f, uint64_t cycles) {
    down_until_ = now + cycles;
    if (f == Fault::Removed) drive.lose_power();
    else drive.restart();
    if (!Shared) root_goes_down(cycles);
    hits(f);
  }
  void hits(Fault f) {
    may_.back() |= causes(f);
    // A second completion of the admin queue's is seen when the next one is looked for.
    if (at_once(f) || (Beside && f == Fault::Double)) over_it_ |= causes(f);
    says(std::string("fault: ") + name_of(f));
    on_hit(f);
  }
  void stores(uint64_t serial, uint64_t block) {
    blocks_stored++;
    if (truth.is_out(serial, block)) return;
    if (up()) wrong("write data of a command that has ended reaches block " + std::to_string(block));
    late_stores++;
  }

  uint64_t down_until_ = 0;
  std::vector<unsigned> may_{0};                        // the causes, by how often the host had come up
  unsigned over_it_ = 0;
  bool was_up_ = false, was_dead_ = false;
};

// What is below each root port.
using Ends = std::conditional_t<Shared, Switch<Side>, Side>;
