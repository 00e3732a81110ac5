// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Rates of ls_nvme_stripe before drives without limits of their own, each below a link of four lanes of its own, as
// nvme.cpp measures one. The user's words are compared: on the way to a drive at the place that the stripe must have
// given them, and in the order of the blocks on the way back.
#include "nvme_run.h"

// What belongs to one drive of the top's ports, by the names that they have at a host.
struct Lane {
#define PORT(name) decltype(Vtop::name[0]) name
  PORT(rq_valid_o); PORT(rq_ready_i); PORT(rq_cfg_o); PORT(rq_hdr_o); PORT(rq_data_o);
  PORT(cpl_valid_o); PORT(cpl_ready_i); PORT(cpl_sop_o); PORT(cpl_eop_o); PORT(cpl_hdr_o); PORT(cpl_data_o);
  PORT(rx_req_valid_i); PORT(rx_req_ready_o); PORT(rx_req_sop_i); PORT(rx_req_eop_i); PORT(rx_req_hdr_i); PORT(rx_req_data_i);
  PORT(rx_cpl_valid_i); PORT(rx_cpl_sop_i); PORT(rx_cpl_eop_i); PORT(rx_cpl_hdr_i); PORT(rx_cpl_data_i);
#undef PORT
  Lane(Vtop& t, unsigned i)
      : rq_valid_o(t.rq_valid_o[i]), rq_ready_i(t.rq_ready_i[i]), rq_cfg_o(t.rq_cfg_o[i]), rq_hdr_o(t.rq_hdr_o[i]),
        rq_data_o(t.rq_data_o[i]), cpl_valid_o(t.cpl_valid_o[i]), cpl_ready_i(t.cpl_ready_i[i]), cpl_sop_o(t.cpl_sop_o[i]),
        cpl_eop_o(t.cpl_eop_o[i]), cpl_hdr_o(t.cpl_hdr_o[i]), cpl_data_o(t.cpl_data_o[i]), rx_req_valid_i(t.rx_req_valid_i[i]),
        rx_req_ready_o(t.rx_req_ready_o[i]), rx_req_sop_i(t.rx_req_sop_i[i]), rx_req_eop_i(t.rx_req_eop_i[i]),
        rx_req_hdr_i(t.rx_req_hdr_i[i]), rx_req_data_i(t.rx_req_data_i[i]), rx_cpl_valid_i(t.rx_cpl_valid_i[i]),
        rx_cpl_sop_i(t.rx_cpl_sop_i[i]), rx_cpl_eop_i(t.rx_cpl_eop_i[i]), rx_cpl_hdr_i(t.rx_cpl_hdr_i[i]),
        rx_cpl_data_i(t.rx_cpl_data_i[i]) {}
};

int main(int argc, char** argv) {
  Options o(argc, argv);
  VerilatedContext ctx;
  Vtop top(&ctx);
  std::deque<Lane> lanes;
  std::deque<End<Lane>> ends;
  for (unsigned i = 0; i < Drives; i++) {
    lanes.emplace_back(top, i);
    ends.emplace_back(&lanes[i], o);
    ends[i].drive.user = [i](uint64_t at) { return (at / CHUNK * Drives + i) * CHUNK + at % CHUNK; };
  }
  Run<Lane>(o, top, ends).all();
}
