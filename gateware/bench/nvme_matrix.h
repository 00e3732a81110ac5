// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Each fault at each phase, one at a time, on a machine of its own: what becomes of the commands that are out, and how
// the host comes to work again. After that all blocks are read, and a write, a flush and a read must succeed.
#pragma once
#include "nvme_world.h"

enum class Phase { BringUp, Admin, Reading, Writing, Flush, Count };
inline const char* name_of(Phase p) {
  static const char* names[] = {"bring-up", "admin commands", "reading", "writing", "flush"};
  return names[unsigned(p)];
}
// Whether there is an occasion for the fault: a queue, a request of ours, data from the drive.
inline bool meets(Fault f, Phase p) {
  if (f == Fault::Crs || f == Fault::CrsLong || f == Fault::NotReady) return p == Phase::BringUp;
  if (at_answer(f)) return p != Phase::Admin;           // where the host polls its memory and asks for nothing
  if (at_once(f)) return true;
  if (f == Fault::PoisonData) return p == Phase::Admin || p == Phase::Reading;
  return p != Phase::BringUp;
}

class Case {
 public:
  static constexpr unsigned Blocks = 256, Probes = 12;
  World w;
  // At the first drive, or at all.
  Case(Fault f, Phase p, bool all, uint64_t seed) : w(seed, Blocks, 128), fault_(f), phase_(p), struck_(all ? Drives : 1) {
    w.on_hit = [this](unsigned drive, Fault) { hit_[drive] = true; };
    w.on_report = [this](const UserCommand& c) { reports_[c.why]++; };
  }
  // What happened, in words.
  std::string run() {
    for (Side& s : w.sides) s.drive.slowest = 200;
    if (phase_ != Phase::BringUp) prepares();
    else if (!at_once(fault_)) arms();
    if (at_once(fault_))
      for (unsigned i = 0; i < struck_; i++) strikes(i);
    until([&] { return (hit() || w.up()) && w.idle() && w.settled(); });
    // What is not seen at once may still be: a tick has to pass, and the answer to a register.
    for (int i = 0; i < 2000 && w.up(); i++) w.step();
    until([&] { return w.idle() && w.settled(); });
    if (!hit()) wrong("the fault has not come");
    std::string text = commands();
    for (unsigned i = 0; i < Drives; i++) text += became(i, !text.empty());
    if (w.dead()) tells();
    works();
    return text;
  }

 private:
  template <typename Done> void until(Done done) {
    while (!done()) w.step();
  }
  bool hit() const { return std::all_of(hit_.begin(), hit_.begin() + struck_, [](bool h) { return h; }); }
  void arms() {
    for (unsigned i = 0; i < struck_; i++) w.sides[i].drive.armed = fault_;
  }
  void only(int op) {
    for (unsigned i = 0; i < struck_; i++) w.sides[i].drive.only_op = op;
  }
  void prepares() {
    if (phase_ == Phase::Admin) {
      if (at_once(fault_)) return until([&] { return w.sides[struck_ - 1].lane.step_o == 8; });
      only(FaultyDrive::AdminQueue);
      return arms();
    }
    until([&] { return w.up(); });
    for (unsigned lba = 0; lba < Blocks; lba += 32) w.give(OpWrite, lba, 32);
    until([&] { return w.idle(); });
    for (uint64_t& n : reports_) n = 0;
    only(at_answer(fault_) ? -1 : phase_ == Phase::Reading ? NvmRead : phase_ == Phase::Writing ? NvmWrite : NvmFlush);
    if (phase_ == Phase::Flush) {
      for (Side& s : w.sides) s.drive.slowest = 4000;
      w.give(OpFlush);
    } else {
      for (unsigned n = 0; n < Probes; n++) w.give(phase_ == Phase::Reading ? OpRead : OpWrite, n * 16 + (Drives > 1 ? 4 : 0), 8);      // of a stripe, at two drives
    }
    // In the middle of them.
    uint64_t before[Drives];
    for (unsigned i = 0; i < Drives; i++) before[i] = w.sides[i].drive.commands;
    if (at_answer(fault_) || at_once(fault_))
      for (unsigned i = 0; i < struck_; i++)
        until([&] { return w.sides[i].drive.commands > before[i] + (phase_ == Phase::Flush ? 0 : 5); });
    if (!at_once(fault_)) arms();
  }
  void strikes(unsigned i) {
    Side& s = w.sides[i];
    if (phase_ == Phase::BringUp) until([&] { return s.lane.step_o == (fault_ == Fault::Cfs ? 7 : 3); });
    // A controller that is not enabled yet cannot fail.
    if (phase_ == Phase::BringUp && fault_ == Fault::Cfs) for (int n = 0; n < 400 && !hit_[i]; n++) w.step(), s.comes(fault_, 0);
    else s.comes(fault_, fault_ == Fault::PauseShort ? 400 : 24000);
  }
  std::string commands() const {
    std::string text;
    for (unsigned y = 0; y < WhyCount; y++)
      if (reports_[y]) text += (text.empty() ? "" : ", ") + std::to_string(reports_[y]) + " " + name_of(Why(y));
    return text;
  }
  static std::string step(const Side& s) {
    static const char* names[] = {"idle", "finding it", "BAR0", "PCI Express", "bus master", "CAP", "CC.EN = 0", "CC.EN = 1",
                                  "Identify controller", "Identify namespace", "Number of Queues", "Create CQ", "Create SQ", "running",
                                  "the switch", "ports of the switch", "Volatile Write Cache", "Power Management"};
    return names[s.lane.step_o];
  }
  // Of a drive. One that the fault has not come over is as it was.
  std::string became(unsigned i, bool more) const {
    const Side& s = w.sides[i];
    bool running = phase_ > Phase::Admin;
    if (i >= struck_) {
      if (s.dead() || s.ups != 1) wrong("a drive without a fault was reset or given up");
      return "";
    }
    std::string text;
    if (s.dead()) text = "fails at " + step(s) + ": " + name_of(Why(s.lane.why_o));
    else if (s.ups > running) text = running ? "reset" : "comes up";
    if (i && text == first_) return "";                 // as the one before
    if (!i) first_ = text;
    return text.empty() ? "" : (more ? "; " : "") + text;
  }
  // A command that is given to a host that failed is refused with the cause, however long it is; where there was no stripe
  // yet, by the stripe.
  void tells() {
    for (uint64_t& n : reports_) n = 0;
    bool stripe = w.top->run_o;
    w.give(OpRead, 5, 8);
    w.give(OpWrite, 9, 200);
    w.give(OpFlush);
    until([&] { return w.idle(); });
    uint64_t told = 0;
    if (Drives > 1 && !stripe) told = reports_[WhyUnfit];
    else
      for (unsigned y = 1; y < WhyCount; y++)
        if (std::any_of(w.sides.begin(), w.sides.end(), [&](const Side& s) { return s.dead() && s.lane.why_o == y; })) told += reports_[y];
    if (told != 3) wrong("commands for a host that failed end with " + commands());
  }
  // The drives are whole again; the hosts are told to begin, where they failed.
  void works() {
    for (Side& s : w.sides) {
      s.drive.armed = Fault::None;
      s.drive.slowest = 200;
    }
    for (unsigned i = 0; !w.up() || !w.whole(); i++) {
      for (Side& s : w.sides) s.restart = s.dead() && i % 3000 == 2999;
      w.step();
    }
    for (uint64_t& n : reports_) n = 0;
    w.give(OpWrite, 3, 60);
    w.give(OpFlush);
    for (unsigned lba = 0; lba < Blocks; lba += 32) w.give(OpRead, lba, 32);
    until([&] { return w.idle(); });
    if (reports_[WhyNone] != 2 + Blocks / 32) wrong("it does not work afterwards: " + commands());
  }

  Fault fault_;
  Phase phase_;
  unsigned struck_;
  std::array<bool, Drives> hit_{};
  mutable std::string first_;                           // what became of the first
  uint64_t reports_[WhyCount] = {};
};
