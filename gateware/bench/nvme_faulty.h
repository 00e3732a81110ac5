// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A drive that keeps what is written, in a volatile write cache before its medium, and does amiss what it is told to: one
// fault is armed at a time and hits at the first occasion that fits it. What a fault is and when it hits stands here; who
// arms it, and what the host must make of it, does not.
//
// Blocks are stored whole. A write may reach the cache block by block as its data comes, before its end, or
// not at all where it ends with an error or with the drive's life. The cache goes to the medium when it likes to, and must
// at a flush. A loss of power leaves of it what it likes. Of the blocks of a deallocation some read as zeros from then on,
// some as ones, some as before: a drive that reports nothing of it (DLFEAT) may do all of these.
#pragma once
#include "nvme_drive.h"

#include <functional>
#include <map>
#include <random>

// A block is its serial, the number of the write that made it, and words that follow from that and the block's address. Two
// serials are those of blocks that no write has made: all zeros, all ones.
constexpr unsigned BlockBytes = 512, BlockWords = BlockBytes / 8;
constexpr uint64_t Zeros = 0, Ones = ~0ull;
inline uint64_t word_of(uint64_t serial, uint64_t lba, unsigned i) {
  if (!i || serial == Zeros || serial == Ones) return serial;
  uint64_t x = serial * 0x9e3779b97f4a7c15ull ^ (lba + 1) * 0xd1342543de82ef95ull ^ (i + 1) * 0xaf251af3b0f025b5ull;
  return x ^ x >> 29;
}

enum class Fault {
  None, Status, StatusDnr, Silent, Double, BadCid, WrongPhase, WrongSq, PoisonData, PoisonEntry, PoisonReg, UrReg, CaReg, NoReg,
  Crs, CrsLong, Cfs, NotReady, PauseShort, PauseLong, Ones, LinkDown, Removed, Plain,
  Stuck = Plain, Count                                  // of a host that sends an Abort
};
inline const char* name_of(Fault f) {
  static const char* names[] = {
    "none", "error status", "error status, DNR", "command without an answer", "command completed twice", "unknown identifier",
    "wrong Phase Tag", "wrong SQ identifier", "poisoned data", "poisoned completion queue entry", "poisoned completion of ours",
    "UR", "CA", "completion timeout", "CRS for a short time", "CRS for long", "CSTS.CFS", "CSTS.RDY never set", "drive stops, goes on soon",
    "drive stops, goes on late", "registers read as all ones, power lost", "link down, power kept", "removed, power lost", "command that waits for its Abort"};
  return names[unsigned(f)];
}
// Those that the drive does when it completes a command, when it answers a read of ours, and those that come over it at any time.
inline bool at_entry(Fault f) { return f >= Fault::Silent && f <= Fault::WrongSq; }
inline bool at_answer(Fault f) { return f >= Fault::PoisonReg && f <= Fault::CrsLong; }
inline bool at_once(Fault f) { return f == Fault::Cfs || (f >= Fault::PauseShort && f < Fault::Plain); }

class FaultyDrive : public Drive {
 public:
  std::mt19937_64 rng;
  Fault armed = Fault::None;
  int only_op = -1;                                     // of I/O commands, the opcode that is hit; AdminQueue: of that
  static constexpr int AdminQueue = 256;
  std::function<void(Fault)> hit;                       // told when one has hit
  std::function<void(const Command&, unsigned status)> gives_status;
  std::function<void()> fails_bring_up;                 // by the status of an admin command
  std::function<void()> loses_power;
  std::function<void(uint64_t serial, uint64_t lba)> stores;   // a block of a write has come
  std::string lies;                                     // what it only says that it has done: "flush", "zero"; "trim": does too much
  std::function<uint64_t(uint64_t)> user = [](uint64_t block) { return block; };      // the user's number of a block
  unsigned slowest = 400;                               // cycles, of a command
  bool healthy() const { return now >= stopped_until_ && now >= ones_until_ && !fatal_; }

  FaultyDrive(unsigned mps_code, unsigned mdts, uint64_t seed, unsigned blocks) : Drive(mps_code, mdts, 0), rng(seed), medium_(blocks) {}

  unsigned blocks() const { return medium_.size(); }
  uint64_t below(uint64_t n) { return rng() % n; }
  bool chance(double p) { return below(1 << 20) < p * (1 << 20); }

  // Power is lost: of the cache a share that is drawn stays.
  void lose_power() {
    double share = below(3) / 2.0;
    for (auto& [lba, serial] : cache_)
      if (chance(share)) medium_[lba] = serial;
    cache_.clear();
    loses_power();
    restart();
  }
  // As after a conventional reset.
  void restart() {
    stop_life();
    power();
    held_.clear();
    crs_until_ = stopped_until_ = ones_until_ = 0;
    ready_at_ = Off;
  }
  // `cycles` is how long, where it lasts.
  void comes(Fault f, uint64_t cycles) {
    if (f == Fault::Cfs) {
      if (!(regs_[5] & 1)) return;                      // a controller that is disabled does nothing
      stop_life();
      fatal_ = true;
    } else if (f == Fault::Ones) {
      lose_power();
      ones_until_ = now + cycles;
    } else {
      stopped_until_ = now + cycles;
    }
    hit(f);
  }

  // ---- what comes from the host --------------------------------------------------------------------
  void comes_in(const Tlp& t) {
    if (now < stopped_until_ || !held_.empty()) held_.push_back(t);
    else takes(t);
  }
  void work_on() {
    if (now < stopped_until_) return;
    while (!held_.empty()) {
      takes(held_[0]);
      held_.pop_front();
    }
    for (size_t i = 0; i < later_.size();) {
      Later l = later_[i];
      if (l.at > now) {
        i++;
        continue;
      }
      later_.erase(later_.begin() + i);
      if (l.life == life_) Drive::post(l.qid, l.cid, control_);
    }
    if (chance(0.002)) writes_back(0.3);
    if (now >= ones_until_) work();
  }
  bool sends(Tlp& t) { return now >= stopped_until_ && next(t); }

 protected:
  static constexpr double Off = 1e300;
  struct Later { double at; unsigned qid; uint16_t cid; uint64_t life; };

  bool fits(Fault f, int op) const { return armed == f && (only_op < 0 || only_op == op); }
  void hits() {
    Fault f = armed;
    armed = Fault::None;
    hit(f);
  }
  void stop_life() {
    forget();
    later_.clear();
    fatal_ = false;
  }
  void writes_back(double share) {
    for (auto at = cache_.begin(); at != cache_.end();) {
      if (chance(share)) {
        medium_[at->first] = at->second;
        at = cache_.erase(at);
      } else {
        ++at;
      }
    }
  }

  void takes(const Tlp& t) {
    if (t.is_cpl()) {
      if (now >= ones_until_) completion(t);
      return;
    }
    bool read = t.h.kind == MemRd || t.cfg;
    if (now < ones_until_) {
      if (read) answer(t, 0, ~0u, t.h.kind == MemRd);
      return;
    }
    if (t.cfg && now < crs_until_) return answer(t, 2, 0, false);
    if (read && at_answer(armed) && occasion(t)) return answers_amiss(t);
    request(t);
  }
  bool occasion(const Tlp& t) const {                   // only configuration requests are retried, only data is poisoned
    if (only_op == AdminQueue && (t.cfg || !sq_[0].tail)) return false;
    return armed == Fault::Crs || armed == Fault::CrsLong ? t.cfg : armed != Fault::PoisonReg || t.h.kind == MemRd;
  }
  void answers_amiss(const Tlp& t) {
    Fault f = armed;
    hits();
    switch (f) {
      case Fault::UrReg: return answer(t, 1, 0, false);
      case Fault::CaReg: return answer(t, 4, 0, false);
      case Fault::Crs: crs_until_ = now + 500 + below(4000); return answer(t, 2, 0, false);
      case Fault::CrsLong: crs_until_ = now + 60000; return answer(t, 2, 0, false);
      case Fault::PoisonReg:
        request(t);
        control_.back().h.ep = control_.back().h.kind == CplD;
        return;
      default: return;
    }
  }
  // ---- registers ---------------------------------------------------------------------------------
  uint32_t read_reg(uint64_t at) override {
    if (at != 0x1c) return Drive::read_reg(at);
    return (now >= ready_at_) | unsigned(fatal_) << 1 | (now < stops_at_);
  }
  void write_reg(uint64_t at, uint32_t v) override {
    if (at >= 0x1000 && fatal_) return;
    bool was = regs_[5] & 1;
    Drive::write_reg(at, v);
    if (at != 0x14 || was == (v & 1)) return;
    if (v & 1) {
      ready_at_ = now + 100 + below(500);
      if (armed == Fault::NotReady) {
        ready_at_ = Off;
        hits();
      }
    }
  }
  void reset() override {
    for (auto* queue : {&writes_, &waiting_})
      for (Cmd& c : *queue) ends_early(*c);
    stop_life();
    stops_at_ = now + below(600);
    ready_at_ = Off;
  }

  // ---- commands ----------------------------------------------------------------------------------
  double latency(const Command&) override { return below(slowest); }
  unsigned pick(size_t n) override { return below(n < 4 ? n : 4); }
  void begins(Command& c) override {
    if (c.at / BlockBytes + c.blocks > medium_.size()) wrong("a command beyond what was asked for");
    c.data.resize(c.bytes / BlockBytes * 8);            // the serial of each block
    c.early = c.op == NvmWrite && below(2);
    for (Fault f : {Fault::Status, Fault::StatusDnr})
      if (fits(f, c.op)) {
        c.late_status = status_of(f);
        if (chance(0.5)) c.status = c.late_status;      // before any data
        gives_status(c, c.late_status);
        hits();
      }
  }
  unsigned status_of(Fault f) { return (f == Fault::StatusDnr ? Dnr : 0) | (below(2) ? 0x280 : below(2) ? 0x006 : 0x281); }
  unsigned admin_status(unsigned) override {
    for (Fault f : {Fault::Status, Fault::StatusDnr})
      if (fits(f, AdminQueue)) {
        fails_bring_up();
        hits();
        return status_of(f);
      }
    return 0;
  }
  void want(Command& c, unsigned pos, uint8_t* to, unsigned n) override {
    uint64_t lba = (c.at + pos) / BlockBytes, serial;
    uint8_t* kept = &c.data[pos / BlockBytes * 8];
    if (pos % BlockBytes == 0) {
      auto in_cache = cache_.find(lba);
      serial = in_cache == cache_.end() ? medium_[lba] : in_cache->second;
      memcpy(kept, &serial, 8);
    }
    memcpy(&serial, kept, 8);
    for (unsigned i = 0; i < n; i += 8) {
      uint64_t word = word_of(serial, user(lba), (pos % BlockBytes + i) / 8);
      memcpy(to + i, &word, 8);
    }
  }
  void have(Command& c, unsigned pos, const uint8_t* from, unsigned n) override {
    uint64_t lba = (c.at + pos) / BlockBytes, serial;
    uint8_t* kept = &c.data[pos / BlockBytes * 8];
    if (pos % BlockBytes == 0) memcpy(kept, from, 8);
    memcpy(&serial, kept, 8);
    for (unsigned i = 0; i < n; i += 8) {
      uint64_t word;
      memcpy(&word, from + i, 8);
      if (word != word_of(serial, user(lba), (pos % BlockBytes + i) / 8)) wrong("a wrong word of write data for block " + std::to_string(lba));
    }
    if ((pos + n) % BlockBytes) return;
    stores(serial, lba);
    if (c.early) cache_[lba] = serial;
  }
  void alter(Command& c, Tlp& t) override {
    if (!fits(Fault::PoisonData, c.bytes ? int(c.op) : AdminQueue)) return;
    t.h.ep = 1;
    hits();
  }
  // A command that ends before its time: of its blocks that have come, some are stored.
  void ends_early(Command& c) {
    if (c.early || !below(2)) return;
    for (unsigned i = 0; clears(c) && i < c.blocks; i++)
      if (below(2)) clear(c, i);
    if (c.op != NvmWrite) return;
    for (unsigned i = 0; i < c.got / BlockBytes; i++) store(c, i);
  }
  void store(const Command& c, unsigned i) {
    uint64_t serial;
    memcpy(&serial, &c.data[i * 8], 8);
    if (serial) cache_[c.at / BlockBytes + i] = serial;
  }
  static bool clears(const Command& c) { return c.op == NvmZero || c.op == NvmTrim; }
  void clear(const Command& c, unsigned i) {
    if (c.op == NvmZero ? lies == "zero" : below(2)) return;
    uint64_t lba = c.at / BlockBytes + i;
    if (lies == "trim" && !i && lba) lba--;
    cache_[lba] = c.op == NvmZero || below(2) ? Zeros : Ones;
  }
  void ends(const Cmd& c, std::deque<Tlp>& to) override {
    if (c->late_status && !c->refused) c->status = c->late_status;
    if (c->status) {
      ends_early(*c);
      if (c->op == NvmFlush) writes_back(0.5);
    } else if (c->op == NvmFlush) {
      if (lies != "flush") writes_back(1);
    } else if (c->op != NvmRead) {
      for (unsigned i = 0; i < c->blocks; i++) {
        if (clears(*c)) clear(*c, i);
        else if (!c->early) store(*c, i);
        if (c->fua) to_medium(*c, i);
      }
    }
    op_ = c->op;
    Drive::ends(c, to);
  }
  void to_medium(const Command& c, unsigned i) {
    auto at = cache_.find(c.at / BlockBytes + i);
    if (at == cache_.end()) return;                     // another has gone over it, and from there
    medium_[at->first] = at->second;
    cache_.erase(at);
  }
  // The host's memory is closed: an entry that cannot be read is fatal, data that cannot is an error of its command.
  void refused(const Cmd& c) override {
    if (!c) {
      stop_life();
      fatal_ = true;
      return;
    }
    if (c->refused) return;
    c->refused = true;
    c->status = 0x004;
    for (auto at = writes_.begin(); at != writes_.end(); ++at)
      if (*at == c) {
        writes_.erase(at);
        break;
      }
    if (c->listed) ends(c, control_);
    c->listed = true;
  }
  void post(unsigned qid, uint16_t cid, std::deque<Tlp>& to, unsigned status, uint32_t result) override {
    Fault f = armed;
    if (!((at_entry(f) || f == Fault::PoisonEntry) && fits(f, qid ? int(op_) : AdminQueue))) return Drive::post(qid, cid, to, status, result);
    hits();
    if (f == Fault::Silent) return;
    Drive::post(qid, f == Fault::BadCid ? cid ^ (below(2) ? 0x4000 : Queue / 2) : cid, to, status, result);
    Tlp& t = to.back();
    if (f == Fault::Double) later_.push_back({now + double(below(150)), qid, cid, life_});
    if (f == Fault::WrongPhase) t.data[14] ^= 1;
    if (f == Fault::WrongSq) t.data[10] ^= 1 + below(255);
    if (f == Fault::PoisonEntry) t.h.ep = 1;
  }

 protected:
  std::vector<uint64_t> medium_;
  std::map<uint64_t, uint64_t> cache_;                  // block: serial

 private:
  std::deque<Tlp> held_;
  std::vector<Later> later_;
  bool fatal_ = false;
  unsigned op_ = 0;                                     // of the command whose completion is made
  double crs_until_ = 0, stopped_until_ = 0, ones_until_ = 0, ready_at_ = Off, stops_at_ = 0;
};
