// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Rates of ls_nvme_host on a link of four lanes (nvme_link.h), before a drive without limits of its own (nvme_drive.h):
// it answers each command after a latency that is given. One line per figure: name <tab> value. Every byte that
// moved is compared with what its block must hold; a wrong one, or a rule of NVMe that the host breaks, ends the run.
//
// The host's block: a TLP is sent when its last beat has come, requests before completions, and one that
// arrives is shown after its last byte, a beat a cycle.
#include "nvme_drive.h"
#include "nvme_link.h"
#include "verilated.h"

#include <functional>

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

static inline uint64_t word_of(uint64_t at) {          // of the eight bytes at `at` of the drive
  uint64_t x = (at / 8 + 1) * 0x9e3779b97f4a7c15ull;
  return x ^ x >> 31;
}

[[noreturn]] void wrong(const std::string& what) {
  fprintf(stderr, "%s\n", what.c_str());
  exit(1);
}

constexpr unsigned TxBuffer = 2048;

// The drive: a block holds words that follow from its address. It may take no data for a time, after so many bytes.
class RateDrive : public Drive {
 public:
  const Options& o;
  uint64_t taken = 0, paused_at = 0;
  double pause_until = 0;
  std::function<void(unsigned)> moves;

  explicit RateDrive(const Options& given) : Drive(given.mps == 128 ? 0 : given.mps == 256 ? 1 : 2, 5, 20), o(given) {}
  void pauses() {
    if (!o.cache || taken - paused_at < o.cache || now < pause_until) return;
    paused_at = taken;
    pause_until = now + o.pause_ns * o.mhz / 1000;
  }

 protected:
  double latency(const Command&) override { return o.latency_ns * o.mhz / 1000; }
  bool takes_data() override { return now >= pause_until; }
  void want(Command& c, unsigned pos, uint8_t* to, unsigned n) override {
    for (unsigned i = 0; i < n; i += 8) {
      uint64_t word = word_of(c.at + pos + i);
      memcpy(to + i, &word, 8);
    }
  }
  void have(Command& c, unsigned pos, const uint8_t* from, unsigned n) override {
    for (unsigned i = 0; i < n; i += 8) {
      uint64_t word;
      memcpy(&word, from + i, 8);
      if (word != word_of(c.at + pos + i)) wrong("a wrong word to block " + std::to_string((c.at + pos + i) / 512));
    }
    moves(n);
    taken += n;
  }
};

struct Sim {
  Options o;
  VerilatedContext ctx;
  Vtop* top = new Vtop(&ctx);
  Ports ports{top};
  Link link;
  RateDrive drive;
  uint64_t now = 0;
  unsigned tx_used = 0;
  bool started = false;
  uint64_t first = 0, last = 0, moved = 0, quarter = 0, most = 0, at_quarter = 0, at_most = 0;
  uint64_t given = 0, reported = 0;
  std::deque<uint64_t> expect;                          // where the reads that were given begin
  uint64_t want = 0, want_left = 0, s_at = 0, s_last = 0, s_stall = 0;
  double s_due = 0;
  double done_sum = 0;
  std::deque<uint64_t> given_at;

  explicit Sim(const Options& given_o) : o(given_o), link(o.gen, o.mhz, o.mps, o.flight_ns), drive(o) {
    drive.flight = link.flight;
    drive.moves = [this](unsigned n) { moves(n); };
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
  double ns(double cycles) const { return cycles * 1000 / o.mhz; }

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
    if (user) put_user(top->cmd_i, o.write ? OpWrite : OpRead, where(given) / 512, o.command / 512, given & 0xffff);
    bool s = started && o.write && s_at < o.bytes && now >= s_due;
    top->s_valid_i = s;
    if (s) {
      uint64_t words[Bytes / 8];
      for (unsigned i = 0; i < Bytes; i += 8) words[i / 8] = word_of(s_at + i);
      memcpy(&top->s_data_i, words, Bytes);
    }
    ports.show();
    top->cpl_ready_i = ports.mid || tx_used + o.mps + 24 <= TxBuffer;
    top->clk_i = 0;
    top->eval();
    if (top->rst_ni) {
      taken(user, s);
      ports.mps = drive.mps;
      if (top->cpl_valid_o && top->cpl_ready_i && top->cpl_sop_o) tx_used += get_header(top->cpl_hdr_o).len_dw * 4 + 20;
      ports.move();
    }
    top->clk_i = 1;
    top->eval();
    wires();
    now++;
  }
  void taken(bool user, bool s) {
    if (top->stray_o) wrong("a TLP that nobody waits for");
    if (user && top->cmd_ready_o) {
      if (!given) first = now;
      if (!o.write) expect.push_back(where(given));
      given_at.push_back(now);
      given++;
    }
    if (s && top->s_ready_o) {
      if (s_at && now > s_last + 1) s_stall = std::max(s_stall, now - s_last - 1);
      s_at += Bytes;
      s_last = now;
      if (o.input) {
        s_due = std::max(s_due + Bytes / o.input * o.mhz * 1e6, double(now));
        s_last = std::max<uint64_t>(now, uint64_t(s_due));
      }
    }
    if (top->done_valid_o) {
      Report r = get_report(top->done_o);
      if (r.why || r.tag != (reported & 0xffff)) wrong("report " + std::to_string(reported) + ": why " + std::to_string(r.why));
      reported++;
      done_sum += now - given_at[0];
      given_at.pop_front();
      if (o.write) last = now;
    }
    if (top->m_valid_o) beat_out();
  }
  void wires() {
    Tlp t;
    link.now = drive.now = now;
    while (link.come(link.up, link.down, t)) ports.rx.push_back(std::move(t));
    while (link.come(link.down, link.up, t)) {
      if (t.is_cpl()) drive.completion(t);
      else drive.request(t);
    }
    drive.work();
    drive.pauses();
    link.dllps(link.down);
    link.dllps(link.up);
    while (link.room(link.down) && (!ports.rq.empty() || !ports.cpl.empty())) {
      auto& from = ports.rq.empty() ? ports.cpl : ports.rq;
      if (&from == &ports.cpl) tx_used -= from[0].bytes + 20;
      link.put(link.down, std::move(from[0]));
      from.pop_front();
    }
    while (link.room(link.up) && drive.next(t)) link.put(link.up, std::move(t));
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
  s.link.up.busy = s.link.down.busy = 0;
  uint64_t begin = s.now;
  s.run();
  double hz = o.mhz * 1e6;
  line("wire", s.link.per_cycle * hz);                       // bytes/s, ordered sets taken off
  line("timer", s.link.timer * s.link.per_cycle);                 // of ACK and UpdateFC, in bytes on the wire
  line("steady", (s.at_most - s.at_quarter) / (double(s.most - s.quarter) / hz));
  line("whole", o.bytes / (double(s.last - s.first + 1) / hz));
  line("report_ns", s.ns(s.done_sum / s.reported));      // a user command, from its port to its report
  line("commands", s.drive.commands);
  line("in_flight", s.drive.most_in_flight);
  line("bells", s.drive.bells);
  line("stall_ns", s.ns(s.s_stall));
  line("up_busy", s.link.up.busy / (s.now - begin));
  line("down_busy", s.link.down.busy / (s.now - begin));
  line("rx_stalled", s.ports.rx_stalled);
}
