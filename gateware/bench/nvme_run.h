// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A run: bring-up, then all that the options ask for, then the figures, one a line: name <tab> value. `ends` are the
// drives' ends of the links, whichever ports they have.
#pragma once
#include "nvme_rate_drive.h"
#include "nvme_user.h"
#include "verilated.h"

[[noreturn]] void wrong(const std::string& what) {
  fprintf(stderr, "%s\n", what.c_str());
  exit(1);
}

template <typename EndOf> class Run {
 public:
  Run(const Options& given, Vtop& t, std::deque<EndOf>& ends) : o(given), top(&t), ends_(ends), user(given, &t) {
    for (auto& end : ends_) end.moves([this](unsigned n) { user.moves(n); });
    top->clk_i = 0;
    top->rst_ni = 0;
    top->link_i = (1 << Drives) - 1;
    for (int i = 0; i < 8; i++) step();
    top->rst_ni = 1;
    for (int i = 0; !top->run_o; i++) {
      step();
      if (top->dead_o || i > 3000000) wrong("a drive does not come up");
    }
    user.started = true;
  }

  void all() {
    for (auto& end : ends_) end.below.link.up.busy = end.below.link.down.busy = 0;
    uint64_t begin = now, before = 0, since = now;
    while (!user.done()) {
      step();
      if (user.moved != before) before = user.moved, since = now;
      else if (now - since > 10000000 + o.pause_ns) wrong("it stands still at " + std::to_string(user.moved));
    }
    if (user.moved != o.bytes) wrong("more than was asked for");
    figures(begin);
  }

 private:
  void step() {
    user.now = now;
    user.show();
    for (auto& end : ends_) end.below.show();
    top->clk_i = 0;
    top->eval();
    if (top->rst_ni) {
      user.move();
      for (auto& end : ends_) end.below.move();
    }
    top->clk_i = 1;
    top->eval();
    for (auto& end : ends_) end.wires(now);
    now++;
  }
  // Those of the link and of the drive are of the first one.
  void figures(uint64_t begin) {
    auto& drive = ends_[0].drive;
    auto& link = ends_[0].below.link;
    double hz = o.mhz * 1e6;
    auto ns = [&](double cycles) { return cycles * 1000 / o.mhz; };
    line("wire", link.per_cycle * hz);                       // bytes/s, ordered sets taken off
    line("timer", link.timer * link.per_cycle);              // of ACK and UpdateFC, in bytes on the wire
    line("steady", (user.at_most - user.at_quarter) / (double(user.most - user.quarter) / hz));
    line("whole", o.bytes / (double(user.last - user.first + 1) / hz));
    line("report_ns", ns(user.done_sum / user.reported));    // a user command, from its port to its report
    line("commands", drive.commands);
    line("in_flight", drive.most_in_flight);
    line("bells", drive.bells);
    line("stall_ns", ns(user.s_stall));
    line("up_busy", link.up.busy / (now - begin));
    line("down_busy", link.down.busy / (now - begin));
    line("rx_stalled", ends_[0].below.ports.rx_stalled);
  }

  const Options& o;
  Vtop* top;
  std::deque<EndOf>& ends_;
  User user;
  uint64_t now = 0;
};
