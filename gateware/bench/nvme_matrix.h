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
  explicit Case(Fault f, Phase p, uint64_t seed) : w(seed, Blocks, 128), fault_(f), phase_(p) {
    w.on_hit = [this](Fault) { hit_ = true; };
    w.on_report = [this](const UserCommand& c) { reports_[c.why]++; };
  }
  // What happened, in words.
  std::string run() {
    w.drive.slowest = 200;
    if (phase_ != Phase::BringUp) prepares();
    else if (!at_once(fault_)) w.drive.armed = fault_;
    if (phase_ == Phase::BringUp) until([&] { return hit_ || w.top->step_o == (fault_ == Fault::Cfs ? 7 : 3); });
    if (at_once(fault_)) strikes();
    until([&] { return (hit_ || w.top->run_o) && w.idle() && (w.top->run_o || w.top->dead_o); });
    // What is not seen at once may still be: a tick has to pass, and the answer to a register.
    for (int i = 0; i < 2000 && w.top->run_o; i++) w.step();
    until([&] { return w.idle() && (w.top->run_o || w.top->dead_o); });
    if (!hit_) wrong("the fault has not come");
    std::string text = commands();
    if (w.top->dead_o) text += (text.empty() ? "" : "; ") + std::string("fails at ") + step() + ": " + name_of(Why(w.top->why_o)) + tells();
    else if (w.ups > (phase_ > Phase::Admin)) text += (text.empty() ? "" : "; ") + std::string(phase_ > Phase::Admin ? "reset" : "comes up");
    works();
    return text;
  }

 private:
  template <typename Done> void until(Done done) {
    while (!done()) w.step();
  }
  void prepares() {
    if (phase_ == Phase::Admin) {
      if (at_once(fault_)) return until([&] { return w.top->step_o == 8; });
      w.drive.only_op = FaultyDrive::AdminQueue;
      w.drive.armed = fault_;
      return;
    }
    until([&] { return w.top->run_o; });
    for (unsigned lba = 0; lba < Blocks; lba += 32) w.give(OpWrite, lba, 32);
    until([&] { return w.idle(); });
    for (uint64_t& n : reports_) n = 0;
    w.drive.only_op = at_answer(fault_) ? -1 : phase_ == Phase::Reading ? NvmRead : phase_ == Phase::Writing ? NvmWrite : NvmFlush;
    if (phase_ == Phase::Flush) w.drive.slowest = 4000, w.give(OpFlush);
    else for (unsigned n = 0; n < Probes; n++) w.give(phase_ == Phase::Reading ? OpRead : OpWrite, n * 16, 8);
    // In the middle of them.
    uint64_t commands = w.drive.commands;
    if (at_answer(fault_) || at_once(fault_)) until([&] { return w.drive.commands > commands + (phase_ == Phase::Flush ? 0 : 5); });
    if (!at_once(fault_)) w.drive.armed = fault_;
  }
  void strikes() {
    if (phase_ == Phase::BringUp && fault_ == Fault::Cfs) for (int i = 0; i < 400 && !hit_; i++) w.step(), w.comes(fault_, 0);
    else w.comes(fault_, fault_ == Fault::PauseShort ? 400 : 24000);
  }
  std::string commands() const {
    std::string text;
    for (unsigned y = 0; y < WhyCount; y++)
      if (reports_[y]) text += (text.empty() ? "" : ", ") + std::to_string(reports_[y]) + " " + name_of(Why(y));
    return text;
  }
  std::string step() const {
    static const char* names[] = {"idle", "finding it", "BAR0", "PCI Express", "bus master", "CAP", "CC.EN = 0", "CC.EN = 1",
                                  "Identify controller", "Identify namespace", "Number of Queues", "Create CQ", "Create SQ", "running"};
    return names[w.top->step_o];
  }
  // A command that is given to a host that failed is refused with the cause, however long it is.
  std::string tells() {
    for (uint64_t& n : reports_) n = 0;
    w.give(OpRead, 5, 8);
    w.give(OpWrite, 9, 200);
    w.give(OpFlush);
    until([&] { return w.idle(); });
    if (reports_[w.top->why_o] != 3) wrong("commands for a host that failed end with " + commands());
    return "";
  }
  // The drive is whole again; the host is told to begin, where it failed.
  void works() {
    w.drive.armed = Fault::None;
    w.drive.slowest = 200;
    for (unsigned i = 0; !w.top->run_o || !w.drive.healthy() || w.down(); i++) {
      w.restart = w.top->dead_o && i % 3000 == 2999;
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
  bool hit_ = false;
  uint64_t reports_[WhyCount] = {};
};
