// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Rates of ls_nvme_stripe before drives without limits of their own, each below a link of four lanes of its own, or with
// SHARED all below one switch and one such link, as nvme.cpp measures one. The user's words are compared: on the way to a
// drive at the place that the stripe must have given them, and in the order of the blocks on the way back.
#include "nvme_lane.h"
#include "nvme_run.h"
#include "nvme_switch.h"

#ifdef SHARED
// All drives' end of the one link. The credits for read requests, which a host's block gives, are shared out among them.
struct SharedEnd {
  std::deque<RateDrive> drives;
  std::deque<Switch<RateDrive>> all;                    // one
  std::deque<Below<Lane, Switch<RateDrive>>> one;       // likewise
  RateDrive& drive;
  Below<Lane, Switch<RateDrive>>& below;

  SharedEnd(Lane* top, const Options& o) : drive(fill(o)), below(connect(top, o)) {
    for (auto& d : drives) d.flight = below.link.flight;
  }
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
      drives[i].credits(Credits / Drives);
    }
    return drives[0];
  }
  Below<Lane, Switch<RateDrive>>& connect(Lane* top, const Options& o) {
    all.emplace_back(drives);
    one.emplace_back(top, o.gen, o.mhz, o.mps, o.flight_ns, all[0]);
    return one[0];
  }
};
#endif

int main(int argc, char** argv) {
  Options o(argc, argv);
  VerilatedContext ctx;
  Vtop top(&ctx);
  std::deque<Lane> lanes;
#ifdef SHARED
  lanes.emplace_back(top, 0);
  std::deque<SharedEnd> ends;
  ends.emplace_back(&lanes[0], o);
  Run<SharedEnd>(o, top, ends).all();
#else
  std::deque<End<Lane>> ends;
  for (unsigned i = 0; i < Drives; i++) {
    lanes.emplace_back(top, i);
    ends.emplace_back(&lanes[i], o);
    ends[i].drive.user = [i](uint64_t at) { return user_place(i, at); };
  }
  Run<End<Lane>>(o, top, ends).all();
#endif
}
