// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Rates of ls_nvme_host on a link of four lanes (nvme_link.h), before a drive without limits of its own
// (nvme_rate_drive.h). Every byte that moved is compared with what its block must hold; a wrong one, or a rule of NVMe
// that the host breaks, ends the run.
#include "nvme_run.h"

int main(int argc, char** argv) {
  Options o(argc, argv);
  VerilatedContext ctx;
  Vtop top(&ctx);
  std::deque<End<Vtop>> ends;
  ends.emplace_back(&top, o);
  Run<End<Vtop>>(o, top, ends).all();
}
