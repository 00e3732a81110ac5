// One Verilated top with its clock and its waves, and the functions that make and free it. MODEL is the class that Verilator made, NAME
// what the functions begin with, TRACE set where it can write waves. A source that includes this adds what a step does.
#pragma once
#include <cstdint>
#include <cstring>
#include HEADER
#include "verilated.h"
#ifdef TRACE
#include "verilated_fst_c.h"
#endif

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

static inline void put(QData& to, const uint64_t* from) { to = from[0]; }
static inline void put(VlWide<4>& to, const uint64_t* from) { std::memcpy(to.data(), from, 16); }
static inline void get(uint64_t* to, const QData& from) { to[0] = from; }
static inline void get(uint64_t* to, const VlWide<4>& from) { std::memcpy(to, from.data(), 16); }

// Each source has its own: the name is the same in all models.
namespace {

struct Clocked {
  VerilatedContext context;
  MODEL* top;
#ifdef TRACE
  VerilatedFstC waves;
#endif
  explicit Clocked(const char* file) : top(nullptr) {
#ifdef TRACE
    context.traceEverOn(true);
#endif
    top = new MODEL(&context, "card");
#ifdef TRACE
    if (file != nullptr) {
      top->trace(&waves, 99);
      waves.open(file);
    }
#else
    (void)file;
#endif
  }
  ~Clocked() {
#ifdef TRACE
    waves.close();
#endif
    top->final();
    delete top;
  }
  void dump(uint64_t time) {
#ifdef TRACE
    if (waves.isOpen()) waves.dump(time);
#else
    (void)time;
#endif
  }
  void clock(uint8_t level, uint64_t time) {
    top->clk_i = level;
    top->eval();
    dump(time);
  }
};

}  // namespace

extern "C" {

void* JOIN(NAME, _new)(const char* file) {
  Clocked* made = new Clocked(file);
  MODEL* top = made->top;
  top->rst_ni = 0;
  for (int i = 0; i < 16; i++) {
    top->clk_i = i & 1;
    top->eval();
  }
  top->rst_ni = 1;
  return made;
}

void JOIN(NAME, _free)(void* made) { delete static_cast<Clocked*>(made); }

}  // extern "C"
