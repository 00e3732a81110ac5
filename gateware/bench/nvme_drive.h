// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// An NVMe controller with one namespace of 512-byte blocks: configuration space, registers, queues, PRP entries and
// lists, tags of its reads. It keeps no data: who derives from it says what a block holds, how long a command takes, and
// what it does amiss. Up to 8 entries a fetch, MRRS of 512, as many reads as the host gives credits for, control
// TLPs before data. A rule of NVMe or of PCI Express that the host breaks ends the run.
//
// A life ends with CC.EN = 0 or the power: what was begun in it does nothing any more, but a tag stays out until its
// completion is here.
#pragma once
#include "nvme_command.h"

class Drive {
 public:
  uint64_t now = 0;
  double flight = 0;                                    // cycles until a credit is back
  unsigned mps = 128, most_in_flight = 0;
  uint64_t commands = 0, bells = 0;

  // `mps_code` as in Device Capabilities, `mdts` as in Identify, `timeout` as CAP.TO.
  Drive(unsigned mps_code, unsigned mdts, unsigned timeout) : mps_code_(mps_code), mdts_(mdts), timeout_(timeout) {
    power();
  }
  virtual ~Drive() = default;
  // Fewer than there are, where others have a part of them.
  void credits(unsigned n) { credits_ = most_credits_ = n; }
  unsigned asked() const { return 256 - free_tags_.size(); }      // requests of it that are not wholly answered

  // ---- what a link, or a switch, asks of what is below it ------------------------------------------
  bool linked() const { return true; }
  unsigned largest() const { return mps; }              // of completions
  void comes_in(const Tlp& t) {
    if (t.is_cpl()) completion(t);
    else request(t);
  }
  void work_on() { work(); }
  bool sends(Tlp& t) { return next(t); }

  // A request of the host's.
  void request(const Tlp& t) {
    uint32_t value;
    memcpy(&value, t.data, 4);
    unsigned reg = t.h.addr & 0xffc;
    if (t.h.len_dw != 1 || t.h.last_be) wrong("a request that is not of one DW");
    if (t.cfg && t.h.kind == MemWr) {
      uint32_t mask = reg == 0x04 ? 0x406 : reg == 0x10 ? 0xffffc000 : reg == 0x14 ? ~0u : reg == 0x78 ? 0xffef : 0;
      if (reg < 256) put32(reg, (get32(reg) & ~mask) | (value & mask));
      mps = 128 << (space_[0x78] >> 5 & 7);
      answer(t, 0, 0, false);
    } else if (t.cfg) {
      answer(t, 0, reg < 256 ? get32(reg) : 0, true);
    } else if (!(space_[4] & 2) || t.h.addr < bar() || t.h.addr - bar() >= 0x4000) {
      if (t.h.kind == MemRd) answer(t, 1, 0, false);
    } else if (t.h.kind == MemRd) {
      answer(t, 0, read_reg(t.h.addr - bar()), true);
    } else {
      write_reg(t.h.addr - bar(), value);
    }
  }

  // A completion of a read of ours.
  virtual void completion(const Tlp& t) {
    Tag& g = tags_[t.h.tag];
    uint64_t life = g.life;
    if (!g.len) wrong("a completion that nobody asked for");
    unsigned at = g.got.size();
    if (t.h.kind == CplD && (t.h.byte_count != g.len - at || t.h.addr % 128 != (g.addr + at) % 128)) wrong("a completion of another place");
    if (g.kind == Tag::Data && life == life_ && t.h.kind == CplD) {
      have(*g.cmd, g.pos + at, t.data, t.bytes);
      g.cmd->got += t.bytes;
    }
    g.got.insert(g.got.end(), t.data, t.data + t.bytes);
    if (t.h.kind == Cpl) g.got.resize(g.len);
    if (g.got.size() < g.len) return;
    if (g.got.size() > g.len) wrong("more than was asked for");
    for (double& c : credit_at_)
      if (!c) {
        c = now + flight;
        break;
      }
    free_tags_.push_back(t.h.tag);
    g.len = 0;
    Cmd cmd = std::move(g.cmd);
    if (life != life_) return;
    if (t.h.kind == Cpl) return refused(cmd);
    if (g.kind == Tag::Data) {
      if (cmd->got == cmd->bytes) ends(cmd, control_);
    } else if (g.kind == Tag::List) {
      for (unsigned i = 0; i < g.got.size(); i += 8) {
        uint64_t page;
        memcpy(&page, &g.got[i], 8);
        if (page % 4096) wrong("a list entry with an offset");
        cmd->pages.push_back(page);
      }
      cmd->listed = true;
    } else if (g.kind == Tag::Range) {
      uint32_t dw[4];
      memcpy(dw, &g.got[0], 16);
      cmd->blocks = dw[1];
      cmd->at = (uint64_t(dw[3]) << 32 | dw[2]) * 512;
      starts(cmd);
    } else {
      auto [got, qid] = std::pair(std::move(g.got), g.qid);
      for (unsigned i = 0; i < got.size() && life == life_; i += 64) {
        sq_[qid].head = (sq_[qid].head + 1) % sq_[qid].size;
        entry(qid, &got[i]);
      }
    }
  }

  // Fetches what the doorbells tell, and begins what has waited long enough.
  void work() {
    for (unsigned q = 0; q < 2; q++) {
      Sq& s = sq_[q];
      if (s.asked != s.tail && s.size && !free_tags_.empty()) {
        unsigned n = std::min({(s.tail + s.size - s.asked) % s.size, s.size - s.asked, 8u});
        n = std::min<unsigned>(n, (4096 - (s.base + 64 * s.asked) % 4096) / 64);
        read(Tag::Entries, nullptr, q, s.base + 64 * s.asked, 0, 64 * n, &control_);
        s.asked = (s.asked + n) % s.size;
      }
    }
    while (!waiting_.empty() && waiting_[0]->ready <= now && waiting_[0]->listed) {
      Cmd c = waiting_[0];
      waiting_.pop_front();
      if (!c->moves() || c->status) ends(c, control_);
      else (c->op == NvmWrite ? writes_ : reads_).push_back(c);
    }
    for (double& c : credit_at_)
      if (c && c <= now) {
        c = 0;
        credits_++;
      }
  }

  // The next TLP to the host, if there is one.
  bool next(Tlp& t) {
    // Reads that lack credits are passed by what is not one.
    auto first = std::find_if(control_.begin(), control_.end(), [&](const Tlp& c) { return c.h.kind != MemRd || credits_; });
    if (first != control_.end()) {
      t = *first;
      control_.erase(first);
      if (t.h.kind == MemRd) credits_--;
      return true;
    }
    if (!writes_.empty() && credits_ > 2 && takes_data()) {
      Cmd c = writes_[0];
      unsigned room;
      uint64_t addr = c->place(c->sent, room);
      unsigned n = std::min({unsigned(512 - addr % 512), room, c->bytes - c->sent});
      std::deque<Tlp> one;
      if (read(Tag::Data, c, 0, addr, c->sent, n, &one)) {
        t = one[0];
        credits_--;
        c->sent += n;
        if (c->sent == c->bytes) writes_.pop_front();
        return true;
      }
    }
    if (!reads_.empty()) {
      unsigned which = pick(reads_.size());
      Cmd c = reads_[which];
      if (c->sent == c->bytes) {
        reads_.erase(reads_.begin() + which);
        std::deque<Tlp> one;
        ends(c, one);
        if (one.empty()) return false;
        t = one[0];
        control_.insert(control_.begin(), one.begin() + 1, one.end());
        return true;
      }
      unsigned room;
      uint64_t addr = c->place(c->sent, room);
      unsigned n = std::min({unsigned(mps - addr % mps), room, c->bytes - c->sent});
      t = request_of(MemWr, addr, n);
      want(*c, c->sent, t.data, n);
      alter(*c, t);
      c->sent += n;
      return true;
    }
    return false;
  }

 protected:
  struct Tag {
    enum Kind { Entries, List, Range, Data } kind = Entries;
    Cmd cmd;
    unsigned qid = 0, pos = 0, len = 0;
    uint64_t addr = 0, life = 0;
    std::vector<uint8_t> got;
  };
  struct Sq { uint64_t base = 0; unsigned size = 0, head = 0, tail = 0, asked = 0; };
  struct Cq { uint64_t base = 0; unsigned size = 0, head = 0, tail = 0, phase = 1; };

  // ---- what a drive is made of -------------------------------------------------------------------
  virtual double latency(const Command&) = 0;           // cycles, from its entry to its first data
  virtual void want(Command&, unsigned pos, uint8_t* to, unsigned n) = 0;               // data of a read
  virtual void have(Command&, unsigned pos, const uint8_t* from, unsigned n) = 0;       // of a write
  virtual void alter(Command&, Tlp&) {}                 // a TLP of read data before it goes
  virtual bool takes_data() { return true; }            // write data
  virtual unsigned pick(size_t) { return 0; }           // which of so many reads goes on
  // A command has done its work: its completion queue entry.
  virtual void ends(const Cmd& c, std::deque<Tlp>& to) { post(1, c->cid, to, c->status); }
  virtual void refused(const Cmd&) { wrong("a read of the drive's that is refused"); }      // of this command, if of one
  virtual void begins(Command&) {}                      // one was fetched
  virtual unsigned admin_status(unsigned) { return 0; }
  virtual void reset() { forget(); }                    // CC.EN = 0

  virtual uint32_t read_reg(uint64_t at) {
    if (at == 0) return 1023 | 1 << 16 | timeout_ << 24;
    if (at == 4) return 1 << 5;
    if (at == 0x1c) return regs_[5] & 1;
    return at < 64 ? regs_[at / 4] : 0;
  }
  virtual void write_reg(uint64_t at, uint32_t v) {
    if (at >= 0x1000) {
      bell((at - 0x1000) / 4, v);
      return;
    }
    bool was = regs_[5] & 1;
    if (at < 64) regs_[at / 4] = v;
    if (at != 0x14 || was == (v & 1)) return;
    if (!(v & 1)) return reset();
    sq_[0] = Sq{uint64_t(regs_[11]) << 32 | regs_[10], (regs_[9] & 0xfff) + 1};
    cq_[0] = Cq{uint64_t(regs_[13]) << 32 | regs_[12], (regs_[9] >> 16) + 1};
  }

  // A new life: nothing of the queues is left.
  void forget() {
    life_++;
    for (unsigned q = 0; q < 2; q++) sq_[q] = Sq(), cq_[q] = Cq();
    waiting_.clear();
    reads_.clear();
    writes_.clear();
    in_flight_ = 0;
  }
  // As after power up: configuration space and registers as well, and no tag is out.
  void power() {
    forget();
    control_.clear();
    memset(space_, 0, sizeof space_);
    memset(regs_, 0, sizeof regs_);
    put32(0x00, 0x1c091234);
    space_[6] = 0x10;
    put32(0x08, 0x01080200);
    space_[0x10] = 4;
    space_[0x34] = 0x70;
    space_[0x70] = 0x10;
    space_[0x72] = 2;
    put32(0x74, 0x8000 | 0x20 | mps_code_);
    mps = 128;
    free_tags_.clear();
    for (unsigned t = 0; t < 256; t++) {
      tags_[t].len = 0;
      free_tags_.push_back(255 - t);
    }
    credits_ = most_credits_;
    for (double& c : credit_at_) c = 0;
  }

  // ---- the wire ----------------------------------------------------------------------------------
  void put32(unsigned at, uint32_t v) { memcpy(space_ + at, &v, 4); }
  uint32_t get32(unsigned at) const {
    uint32_t v;
    memcpy(&v, space_ + at, 4);
    return v;
  }
  uint64_t bar() const { return (uint64_t(get32(0x14)) << 32 | get32(0x10)) & ~15ull; }
  void answer(const Tlp& t, unsigned status, uint32_t value, bool data) { control_.push_back(answer_of(t, status, value, data)); }
  bool read(Tag::Kind kind, const Cmd& cmd, unsigned qid, uint64_t addr, unsigned pos, unsigned len, std::deque<Tlp>* to) {
    if (free_tags_.empty()) return false;
    unsigned t = free_tags_.back();
    free_tags_.pop_back();
    tags_[t] = Tag{kind, cmd, qid, pos, len, addr, life_, {}};
    Tlp r = request_of(MemRd, addr, len);
    r.h.tag = t;
    r.h.requester = 0x0100;
    to->push_back(r);
    return true;
  }

  // ---- queues ------------------------------------------------------------------------------------
  void bell(unsigned n, uint32_t v) {
    bells++;
    if (n > 3 || v >= (n & 1 ? cq_[n / 2].size : sq_[n / 2].size)) wrong("a doorbell beyond its queue");
    if (n & 1) cq_[n / 2].head = v;
    else sq_[n / 2].tail = v;
  }
  virtual void post(unsigned qid, uint16_t cid, std::deque<Tlp>& to, unsigned status = 0, uint32_t result = 0) {
    Cq& q = cq_[qid];
    if ((q.tail + 1) % q.size == q.head) wrong("a completion queue that is full");
    Tlp t = request_of(MemWr, q.base + 16 * q.tail, 16);
    uint32_t dw[4] = {result, 0, sq_[qid].head | qid << 16, cid | q.phase << 16 | status << 17};
    memcpy(t.data, dw, 16);
    q.tail = (q.tail + 1) % q.size;
    if (!q.tail) q.phase ^= 1;
    to.push_back(t);
    if (qid) in_flight_--;
  }
  void entry(unsigned qid, const uint8_t* raw) {
    uint32_t dw[16];
    memcpy(dw, raw, 64);
    uint64_t prp1 = uint64_t(dw[7]) << 32 | dw[6], prp2 = uint64_t(dw[9]) << 32 | dw[8];
    if (!qid) return admin(dw, prp1);
    auto c = std::make_shared<Command>();
    c->number = commands++;
    in_flight_++;
    most_in_flight = std::max(most_in_flight, in_flight_);
    c->cid = dw[0] >> 16;
    c->op = dw[0] & 0xff;
    if ((c->op > 2 && c->op != NvmZero && c->op != NvmTrim) || dw[1] != 1) wrong("an opcode or a namespace that nobody asked for");
    if (c->op == NvmTrim) {
      if (dw[10] || dw[11] != 4) wrong("not the deallocation of one range");
      if (!read(Tag::Range, c, 0, prp1, 0, 16, &control_)) wrong("no tag for a range");
      return;
    }
    if (c->op != NvmFlush) {
      c->at = (uint64_t(dw[11]) << 32 | dw[10]) * 512;
      c->blocks = (dw[12] & 0xffff) + 1;
      c->fua = dw[12] >> 30 & 1;
    }
    if (c->moves()) {
      c->bytes = c->blocks * 512;
      if (c->bytes > 4096u << mdts_) wrong("a command longer than MDTS");
      c->pages.push_back(prp1);
      unsigned first = 4096 - prp1 % 4096;
      if (c->bytes > first + 4096) {
        c->listed = false;
        unsigned n = (c->bytes - first + 4095) / 4096 * 8;
        if (n > 512 || prp2 % 4096 + n > 4096) wrong("a list that is longer than is provided for here");
        if (!read(Tag::List, c, 0, prp2, 0, n, &control_)) wrong("no tag for a list");
      } else if (c->bytes > first) {
        c->pages.push_back(prp2);
      }
    }
    starts(c);
  }
  void starts(const Cmd& c) {
    begins(*c);
    c->ready = now + latency(*c);
    auto at = waiting_.end();
    while (at != waiting_.begin() && (*(at - 1))->ready > c->ready) --at;
    waiting_.insert(at, c);
  }
  virtual void admin(const uint32_t* dw, uint64_t prp1) {
    unsigned op = dw[0] & 0xff, status = admin_status(op);
    if (status) return post(0, dw[0] >> 16, control_, status);
    if (op == Identify) {
      uint8_t page[4096] = {};
      if ((dw[10] & 0xff) == 1) {
        page[77] = mdts_;
        page[525] = 1;
      } else {
        uint64_t n = Blocks;
        memcpy(page, &n, 8);
        memcpy(page + 8, &n, 8);
        page[130] = 9;
      }
      Command none;
      for (unsigned i = 0; i < 4096; i += mps) {
        Tlp t = request_of(MemWr, prp1 + i, mps);
        memcpy(t.data, page + i, mps);
        alter(none, t);
        control_.push_back(t);
      }
    } else if (op == CreateCq) {
      cq_[1] = Cq{prp1, (dw[10] >> 16) + 1};
    } else if (op == CreateSq) {
      sq_[1] = Sq{prp1, (dw[10] >> 16) + 1};
      if (sq_[1].size != Queue) wrong("a queue of " + std::to_string(sq_[1].size));
    }
    post(0, dw[0] >> 16, control_, 0, op == SetFeatures ? 0x000f000f : 0);
  }

  unsigned mps_code_, mdts_, timeout_, most_credits_ = Credits, credits_ = Credits, in_flight_ = 0;
  uint8_t space_[256] = {};
  uint32_t regs_[16] = {};
  Sq sq_[2];
  Cq cq_[2];
  std::deque<Tlp> control_;                             // answers, fetches, completion queue entries
  std::deque<Cmd> waiting_, reads_, writes_;
  Tag tags_[256];
  std::vector<unsigned> free_tags_;
  uint64_t life_ = 0;
  double credit_at_[Credits] = {};
};
