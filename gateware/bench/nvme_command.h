// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A command as the drive has it: its fields of the submission queue entry, its pages, and how far it is.
#pragma once
#include "nvme_tlp.h"

#include <memory>

#ifndef RETRIES
#define RETRIES 0
#endif
#ifndef RESTARTS
#define RESTARTS 0
#endif
#ifndef CMDS
#define CMDS 32
#endif
constexpr unsigned Queue = 2 * (CMDS < 2 ? 2 : CMDS), Credits = 32;
// What the host has beside the commands (docs/ls_nvme_host.md): commands given again, Abort, health, Format, new beginnings.
constexpr unsigned Retries = RETRIES, Restarts = RESTARTS;
constexpr bool Beside = RETRIES != 0;
constexpr unsigned Dnr = 0x4000;                        // of a status
constexpr uint64_t Blocks = 1ull << 32;

enum NvmeOp : unsigned { NvmFlush = 0, NvmWrite = 1, NvmRead = 2, NvmZero = 8, NvmTrim = 9 };

struct Command {
  uint16_t cid = 0;
  unsigned op = 0, blocks = 0, bytes = 0, sent = 0, got = 0, status = 0, late_status = 0;
  bool fua = false, listed = true, refused = false, early = false;
  uint64_t at = 0, number = 0;                          // its first byte in the namespace; counted from the first command on
  double ready = 0;
  std::vector<uint64_t> pages;
  std::vector<uint8_t> data;                            // for who keeps it
  bool moves() const { return op == NvmRead || op == NvmWrite; }
  // Where byte `pos` of its data is, and how many follow it on that page.
  uint64_t place(unsigned pos, unsigned& room) const {
    unsigned first = 4096 - pages[0] % 4096;
    if (pos < first) return room = first - pos, pages[0] + pos;
    unsigned rest = pos - first;
    room = 4096 - rest % 4096;
    return pages[1 + rest / 4096] + rest % 4096;
  }
};
using Cmd = std::shared_ptr<Command>;
enum AdminOp : unsigned { CreateSq = 1, GetLogPage = 2, CreateCq = 5, Identify = 6, AbortCommand = 8, SetFeatures = 9, FormatNvm = 0x80 };
