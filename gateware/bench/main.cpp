// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Rates and latencies of ls_core at its internal interface, one line per figure:
//   name <tab> share or cycles
// `ring` as an argument: 64-byte transfers from a ring, 1 us there and back at 250 MHz, with tags enough.
// A share is payload bytes over what the interface could have carried, from the first beat of the
// transfer to the last. Every byte that moved is compared; a wrong one ends the run.
#include "Vtop.h"
#include "host.h"
#include "verilated.h"

#include <algorithm>
#include <map>
#include <string>

struct Span {
  uint64_t first = 0, last = 0, bytes = 0;
  void beat(uint64_t now, unsigned n) {
    if (!bytes) first = now;
    last = now;
    bytes += n;
  }
  double share() const { return double(bytes) / Bytes / double(last - first + 1); }
};

// From there on, tags fetch descriptors.
constexpr unsigned FetchTags = 256 - 2 * FETCHES;

static uint8_t pattern(uint64_t i) { return uint8_t(i * 7 + (i >> 8) * 13 + (i >> 16)); }

struct Bench {
  VerilatedContext ctx;
  Vtop* top = new Vtop(&ctx);
  Memory mem;
  Completer host{mem};
  uint64_t now = 0;
  std::deque<Beat> requests;                    // towards our BARs
  struct Cmd { uint64_t addr; unsigned len; bool eof; };
  std::deque<Cmd> cmd[3];                       // h2c, c2h, p2p
  uint64_t cmd_at[3] = {}, rq_at = 0, tx_at = 0;  // cycle of the first of each
  Span tx, rx, out, win;                        // payload on tx, on rx_cpl, streams out
  uint64_t c2h_left = 0, c2h_sent = 0, frame = 0, done[3] = {}, out_bytes = 0, win_bytes = 0;
  uint64_t rec_writes = 0, tx_open = 0, tx_got = 0;
  std::vector<uint64_t> out_expect;             // addresses of the bytes host to card must give
  Header tx_hdr;
  bool rec_tlp = false, desc_cpl = false;
  uint64_t rec_base = ~0ull, desc_beats = 0, desc_beats_before = 0, desc_beats_to_last = 0;

  Bench() {
    top->clk_i = 0;
    top->rst_ni = 0;
    set(1, 2);
    top->tx_ready_i = top->cpl_ready_i = top->rq_ready_i = top->h2c_ready_i = top->win_ready_i = 1;
    for (int i = 0; i < 4; i++) step();
    top->rst_ni = 1;
    for (int i = 0; i < 4; i++) step();
  }
  ~Bench() { delete top; }

  // As settings_t: MPS and MRRS as Device Control encodes them, extended tags, bus mastering, no MSI-X.
  void set(unsigned mps, unsigned mrrs) { top->set_i = mps << 6 | mrrs << 3 | 1 << 2 | 1 << 1; }

  void reg_write(uint64_t addr, uint64_t value) {
    Header h;
    h.kind = MemWr;
    h.addr = addr;
    h.len_dw = 2;
    h.first_be = h.last_be = 15;
    uint8_t raw[8];
    for (int i = 0; i < 8; i++) raw[i] = value >> (8 * i);
    for (auto& b : beats_of(h, raw, 8)) requests.push_back(b);
  }

  template <typename V, typename R, typename C>
  void offer(int ch, V& valid, R ready, C& port) {
    (void)ready;
    valid = !cmd[ch].empty();
    if (valid) put_command(port, cmd[ch][0].addr, cmd[ch][0].len, cmd[ch][0].eof);
  }

  void stream_in(uint8_t (&row)[Bytes], unsigned& n, bool& last) {
    n = unsigned(std::min<uint64_t>(Bytes, c2h_left));
    uint64_t to_frame = frame ? frame - c2h_sent % frame : ~0ull;
    if (n > to_frame) n = unsigned(to_frame);
    last = frame ? n == to_frame : n == c2h_left;
    for (unsigned i = 0; i < Bytes; i++) row[i] = pattern(c2h_sent + i);
  }

  void step() {
    // Inputs for this cycle.
    offer(0, top->h2c_cmd_valid_i, 0, top->h2c_cmd_i);
    offer(1, top->c2h_cmd_valid_i, 0, top->c2h_cmd_i);
    offer(2, top->p2p_cmd_valid_i, 0, top->p2p_cmd_i);
    top->rx_req_valid_i = !requests.empty();
    if (!requests.empty()) {
      auto& b = requests[0];
      top->rx_req_sop_i = b.sop;
      top->rx_req_eop_i = b.eop;
      put_header(top->rx_req_hdr_i, b.hdr);
      set_data(top->rx_req_data_i, b.data);
    }
    bool cpl = !host.queue.empty() && host.queue[0].first <= now;
    top->rx_cpl_valid_i = cpl;
    if (cpl) {
      auto& b = host.queue[0].second;
      top->rx_cpl_sop_i = b.sop;
      top->rx_cpl_eop_i = b.eop;
      put_header(top->rx_cpl_hdr_i, b.hdr);
      set_data(top->rx_cpl_data_i, b.data);
      if (b.hdr.tag >= FetchTags) {
        desc_beats++;
      } else {
        if (!rx.bytes) desc_beats_before = desc_beats;
        desc_beats_to_last = desc_beats;
        unsigned n = Bytes;
        if (b.eop) n = b.hdr.len_dw * 4 - (b.hdr.len_dw * 4 - 1) / Bytes * Bytes;
        rx.beat(now, n);
      }
    }
    uint8_t row[Bytes];
    unsigned n = 0;
    bool last = false;
    if (c2h_left) stream_in(row, n, last);
    bool to_p2p = p2p_stream;
    top->c2h_valid_i = c2h_left && !to_p2p;
    top->p2p_valid_i = c2h_left && to_p2p;
    if (c2h_left) {
      uint64_t keep = n == 64 ? ~0ull : (1ull << n) - 1;
      set_data(top->c2h_data_i, row);
      set_data(top->p2p_data_i, row);
      top->c2h_keep_i = keep;
      top->p2p_keep_i = keep;
      top->c2h_last_i = top->p2p_last_i = last;
    }
    top->clk_i = 0;
    top->eval();

    // What moves at this edge.
    if (top->rst_ni) {
      if (top->h2c_cmd_valid_i && top->h2c_cmd_ready_o) taken(0);
      if (top->c2h_cmd_valid_i && top->c2h_cmd_ready_o) taken(1);
      if (top->p2p_cmd_valid_i && top->p2p_cmd_ready_o) taken(2);
      if (top->rx_req_valid_i && top->rx_req_ready_o) requests.pop_front();
      if (cpl) host.queue.pop_front();
      if (c2h_left && (to_p2p ? top->p2p_ready_o : top->c2h_ready_o)) {
        c2h_left -= n;
        c2h_sent += n;
      }
      if (top->rq_valid_o && top->rq_ready_i) {
        if (!rq_at) rq_at = now;
        host.read(get_header(top->rq_hdr_o), now + 1);
      }
      if (top->tx_valid_o && top->tx_ready_i) tx_beat();
      if (top->h2c_valid_o && top->h2c_ready_i) out_beat();
      if (top->win_valid_o && top->win_ready_i) win_beat();
      done[0] += top->h2c_done_valid_o;
      done[1] += top->c2h_done_valid_o;
      done[2] += top->p2p_done_valid_o;
    }
    top->clk_i = 1;
    top->eval();
    now++;
  }

  void taken(int ch) {
    if (!cmd_at[ch]) cmd_at[ch] = now;
    cmd[ch].pop_front();
  }

  void tx_beat() {
    if (top->tx_sop_o) {
      tx_hdr = get_header(top->tx_hdr_o);
      tx_got = 0;
      rec_tlp = tx_hdr.kind != MemWr || (tx_hdr.addr >= rec_base && tx_hdr.addr < rec_base + 65536);
      if (rec_tlp) rec_writes++;
      else if (!tx_at) tx_at = now;
    }
    unsigned n = std::min<uint64_t>(Bytes, tx_hdr.len_dw * 4 - tx_got);
    unsigned used = 0;
    for (unsigned i = 0; i < n; i++) {
      uint64_t at = tx_got + i;
      unsigned be = at < 4 ? tx_hdr.first_be : at / 4 == tx_hdr.len_dw - 1 ? tx_hdr.last_be : 15;
      if (!(be >> at % 4 & 1)) continue;
      mem[tx_hdr.addr + at] = get_byte(top->tx_data_o, i);
      used++;
    }
    tx_got += n;
    if (!rec_tlp) tx.beat(now, used);
  }

  void out_beat() {
    unsigned n = __builtin_popcountll(top->h2c_keep_o);
    for (unsigned i = 0; i < n; i++, out_bytes++)
      if (out_bytes >= out_expect.size() || get_byte(top->h2c_data_o, i) != mem[out_expect[out_bytes]])
        wrong("host to card", out_bytes);
    out.beat(now, n);
  }
  void win_beat() {
    unsigned n = __builtin_popcountll(top->win_keep_o);
    for (unsigned i = 0; i < n; i++, win_bytes++)
      if (get_byte(top->win_data_o, i) != pattern(win_bytes)) wrong("window", win_bytes);
    win.beat(now, n);
  }
  [[noreturn]] void wrong(const char* what, uint64_t at) {
    fprintf(stderr, "%s: wrong byte %llu\n", what, (unsigned long long)at);
    exit(1);
  }

  void expect(uint64_t addr, uint64_t len) {
    for (uint64_t i = 0; i < len; i++) {
      mem[addr + i] = pattern(addr + i * 3);
      out_expect.push_back(addr + i);
    }
  }
  void check_written(uint64_t addr, uint64_t len, uint64_t from) {
    for (uint64_t i = 0; i < len; i++)
      if (mem[addr + i] != pattern(from + i)) wrong("card to host", i);
  }
  template <typename F> void until(F f, uint64_t limit = 2000000) {
    for (uint64_t i = 0; !f(); i++) {
      step();
      if (i > limit) {
        fprintf(stderr, "does not end\n");
        exit(1);
      }
    }
  }
  void idle(int n) { for (int i = 0; i < n; i++) step(); }

  bool p2p_stream = false;

  // A descriptor ring of `n` pieces of `len` bytes, and its records.
  void ring(int ch, unsigned n, unsigned len, uint64_t data, uint64_t at, uint64_t rec, unsigned coalesce) {
    for (unsigned i = 0; i < n; i++) {
      uint64_t a = data + uint64_t(i) * len, flags = uint64_t(len) | 3ull << 32;
      for (int b = 0; b < 8; b++) mem[at + 16 * i + b] = a >> (8 * b), mem[at + 16 * i + 8 + b] = flags >> (8 * b);
    }
    rec_base = rec;
    uint64_t page = 0x100 * (ch + 1);
    reg_write(page + 0x08, at);
    reg_write(page + 0x10, rec);
    reg_write(page + 0x18, 0);
    reg_write(page, 1 | 1 << 2 | 1 << 3 | 12 << 8 | coalesce << 16 | 60000ull << 32);
  }
};

static void print(const char* name, double v) { printf("%s\t%.6f\n", name, v); }

constexpr unsigned Big = 65536;

static double rate_c2h(unsigned piece, unsigned total, uint64_t offset, bool p2p = false) {
  Bench b;
  b.p2p_stream = p2p;
  for (unsigned i = 0; i < total; i += piece) b.cmd[p2p ? 2 : 1].push_back({0x100000 + offset + i, piece, false});
  b.c2h_left = total;
  b.until([&] { return b.tx.bytes == total; });
  b.check_written(0x100000 + offset, total, 0);
  return b.tx.share();
}
static double rate_h2c(unsigned piece, unsigned total, uint64_t offset, unsigned latency, double* stream = nullptr) {
  Bench b;
  b.host.latency = latency;
  if (latency && Width == 512) b.set(1, 3);
  b.idle(4);                                    // a setting counts for commands after it
  b.expect(0x100000 + offset, total);
  for (unsigned i = 0; i < total; i += piece)
    b.cmd[0].push_back({0x100000 + offset + i, piece, i + piece == total});
  b.until([&] { return b.out.bytes == total; });
  if (stream) *stream = b.out.share();
  // Rate of what the interface carried; an unaligned address adds at most a DW to a completion.
  return double(total) / Bytes / double(b.rx.last - b.rx.first + 1);
}
static double rate_window(unsigned total) {
  Bench b;
  for (unsigned at = 0; at < total; at += 256) {
    Header h;
    h.kind = MemWr;
    h.bar = 2;
    h.addr = at;
    h.len_dw = 64;
    h.first_be = h.last_be = 15;
    uint8_t raw[256];
    for (int i = 0; i < 256; i++) raw[i] = pattern(at + i);
    for (auto& x : beats_of(h, raw, 256)) b.requests.push_back(x);
  }
  b.until([&] { return b.win.bytes == total; });
  return b.win.share();
}
static void rate_both(double& up, double& down) {
  Bench b;
  const unsigned total = 4 * Big;
  b.expect(0x100000, total);
  for (unsigned i = 0; i < total; i += 4096) {
    b.cmd[0].push_back({0x100000ull + i, 4096, i + 4096 == total});
    b.cmd[1].push_back({0x200000ull + i, 4096, false});
  }
  b.c2h_left = total;
  b.until([&] { return b.tx.bytes == total && b.out.bytes == total; });
  b.check_written(0x200000, total, 0);
  up = b.tx.share();
  down = b.out.share();
}
static double ring_c2h(unsigned n, unsigned latency = 0) {
  Bench b;
  b.host.latency = latency;
  b.ring(1, n, 64, 0x100000, 0x10000, 0x40000, 64);
  b.until([&] { return b.requests.empty(); });
  b.idle(20);
  b.frame = 64;
  b.c2h_left = uint64_t(n) * 64;
  b.idle(50);
  b.reg_write(0x218, n);
  b.until([&] { return b.tx.bytes == uint64_t(n) * 64; });
  b.check_written(0x100000, uint64_t(n) * 64, 0);
  return b.tx.share();
}
static double ring_h2c(unsigned n, double* of_rest, unsigned latency = 0) {
  Bench b;
  b.host.latency = latency;
  b.ring(0, n, 64, 0x100000, 0x10000, 0x40000, 64);
  b.expect(0x100000, uint64_t(n) * 64);
  b.until([&] { return b.requests.empty(); });
  b.idle(20);
  b.reg_write(0x118, n);
  b.until([&] { return b.out.bytes == uint64_t(n) * 64; });
  // What the descriptors' own beats leave, counted in the same span.
  double span = double(b.rx.last - b.rx.first + 1), beats = double(n) * 64 / Bytes;
  double own = double(b.desc_beats_to_last - b.desc_beats_before);
  *of_rest = beats / (span - own);
  return beats / span;
}
static unsigned latency(bool write) {
  Bench b;
  b.expect(0x100000, 64);
  b.c2h_left = write ? 256 : 0;
  b.idle(100);                                  // the stream's data is waiting when the command comes
  b.cmd[write].push_back({0x100000, 64, true});
  b.until([&] { return write ? b.tx_at : b.rq_at; });
  return unsigned((write ? b.tx_at : b.rq_at) - b.cmd_at[write]);
}

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "ring") {
    double of_rest;
    print("c2h_64_ring_1us", ring_c2h(2048, 250));
    print("h2c_64_ring_1us", ring_h2c(2048, &of_rest, 250));
    print("h2c_64_ring_1us_of_rest", of_rest);
    return 0;
  }
  print("c2h", rate_c2h(4096, Big, 0));
  double stream;
  print("h2c", rate_h2c(4096, Big, 0, 0, &stream));
  print("h2c_stream", stream);
  print("p2p", rate_c2h(4096, Big, 0, true));
  print("window", rate_window(Big));
  print("h2c_500ns", rate_h2c(4096, Big, 0, 250));
  print("c2h_64", rate_c2h(64, 1024 * 64, 0));
  print("h2c_64", rate_h2c(64, 1024 * 64, 0, 0));
  print("c2h_64_ring", ring_c2h(1024));
  double rest;
  print("h2c_64_ring", ring_h2c(1024, &rest));
  print("h2c_64_ring_of_rest", rest);
  print("c2h_one", rate_c2h(Big, Big, 0));
  print("h2c_one", rate_h2c(Big, Big, 0, 0));
  for (unsigned o = 1; o < 4; o++) {
    print(("c2h_odd" + std::to_string(o)).c_str(), rate_c2h(Big, Big, o));
    print(("h2c_odd" + std::to_string(o)).c_str(), rate_h2c(Big, Big, o, 0));
  }
  double up, down;
  rate_both(up, down);
  print("both_c2h", up);
  print("both_h2c", down);
  print("latency_read", latency(false));
  print("latency_write", latency(true));
}
