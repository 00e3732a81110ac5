// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Rates of ls_nvme_stripe before drives without limits of their own, each below a link of four lanes of its own, or with SHARED
// all below one switch and one such link, as nvme.cpp measures one. The user's words are compared: on the way to a drive at the place that the stripe must have
// given them, and in the order of the blocks on the way back.
#include "nvme_lane.h"
#include "nvme_run.h"
#include "nvme_switch.h"

int main(int argc, char** argv) {
  Options o(argc, argv);
  VerilatedContext ctx;
  Vtop top(&ctx);
  std::deque<Lane> lanes;
#ifdef SHARED
  lanes.emplace_back(top, 0);
  std::deque<SharedEnd<Lane>> ends;
  ends.emplace_back(&lanes[0], o);
  Run<SharedEnd<Lane>>(o, top, ends).all();
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
