// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Rates of ls_nvme_host on a link of four lanes, before a drive without limits of its own: every TLP takes
// its time on its wire, DLLPs too, and the drive answers each command after a latency that is given. One
// line per figure: name <tab> value. Every byte that moved is compared with what its block must hold; a
// wrong one, or a rule of NVMe that the host breaks, ends the run.
//
// The wire: four bytes for four lanes at each symbol time, less what ordered sets take (a SKP of four
// symbols each 1180 at 8b/10b, one of a block and its EDS each 370 blocks at 128b/130b). A TLP is its
// header of 3 DWs, or 4 where the address needs 64 bits, its payload, and 8 bytes around it: sequence
// number, LCRC and framing. A DLLP is 8 bytes; each direction owes an ACK and an UpdateFC for three TLPs
// received, or earlier, at the standard's latency limit. DLLPs go before TLPs.
//
// The host's block: a TLP is sent when its last beat has come, requests before completions, and one that
// arrives is shown after its last byte, a beat a cycle. The drive: up to 8 entries a fetch, MRRS of 512,
// as many reads as the host gives credits for, control TLPs before data.
#include "Vtop.h"
#include "host.h"
#include "verilated.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

struct Options {
  unsigned gen = 1, mhz = 125, mps = 128;
  uint64_t bytes = 64 << 20;        // to move
  unsigned command = 131072;        // bytes of a user command
  unsigned depth = 1 << 20;         // user commands that are not reported yet, at most
  bool write = false, random = false;
  double latency_ns = 1000;         // of a command at the drive, from its entry to its first data
  double flight_ns = 150;           // from the last byte on the wire to the other end
  double input = 0;                 // bytes/s of write data that come, where not as fast as taken
  uint64_t cache = 0;               // after so many bytes written
  double pause_ns = 0;              // the drive takes none for so long
};

constexpr unsigned Queue = 2 * (CMDS < 2 ? 2 : CMDS), Credits = 32, TxBuffer = 2048, Lanes = 4;
constexpr uint64_t Blocks = 1ull << 32;

static inline uint64_t word_of(uint64_t at) {          // of the eight bytes at `at` of the drive
  uint64_t x = (at / 8 + 1) * 0x9e3779b97f4a7c15ull;
  return x ^ x >> 31;
}

[[noreturn]] static void wrong(const std::string& what) {
  fprintf(stderr, "%s\n", what.c_str());
  exit(1);
}

struct Tlp {
  Header h;
  bool cfg = false;
  unsigned bytes = 0;
  uint8_t data[512];
  unsigned wire() const {
    bool four = (h.kind == MemRd || h.kind == MemWr) && h.addr >> 32;
    return (four ? 16 : 12) + bytes + 8;
  }
};

struct Wire {
  struct Due {
    unsigned count = 0;
    double since = 0;
    void add(double now) {
      if (!count++) since = now;
    }
    bool due(double now, double timer) const { return count >= 3 || (count && now - since >= timer); }
  };
  double free = 0, busy = 0;
  Due ack, fc;                                          // for what came on the other wire
  std::deque<std::pair<double, Tlp>> flying;
};

struct Command {
  uint16_t cid = 0;
  unsigned op = 0, bytes = 0, sent = 0, got = 0;
  uint64_t at = 0, prp2 = 0;
  std::vector<uint64_t> pages;
  bool listed = true;
  double ready = 0;
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

struct Tag {
  enum Kind { Entries, List, Data } kind = Entries;
  Cmd cmd;
  unsigned qid = 0, pos = 0, len = 0;
  std::vector<uint8_t> got;
};

struct Sim {
  Options o;
  VerilatedContext ctx;
  Vtop* top = new Vtop(&ctx);
  uint64_t now = 0;
  double per_cycle, timer, flight;                      // bytes; cycles

  // the host's side
  Wire down, up;
  std::deque<Tlp> down_rq, down_cpl, rx;
  Tlp open;
  unsigned tx_used = 0, rx_at = 0, rx_stalled = 0;
  bool mid = false, started = false;
  uint64_t first = 0, last = 0, moved = 0, quarter = 0, most = 0, at_quarter = 0, at_most = 0;
  uint64_t given = 0, reported = 0, random = 88172645463325252ull;
  std::deque<uint64_t> expect;                          // where the reads that were given begin
  uint64_t want = 0, want_left = 0, s_at = 0, s_end = 0, s_last = 0, s_stall = 0;
  double s_due = 0;
  double done_sum = 0;
  std::deque<uint64_t> given_at;

  // the drive
  uint8_t space[256] = {};
  uint32_t regs[16] = {};
  struct Sq { uint64_t base = 0; unsigned size = 0, head = 0, tail = 0, asked = 0; } sq[2];
  struct Cq { uint64_t base = 0; unsigned size = 0, head = 0, tail = 0, phase = 1; } cq[2];
  std::deque<Tlp> control;
  std::deque<Cmd> waiting, reads, writes;
  Tag tags[256];
  std::vector<unsigned> free_tags;
  unsigned credits = Credits, mps = 128, in_flight = 0, most_in_flight = 0;
  uint64_t taken = 0, paused_at = 0;
  double pause_until = 0, credit_at[Credits] = {};
  uint64_t commands = 0, bells = 0;

  explicit Sim(const Options& given_o) : o(given_o) {
    double raw = o.gen == 1 ? 1e9 : o.gen == 2 ? 2e9 : 4e9 * 128 / 130;
    double skp = o.gen < 3 ? 4.0 / 1180 : (16.0 * Lanes + 4) / (370 * 16 * Lanes);
    per_cycle = raw * (1 - skp) / (o.mhz * 1e6);
    double symbols = (o.mps + 28) * 1.4 / Lanes + (o.gen == 1 ? 19 : o.gen == 2 ? 70 : 115);
    timer = symbols * Lanes / per_cycle;
    flight = o.flight_ns * o.mhz / 1000;
    for (unsigned t = 0; t < 256; t++) free_tags.push_back(255 - t);
    config();
    top->clk_i = 0;
    top->rst_ni = 0;
    top->link_i = 1;
    top->done_ready_i = top->m_ready_i = top->rq_ready_i = 1;
    for (int i = 0; i < 8; i++) step();
    top->rst_ni = 1;
    for (int i = 0; !top->run_o; i++) {
      step();
      if (top->dead_o || i > 3000000) wrong("the drive does not come up: step " + std::to_string(top->step_o));
    }
    started = true;
  }
  ~Sim() { delete top; }

  // ---- the wires -------------------------------------------------------------------------------
  double ns(double cycles) const { return cycles * 1000 / o.mhz; }
  void dllps(Wire& w) {
    for (Wire::Due* d : {&w.ack, &w.fc})
      if (w.free < now + 1 && d->due(now, timer)) {
        w.free = std::max<double>(w.free, now) + 8 / per_cycle;
        w.busy += 8 / per_cycle;
        d->count = 0;
      }
  }
  void put(Wire& w, Tlp&& t) {
    double n = t.wire() / per_cycle;
    w.free = std::max<double>(w.free, now) + n;
    w.busy += n;
    w.flying.emplace_back(w.free + flight, std::move(t));
  }
  static void owes(Wire& back, const Tlp& t, double now) {
    back.ack.add(now);
    if (t.h.kind == MemRd || t.h.kind == MemWr) back.fc.add(now);
  }

  // ---- the drive -------------------------------------------------------------------------------
  void config() {
    put32(0x00, 0x1c091234);
    space[6] = 0x10;
    put32(0x08, 0x01080200);
    space[0x10] = 4;
    space[0x34] = 0x70;
    space[0x70] = 0x10;
    space[0x72] = 2;
    put32(0x74, 0x8000 | 0x20 | (o.mps == 128 ? 0 : o.mps == 256 ? 1 : 2));
  }
  void put32(unsigned at, uint32_t v) { memcpy(space + at, &v, 4); }
  uint32_t get32(unsigned at) const {
    uint32_t v;
    memcpy(&v, space + at, 4);
    return v;
  }
  uint64_t bar() const { return (uint64_t(get32(0x14)) << 32 | get32(0x10)) & ~15ull; }

  void request(const Tlp& t) {                          // of the host
    uint32_t value;
    memcpy(&value, t.data, 4);
    unsigned reg = t.h.addr & 0xffc;
    if (t.cfg && t.h.kind == MemWr) {
      uint32_t mask = reg == 0x04 ? 0x406 : reg == 0x10 ? 0xffffc000 : reg == 0x14 ? ~0u : reg == 0x78 ? 0xffef : 0;
      if (reg < 256) put32(reg, (get32(reg) & ~mask) | (value & mask));
      mps = 128 << (space[0x78] >> 5 & 7);
      answer(t, 0, false);
    } else if (t.cfg) {
      answer(t, reg < 256 ? get32(reg) : 0, true);
    } else if (t.h.kind == MemRd) {
      answer(t, read_reg(t.h.addr - bar()), true);
    } else {
      write_reg(t.h.addr - bar(), value);
    }
  }
  void answer(const Tlp& t, uint32_t value, bool data) {
    Tlp c;
    c.h.kind = data ? CplD : Cpl;
    c.h.len_dw = data;
    c.h.tag = t.h.tag;
    c.h.addr = t.h.addr & 0x7c;
    c.h.byte_count = 4;
    c.bytes = data ? 4 : 0;
    memcpy(c.data, &value, 4);
    control.push_back(c);
  }
  uint32_t read_reg(uint64_t at) const {
    if (at == 0) return 1023 | 1 << 16 | 20 << 24;
    if (at == 4) return 1 << 5;
    if (at == 0x1c) return regs[5] & 1;
    return at < 64 ? regs[at / 4] : 0;
  }
  void write_reg(uint64_t at, uint32_t v) {
    if (at >= 0x1000) {
      unsigned n = (at - 0x1000) / 4;
      bells++;
      if (n > 3 || v >= (n & 1 ? cq[n / 2].size : sq[n / 2].size)) wrong("a doorbell beyond its queue");
      if (n & 1) cq[n / 2].head = v;
      else sq[n / 2].tail = v;
      return;
    }
    if (at < 64) regs[at / 4] = v;
    if (at == 0x14 && v & 1) {
      sq[0].base = uint64_t(regs[11]) << 32 | regs[10];
      cq[0].base = uint64_t(regs[13]) << 32 | regs[12];
      sq[0].size = (regs[9] & 0xfff) + 1;
      cq[0].size = (regs[9] >> 16) + 1;
    }
  }

  bool read(Tag::Kind kind, const Cmd& cmd, unsigned qid, uint64_t addr, unsigned pos, unsigned len, std::deque<Tlp>* to) {
    if (free_tags.empty()) return false;
    unsigned t = free_tags.back();
    free_tags.pop_back();
    tags[t].kind = kind;
    tags[t].cmd = cmd;
    tags[t].qid = qid;
    tags[t].pos = pos;
    tags[t].len = len;
    tags[t].got.clear();
    Tlp r;
    r.h.kind = MemRd;
    r.h.addr = addr;
    r.h.len_dw = len / 4;
    r.h.first_be = r.h.last_be = 15;
    r.h.tag = t;
    r.h.requester = 0x0100;
    to->push_back(r);
    return true;
  }
  static Tlp mem_write(uint64_t addr, unsigned len) {
    Tlp t;
    t.h.kind = MemWr;
    t.h.addr = addr;
    t.h.len_dw = len / 4;
    t.h.first_be = 15;
    t.h.last_be = len > 4 ? 15 : 0;
    t.bytes = len;
    return t;
  }
  void post(unsigned qid, uint16_t cid, std::deque<Tlp>& to, uint32_t result = 0) {
    Cq& q = cq[qid];
    if ((q.tail + 1) % q.size == q.head) wrong("a completion queue that is full");
    Tlp t = mem_write(q.base + 16 * q.tail, 16);
    uint32_t dw[4] = {result, 0, sq[qid].head | qid << 16, cid | q.phase << 16};
    memcpy(t.data, dw, 16);
    q.tail = (q.tail + 1) % q.size;
    if (!q.tail) q.phase ^= 1;
    to.push_back(t);
    if (qid) in_flight--;
  }
  void completion(const Tlp& t) {
    Tag& g = tags[t.h.tag];
    if (!g.len || t.h.kind != CplD) wrong("a completion that nobody asked for, or without data");
    unsigned at = g.got.size();
    if (g.kind == Tag::Data) {
      unsigned pos = g.pos + at;
      for (unsigned i = 0; i < t.bytes; i += 8) {
        uint64_t word;
        memcpy(&word, t.data + i, 8);
        if (word != word_of(g.cmd->at + pos + i)) wrong("a wrong word to block " + std::to_string((g.cmd->at + pos + i) / 512));
      }
      moves(t.bytes);
      taken += t.bytes;
      g.cmd->got += t.bytes;
    }
    g.got.insert(g.got.end(), t.data, t.data + t.bytes);
    if (g.got.size() < g.len) return;
    if (g.got.size() > g.len) wrong("more than was asked for");
    for (double& c : credit_at)
      if (!c) {
        c = now + flight;
        break;
      }
    free_tags.push_back(t.h.tag);
    g.len = 0;
    Cmd cmd = std::move(g.cmd);
    if (g.kind == Tag::Data) {
      if (cmd->got == cmd->bytes) post(1, cmd->cid, control);
    } else if (g.kind == Tag::List) {
      for (unsigned i = 0; i < g.got.size(); i += 8) {
        uint64_t page;
        memcpy(&page, &g.got[i], 8);
        if (page % 4096) wrong("a list entry with an offset");
        cmd->pages.push_back(page);
      }
      cmd->listed = true;
    } else {
      std::vector<uint8_t> got = std::move(g.got);
      unsigned qid = g.qid;
      for (unsigned i = 0; i < got.size(); i += 64) {
        sq[qid].head = (sq[qid].head + 1) % sq[qid].size;
        entry(qid, &got[i]);
      }
    }
  }
  void entry(unsigned qid, const uint8_t* raw) {
    uint32_t dw[16];
    memcpy(dw, raw, 64);
    uint64_t prp1 = uint64_t(dw[7]) << 32 | dw[6], prp2 = uint64_t(dw[9]) << 32 | dw[8];
    if (!qid) return admin(dw, prp1);
    auto c = std::make_shared<Command>();
    commands++;
    in_flight++;
    most_in_flight = std::max(most_in_flight, in_flight);
    c->cid = dw[0] >> 16;
    c->op = dw[0] & 0xff;
    if (c->op != 1 && c->op != 2) wrong("an opcode that nobody asked for");
    c->at = (uint64_t(dw[11]) << 32 | dw[10]) * 512;
    c->bytes = ((dw[12] & 0xffff) + 1) * 512;
    c->pages.push_back(prp1);
    c->prp2 = prp2;
    unsigned first = 4096 - prp1 % 4096;
    if (c->bytes > first + 4096) {
      c->listed = false;
      unsigned n = (c->bytes - first + 4095) / 4096 * 8;
      if (n > 512 || prp2 % 4096 + n > 4096) wrong("a list that is longer than is provided for here");
      if (!read(Tag::List, c, 0, prp2, 0, n, &control)) wrong("no tag for a list");
    } else if (c->bytes > first) {
      c->pages.push_back(prp2);
    }
    c->ready = now + o.latency_ns * o.mhz / 1000;
    waiting.push_back(c);
  }
  void admin(const uint32_t* dw, uint64_t prp1) {
    unsigned op = dw[0] & 0xff;
    if (op == 6) {
      uint8_t page[4096] = {};
      if ((dw[10] & 0xff) == 1) {
        page[77] = 5;                                   // MDTS of 128 KiB
        page[525] = 1;
      } else {
        uint64_t n = Blocks;
        memcpy(page, &n, 8);
        memcpy(page + 8, &n, 8);
        page[130] = 9;
      }
      for (unsigned i = 0; i < 4096; i += mps) {
        Tlp t = mem_write(prp1 + i, mps);
        memcpy(t.data, page + i, mps);
        control.push_back(t);
      }
    } else if (op == 5) {
      cq[1] = Cq{prp1, (dw[10] >> 16) + 1};
    } else if (op == 1) {
      sq[1] = Sq{prp1, (dw[10] >> 16) + 1};
      if (sq[1].size != Queue) wrong("a queue of " + std::to_string(sq[1].size));
    }
    post(0, dw[0] >> 16, control, op == 9 ? 0x000f000f : 0);
  }

  // Fetches what the doorbells tell, and begins what has waited long enough.
  void work() {
    for (unsigned q = 0; q < 2; q++) {
      Sq& s = sq[q];
      if (s.asked != s.tail && s.size && !free_tags.empty()) {
        unsigned n = std::min({(s.tail + s.size - s.asked) % s.size, s.size - s.asked, 8u});
        n = std::min<unsigned>(n, (4096 - (s.base + 64 * s.asked) % 4096) / 64);
        read(Tag::Entries, nullptr, q, s.base + 64 * s.asked, 0, 64 * n, &control);
        s.asked = (s.asked + n) % s.size;
      }
    }
    while (!waiting.empty() && waiting[0]->ready <= now && waiting[0]->listed) {
      (waiting[0]->op == 1 ? writes : reads).push_back(waiting[0]);
      waiting.pop_front();
    }
    for (double& c : credit_at)
      if (c && c <= now) {
        c = 0;
        credits++;
      }
    if (o.cache && taken - paused_at >= o.cache && now >= pause_until) {
      paused_at = taken;
      pause_until = now + o.pause_ns * o.mhz / 1000;
    }
  }
  bool next_up(Tlp& t) {
    if (!control.empty() && (control[0].h.kind != MemRd || credits)) {
      t = control[0];
      control.pop_front();
      if (t.h.kind == MemRd) credits--;
      return true;
    }
    if (!writes.empty() && credits > 2 && now >= pause_until) {
      Cmd c = writes[0];
      unsigned room;
      uint64_t addr = c->place(c->sent, room);
      unsigned n = std::min({unsigned(512 - addr % 512), room, c->bytes - c->sent});
      std::deque<Tlp> one;
      if (read(Tag::Data, c, 0, addr, c->sent, n, &one)) {
        t = one[0];
        credits--;
        c->sent += n;
        if (c->sent == c->bytes) writes.pop_front();
        return true;
      }
    }
    if (!reads.empty()) {
      Cmd c = reads[0];
      if (c->sent == c->bytes) {
        std::deque<Tlp> one;
        post(1, c->cid, one);
        t = one[0];
        reads.pop_front();
        return true;
      }
      unsigned room;
      uint64_t addr = c->place(c->sent, room);
      unsigned n = std::min({unsigned(mps - addr % mps), room, c->bytes - c->sent});
      t = mem_write(addr, n);
      for (unsigned i = 0; i < n; i += 8) {
        uint64_t word = word_of(c->at + c->sent + i);
        memcpy(t.data + i, &word, 8);
      }
      c->sent += n;
      return true;
    }
    return false;
  }

  // ---- the user --------------------------------------------------------------------------------
  void moves(unsigned n) {
    uint64_t before = moved;
    moved += n;
    auto crosses = [&](double share) { return before < o.bytes * share && moved >= o.bytes * share; };
    if (crosses(0.25)) quarter = now, at_quarter = moved;
    if (crosses(0.9)) most = now, at_most = moved;
  }
  uint64_t where(uint64_t n) {                          // where user command n begins
    if (!o.random) return n * o.command;
    uint64_t x = (n + 1) * 0xd1342543de82ef95ull;
    x ^= x >> 29;
    return (x * 0x9e3779b97f4a7c15ull >> 20) % (Blocks / 16) * o.command;
  }

  void step() {
    bool user = started && given * o.command < o.bytes && given - reported < o.depth;
    top->cmd_valid_i = user;
    if (user) {
      unsigned at = 0;
      ::put(top->cmd_i, at, 16, given & 0xffff);
      ::put(top->cmd_i, at, 32, o.command / 512 - 1);
      ::put(top->cmd_i, at, 64, where(given) / 512);
      ::put(top->cmd_i, at, 1, 0);
      ::put(top->cmd_i, at, 2, o.write);
    }
    bool s = started && o.write && s_at < o.bytes && now >= s_due;
    top->s_valid_i = s;
    if (s) {
      uint64_t words[Bytes / 8];
      for (unsigned i = 0; i < Bytes; i += 8) words[i / 8] = word_of(s_at + i);
      memcpy(&top->s_data_i, words, Bytes);
    }
    bool req = false, cpl = false;
    if (!rx.empty()) {
      Tlp& t = rx[0];
      cpl = t.h.kind == Cpl || t.h.kind == CplD;
      req = !cpl;
      bool sop = rx_at == 0, eop = rx_at + Bytes >= t.bytes;
      if (req) {
        if (sop) put_header(top->rx_req_hdr_i, t.h);
        memcpy(&top->rx_req_data_i, t.data + rx_at, Bytes);
        top->rx_req_sop_i = sop;
        top->rx_req_eop_i = eop;
      } else {
        put_header(top->rx_cpl_hdr_i, t.h);
        memcpy(&top->rx_cpl_data_i, t.data + rx_at, Bytes);
        top->rx_cpl_sop_i = sop;
        top->rx_cpl_eop_i = eop;
      }
    }
    top->rx_req_valid_i = req;
    top->rx_cpl_valid_i = cpl;
    top->cpl_ready_i = mid || tx_used + o.mps + 24 <= TxBuffer;
    top->clk_i = 0;
    top->eval();

    if (top->rst_ni) {
      if (top->stray_o) wrong("a TLP that nobody waits for");
      if (user && top->cmd_ready_o) {
        if (!given) first = now;
        if (!o.write) expect.push_back(where(given));
        given_at.push_back(now);
        given++;
      }
      if (s) {
        if (top->s_ready_o) {
          if (s_at && now > s_last + 1) s_stall = std::max(s_stall, now - s_last - 1);
          s_at += Bytes;
          s_last = now;
          if (o.input) {
            s_due = std::max(s_due + Bytes / o.input * o.mhz * 1e6, double(now));
            s_last = std::max<uint64_t>(now, uint64_t(s_due));
          }
        }
      }
      if (top->done_valid_o) {
        unsigned why = top->done_o >> 31 & 15;
        if (why || (top->done_o & 0xffff) != (reported & 0xffff)) wrong("report " + std::to_string(reported) + ": why " + std::to_string(why));
        reported++;
        done_sum += now - given_at[0];
        given_at.pop_front();
        if (o.write) last = now;
      }
      if (top->m_valid_o) beat_out();
      if (!rx.empty() && (cpl || top->rx_req_ready_o)) {
        rx_at += Bytes;
        if (rx_at >= rx[0].bytes) {
          rx.pop_front();
          rx_at = 0;
        }
      } else if (!rx.empty()) {
        rx_stalled++;
      }
      if (top->rq_valid_o) {
        Tlp t;
        t.h = get_header(top->rq_hdr_o);
        t.cfg = top->rq_cfg_o;
        t.bytes = t.h.kind == MemWr ? 4 : 0;
        memcpy(t.data, &top->rq_data_o, 4);
        down_rq.push_back(t);
      }
      if (top->cpl_valid_o && top->cpl_ready_i) {
        if (top->cpl_sop_o) {
          open.h = get_header(top->cpl_hdr_o);
          open.bytes = 0;
          tx_used += open.h.len_dw * 4 + 20;
          if (open.h.len_dw * 4 > mps) wrong("a completion longer than MPS");
        }
        memcpy(open.data + open.bytes, &top->cpl_data_o, Bytes);
        open.bytes = std::min(open.bytes + Bytes, open.h.len_dw * 4);
        mid = !top->cpl_eop_o;
        if (!mid) down_cpl.push_back(open);
      }
    }
    top->clk_i = 1;
    top->eval();

    // The wires, and the drive.
    for (; !up.flying.empty() && up.flying[0].first <= now; up.flying.pop_front()) {
      owes(down, up.flying[0].second, now);
      rx.push_back(std::move(up.flying[0].second));
    }
    for (; !down.flying.empty() && down.flying[0].first <= now; down.flying.pop_front()) {
      Tlp& t = down.flying[0].second;
      owes(up, t, now);
      if (t.h.kind == CplD || t.h.kind == Cpl) completion(t);
      else request(t);
    }
    work();
    dllps(down);
    dllps(up);
    while (down.free < now + 1 && (!down_rq.empty() || !down_cpl.empty())) {
      auto& from = down_rq.empty() ? down_cpl : down_rq;
      if (&from == &down_cpl) tx_used -= from[0].bytes + 20;
      put(down, std::move(from[0]));
      from.pop_front();
      dllps(down);
    }
    Tlp t;
    while (up.free < now + 1 && next_up(t)) {
      put(up, std::move(t));
      dllps(up);
    }
    now++;
  }

  void beat_out() {
    if (top->m_error_o) wrong("a read that failed");
    if (!want_left) {
      if (expect.empty()) wrong("data that nobody asked for");
      want = expect[0];
      expect.pop_front();
      want_left = o.command;
    }
    uint64_t words[Bytes / 8];
    memcpy(words, &top->m_data_o, Bytes);
    for (unsigned i = 0; i < Bytes; i += 8)
      if (words[i / 8] != word_of(want + i)) wrong("a wrong word of block " + std::to_string((want + i) / 512));
    want += Bytes;
    want_left -= Bytes;
    if (bool(top->m_last_o) != !want_left) wrong("a frame of the wrong length");
    moves(Bytes);
    last = now;
  }

  void run() {
    uint64_t before = 0, since = now;
    while (moved < o.bytes || reported * o.command < o.bytes) {
      step();
      if (moved != before) before = moved, since = now;
      else if (now - since > 10000000 + o.pause_ns) wrong("it stands still at " + std::to_string(moved));
    }
    if (moved != o.bytes) wrong("more than was asked for");
  }
};

static void line(const char* name, double v) { printf("%s\t%.9g\n", name, v); }

int main(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; i++) {
    std::string a = argv[i];
    size_t eq = a.find('=');
    std::string key = a.substr(0, eq);
    double v = eq == std::string::npos ? 1 : atof(a.c_str() + eq + 1);
    if (key == "gen") o.gen = v;
    else if (key == "mhz") o.mhz = v;
    else if (key == "mps") o.mps = v;
    else if (key == "bytes") o.bytes = v;
    else if (key == "command") o.command = v;
    else if (key == "depth") o.depth = v;
    else if (key == "write") o.write = v;
    else if (key == "random") o.random = v;
    else if (key == "latency") o.latency_ns = v;
    else if (key == "flight") o.flight_ns = v;
    else if (key == "input") o.input = v;
    else if (key == "cache") o.cache = v;
    else if (key == "pause") o.pause_ns = v;
    else wrong("what is " + a);
  }
  o.bytes = o.bytes / o.command * o.command;
  Sim s(o);
  s.up.busy = s.down.busy = 0;
  uint64_t begin = s.now;
  s.run();
  double hz = o.mhz * 1e6;
  line("wire", s.per_cycle * hz);                       // bytes/s, ordered sets taken off
  line("timer", s.timer * s.per_cycle);                 // of ACK and UpdateFC, in bytes on the wire
  line("steady", (s.at_most - s.at_quarter) / (double(s.most - s.quarter) / hz));
  line("whole", o.bytes / (double(s.last - s.first + 1) / hz));
  line("report_ns", s.ns(s.done_sum / s.reported));      // a user command, from its port to its report
  line("commands", s.commands);
  line("in_flight", s.most_in_flight);
  line("bells", s.bells);
  line("stall_ns", s.ns(s.s_stall));
  line("up_busy", s.up.busy / (s.now - begin));
  line("down_busy", s.down.busy / (s.now - begin));
  line("rx_stalled", s.rx_stalled);
}
