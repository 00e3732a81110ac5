// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What all parts of the soak share: the time, the draws, the settings of this host, areas of bus addresses,
// and how a failure is told. All draws come from one generator, so a seed is a run.
#pragma once
#include "host.h"

#include <cstdarg>
#include <functional>
#include <memory>
#include <string>

struct Rng {
  uint64_t s = 1;
  uint64_t next() {
    uint64_t z = (s += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  unsigned below(unsigned n) { return unsigned((next() >> 32) * n >> 32); }
  unsigned range(unsigned a, unsigned b) { return a + below(b - a + 1); }
  bool chance(unsigned in1024) { return below(1024) < in1024; }
};

enum Cause : unsigned {
  None = 0, Timeout = 1, Ur = 2, Ca = 3, Poison = 4, Length = 5, Abort = 6, Fetch = 7, Unexpected = 9
};
constexpr unsigned bit(unsigned cause) { return 1u << cause; }

// Where a bus address belongs: who may read or write there is known from it alone.
enum Place : unsigned { H2cRing, H2cPort, C2hRing, C2hPort, P2pPort, Desc0, Desc1, Rec0, Rec1, Msix, Places };
constexpr uint64_t AreaSize = 1 << 20;
struct Area {
  uint64_t base = 0;
  std::vector<uint8_t> bytes = std::vector<uint8_t>(AreaSize);
  bool has(uint64_t a) const { return a - base < AreaSize; }
  uint8_t& at(uint64_t a) { return bytes[(a - base) & (AreaSize - 1)]; }
};

// How an epoch treats the engine. Chances are of 1024.
struct Mood {
  unsigned fault = 0;           // of a read to go wrong
  unsigned late = 0;            // of a read to come about when its time is up
  unsigned abort = 0;           // of a channel to be aborted, each 1024 cycles
  unsigned master = 0;          // of bus mastering to be turned off, likewise
  unsigned flr = 0;             // of a function-level reset, likewise
  unsigned pause[8] = {};       // of each ready or valid to be low in a cycle
  unsigned stall = 0;           // of one of them to stand still for long, each 1024 cycles
  unsigned latency = 0;         // cycles a read takes at most
  unsigned cut = 0;             // completions: 0 as long as can be, 1 at each 64 bytes, 2 at any
  bool mixed = false;           // commands at the ports, beside the rings
  bool in_order = false;        // completions of reads one after the other
};

struct World {
  Rng rng;
  uint64_t seed = 1, now = 0, moved = 0;    // moved: the last cycle in which anything did
  unsigned mps = 256, mrrs = 512, tick = 2048;  // bytes, bytes, cycles
  bool ext_tag = true, master = true, msix = true;
  uint64_t master_off = 0;                  // the last cycle in which bus mastering was off
  bool calls = false;                       // only calls from card to host, of several descriptors each, and short frames
  Mood mood;
  Area area[Places];
  Place place(uint64_t a) {
    for (unsigned i = 0; i < Places; i++) if (area[i].has(a)) return Place(i);
    return Places;
  }
};
extern World world;

[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
#define must(ok, ...) do { if (!(ok)) fail(__VA_ARGS__); } while (0)

using u64 = unsigned long long;     // as printf has it

// A command or a descriptor, as it was given, and what has become of it.
struct Read;
struct Command {
  uint64_t addr = 0;
  unsigned len = 0, id = 0;
  uint64_t nth = 0;                 // of its ring
  bool sof = false, eof = false, irq = false, bad = false;
  bool begun = false, complete = false, gapped = false;
  unsigned moved = 0, cause = None; // card to host: bytes, and None or Length
  bool began_frame = false, ended_frame = false, skipped = false;
  std::vector<std::shared_ptr<Read>> reads;     // host to card
};
using CommandP = std::shared_ptr<Command>;

// A read request that is out, or has been.
struct Read {
  uint64_t addr = 0, sent = 0;
  unsigned n = 0, given = 0;        // bytes; those delivered
  unsigned causes = bit(None);      // how it may end
  unsigned good = ~0u;              // bytes before the piece that is known to fail
  bool settled = false;             // no more of it comes
  // How it may have ended by now: one that is a tick old may be given up.
  unsigned ways() const { return causes | (!settled && world.now + 200 > sent + world.tick ? bit(Timeout) : 0); }
};
using ReadP = std::shared_ptr<Read>;

// What the header of a request for n bytes from a byte address must say.
inline void check_span(const Header& h, uint64_t addr, unsigned n, const char* who) {
  unsigned dw = unsigned((addr % 4 + n + 3) / 4);
  unsigned first = 15u << (addr % 4) & 15, last = 15u >> (-(addr + n) & 3);
  if (dw == 1) first &= last, last = 0;
  must(h.addr == (addr & ~3ull) && h.len_dw == dw, "%s: %u DW at %llx and not %u DW at %llx", who, h.len_dw, (u64)h.addr, dw,
       (u64)(addr & ~3ull));
  must(h.first_be == first && h.last_be == last, "%s: byte enables %x %x and not %x %x", who, h.first_be, h.last_be, first, last);
}
// Bytes of a command that one TLP carries: up to the next multiple of `most`.
inline unsigned piece(uint64_t addr, unsigned left, unsigned most) {
  unsigned n = unsigned(most - addr % most);
  return n < left ? n : left;
}
