// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Random traffic through the engine for a number of cycles: soak --seed S --cycles N [--trace FILE --from CYCLE]
// [--plant NAME]. It goes in epochs. Each has settings, a mood, and sessions of the channels as they come; at its
// end no fault is made any more, and all that was asked for must come to its end.
#include "bench.h"

#include <algorithm>
#include <cstring>
#include <map>

World world;
static Bench* bench;
static uint64_t cycles = 100000, epochs = 0;
static const std::map<std::string, Plant> plants = {
    {"read_byte", Plant::ReadByte}, {"write_byte", Plant::WriteByte}, {"sent_byte", Plant::SentByte}, {"window_byte", Plant::WindowByte},
    {"record", Plant::Record}, {"interrupt", Plant::Interrupt}, {"report", Plant::Report}, {"answer", Plant::Answer}, {"hang", Plant::Hang}};

[[noreturn]] static void told(const char* what) {
  fflush(stdout);
  fprintf(stderr, "FAIL width %u seed %llu cycle %llu epoch %llu: %s\n", Width, (u64)world.seed, (u64)world.now, (u64)epochs, what);
#if VM_TRACE_FST
  if (bench && bench->trace.isOpen()) bench->trace.close();
#endif
  fflush(stderr);
  _Exit(1);
}
void fail(const char* format, ...) {
  char text[1000];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  told(text);
}
// An assertion of the RTL's checkers ends the run here.
void vl_stop(const char* file, int line, const char* where) VL_MT_UNSAFE {
  char text[500];
  snprintf(text, sizeof text, "assertion at %s:%d in %s", file, line, where);
  told(text);
}
void vl_fatal(const char* file, int line, const char* where, const char* what) VL_MT_UNSAFE {
  char text[500];
  snprintf(text, sizeof text, "%s at %s:%d in %s", what, file, line, where);
  told(text);
}

static void place_areas() {
  Rng& rng = world.rng;
  for (unsigned i = 0; i < Places; i++) {
    unsigned kind = rng.below(3);
    uint64_t high = (uint64_t(rng.below(1 << 20)) << 44) | uint64_t(i + 1) << 36;
    bool data = i < P2pPort;        // may lie on both sides of a multiple of 4 GiB
    world.area[i].base = kind == 0 ? uint64_t(i + 1) << 24 : kind == 1 || !data ? high : high + (1ull << 32) - 0x80000;
  }
}
// What firmware and a driver's start do; after a reset as well.
static bool ready = false;
static unsigned starts = 0;
static void set_up() {
  Bench& b = *bench;
  Rng& rng = world.rng;
  ready = false;
  for (unsigned v = 0; v < 4; v++) {
    b.table[v] = world.area[Msix].base + 256 * v + 4 * rng.below(64);
    b.vector_data[v] = uint32_t(rng.next());
    b.host.write(0x1000 + 16 * v, b.table[v]);
    b.host.write(0x1008 + 16 * v, b.vector_data[v]);
  }
  b.host.write_low(0x18, world.tick / 256);
  unsigned page = 0x100, mine = ++starts;
  for (unsigned* attr : {&b.reader.attr, &b.writer.attr, &b.sender.attr}) {
    *attr = rng.below(8);
    b.host.write_low(page, *attr << 4);
    page += 0x100;
  }
  b.host.read(0, [mine](uint64_t v) {
    must(v == 0x00010000'5043534cull, "identity %llx", (u64)v);
    ready |= mine == starts;
  });
}

static void draw_mood() {
  Rng& rng = world.rng;
  Mood m;
  unsigned trouble = rng.below(4);              // a quarter of all epochs has none
  if (trouble && !world.calls) {
    if (rng.chance(600)) m.fault = rng.chance(512) ? 4 : 60;
    if (rng.chance(300)) m.late = rng.chance(512) ? 4 : 40;
    if (rng.chance(500)) m.abort = rng.chance(512) ? 200 : 600;
    if (rng.chance(400)) m.master = rng.chance(512) ? 100 : 500;
    if (rng.chance(200)) m.flr = 100;
    if (rng.chance(400)) m.stall = 400;
  }
  unsigned all = rng.below(3);
  for (auto& p : m.pause) p = all == 0 ? 0 : all == 1 ? rng.below(900) : rng.chance(512) ? 0 : rng.below(1000);
  m.latency = rng.chance(300) ? 0 : rng.chance(512) ? 100 : world.tick / 3;
  m.cut = rng.below(3);
  m.in_order = rng.chance(300);
  m.mixed = rng.chance(600);
  world.mood = m;
}

static void command(unsigned i) {
  Bench& b = *bench;
  Rng& rng = world.rng;
  auto c = std::make_shared<Command>();
  static const Place where[] = {H2cPort, C2hPort, P2pPort};
  unsigned fixed = i == 1 ? b.writer.fixed : 0;
  c->len = fixed ? fixed : rng.chance(400) ? rng.range(1, 130) : rng.chance(800) ? rng.range(1, 2100) : rng.range(1, 12000);
  if (world.mood.fault && rng.chance(20)) c->len = 0, c->bad = true;
  c->addr = world.area[where[i]].base + rng.below(i == 2 ? 1 << 17 : unsigned(AreaSize) - 16384);
  if (rng.chance(400)) c->addr &= ~63ull;
  c->eof = i == 0 || fixed || rng.chance(512);
  c->sof = true;
  c->id = rng.below(1 << 24);
  b.port[i].push_back(c);
}

// The third channel has no ring: its abort is done here.
struct Sender {
  enum { Runs, Aborting, Settling, Releasing } state = Runs;
  unsigned epoch = 0, still = 0;
  bool waiting = false;
  uint64_t aborts = 0;
  void reset() { state = Runs, waiting = false, epoch++; }
  void abort() {
    if (state != Runs) return;
    aborts++;
    state = Aborting;
    bench->sender.lax = true;
    bench->sender.lax_since = world.now;
    bench->host.write_low(0x300, 2 | bench->sender.attr << 4);
  }
  void run() {
    if (state == Settling) {        // what stands at the way out goes first
      still = bench->top->tx_valid_o ? 0 : still + 1;
      if (still == 40) settled();
    }
    if (state != Aborting || waiting) return;
    waiting = true;
    unsigned mine = epoch;
    bench->host.read(0x340, [this, mine](uint64_t v) {
      if (epoch != mine) return;
      waiting = false;
      if (!(v & 1)) state = Settling, still = 0;
    });
  }
  void settled() {
    bench->sender.none_left("card to card");
    bench->sender.drop();
    state = Releasing;
    bench->host.write_low(0x300, bench->sender.attr << 4);
    unsigned mine = epoch;
    bench->host.read(0x340, [this, mine](uint64_t) { if (epoch == mine) state = Runs, bench->sender.held = false; });
  }
};
static Sender sender;

// What may happen in any cycle.
static void happen() {
  Bench& b = *bench;
  Rng& rng = world.rng;
  const Mood& m = world.mood;
  if (world.calls) return;
  if (b.host.waiting() < 60 && b.host.unanswered() < 8) {
    if (rng.chance(20)) b.host.some_access();
    if (rng.chance(30)) b.host.to_window(rng.chance(300));
    if (rng.chance(2)) {
      unsigned v = rng.below(4);
      b.host.write_low(0x100c + 16 * v, rng.chance(300));
    }
  }
  for (unsigned i = 0; i < 3; i++)
    if (ready && b.port[i].size() < 4 && rng.chance(20) && (i == 2 || m.mixed)) command(i);
  if (rng.below(1024) || !ready) return;
  if (rng.chance(m.abort)) b.channel[rng.below(2)].abort();
  if (rng.chance(m.abort / 2)) sender.abort();
  if (rng.chance(m.stall)) b.stalled[rng.below(8)] = world.now + rng.range(100, 3 * world.tick);
  if (rng.chance(100)) world.msix = !world.msix;
}

static void after_reset() {
  Bench& b = *bench;
  b.reader.clear();
  b.writer.clear();
  b.sender.clear();
  for (auto& c : b.channel) c.reset();
  for (auto& p : b.port) p.clear();
  sender.reset();
  b.host.forget();
  b.forget_interrupts();
}

static uint64_t master_until = 0;
static void cycle(bool wild) {
  Bench& b = *bench;
  b.pulse = wild && ready && !b.flr;
  if (b.flr && b.top->flr_done_o) {             // from now on as after power up
    b.flr = false;
    after_reset();
    b.memory.forget_all();
    b.host.forget_shadow();
    for (unsigned i = 0; i < 8; i++) b.step();  // a host waits longer
    set_up();
  } else if (b.flr) {
    bool was = b.in_reset;
    b.top->flr_i = 0;
    b.step();
    if (!was && b.in_reset) after_reset(), b.memory.forget(512);
    return;
  }
  if (wild) {
    happen();
    if (world.master && !world.rng.below(1024) && world.rng.chance(world.mood.master)) {
      world.master = false;
      b.offs++;
      master_until = world.now + world.rng.range(20, 2 * world.tick);
    }
    if (!world.rng.below(1024) && world.rng.chance(world.mood.flr)) {
      b.flr = true;
      b.resets++;
      b.top->flr_i = 1;
    }
  }
  if (!world.master && world.now >= master_until) world.master = true;
  for (unsigned i = 0; i < 2 && ready; i++) b.channel[i].run(!b.top->tx_valid_o && (i || !b.top->h2c_valid_o));   // a record may stand at the way out
  sender.run();
  b.step();
}

static void epoch() {
  Bench& b = *bench;
  Rng& rng = world.rng;
  epochs++;
  world.mps = 128u << rng.below(4);
  world.mrrs = 128u << rng.below(6);
  world.ext_tag = !rng.chance(200);
  world.tick = 256 * rng.range(4, 10);
  world.msix = true;
  place_areas();
  draw_mood();
  set_up();
  b.sender.fixed = rng.chance(300) ? rng.range(1, 300) : 0;
  for (unsigned i = 0; !ready; i++) {
    must(i < 30000, "the registers do not answer: %zu beats wait, %zu reads", b.host.waiting(), b.host.unanswered());
    cycle(false);
  }
  b.host.faults_must = 0;
  for (auto& c : b.channel) c.wanted = !world.calls || c.writer_side();
  for (unsigned left = world.calls ? 200000 : rng.range(1000, rng.chance(100) ? 60000 : 15000); left; left--) cycle(true);

  // To the end: no more trouble.
  world.mood.fault = world.mood.late = 0;
  for (auto& p : world.mood.pause) p = std::min(p, 300u);
  std::fill(b.stalled, b.stalled + 8, 0);
  world.msix = true;
  for (auto& c : b.channel) c.wanted = false;
  uint64_t begun = world.now, patience = 40ull * world.tick + 60000;
  bool last_asked = false;
  unsigned faults = 0, quiet = 0;
  while (quiet < 400) {
    for (auto& c : b.channel) c.drain();
    bool idle = b.idle() && sender.state == Sender::Runs;
    if (idle && !last_asked) {
      last_asked = true;
      b.host.to_window(true);
      for (unsigned v = 0; v < 4; v++) b.host.write_low(0x100c + 16 * v, 0);
      b.host.read(0x10, [&](uint64_t v) { faults = unsigned(v); });
      b.host.write_low(0x10, 0xfff);
    }
    quiet = idle && last_asked && b.host.idle() ? quiet + 1 : 0;
    if (b.flr) last_asked = false;
    cycle(false);
    if (world.now - begun >= patience)
      fail("no end: commands wait %zu %zu %zu; at the way out %u %u; ring %zu %zu, port %zu %zu, card to card %zu, reads out %zu, stream %zu pieces, window %zu bytes, answers %zu, states %u %u %u, last moved in %llu",
         b.port[0].size(), b.port[1].size(), b.port[2].size(), b.top->tx_valid_o, b.top->rq_valid_o, b.reader.src[0].unreported.size(), b.writer.src[0].unreported.size(), b.reader.src[1].unreported.size(),
         b.writer.src[1].unreported.size(), b.sender.src[1].unreported.size(), b.memory.waiting(), b.reader.to_come(), b.host.to_come(), b.host.unanswered(), unsigned(b.channel[0].state),
         unsigned(b.channel[1].state), unsigned(sender.state), (u64)world.moved);
  }
  b.check_interrupts();
  must((faults & b.host.faults_must) == b.host.faults_must, "faults %x, and %x must be told", faults, b.host.faults_must);
  must(!(faults >> 7), "faults %x", faults);
}

int main(int argc, char** argv) {
  const char* trace = nullptr;
  uint64_t from = 0;
  Plant plant = Plant::None;
  uint64_t frames = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string o = argv[i];
    if (o[0] == '+') i--;           // for the RTL
    else if (o == "--seed") world.seed = strtoull(argv[i + 1], nullptr, 0);
    else if (o == "--cycles") cycles = strtoull(argv[i + 1], nullptr, 0);
    else if (o == "--trace") trace = argv[i + 1];
    else if (o == "--frames") frames = strtoull(argv[i + 1], nullptr, 0), world.calls = true;
    else if (o == "--from") from = strtoull(argv[i + 1], nullptr, 0);
    else if (o == "--plant" && plants.count(argv[i + 1])) plant = plants.at(argv[i + 1]);
    else return fprintf(stderr, "soak: what is %s %s?\n", argv[i], argv[i + 1]), 2;
  }
  world.rng.s = (world.seed << 16 | Width) * 0xd1342543de82ef95ull;      // seeds that follow each other share no draws
  world.rng.s = world.rng.next();
  for (unsigned p : {H2cRing, H2cPort}) for (auto& x : world.area[p].bytes) x = uint8_t(world.rng.next() >> 40);
  Bench b(MAX_PAYLOAD, MAX_REQUEST);
  bench = &b;
  b.ctx.commandArgs(argc, argv);
  b.plant = plant;
  b.plant_at = cycles / 8;
  if (trace) b.trace_to(trace, from);
  b.power_up();
  while (frames ? b.writer.ends < frames : world.now < cycles) epoch();
  printf("width %u seed %llu: %llu cycles, %llu epochs; host to card %llu bytes in %llu frames (%llu in error), card to host %llu, "
         "card to card %llu, window %llu; %llu reads (%llu made to fail, %llu too late), %llu writes, %llu commands, %llu sessions, %llu records, "
         "%llu failed fetches, %llu interrupts, %llu answers; %llu aborts, %llu times without bus mastering, %llu function-level resets\n",
         Width, (u64)world.seed, (u64)world.now, (u64)epochs, (u64)b.reader.bytes, (u64)b.reader.frames, (u64)b.reader.bad_frames,
         (u64)b.writer.bytes, (u64)b.sender.bytes, (u64)b.host.bytes, (u64)b.reads, (u64)b.memory.faults, (u64)b.memory.late,
         (u64)b.tlps, (u64)b.commands, (u64)(b.channel[0].sessions + b.channel[1].sessions),
         (u64)(b.channel[0].records + b.channel[1].records), (u64)(b.channel[0].failed_fetches + b.channel[1].failed_fetches),
         (u64)b.interrupts, (u64)b.host.answers, (u64)(b.channel[0].aborts + b.channel[1].aborts + sender.aborts), (u64)b.offs, (u64)b.resets);
  printf("card to host %llu frames; %llu commands skipped where a frame would begin; %llu records that ended aborts\n",
         (u64)b.writer.ends, (u64)b.writer.skips, (u64)(b.channel[0].ended + b.channel[1].ended));
  if (b.plant != Plant::None) fail("what was planted was never met");
  return 0;
}
