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
constexpr unsigned Kinds = unsigned(Beside ? Fault::Count : Fault::Plain);     // of faults

class Random {
 public:
  World w;
  std::mt19937_64 rng;
  uint64_t happened = 0, alls = 0, by_kind[unsigned(Fault::Count)] = {}, by_moment[unsigned(Moment::Count)] = {};
  uint64_t faults;

  Random(uint64_t seed, uint64_t n, const std::string& plant) : w(seed, Space, seed % 2 ? 128 : 256), rng(seed), faults(n) {
    w.plants(plant);
    w.on_hit = [this](unsigned drive, Fault f) {
      happened++;
      by_kind[unsigned(f)]++;
      by_moment[unsigned(plots_[drive].struck)]++;
      if (f == Fault::Removed || f == Fault::Ones) read_all_ = true;
    };
    mood();
  }
  void run() {
    while (happened < faults) {
      if (w.now >= mood_at_) mood();
      for (unsigned i = 0; i < Drives; i++) schedule(plots_[i], w.sides[i]);
      ask();
      go();
    }
    for (Side& s : w.sides) s.drive.armed = Fault::None;
    ends();
  }

 private:
  // What is to come over a drive.
  struct Plot {
    uint64_t fault_at = 0, disarm_at = 0, restart_at = 0, aim_until = 0;
    Moment aim = Moment::Any, struck = Moment::Any;     // where the next one is aimed; where the last one was
    Fault fault = Fault::None;
    bool was_dead = false;
  };

  uint64_t below(uint64_t n) { return rng() % n; }
  void mood() {                                         // who asks for what, and how fast everybody is, for a while
    auto draw = [&] { return below(2) ? 1.0 : 0.1 + below(90) / 100.0; };
    w.chances = {draw(), draw(), draw(), draw(), draw(), draw()};
    w.chances.cpl = std::max(w.chances.cpl, 0.5);       // what is out takes less time than a command may
    bool large = !below(3);
    longest_ = large ? 40 : 8;
    depth_ = 1 + below(large ? 4 : 14);
    for (Side& s : w.sides) s.drive.slowest = 1 + below(800);
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
    for (Side& s : w.sides) s.drive.slowest = 1 + below(8000);
    if (kind == 2) w.chances.cmd = w.chances.s = 1;
  }
  void schedule(Plot& p, Side& s) {
    if (p.aim != Moment::Any) return strikes(p, s);
    if (s.drive.armed != Fault::None && w.now < p.disarm_at) return;
    s.drive.armed = Fault::None;
    p.struck = Moment::Any;
    if (w.now < p.fault_at) return;
    p.fault_at = w.now + Drives * (below(6) ? 300 + below(4000) : below(100));
    if (below(2)) return comes(p, s, below(3) ? Fault::Status : Fault::StatusDnr);
    p.fault = Fault(1 + below(Kinds - 1));
    if (Beside && !below(6)) return comes(p, s, Fault::Stuck);
    if (below(2)) return comes(p, s, p.fault);
    p.aim = Moment(1 + below(unsigned(Moment::Count) - 1));
    p.aim_until = w.now + 20000;
    mood();
    if (p.aim == Moment::BufferFull || p.aim == Moment::DataAsked) burst(2);
    if (p.aim == Moment::ReadLeaves) burst(1);
    if (p.aim == Moment::FlushWaits || p.aim == Moment::FlushOut) burst(0);
  }
  // The fault that is aimed comes with its moment, where that comes in time; of several drives now and then over all.
  void strikes(Plot& p, Side& s) {
    if (w.now >= p.aim_until) {
      p.aim = Moment::Any;
      return;
    }
    unsigned lasts = p.aim == Moment::BringUp ? 400 : p.aim == Moment::ReadLeaves || p.aim == Moment::FlushOut ? 20 : 1;
    if (!has_come(p.aim, w, s) || below(lasts)) return;
    auto& root = w.root_of(s.lane.index);
    for (uint64_t* until : {&w.holds.s, &w.holds.m, &w.holds.done, &root.rq_held, &root.cpl_held})
      if (!below(3)) *until = w.now + below(until == &root.rq_held ? 400 : 2000);
    Moment at = p.aim;
    Fault f = p.fault;
    bool all = !below(4);
    for (unsigned i = 0; i < Drives; i++)
      if (all || &w.sides[i] == &s) {
        plots_[i].struck = at;
        plots_[i].aim = Moment::Any;
        comes(plots_[i], w.sides[i], f);
      }
  }
  void comes(Plot& p, Side& s, Fault f) {
    if (!at_once(f)) {
      s.drive.armed = f;
      s.drive.only_op = at_answer(f) || !below(4) ? -1 : int(std::array{NvmFlush, NvmWrite, NvmRead, NvmZero, NvmTrim}[below(5)]);
      if (Beside && !below(8)) s.drive.only_op = FaultyDrive::AdminQueue;
      p.disarm_at = w.now + 3000;
    } else if (s.whole()) {
      uint64_t cycles = f == Fault::PauseShort ? 50 + below(450) : f == Fault::PauseLong ? 1000 + below(20000) :
                        3000 + below(6000);             // what was under way to a drive that was reset is gone by then
      if (Shared && (f == Fault::LinkDown || f == Fault::Removed) && !below(3)) alls++, w.all_go_down(f, cycles);
      else s.comes(f, cycles);
    }
  }
  void ask() {
    for (unsigned i = 0; i < Drives; i++) {
      bool dead = w.sides[i].dead();
      if (dead && !plots_[i].was_dead) refused_ = below(4);
      plots_[i].was_dead = dead;
    }
    if (w.up() && read_all_ && w.waiting.empty()) {
      for (unsigned lba = 0; lba < Space; lba += 32) w.give(OpRead, lba, 32);
      read_all_ = false;
    }
    if (Beside && !w.asks_health() && !below(4000)) w.ask_health();
    if (!w.waiting.empty() || w.out.size() >= depth_) return;
    // Of several drives the others go on.
    if (!w.up() && (Drives == 1 || !w.top->run_o || !below(200))) {
      if (!refused_ || !w.dead()) return;
      refused_--;
    }
    if (Beside && !below(100)) return w.give_format(!below(4));
    unsigned kind = 0, blocks = 1 + below(longest_), lba = below(Space - blocks + 1);
    for (unsigned n = below(std::accumulate(mix_.begin(), mix_.end(), 0u)); n >= mix_[kind]; kind++) n -= mix_[kind];
    Op op = std::array{OpFlush, OpRead, OpWrite, OpZero, OpTrim}[kind];
    if (op == OpFlush) w.give(op);
    else w.give(op, lba, blocks, (op == OpWrite || op == OpZero) && !below(8));
  }
  void go() {
    for (unsigned i = 0; i < Drives; i++) {
      Plot& p = plots_[i];
      Side& s = w.sides[i];
      if (s.dead() && !p.restart_at) p.restart_at = w.now + (Beside && below(3) ? 40000 : below(3) ? 50 + below(4000) : 1 + below(20));
      if (p.restart_at && w.now >= p.restart_at) {
        s.restart = s.dead();
        p.restart_at = 0;
      }
    }
    w.step();
  }
  void settle() {
    while (!w.idle() || !w.up() || !w.whole() || w.asks_health()) go();
  }
  void ends() {
    settle();
    w.give(OpFlush);
    settle();
    for (Side& s : w.sides) s.comes(Fault::Removed, 4000);
    while (w.up()) go();
    settle();
    uint64_t before = w.blocks_read;
    for (unsigned lba = 0; lba < Space; lba += 32) w.give(OpRead, lba, 32);
    settle();
    if (w.blocks_read - before != Space) wrong("not all could be read in the end");
  }

  std::array<Plot, Drives> plots_;
  uint64_t mood_at_ = 0;
  unsigned depth_ = 8, longest_ = 8, refused_ = 0;
  std::array<unsigned, 5> mix_{};                       // shares of flushes, reads, writes, Write Zeroes, deallocations
  bool read_all_ = false;
};
