// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Random commands and random faults for ls_nvme_host, under a model of what may be on the drive (nvme_world.h): `--seed S
// --faults N`. After a failure the user tells the host to begin again; after a loss of power it reads everything. In
// the end the power is lost once more, and everything is read. One line per figure: name <tab> value.
// `--matrix 1` is each fault at each phase instead: fault <tab> phase <tab> what happened.
// `--plant CHECK` makes what the checks see wrong, so that it is known that they see it.
#include "nvme_matrix.h"

#include <cmath>

static World* world;
static uint64_t seed = 1, happened = 0;

[[noreturn]] void wrong(const std::string& what) {
  if (world)
    for (const std::string& line : world->log) fprintf(stderr, "%s\n", line.c_str());
  fprintf(stderr, "FAIL width %u seed %llu fault %llu cycle %llu: %s\n", Width, (unsigned long long)seed,
          (unsigned long long)happened, (unsigned long long)(world ? world->now : 0), what.c_str());
  exit(1);
}

// A rule of a stream that is broken, by the host or by us.
void vl_stop(const char* file, int line, const char*) VL_MT_UNSAFE { wrong(std::string("a rule of the streams: ") + file + ":" + std::to_string(line)); }
void vl_fatal(const char* file, int line, const char*, const char* what) VL_MT_UNSAFE { wrong(std::string(file) + ":" + std::to_string(line) + " " + what); }

constexpr unsigned Space = 128;                         // blocks

class Random {
 public:
  World w;
  std::mt19937_64 rng;
  uint64_t by_kind[unsigned(Fault::Count)] = {};
  uint64_t faults;

  Random(uint64_t n, const std::string& plant) : w(seed, Space, seed % 2 ? 128 : 256), rng(seed), faults(n) {
    world = &w;
    w.plant = plant;
    w.drive.flushes = plant != "flush";
    w.on_hit = [this](Fault f) {
      happened++;
      by_kind[unsigned(f)]++;
      if (f == Fault::Removed || f == Fault::Ones) read_all_ = true;
    };
    mood();
  }
  void run() {
    while (happened < faults) {
      if (w.now >= mood_at_) mood();
      schedule();
      ask();
      go();
    }
    w.drive.armed = Fault::None;
    ends();
  }

 private:
  uint64_t below(uint64_t n) { return rng() % n; }
  void mood() {                                         // how fast everybody is, for a while
    auto draw = [&] { return below(2) ? 1.0 : 0.1 + below(90) / 100.0; };
    w.chances = {draw(), draw(), draw(), draw(), draw(), draw()};
    w.chances.cpl = std::max(w.chances.cpl, 0.5);       // what is out takes less time than a command may
    bool large = !below(3);
    longest_ = large ? 40 : 8;
    depth_ = 1 + below(large ? 4 : 14);
    w.drive.slowest = 1 + below(800);
    mood_at_ = w.now + 20000;
  }
  void schedule() {
    if (w.drive.armed != Fault::None && w.now < disarm_at_) return;
    w.drive.armed = Fault::None;
    if (w.now < fault_at_) return;
    fault_at_ = w.now + (below(6) ? 300 + below(4000) : below(100));
    Fault f = draw();
    if (!at_once(f)) {
      w.drive.armed = f;
      w.drive.only_op = at_answer(f) || !below(4) ? -1 : int(below(3));
      disarm_at_ = w.now + 3000;
    } else if (w.drive.healthy() && !w.down()) {
      uint64_t cycles = f == Fault::PauseShort ? 50 + below(450) : f == Fault::PauseLong ? 1000 + below(20000) : 3000 + below(6000);
      w.comes(f, cycles);
    }
  }
  Fault draw() {
    if (below(2)) return below(3) ? Fault::Status : Fault::StatusDnr;
    return Fault(1 + below(unsigned(Fault::Count) - 1));
  }
  void ask() {
    bool up = w.top->run_o;
    if (w.top->dead_o && !was_dead_) refused_ = below(4);
    was_dead_ = w.top->dead_o;
    if (up && read_all_ && w.waiting.empty()) {
      for (unsigned lba = 0; lba < Space; lba += 32) w.give(OpRead, lba, 32);
      read_all_ = false;
    }
    if (!w.waiting.empty() || w.out.size() >= depth_) return;
    if (!up) {
      if (!refused_ || !w.top->dead_o) return;
      refused_--;
    }
    unsigned kind = below(100), blocks = 1 + below(longest_), lba = below(Space - blocks + 1);
    if (kind < 12) w.give(OpFlush);
    else if (kind < 55) w.give(OpRead, lba, blocks);
    else w.give(OpWrite, lba, blocks, !below(8));
  }
  void go() {
    if (w.top->dead_o && !restart_at_) restart_at_ = w.now + 50 + below(4000);
    if (restart_at_ && w.now >= restart_at_) {
      w.restart = w.top->dead_o;
      restart_at_ = 0;
    }
    w.step();
  }
  void settle() {
    while (!w.idle() || !w.top->run_o || w.down() || !w.drive.healthy()) go();
  }
  void ends() {
    settle();
    w.give(OpFlush);
    settle();
    w.comes(Fault::Removed, 4000);
    while (w.top->run_o) go();
    settle();
    uint64_t before = w.blocks_read;
    for (unsigned lba = 0; lba < Space; lba += 32) w.give(OpRead, lba, 32);
    settle();
    if (w.blocks_read - before != Space) wrong("not all could be read in the end");
  }

  uint64_t fault_at_ = 0, disarm_at_ = 0, mood_at_ = 0, restart_at_ = 0;
  unsigned depth_ = 8, longest_ = 8, refused_ = 0;
  bool read_all_ = false, was_dead_ = false;
};

static void line(const std::string& name, double v) { printf("%s\t%.9g\n", name.c_str(), v); }

static void matrix() {
  for (unsigned f = 1; f < unsigned(Fault::Count); f++)
    for (unsigned p = 0; p < unsigned(Phase::Count); p++) {
      if (!meets(Fault(f), Phase(p))) continue;
      Case one(Fault(f), Phase(p), seed);
      world = &one.w;
      one.w.say(std::string(name_of(Fault(f))) + " at " + name_of(Phase(p)));
      std::string text = one.run();
      printf("%s\t%s\t%s\n", name_of(Fault(f)), name_of(Phase(p)), text.c_str());
      world = nullptr;
    }
}

int main(int argc, char** argv) {
  uint64_t faults = 1000;
  std::string plant;
  bool each = false;
  for (int i = 1; i < argc; i++) {
    std::string a = argv[i];
    if (i + 1 == argc) wrong("a value is missing after " + a);
    if (a == "--seed") seed = strtoull(argv[++i], nullptr, 0);
    else if (a == "--faults") faults = strtoull(argv[++i], nullptr, 0);
    else if (a == "--plant") plant = argv[++i];     // of those that scripts/nvme_faults.py names
    else if (a == "--matrix") each = atoi(argv[++i]);
    else wrong("what is " + a);
  }
  if (each) return matrix(), 0;
  Random r(faults, plant);
  r.run();
  line("faults", happened);
  for (unsigned f = 1; f < unsigned(Fault::Count); f++) line(std::string("fault, ") + name_of(Fault(f)), r.by_kind[f]);
  for (unsigned y = 0; y < WhyCount; y++) line(std::string("reported, ") + name_of(Why(y)), r.w.whys[y]);
  line("brought up", r.w.ups);
  line("failed until told to begin again", r.w.deaths);
  line("losses of power", r.w.truth.losses());
  line("flushes that succeeded", r.w.flushes);
  line("blocks read and compared", r.w.blocks_read);
  line("versions that one of them may have been, on average", double(r.w.possible) / r.w.blocks_read);
  line("blocks that reached the drive", r.w.blocks_stored);
  line("of these after the report of their command", r.w.late_stores);
  line("cycles", r.w.now);
}
