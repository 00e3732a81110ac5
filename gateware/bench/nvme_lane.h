// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What belongs to one drive of the top's ports, by the names that they have at a host: of ls_nvme_host, which is the top
// where there is one drive, or of nvme_stripe.sv; and where the blocks of a stripe lie. With SHARED the TLPs of all are at one
// root port.
#pragma once
#include "nvme_tlp.h"

#ifndef DRIVES
#define DRIVES 1
#endif
#ifndef CHUNK
#define CHUNK 4096
#endif
#ifdef SHARED
constexpr bool Shared = true;
#else
constexpr bool Shared = false;
#endif
constexpr unsigned Drives = DRIVES, RowBytes = Drives * Bytes;

// Byte `at` of a drive, as the user counts.
inline uint64_t user_place(unsigned drive, uint64_t at) { return (at / CHUNK * Drives + drive) * CHUNK + at % CHUNK; }
// And back: the drive on which a byte of the user is, and where there.
inline unsigned drive_of(uint64_t at) { return at / CHUNK % Drives; }
inline uint64_t drive_place(uint64_t at) { return at / CHUNK / Drives * CHUNK + at % CHUNK; }

struct Lane {
#if DRIVES > 1
#define OWN(name) decltype(Vtop::name[0]) name = top.name[index]
#define PORT(name) decltype(Vtop::name[0]) name = top.name[Shared ? 0 : index]
#else
#define OWN(name) decltype(Vtop::name) name = top.name
#define PORT(name) OWN(name)
#endif
  Vtop& top;
  unsigned index;
  PORT(rq_valid_o); PORT(rq_ready_i); PORT(rq_cfg_o); PORT(rq_hdr_o); PORT(rq_data_o);
  PORT(cpl_valid_o); PORT(cpl_ready_i); PORT(cpl_sop_o); PORT(cpl_eop_o); PORT(cpl_hdr_o); PORT(cpl_data_o);
  PORT(rx_req_valid_i); PORT(rx_req_ready_o); PORT(rx_req_sop_i); PORT(rx_req_eop_i); PORT(rx_req_hdr_i); PORT(rx_req_data_i);
  PORT(rx_cpl_valid_i); PORT(rx_cpl_sop_i); PORT(rx_cpl_eop_i); PORT(rx_cpl_hdr_i); PORT(rx_cpl_data_i);
  OWN(step_o); OWN(why_o);
#undef PORT
#undef OWN
  Lane(Vtop& t, unsigned i) : top(t), index(i) {}

  // The link is up; the host is told to begin again.
  void drives(bool link, bool restart) {
    put(top.link_i, link);
    put(top.restart_i, restart);
  }
#if DRIVES > 1
  bool runs() const { return top.drive_run_o >> index & 1; }
#else
  bool runs() const { return top.run_o; }
#endif
  bool dead() const { return top.dead_o >> index & 1; }
  bool stray() const { return top.stray_o >> index & 1; }

 private:
  template <typename P> void put(P& mask, bool on) { mask = (mask & ~(1u << index)) | unsigned(on) << index; }
};
