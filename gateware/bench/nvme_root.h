// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A root port of a faulty machine: the block, which may hold up what the host sends, and a link that may go down. What is
// below it, a drive or a switch with drives, is a `Device` as nvme_switch.h has it, with `whole`: it has no fault
// that lasts.
#pragma once
#include "nvme_lane.h"
#include "nvme_link.h"

template <typename Device> class Root {
 public:
  static constexpr unsigned Ahead = 16;                 // TLPs on the way to the host and in its block, as credits would allow
  Link link;
  uint64_t now = 0;
  uint64_t rq_held = 0, cpl_held = 0;                   // until when the block holds them up

  Root(Vtop& top, unsigned index, unsigned mps, Device& device) : link(3, 125, mps, 50), lane_(top, index), below_(device) {}

  bool down() const { return now < down_until_; }
  // For so long; what is on the way is lost.
  void goes_down(uint64_t cycles) {
    down_until_ = now + cycles;
    link.up.flying.clear();
    link.down.flying.clear();
    while (ports_.rx.size() > (ports_.rx_at ? 1 : 0)) ports_.rx.pop_back();
  }

  // Before the clock, `ready` is what the block would take; with the outputs of the cycle; after it.
  void show(bool rq_ready, bool cpl_ready) {
    ports_.show();
    lane_.rq_ready_i = down() || (now >= rq_held && rq_ready);
    lane_.cpl_ready_i = down() || !below_.whole() || (now >= cpl_held && cpl_ready);
  }
  void moves() {
    ports_.mps = down() ? 512 : below_.largest();
    ports_.move();
  }
  void wires() {
    Tlp t;
    link.now = below_.now = now;
    if (down()) {
      ports_.rq.clear();
      ports_.cpl.clear();
      return;
    }
    while (link.come(link.up, link.down, t)) ports_.rx.push_back(std::move(t));
    while (link.come(link.down, link.up, t)) below_.comes_in(t);
    below_.work_on();
    while (link.room(link.down) && (!ports_.rq.empty() || !ports_.cpl.empty())) {
      auto& from = ports_.rq.empty() ? ports_.cpl : ports_.rq;
      link.put(link.down, std::move(from[0]));
      from.pop_front();
    }
    while (link.room(link.up) && ports_.rx.size() + link.up.flying.size() < Ahead && below_.sends(t)) link.put(link.up, std::move(t));
  }

 private:
  Lane lane_;
  PortsOf<Lane> ports_{&lane_};
  Device& below_;
  uint64_t down_until_ = 0;
};
