// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Rates of ls_top_usp at the ports of the UltraScale+ block, one line per figure:
//   name <tab> share
// A share is payload bytes over what the port could have carried, from the first beat to the last.
// The block takes a beat every cycle, gives one whenever it has something, and straddles where it
// may. What it demands of RQ is demanded here, and every byte that moved is compared.
#include "Vtop.h"
#include "host.h"
#include "verilated.h"

#include <algorithm>
#include <string>

#ifndef STRADDLE
#error "STRADDLE must be given"
#endif
constexpr unsigned Dws = Width / 32;
constexpr bool RqStraddle = STRADDLE && Width == 512, RcStraddle = STRADDLE && Width >= 256,
               CqStraddle = STRADDLE && Width == 512;

// Ports of up to 64 bits are integers, wider ones are words.
template <typename T> uint64_t bits(const T& port, unsigned at, unsigned n) {
  if constexpr (std::is_integral_v<T>) return port >> at & ((1ull << n) - 1);
  else {
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++) v |= uint64_t(port[(at + i) / 32] >> ((at + i) % 32) & 1) << i;
    return v;
  }
}
template <typename T> void set_bits(T& port, unsigned at, unsigned n, uint64_t v) {
  for (unsigned i = 0; i < n; i++) {
    if constexpr (std::is_integral_v<T>) port = (port & ~(T(1) << (at + i))) | T(v >> i & 1) << (at + i);
    else {
      port[(at + i) / 32] &= ~(1u << ((at + i) % 32));
      port[(at + i) / 32] |= uint32_t(v >> i & 1) << ((at + i) % 32);
    }
  }
}

[[noreturn]] static void wrong(const char* what, uint64_t at) {
  fprintf(stderr, "%s, %llu\n", what, (unsigned long long)at);
  exit(1);
}
static void demand(bool ok, const char* what, uint64_t at) {
  if (!ok) wrong(what, at);
}

struct Tlp {
  uint64_t when = 0;
  std::vector<uint32_t> dw;
  unsigned payload = 0, be = 0;
};

struct Span {
  uint64_t first = 0, last = 0, bytes = 0;
  void beat(uint64_t now) {
    if (!last) first = now;
    last = now;
  }
  double share() const { return double(bytes) / Bytes / double(last - first + 1); }
};

// TLPs into beats: each begins at a multiple of `seg` DWs at which the one before it has ended, or
// in a beat of its own.
struct Packer {
  unsigned seg;
  std::deque<Tlp> queue;
  size_t sent = 0;                 // DWs of the first one that have gone
  struct Beat {
    uint32_t dw[Dws] = {};
    std::vector<unsigned> begin, end, be;
    bool any = false;
    unsigned payload = 0;
  };
  Beat next(uint64_t now) {
    Beat b;
    for (unsigned at = 0; at < Dws && !queue.empty();) {
      Tlp& t = queue.front();
      if (!sent) {
        if (t.when > now || (seg ? at % seg : at) || (!seg && b.any)) break;
        b.begin.push_back(at);
        b.be.push_back(t.be);
      }
      b.any = true;
      while (at < Dws && sent < t.dw.size()) b.dw[at++] = t.dw[sent++];
      if (sent < t.dw.size()) break;
      b.end.push_back(at - 1);
      b.payload += t.payload;
      queue.pop_front();
      sent = 0;
      if (!seg) break;
      at = (at + seg - 1) / seg * seg;
    }
    return b;
  }
};

static uint8_t pattern(uint64_t i) { return uint8_t(i * 7 + (i >> 8) * 13 + (i >> 16)); }

struct Bench {
  VerilatedContext ctx;
  Vtop* top = new Vtop(&ctx);
  Memory mem;
  uint64_t now = 0;
  unsigned completion = 256, latency = 0;
  Packer rc{RcStraddle ? 4u : 0u, {}, 0}, cq{CqStraddle ? 8u : 0u, {}, 0};
  Packer::Beat rc_beat, cq_beat;
  struct Cmd { uint64_t addr; unsigned len; bool eof; };
  std::deque<Cmd> cmd[2];          // h2c, c2h
  Span rq, rx, window;
  uint64_t c2h_left = 0, c2h_sent = 0, out_bytes = 0, out_base = 0, win_bytes = 0;
  std::vector<uint32_t> open;      // of the request that is coming in
  unsigned open_be = 0;
  bool is_open = false;

  Bench() {
    top->cfg_max_payload = 1;
    top->cfg_max_read_req = 2;
    top->cfg_function_status = 7;
    top->cfg_ext_tag_enable = 1;
    top->s_axis_rq_tready = top->s_axis_cc_tready = top->m_axis_h2c_tready = top->m_axis_win_tready = 1;
    for (int i = 0; i < 4; i++) step();
    top->rst_ni = top->user_rst_ni = 1;
    for (int i = 0; i < 300; i++) step();
  }
  ~Bench() { delete top; }

  // ---- requests of the card ---------------------------------------------------------------------
  void request_ends() {
    const uint32_t* d = open.data();
    demand(open.size() >= 4, "a request without a header", now);
    bool write = (d[2] >> 11 & 15) == 1;
    unsigned len = d[2] & 0x7ff, first = open_be & 15, last = open_be >> 4;
    demand(open.size() == 4 + (write ? len : 0), "a request's length", now);
    uint64_t addr = uint64_t(d[1]) << 32 | (d[0] & ~3u);
    demand(addr % 4096 + 4 * len <= 4096, "a request crosses 4 KiB", now);
    if (write) {
      demand(len <= 64, "a write above MPS", now);
      for (unsigned i = 0; i < 4 * len; i++) {
        unsigned be = i < 4 ? first : i / 4 == len - 1 ? last : 15;
        if (!(be >> i % 4 & 1)) continue;
        mem[addr + i] = d[4 + i / 4] >> (8 * (i % 4));
        rq.bytes++;
      }
    } else {
      uint64_t end = addr + 4 * len, total = 4 * len;
      demand(total <= 512, "a read above MRRS", now);
      for (uint64_t at = addr; at < end;) {
        unsigned n = unsigned(std::min<uint64_t>(completion - at % completion, end - at));
        Tlp t;
        t.when = now + 1 + latency;
        t.payload = n;
        t.dw = {uint32_t(at & 0xfff) | uint32_t(end - at) << 16 | uint32_t(at + n == end) << 30,
                n / 4, d[3] & 0xff};
        for (unsigned i = 0; i < n; i += 4)
          t.dw.push_back(mem[at + i] | mem[at + i + 1] << 8 | mem[at + i + 2] << 16 | uint32_t(mem[at + i + 3]) << 24);
        rc.queue.push_back(t);
        at += n;
      }
    }
    is_open = false;
    open.clear();
  }
  void begins(unsigned be) {
    demand(!is_open, "a request begins inside another", now);
    is_open = true;
    open_be = be;
  }
  void rq_beat() {
    rq.beat(now);
    uint32_t dw[Dws];
    for (unsigned i = 0; i < Dws; i++)
      dw[i] = get_byte(top->s_axis_rq_tdata, 4 * i) | get_byte(top->s_axis_rq_tdata, 4 * i + 1) << 8
            | get_byte(top->s_axis_rq_tdata, 4 * i + 2) << 16 | uint32_t(get_byte(top->s_axis_rq_tdata, 4 * i + 3)) << 24;
    auto& user = top->s_axis_rq_tuser;
    if (!RqStraddle) {
      if (!is_open) begins(Width == 512 ? bits(user, 0, 4) | bits(user, 8, 4) << 4 : bits(user, 0, 8));
      for (unsigned i = 0; i < Dws; i++)
        if (top->s_axis_rq_tkeep >> i & 1) open.push_back(dw[i]);
      if (top->s_axis_rq_tlast) request_ends();
      return;
    }
    unsigned sops = bits(user, 20, 2), eops = bits(user, 26, 2), e = 0, s = 0;
    demand(sops != 2 && eops != 2, "the second of one", now);
    demand(is_open || (sops && bits(user, 22, 2) == 0), "a request begins above an empty half", now);
    for (unsigned i = 0; i < Dws; i++) {
      if (s < 2 && (sops >> s & 1) && 4 * bits(user, 22 + 2 * s, 2) == i) {
        begins(bits(user, 4 * s, 4) | bits(user, 8 + 4 * s, 4) << 4);
        demand(i == 0 || i == 8, "a request begins at a place where none may", i);
        s++;
      }
      if (is_open) open.push_back(dw[i]);
      if (e < 2 && (eops >> e & 1) && bits(user, 28 + 4 * e, 4) == i) {
        demand(is_open, "nothing is open that could end", now);
        request_ends();
        e++;
      }
    }
    demand(s == (sops & 1) + (sops >> 1) && e == (eops & 1) + (eops >> 1), "beginnings and ends", now);
  }

  // ---- what the card is given ---------------------------------------------------------------------
  template <typename D> void put_data(D& port, const Packer::Beat& b) {
    uint8_t raw[Bytes];
    for (unsigned i = 0; i < Bytes; i++) raw[i] = b.dw[i / 4] >> (8 * (i % 4));
    set_data(port, raw);
  }
  void give() {
    top->m_axis_rc_tvalid = rc_beat.any;
    put_data(top->m_axis_rc_tdata, rc_beat);
    auto& ru = top->m_axis_rc_tuser;
    set_bits(ru, 0, Width == 512 ? 161 : 75, 0);
    for (unsigned i = 0; i < rc_beat.begin.size(); i++) {
      if (Width == 512) set_bits(ru, 64 + i, 1, 1), set_bits(ru, 68 + 2 * i, 2, rc_beat.begin[i] / 4);
      else set_bits(ru, 32 + i, 1, 1);
    }
    for (unsigned i = 0; i < rc_beat.end.size(); i++) {
      if (Width == 512) set_bits(ru, 76 + i, 1, 1), set_bits(ru, 80 + 4 * i, 4, rc_beat.end[i]);
      else set_bits(ru, 34 + 4 * i, 4, 1 | rc_beat.end[i] << 1);
    }
    top->m_axis_cq_tvalid = cq_beat.any;
    put_data(top->m_axis_cq_tdata, cq_beat);
    auto& cu = top->m_axis_cq_tuser;
    set_bits(cu, 0, Width == 512 ? 183 : 88, 0);
    for (unsigned i = 0; i < cq_beat.begin.size(); i++) {
      unsigned be = cq_beat.be[i];
      if (Width == 512) {
        set_bits(cu, 4 * i, 4, be & 15), set_bits(cu, 8 + 4 * i, 4, be >> 4);
        set_bits(cu, 80 + i, 1, 1), set_bits(cu, 82 + 2 * i, 2, cq_beat.begin[i] / 4);
      } else set_bits(cu, 0, 8, be), set_bits(cu, 40, 1, 1);
    }
    for (unsigned i = 0; i < cq_beat.end.size() && Width == 512; i++)
      set_bits(cu, 86 + i, 1, 1), set_bits(cu, 88 + 4 * i, 4, cq_beat.end[i]);
  }

  void step() {
    if (!rc_beat.any) rc_beat = rc.next(now);
    if (!cq_beat.any) cq_beat = cq.next(now);
    give();
    auto offer = [](auto& q, auto& valid, auto& addr, auto& len, auto& eof) {
      valid = !q.empty();
      if (valid) addr = q[0].addr, len = q[0].len, eof = q[0].eof;
    };
    offer(cmd[0], top->h2c_cmd_valid_i, top->h2c_cmd_addr_i, top->h2c_cmd_len_i, top->h2c_cmd_eof_i);
    offer(cmd[1], top->c2h_cmd_valid_i, top->c2h_cmd_addr_i, top->c2h_cmd_len_i, top->c2h_cmd_eof_i);
    unsigned n = unsigned(std::min<uint64_t>(Bytes, c2h_left));
    top->s_axis_c2h_tvalid = c2h_left != 0;
    if (c2h_left) {
      uint8_t row[Bytes];
      for (unsigned i = 0; i < Bytes; i++) row[i] = pattern(c2h_sent + i);
      set_data(top->s_axis_c2h_tdata, row);
      top->s_axis_c2h_tkeep = n == 64 ? ~0ull : (1ull << n) - 1;
      top->s_axis_c2h_tlast = n == c2h_left;
    }
    top->clk_i = top->user_clk_i = 0;
    top->eval();
    if (top->rst_ni) {
      if (top->m_axis_rc_tvalid && top->m_axis_rc_tready) {
        rx.beat(now);
        rx.bytes += rc_beat.payload;
        rc_beat.any = false;
      }
      if (top->m_axis_cq_tvalid && top->m_axis_cq_tready) {
        window.beat(now);
        window.bytes += cq_beat.payload;
        cq_beat.any = false;
      }
      if (top->h2c_cmd_valid_i && top->h2c_cmd_ready_o) cmd[0].pop_front();
      if (top->c2h_cmd_valid_i && top->c2h_cmd_ready_o) cmd[1].pop_front();
      if (c2h_left && top->s_axis_c2h_tready) c2h_left -= n, c2h_sent += n;
      if (top->s_axis_rq_tvalid) rq_beat();
      else demand(!is_open, "RQ pauses inside a request", now);
      if (top->m_axis_h2c_tvalid) {
        unsigned k = __builtin_popcountll(top->m_axis_h2c_tkeep);
        for (unsigned i = 0; i < k; i++, out_bytes++)
          demand(get_byte(top->m_axis_h2c_tdata, i) == mem[out_base + out_bytes], "host to card: wrong byte", out_bytes);
      }
      if (top->m_axis_win_tvalid) {
        unsigned k = __builtin_popcountll(top->m_axis_win_tkeep);
        for (unsigned i = 0; i < k; i++, win_bytes++)
          demand(get_byte(top->m_axis_win_tdata, i) == pattern(win_bytes), "window: wrong byte", win_bytes);
      }
    }
    top->clk_i = top->user_clk_i = 1;
    top->eval();
    now++;
  }
  template <typename F> void until(F f) {
    for (uint64_t i = 0; !f(); i++) {
      step();
      demand(i < 1000000, "does not end", now);
    }
  }
};

static void print(const std::string& name, double v) { printf("%s\t%.6f\n", name.c_str(), v); }
constexpr unsigned Big = 65536;

static double writes(unsigned piece, unsigned total) {
  Bench b;
  for (unsigned i = 0; i < total; i += piece) b.cmd[1].push_back({0x100000ull + i, piece, false});
  b.c2h_left = total;
  b.until([&] { return b.rq.bytes == total; });
  for (unsigned i = 0; i < total; i++) demand(b.mem[0x100000 + i] == pattern(i), "card to host: wrong byte", i);
  return b.rq.share();
}
static double reads(unsigned completion) {
  Bench b;
  b.completion = completion;
  b.out_base = 0x100000;
  for (unsigned i = 0; i < Big; i++) b.mem[0x100000 + i] = pattern(3 * i + 1);
  for (unsigned i = 0; i < Big; i += 4096) b.cmd[0].push_back({0x100000ull + i, 4096, i + 4096 == Big});
  b.until([&] { return b.out_bytes == Big; });
  return b.rx.share();
}
static double window(unsigned piece) {
  Bench b;
  for (unsigned at = 0; at < Big; at += piece) {
    Tlp t;
    t.payload = piece;
    t.be = 0xff;
    t.dw = {at, 0, piece / 4 | 1u << 11, 2u << 16};
    for (unsigned i = 0; i < piece; i += 4)
      t.dw.push_back(pattern(at + i) | pattern(at + i + 1) << 8 | pattern(at + i + 2) << 16 | uint32_t(pattern(at + i + 3)) << 24);
    b.cq.queue.push_back(t);
  }
  b.until([&] { return b.win_bytes == Big; });
  return b.window.share();
}

int main() {
  print("write256", writes(4096, Big));
  print("write64", writes(64, Big));
  for (unsigned c : {64u, 128u, 256u}) print("read" + std::to_string(c), reads(c));
  print("window256", window(256));
  print("window64", window(64));
}
