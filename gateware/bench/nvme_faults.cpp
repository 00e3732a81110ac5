// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Random commands and random faults for ls_nvme_host, or a stripe of DRIVES, under a model of what may be on the drives
// (nvme_world.h, nvme_random.h): `--seed S --faults N`. In
// the end the power is lost once more, and everything is read. One line per figure: name <tab> value.
// `--matrix 1` is each fault at each phase instead: fault <tab> phase <tab> what happened.
// `--plant CHECK` makes what the checks see wrong, so that it is known that they see it.
#include "nvme_matrix.h"
#include "nvme_random.h"

static World* world;
static uint64_t seed = 1;
static const uint64_t* happened = nullptr;              // faults so far, where they are counted

[[noreturn]] void wrong(const std::string& what) {
  if (world)
    for (const std::string& line : world->log) fprintf(stderr, "%s\n", line.c_str());
  fprintf(stderr, "FAIL width %u seed %llu fault %llu cycle %llu: %s\n", Width, (unsigned long long)seed,
          (unsigned long long)(happened ? *happened : 0), (unsigned long long)(world ? world->now : 0), what.c_str());
  exit(1);
}

// A rule of a stream that is broken, by the host or by us.
void vl_stop(const char* file, int line, const char*) VL_MT_UNSAFE { wrong(std::string("a rule of the streams: ") + file + ":" + std::to_string(line)); }
void vl_fatal(const char* file, int line, const char*, const char* what) VL_MT_UNSAFE { wrong(std::string(file) + ":" + std::to_string(line) + " " + what); }

static void line(const std::string& name, double v) { printf("%s\t%.9g\n", name.c_str(), v); }

static void matrix() {
  for (unsigned f = 1; f < unsigned(Fault::Plain); f++)
    for (unsigned all = 0; all < std::min(Drives, 2u); all++)
      for (unsigned p = 0; p < unsigned(Phase::Count); p++) {
        if (!meets(Fault(f), Phase(p))) continue;
        Case one(Fault(f), Phase(p), all, seed);
        world = &one.w;
        std::string name = std::string(name_of(Fault(f))) + (all ? ", at both" : "");
        one.w.say(name + " at " + name_of(Phase(p)));
        std::string text = one.run();
        printf("%s\t%s\t%s\n", name.c_str(), name_of(Phase(p)), text.c_str());
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
  Random r(seed, faults, plant);
  world = &r.w;
  happened = &r.happened;
  r.run();
  line("faults", r.happened);
  for (unsigned f = 1; f < Kinds; f++) line(std::string("fault, ") + name_of(Fault(f)), r.by_kind[f]);
  for (unsigned y = 0; y < (Beside ? unsigned(WhyCount) : unsigned(WhyLost)); y++) line(std::string("reported, ") + name_of(Why(y)), r.w.whys[y]);
  for (unsigned m = 0; m < unsigned(Moment::Count); m++) line(std::string("struck, ") + name_of(Moment(m)), r.by_moment[m]);
  auto sum = [&](auto of) { return std::accumulate(r.w.sides.begin(), r.w.sides.end(), uint64_t(0), [&](uint64_t n, const Side& s) { return n + of(s); }); };
  if (Shared) {
    line("at all drives, by the link above the switch", r.alls * Drives);
    line("TLPs for a drive whose link was down", r.w.switches[0].unlinked);
  }
  line("brought up", sum([](const Side& s) { return s.ups; }));
  line("failed until told to begin again", sum([](const Side& s) { return s.deaths; }));
  line("losses of power", sum([](const Side& s) { return s.truth.losses(); }));
  line("flushes that succeeded", r.w.flushes);
  line("blocks read and compared", r.w.blocks_read);
  line("versions that one of them may have been, on average", double(r.w.possible) / r.w.blocks_read);
  line("blocks that reached the drive", sum([](const Side& s) { return s.blocks_stored; }));
  line("of these after the report of their command", sum([](const Side& s) { return s.late_stores; }));
  if (Beside) {
    const BesideDrive& d = r.w.sides[0].drive;
    line("commands given again", r.w.pieces.again);
    line("of these with success in the end", r.w.pieces.made_good);
    line("Aborts", d.aborts);
    line("commands aborted", d.aborted);
    line("Formats at the drive", d.formats);
    line("Formats reported done", r.w.formats);
    line("logs read", r.w.health.ended);
    line("logs that ended with an error status", r.w.health.refused);
    line("logs that ended with a failure", r.w.health.failed);
    line("begun again by itself", r.w.by_itself.begins);
    line("flushes that told of a loss", r.w.by_itself.lost);
  }
  line("cycles", r.w.now);
}
