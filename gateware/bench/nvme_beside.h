// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What a faulty drive does beside its I/O queue while the host runs: Abort, the SMART / Health Information log, and Format
// NVM, each with an error status now and then, and a command that waits for its Abort. What the host must make of it
// stands in nvme_watch.h.
//
// A command that is aborted has done its work or a part of it, as one that ends with an error. Its completion comes before
// that of the Abort or after it. A drive may also leave the command alone and say so. A Format makes zeros of all blocks, or
// ones; of one that fails, or does not come to its end, some blocks are formatted.
#pragma once
#include "nvme_faulty.h"

#include <array>
#include <set>

class BesideDrive : public FaultyDrive {
 public:
  static constexpr unsigned LogBytes = 512, Aborted = 0x007;
  std::function<void(const Command&)> begun, ended;     // of the I/O queue; ended with `status`
  std::function<void(unsigned status)> format_ended;
  std::function<void()> fails_abort;
  uint64_t aborts = 0, aborted = 0, logs = 0, formats = 0;
  std::set<unsigned> log_statuses;                      // of logs, since they were forgotten
  std::array<uint8_t, LogBytes> log{};                  // the last one

  using FaultyDrive::FaultyDrive;

  void work_on() {
    FaultyDrive::work_on();
    if (format_.life == life_ && now >= format_.at && format_.at) formats_now();
  }

 protected:
  struct Format { double at = 0; uint64_t life = 0; uint16_t cid = 0; unsigned status = 0; };

  void begins(Command& c) override {
    FaultyDrive::begins(c);
    if (begun) begun(c);
  }
  void ends(const Cmd& c, std::deque<Tlp>& to) override {
    if (fits(Fault::Stuck, c->op)) {
      hits();
      if (stuck_life_ != life_) stuck_.clear();
      stuck_life_ = life_;
      return stuck_.push_back(c);
    }
    FaultyDrive::ends(c, to);
    if (ended) ended(*c);
  }
  void admin(const uint32_t* dw, uint64_t prp1) override {
    unsigned op = dw[0] & 0xff;
    if (op == AbortCommand) abort(dw);
    else if (op == GetLogPage) sends_log(dw, prp1);
    else if (op == FormatNvm) format(dw);
    else Drive::admin(dw, prp1);
  }

 private:
  unsigned amiss() {
    for (Fault f : {Fault::Status, Fault::StatusDnr})
      if (fits(f, AdminQueue)) return hits(), status_of(f);
    return 0;
  }
  // ---- Abort --------------------------------------------------------------------------------------
  void abort(const uint32_t* dw) {
    if ((dw[10] & 0xffff) != 1) wrong("an Abort of another queue");
    aborts++;
    if (unsigned status = amiss()) {
      fails_abort();
      return post(0, dw[0] >> 16, control_, status, 1);
    }
    Cmd c = below(8) ? takes_out(dw[10] >> 16) : nullptr;
    if (!c) {                                           // it has ended, or it goes on
      fails_abort();
      return post(0, dw[0] >> 16, control_, 0, 1);
    }
    aborted++;
    c->status = c->late_status = Aborted;
    bool first = below(2);
    if (first) post(0, dw[0] >> 16, control_, 0, 0);
    FaultyDrive::ends(c, control_);
    if (ended) ended(*c);
    if (!first) post(0, dw[0] >> 16, control_, 0, 0);
  }
  Cmd takes_out(uint16_t cid) {                         // of those whose data is not under way
    if (stuck_life_ != life_) stuck_.clear();
    for (auto* of : {&stuck_, &waiting_})
      for (auto at = of->begin(); at != of->end(); ++at)
        if ((*at)->cid == cid && (*at)->listed && !(*at)->refused) {
          Cmd c = *at;
          of->erase(at);
          return c;
        }
    return nullptr;
  }
  // ---- health -------------------------------------------------------------------------------------
  void sends_log(const uint32_t* dw, uint64_t prp1) {
    if (dw[10] != ((LogBytes / 4 - 1) << 16 | 2) || dw[1] != ~0u) wrong("not the SMART log of the controller");
    logs++;
    if (unsigned status = amiss()) {
      log_statuses.insert(status);
      return post(0, dw[0] >> 16, control_, status, 0);
    }
    for (uint8_t& b : log) b = rng();
    Command none;
    for (unsigned i = 0; i < LogBytes; i += std::min(mps, LogBytes)) {
      Tlp t = request_of(MemWr, prp1 + i, std::min(mps, LogBytes));
      memcpy(t.data, &log[i], t.bytes);
      alter(none, t);
      control_.push_back(t);
    }
    post(0, dw[0] >> 16, control_, 0, 0);
  }
  // ---- Format -------------------------------------------------------------------------------------
  void format(const uint32_t* dw) {
    if (dw[1] != 1 || dw[10] & ~0xe0fu) wrong("a Format of another namespace, or with other fields");
    format_ = {now + 1.0 + below(6000), life_, uint16_t(dw[0] >> 16), amiss()};
    if (below(2)) wipes(0.5);
  }
  void formats_now() {
    format_.at = 0;
    formats++;
    wipes(format_.status ? 0.5 : 1);
    format_ended(format_.status);
    post(0, format_.cid, control_, format_.status, 0);
  }
  void wipes(double share) {
    uint64_t serial = below(2) ? Zeros : Ones;
    for (uint64_t lba = 0; lba < medium_.size(); lba++) {
      if (lies == "format" || !chance(share)) continue;
      medium_[lba] = serial;
      cache_.erase(lba);
    }
  }

  Format format_;
  std::deque<Cmd> stuck_;
  uint64_t stuck_life_ = 0;
};
