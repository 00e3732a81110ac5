// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// ls_nvme_recorder records a stream of constant rate on a drive whose write cache runs out: it takes `fast` bytes/s until
// `cache` bytes are written, `slow` bytes/s for the next `slow_bytes`, and `fast` again. The buffer between the stream
// and the host is ls_axi_fifo, in the place of a board's memory a model of it (axi_memory.h) whose rate, latency and
// refresh are set. One line per figure: name <tab> value. Every byte that reaches the drive is
// compared, each write must go on where the last one ended, around the region; the gateware's figures must be those
// that are counted here.
#include "axi_memory.h"
#include "nvme_below.h"
#include "verilated.h"

struct Options {
  unsigned gen = 3, mhz = 125, mps = 256;
  uint64_t bytes = 64 << 20;        // of the stream
  // The memory: bytes/s of reads and writes together, and how it refreshes (tREFI and tRFC of DDR4, 8 Gbit: JESD79-4).
  double mem = 1e10, mem_latency_ns = 200, refi_ns = 7800, rfc_ns = 350;
  uint64_t refuse = ~0ull;          // which of its writes is answered with an error
  uint64_t region = 256 << 20;
  unsigned chunk = 32;              // blocks
  uint64_t cache = 32 << 20, slow_bytes = 8 << 20;
  double rate = 2.5e9, fast = 3.2e9, slow = 1e8;
  double latency_ns = 1000, flight_ns = 150;
};

[[noreturn]] void wrong(const std::string& what) {
  fprintf(stderr, "%s\n", what.c_str());
  exit(1);
}

class CacheDrive : public Drive {
 public:
  const Options& o;
  uint64_t asked = 0, got = 0, given = 0;               // bytes: read of the host; here; in commands
  uint64_t flushes = 0, wraps = 0, slow_at = 0;
  double due = 0;

  explicit CacheDrive(const Options& given_o) : Drive(given_o.mps == 128 ? 0 : given_o.mps == 256 ? 1 : 2, 5, 20), o(given_o) {}

 protected:
  double latency(const Command&) override { return o.latency_ns * o.mhz / 1000; }
  // Write data is read 512 bytes at a time, as the buffer's units are.
  bool takes_data() override {
    if (now < due) return false;
    bool slow = asked >= o.cache && asked < o.cache + o.slow_bytes;
    if (slow && !slow_at) slow_at = now;
    due = std::max(due, now - 1.0) + 512 / (slow ? o.slow : o.fast) * o.mhz * 1e6;
    asked += 512;
    return true;
  }
  void begins(Command& c) override {
    if (c.op == NvmFlush) {
      flushes++;
      if (got != given) wrong("a flush while writes are under way");
    } else if (c.op != NvmWrite || c.at != given % o.region || c.at + c.bytes > o.region) {
      wrong("a command that does not go on where the last one ended");
    }
    c.number = given;                                   // where its data is in the stream
    given += c.bytes;
    wraps += c.bytes && given % o.region == 0;
  }
  void want(Command&, unsigned, uint8_t*, unsigned) override { wrong("a read"); }
  void have(Command& c, unsigned pos, const uint8_t* from, unsigned n) override {
    for (unsigned i = 0; i < n; i += 8) {
      uint64_t word;
      memcpy(&word, from + i, 8);
      if (word != word_of(c.number + pos + i)) wrong("a wrong word at byte " + std::to_string(c.number + pos + i));
    }
    got += n;
  }
};

struct Figures {
  uint64_t pieces = 0, bytes = 0, cycles = 0, stalled = 0, longest = 0, high = 0;
};

struct Sim {
  Options o;
  VerilatedContext ctx;
  Vtop* top = new Vtop(&ctx);
  CacheDrive drive;
  Below<Vtop> below;
  AxiMemory<Vtop> memory;
  uint64_t now = 0, begun = 0;
  Figures told, own;
  uint64_t run = 0, first_stall = 0, began_at = 0;
  double due = 0;
  bool started = false, ended = false;
  unsigned end = 0;

  explicit Sim(const Options& given) : o(given), drive(o), below(top, o.gen, o.mhz, o.mps, o.flight_ns, drive), memory(top, uint64_t(1) << EXT_LOG2) {
    drive.flight = below.link.flight;
    memory.rate = o.mem / (o.mhz * 1e6);
    memory.latency = o.mem_latency_ns * o.mhz / 1000;
    memory.refresh_each = o.refi_ns * o.mhz / 1000;
    memory.refresh = o.rfc_ns * o.mhz / 1000;
    memory.refuse = o.refuse;
    top->clk_i = top->rst_ni = 0;
    top->link_i = top->m_ready_i = 1;
    for (int i = 0; i < 8; i++) step();
    top->rst_ni = 1;
    for (int i = 0; !top->run_o; i++) {
      step();
      if (top->dead_o || i > 3000000) wrong("the drive does not come up: step " + std::to_string(top->step_o));
    }
    unsigned at = 0;
    put(top->ask_i, at, 16, o.chunk);
    put(top->ask_i, at, 48, o.bytes / 512);             // count
    put(top->ask_i, at, 48, 0);                         // offset
    put(top->ask_i, at, 48, o.region / 512);
    put(top->ask_i, at, 48, 0);                         // first
    put(top->ask_i, at, 2, 0);                          // skip, play
    top->start_i = 1;
    step();
    top->start_i = 0;
    for (int i = 0; i < 8; i++) step();
    started = true;
  }
  ~Sim() { delete top; }
  double ns(double cycles) const { return cycles * 1000 / o.mhz; }
  static void beat(void* to, uint64_t at) {
    for (unsigned i = 0; i < Bytes; i += 8) {
      uint64_t word = word_of(at + i);
      memcpy(static_cast<uint8_t*>(to) + i, &word, 8);
    }
  }

  void step() {
    bool s = started && own.bytes < o.bytes && now >= due;
    top->s_valid_i = s;
    if (s) beat(&top->s_data_i, own.bytes);
    memory.show(double(now));
    below.show();
    top->clk_i = 0;
    top->eval();
    if (top->rst_ni) {
      taken(s);
      memory.move();
      below.move();
    }
    top->clk_i = 1;
    top->eval();
    below.wires(now);
    now++;
  }
  void taken(bool s) {
    if (top->stray_o) wrong("a TLP that nobody waits for");
    if (top->fail_valid_o) wrong("a command that failed");
    if (top->fig_valid_o) piece();
    if (top->ended_o) ended = true, end = top->end_o;
    if (!began_at && s) began_at = now;
    if (!s || top->s_ready_o) {
      run = 0;
    } else {
      if (!first_stall) first_stall = now;
      own.stalled++;
      own.longest = std::max(own.longest, ++run);
    }
    if (s && top->s_ready_o) {
      own.bytes += Bytes;
      own.cycles = now - began_at + 1;
      due = std::max(due + Bytes / o.rate * o.mhz * 1e6, double(now));
    }
  }
  void piece() {
    unsigned at = 0;
    uint64_t high = ::take(top->fig_o, at, 40), longest = ::take(top->fig_o, at, 48), stalled = ::take(top->fig_o, at, 48),
             cycles = ::take(top->fig_o, at, 48), bytes = ::take(top->fig_o, at, 40);
    told.pieces++;
    told.bytes += bytes;
    told.cycles += cycles;
    told.stalled += stalled;
    told.longest = std::max(told.longest, longest);
    told.high = std::max(told.high, high);
  }

  void go() {
    uint64_t before = 0, since = now, rest = 1000000 + uint64_t(o.mhz * 1e6 * 65536 / o.slow);
    while (!ended) {
      step();
      if (drive.got + own.bytes != before) before = drive.got + own.bytes, since = now;
      else if (now - since > rest) wrong("it stands still at " + std::to_string(drive.got));
    }
    if (o.refuse != ~0ull) {
      if (end != 6 || top->mm_wr_bad_o != 2 || top->busy_o || drive.got > o.refuse * 1024) wrong("a refused write ended it with " + std::to_string(end));
      return;
    }
    if (end != 1) wrong("it ended with " + std::to_string(end));
    if (drive.got != o.bytes || drive.asked != o.bytes || drive.flushes != 1) wrong("not all of it, or no flush after it, has come to the drive");
    if (told.bytes != own.bytes || told.cycles != own.cycles || told.stalled != own.stalled || told.longest != own.longest)
      wrong("the figures are not those of the bench");
  }
};

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
    else if (key == "bytes") o.bytes = uint64_t(v) / 512 * 512;
    else if (key == "mem") o.mem = v;
    else if (key == "mem_latency") o.mem_latency_ns = v;
    else if (key == "refi") o.refi_ns = v;
    else if (key == "rfc") o.rfc_ns = v;
    else if (key == "refuse") o.refuse = v;
    else if (key == "region") o.region = uint64_t(v) / 512 * 512;
    else if (key == "chunk") o.chunk = v;
    else if (key == "cache") o.cache = v;
    else if (key == "slow_bytes") o.slow_bytes = v;
    else if (key == "rate") o.rate = v;
    else if (key == "fast") o.fast = v;
    else if (key == "slow") o.slow = v;
    else if (key == "latency") o.latency_ns = v;
    else if (key == "flight") o.flight_ns = v;
    else wrong("what is " + a);
  }
  if (!o.bytes || !o.region || o.rate <= 0 || o.slow <= 0 || o.fast <= 0 || o.mem <= 0) wrong("bytes, region and all rates must be more than 0");
  Sim s(o);
  s.go();
  line("first_stall_ns", s.first_stall && s.drive.slow_at ? s.ns(double(s.first_stall) - double(s.drive.slow_at)) : -1);
  line("stalled_ns", s.ns(s.told.stalled));
  line("longest_ns", s.ns(s.told.longest));
  line("high", s.told.high);
  line("rate", s.told.bytes / (s.ns(s.told.cycles) * 1e-9));
  line("pieces", s.told.pieces);
  line("wraps", s.drive.wraps);
  line("cycles", s.now);
}
