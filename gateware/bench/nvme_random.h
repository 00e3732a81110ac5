// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Random commands and random faults, in phases: for a while the user asks mostly for one thing, the drive is quick or
// slow, streams stall or do not. Half of the faults are error statuses; of the others half come at any time, half are
// aimed at a moment (nvme_moment.h): the user asks for what brings it about, and with the fault some of the streams stand
// still for a while. After a failure the user tells the
// host to begin again, at once or later; after a loss of power it reads everything.
#pragma once
#include "nvme_moment.h"

#include <array>
#include <numeric>

constexpr unsigned Space = 128;                         // blocks

class Random {
 public:
  World w;
  std::mt19937_64 rng;
  uint64_t happened = 0, by_kind[unsigned(Fault::Count)] = {}, by_moment[unsigned(Moment::Count)] = {};
  uint64_t faults;

  Random(uint64_t seed, uint64_t n, const std::string& plant) : w(seed, Space, seed % 2 ? 128 : 256), rng(seed), faults(n) {
    w.plant = plant;
    w.drive.flushes = plant != "flush";
    w.on_hit = [this](Fault f) {
      happened++;
      by_kind[unsigned(f)]++;
      by_moment[unsigned(struck_)]++;
      if (f == Fault::Removed || f == Fault::Ones) read_all_ = true;
    };
    mood();
  }
  void run() {
    while (happened < faults) {
      if (w.now >= mood_at_) mood();
      schedule();
      ask();
      go();
    }
    aim_ = Moment::Any;
    w.drive.armed = Fault::None;
    ends();
  }

 private:
  uint64_t below(uint64_t n) { return rng() % n; }
  void mood() {                                         // who asks for what, and how fast everybody is, for a while
    auto draw = [&] { return below(2) ? 1.0 : 0.1 + below(90) / 100.0; };
    w.chances = {draw(), draw(), draw(), draw(), draw(), draw()};
    w.chances.cpl = std::max(w.chances.cpl, 0.5);       // what is out takes less time than a command may
    bool large = !below(3);
    longest_ = large ? 40 : 8;
    depth_ = 1 + below(large ? 4 : 14);
    w.drive.slowest = 1 + below(800);
    mix_ = {12, 40, 38, 5, 5};
    if (!below(4)) burst(below(3));
    mood_at_ = w.now + 20000;
  }
  // Mostly of one kind, and of writes more than the buffer holds.
  void burst(unsigned kind) {
    mix_ = {5, 10, 10, 3, 3};
    mix_[kind] = kind ? 80 : 20;
    longest_ = kind ? 40 : 4;
    depth_ = 14;
    w.drive.slowest = 1 + below(8000);
    if (kind == 2) w.chances.cmd = w.chances.s = 1;
  }
  void schedule() {
    if (aim_ != Moment::Any) return strikes();
    if (w.drive.armed != Fault::None && w.now < disarm_at_) return;
    w.drive.armed = Fault::None;
    struck_ = Moment::Any;
    if (w.now < fault_at_) return;
    fault_at_ = w.now + (below(6) ? 300 + below(4000) : below(100));
    if (below(2)) return comes(below(3) ? Fault::Status : Fault::StatusDnr);
    fault_ = Fault(1 + below(unsigned(Fault::Count) - 1));
    if (below(2)) return comes(fault_);
    aim_ = Moment(1 + below(unsigned(Moment::Count) - 1));
    aim_until_ = w.now + 20000;
    mood();
    if (aim_ == Moment::BufferFull || aim_ == Moment::DataAsked) burst(2);
    if (aim_ == Moment::ReadLeaves) burst(1);
    if (aim_ == Moment::FlushWaits || aim_ == Moment::FlushOut) burst(0);
  }
  // The fault that is aimed comes with its moment, where that comes in time.
  void strikes() {
    if (w.now >= aim_until_) aim_ = Moment::Any;
    else if (has_come(aim_, w) && (aim_ == Moment::BringUp ? !below(400) : aim_ == Moment::ReadLeaves || aim_ == Moment::FlushOut ? !below(20) : true)) {
      for (uint64_t* until : {&w.holds.s, &w.holds.m, &w.holds.done, &w.holds.rq, &w.holds.cpl})
        if (!below(3)) *until = w.now + below(until == &w.holds.rq ? 400 : 2000);
      struck_ = aim_;
      aim_ = Moment::Any;
      comes(fault_);
    }
  }
  void comes(Fault f) {
    if (!at_once(f)) {
      w.drive.armed = f;
      w.drive.only_op = at_answer(f) || !below(4) ? -1 : int(std::array{NvmFlush, NvmWrite, NvmRead, NvmZero, NvmTrim}[below(5)]);
      disarm_at_ = w.now + 3000;
    } else if (w.drive.healthy() && !w.down()) {
      uint64_t cycles = f == Fault::PauseShort ? 50 + below(450) : f == Fault::PauseLong ? 1000 + below(20000) :
                        3000 + below(6000);             // what was under way to a drive that was reset is gone by then
      w.comes(f, cycles);
    }
  }
  void ask() {
    bool up = w.top->run_o;
    if (w.top->dead_o && !was_dead_) refused_ = below(4);
    was_dead_ = w.top->dead_o;
    if (up && read_all_ && w.waiting.empty()) {
      for (unsigned lba = 0; lba < Space; lba += 32) w.give(OpRead, lba, 32);
      read_all_ = false;
    }
    if (!w.waiting.empty() || w.out.size() >= depth_) return;
    if (!up) {
      if (!refused_ || !w.top->dead_o) return;
      refused_--;
    }
    unsigned kind = 0, blocks = 1 + below(longest_), lba = below(Space - blocks + 1);
    for (unsigned n = below(std::accumulate(mix_.begin(), mix_.end(), 0u)); n >= mix_[kind]; kind++) n -= mix_[kind];
    Op op = std::array{OpFlush, OpRead, OpWrite, OpZero, OpTrim}[kind];
    if (op == OpFlush) w.give(op);
    else w.give(op, lba, blocks, (op == OpWrite || op == OpZero) && !below(8));
  }
  void go() {
    if (w.top->dead_o && !restart_at_) restart_at_ = w.now + (below(3) ? 50 + below(4000) : 1 + below(20));
    if (restart_at_ && w.now >= restart_at_) {
      w.restart = w.top->dead_o;
      restart_at_ = 0;
    }
    w.step();
  }
  void settle() {
    while (!w.idle() || !w.top->run_o || w.down() || !w.drive.healthy()) go();
  }
  void ends() {
    settle();
    w.give(OpFlush);
    settle();
    w.comes(Fault::Removed, 4000);
    while (w.top->run_o) go();
    settle();
    uint64_t before = w.blocks_read;
    for (unsigned lba = 0; lba < Space; lba += 32) w.give(OpRead, lba, 32);
    settle();
    if (w.blocks_read - before != Space) wrong("not all could be read in the end");
  }

  uint64_t fault_at_ = 0, disarm_at_ = 0, mood_at_ = 0, restart_at_ = 0, aim_until_ = 0;
  unsigned depth_ = 8, longest_ = 8, refused_ = 0;
  std::array<unsigned, 5> mix_{};                       // shares of flushes, reads, writes, Write Zeroes, deallocations
  bool read_all_ = false, was_dead_ = false;
  Moment aim_ = Moment::Any, struck_ = Moment::Any;     // where the next one is aimed; where the last one was
  Fault fault_ = Fault::None;
};
