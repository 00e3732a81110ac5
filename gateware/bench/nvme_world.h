// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// ls_nvme_host between a user and a faulty drive, or ls_nvme_stripe and several (nvme_side.h), cycle by cycle, and all that
// must hold whatever the drives do: reports come in the order of the commands, one for each; a cause that is told is one that
// was planted; an error of a command's is told; every block that a read shows, and every block that reaches a drive, is
// one that may be there (nvme_truth.h); nothing stands still. What is broken ends the run. What the user asks for, and which
// faults come, is the matter of who owns this.
#pragma once
#include "nvme_watch.h"
#include "verilated.h"

struct Chances { double cmd = 1, s = 1, m = 1, done = 1, rq = 1, cpl = 1; };
// Until when the user holds a stream up, whatever the chances are.
struct Holds { uint64_t s = 0, m = 0, done = 0; };

class World {
 public:
  static constexpr unsigned Quiet = 200000;             // cycles in which something must happen, be it a fault
  static constexpr unsigned Longest = 400000;           // until a command must have its report
  static constexpr unsigned Ready = 1000000;            // until all drives run again, after the last fault
  VerilatedContext ctx;
  Vtop* top;
  std::deque<Side> sides;
  std::deque<Switch<Side>> switches;                    // one, with SHARED
  std::deque<Root<Ends>> roots;
  Frames frames;
  std::mt19937_64 rng;
  Chances chances;
  Holds holds;
  std::function<void(unsigned drive, Fault)> on_hit = [](unsigned, Fault) {};
  std::function<void(const UserCommand&)> on_report = [](const UserCommand&) {};
  std::string plant;                                    // a check that is to fail

  uint64_t now = 0, blocks_read = 0, flushes = 0, strays = 0, possible = 0, formats = 0;
  Pieces pieces;
  ByItself by_itself;
  Health health;
  uint64_t whys[WhyCount] = {};
  std::deque<UserCommand> waiting, out;
  std::deque<std::string> log;

  // `blocks` are the user's.
  World(uint64_t seed, unsigned blocks, unsigned mps) : top(made(ctx, seed)), rng(seed ^ 0x5eed) {
    for (unsigned i = 0; i < Drives; i++) {
      Side& s = sides.emplace_back(*top, i, seed + 1000 * i, blocks / Drives, mps);
      s.root_goes_down = [this, i](uint64_t cycles) { roots[i].goes_down(cycles); };
      s.says = [this, i](const std::string& what) { alive(), say((Drives > 1 ? "drive " + std::to_string(i) + ": " : "") + what); };
      s.on_hit = [this, i](Fault f) { fault_ = now, on_hit(i, f); };
      s.drive.gives_status = [this, i](const Command& c, unsigned status) { gives_status(i, c, status); };
      if (!Beside) continue;
      s.drive.begun = [this, i](const Command& c) { if (sides[i].up()) pieces.begun(users_of(i, c), c.at / BlockBytes, c.blocks); };
      s.drive.ended = [this, i](const Command& c) { if (sides[i].up()) pieces.ended(users_of(i, c), c.at / BlockBytes, c.blocks, c.status); };
      s.drive.format_ended = [this](unsigned status) { format_ended(status); };
    }
    if constexpr (Shared) roots.emplace_back(*top, 0, mps, switches.emplace_back(sides));
    else for (unsigned i = 0; i < Drives; i++) roots.emplace_back(*top, i, mps, sides[i]);
    for (Side& s : sides) {
      s.drive.flight = roots[0].link.flight;
      if (Shared) s.drive.credits(Credits / Drives);
    }
    frames.shows = [this](const UserCommand& c, uint64_t lba, uint64_t serial) { shows(c, lba, serial); };
    frames.succeeds = [this](const UserCommand& c, uint64_t lba, uint64_t serial) {
      side_of(lba).truth.read_found(serial, block_of(lba), c.given[drive_of(lba * BlockBytes)], now);
    };
    top->clk_i = top->rst_ni = 0;
    for (int i = 0; i < 8; i++) step();
    top->rst_ni = 1;
    quiet_since_ = now;
  }
  ~World() { delete top; }
  void plants(const std::string& name) {
    plant = name;
    for (Side& s : sides) {
      s.wrong_data = name == "write_byte";
      s.drive.lies = name;
    }
    pieces.blind = name == "again";
    health.spoil = name == "log";
  }

  bool chance(double p) { return p >= 1 || rng() % (1 << 20) < p * (1 << 20); }
  void say(const std::string& what) {
    log.push_back(std::to_string(now) + " " + what);
    if (log.size() > 40) log.pop_front();
  }
  bool idle() const { return waiting.empty() && out.empty() && frames.reads.empty(); }
  bool up() const { return all([](const Side& s) { return s.up(); }); }
  bool whole() const { return all([](const Side& s) { return s.whole(); }); }
  bool settled() const { return all([](const Side& s) { return s.up() || s.dead(); }); }
  bool dead() const { return !all([](const Side& s) { return !s.dead(); }); }       // any
  uint64_t refused_for() const { return now - s_taken_; }         // cycles in which write data was shown and not taken

  // A command for the host, and its data.
  void give(Op op, uint64_t lba = 0, unsigned blocks = 0, bool fua = false) {
    UserCommand c;
    c.op = op;
    c.lba = lba;
    c.blocks = blocks;
    c.fua = fua;
    c.tag = tag_++ & 0xffff;
    if (c.changes()) c.serial = ++serial_;
    if (op == OpWrite)
      for (unsigned b = 0; b < blocks; b++)
        for (unsigned i = 0; i < BlockWords; i++) data_.push_back(word_of(c.serial, lba + b, i));
    waiting.push_back(c);
  }
  // A Format of all, or one that must be refused: without the key, or with fields that are not for the user.
  void give_format(bool refuse) {
    give(OpFormat, 0, sides[0].drive.blocks());
    waiting.back().refuse = refuse;
    if (refuse) serial_--, waiting.back().serial = 0;
    format_key_ = FormatKey ^ (refuse && serial_ % 2 ? 1ull << rng() % 64 : 0);
    format_fields_ = rng() & 0xe00 | (refuse && serial_ % 2 == 0 ? 0x10 << rng() % 5 : 0);
  }
  Root<Ends>& root_of(unsigned drive) { return roots[Shared ? 0 : drive]; }
  // The link above the switch goes down for so long, or the power of all that is below it.
  void all_go_down(Fault f, uint64_t cycles) {
    roots[0].goes_down(cycles);
    for (auto& one : switches) one.resets();
    for (Side& s : sides) s.comes(f, cycles);
  }
  void ask_health() { health.ask(sides[0]); }
  bool asks_health() const { return health.asks(); }

  void step() {
    show_user();
    for (Root<Ends>& r : roots) r.show(chance(chances.rq), chance(chances.cpl));
    for (unsigned i = 0; i < Drives; i++) sides[i].show(!root_of(i).down());
    top->clk_i = 0;
    top->eval();
    if (top->rst_ni) {
      takes();
      for (Root<Ends>& r : roots) r.moves();
    }
    top->clk_i = 1;
    top->eval();
    for (Root<Ends>& r : roots) r.wires();
    for (Side& s : sides) s.looks();
    if (up()) ready_ = now;
    if (now - std::max(ready_, fault_) > Ready) wrong("a drive that does not come up");
    now++;
    for (Root<Ends>& r : roots) r.now = now;
    for (Side& s : sides) s.now = now;
    if (!out.empty() && now - out[0].given[0].at > Longest) wrong("a command that does not end: " + out[0].text());
    if (now - quiet_since_ > Quiet) wrong("nothing happens any more: step " + std::to_string(sides[0].lane.step_o) + ", " + std::to_string(out.size()) + " commands are out");
  }
  void alive() { quiet_since_ = now; }

 private:
  static Vtop* made(VerilatedContext& ctx, uint64_t seed) {       // what no reset sets holds any value
    ctx.randReset(2);
    ctx.randSeed(seed % 0x7fffffff + 1);
    return new Vtop(&ctx);
  }
  template <typename Test> bool all(Test test) const { return std::all_of(sides.begin(), sides.end(), test); }
  Side& side_of(uint64_t lba) { return sides[drive_of(lba * BlockBytes)]; }
  static unsigned block_of(uint64_t lba) { return drive_place(lba * BlockBytes) / BlockBytes; }

  // ---- the user's ports --------------------------------------------------------------------------
  void show_user() {
    show_cmd_ = show_cmd_ || (!waiting.empty() && chance(chances.cmd));
    show_s_ = show_s_ || (!data_.empty() && now >= holds.s && chance(chances.s));
    top->cmd_valid_i = show_cmd_;
    if (show_cmd_) {
      const UserCommand& c = waiting[0];
      if (c.op == OpFormat) put_user(top->cmd_i, c.op, format_key_, format_fields_ + 1, c.tag);
      else put_user(top->cmd_i, c.op, c.lba, c.blocks, c.tag, c.fua);
    }
    top->s_valid_i = show_s_;
    if (show_s_) {
      uint64_t words[RowBytes / 8];
      for (unsigned i = 0; i < RowBytes / 8; i++) words[i] = data_[i];
      memcpy(&top->s_data_i, words, RowBytes);
    }
    top->m_ready_i = now >= holds.m && chance(chances.m) && !(plant == "hang" && flushes >= 5);
    top->done_ready_i = now >= holds.done && chance(chances.done);
#if RETRIES
    top->health_ask_i = health.asks();
#endif
  }
  void takes() {
    for (Side& s : sides) strays += s.lane.stray();
    if (Beside) beside();
    if (show_cmd_ && top->cmd_ready_o) {
      UserCommand c = waiting[0];
      waiting.pop_front();
      show_cmd_ = false;
      for (unsigned i = 0; i < Drives; i++) {
        c.given[i] = sides[i].truth.given(now);
        c.ups[i] = sides[i].ups;
      }
      c.stripe = top->run_o;
      if (out.empty()) alive();
      for (uint64_t lba = c.lba; lba < c.lba + c.blocks; lba++)
        for (uint64_t serial : c.makes()) side_of(lba).truth.write_given(c.serial, serial, block_of(lba), now);
      if (c.op == OpRead) frames.asked(c);
      out.push_back(c);
    }
    if (!show_s_ || top->s_ready_o) s_taken_ = now;
    if (show_s_ && top->s_ready_o) {
      data_.erase(data_.begin(), data_.begin() + RowBytes / 8);
      show_s_ = false;
    }
    if (top->m_valid_o && top->m_ready_i) beat();
    if (top->done_valid_o && top->done_ready_i) report();
  }
  void beat() {
    alive();
    ReadBeat b;
    memcpy(b.data, &top->m_data_o, RowBytes);
    if (plant == "read_byte" && blocks_read > 50) b.data[3] ^= 16;
    b.whole = top->m_keep_o == (RowBytes == 64 ? ~0ull : (1ull << RowBytes % 64) - 1);
    if (!b.whole && top->m_keep_o != 1) wrong("a beat of which neither one byte nor all are kept");
    b.last = top->m_last_o;
    b.error = top->m_error_o;
    frames.beat(b);
  }
  void shows(const UserCommand& c, uint64_t lba, uint64_t serial) {
    const Truth& truth = side_of(lba).truth;
    Truth::Given given = c.given[drive_of(lba * BlockBytes)];
    unsigned block = block_of(lba);
    if (!truth.may_find(serial, block, given)) wrong("block " + std::to_string(lba) + " as write " + std::to_string(serial) + " left it, which cannot be there:" + truth.tell(block) + "; " + c.text());
    blocks_read++;
    possible += truth.possible(block, given);
  }
  void report() {
    alive();
    Report r = get_report(top->done_o >> (Drives > 1 ? 4 : 0));
    unsigned drive = Drives > 1 ? top->done_o & 7 : 0, own = Drives > 1 ? top->done_o >> 3 & 1 : 0;
    if (plant == "report_lost" && flushes >= 5) return plant.clear();
    if (plant == "error_hidden" && r.why == WhyStatus) r.why = WhyNone;
    if (plant == "cause" && r.why == WhyCid) r.why = WhyCrs;
    if (out.empty()) wrong("a report of tag " + std::to_string(r.tag) + " that nobody waits for");
    UserCommand c = out[0];
    out.pop_front();
    if (r.tag != c.tag) wrong("a report of tag " + std::to_string(r.tag) + " in the place of " + std::to_string(c.tag));
    if (r.why >= WhyCount || drive >= Drives) wrong("a cause or a drive that is none");
    whys[r.why]++;
    c.why = r.why;
    cause(c, r, drive, own);
    if (c.op == OpRead) frames.reported(c);
    for (uint64_t lba = c.lba; c.changes() && lba < c.lba + c.blocks; lba++) {
      Truth& truth = side_of(lba).truth;
      truth.write_ended(c.serial, block_of(lba), now);
      if (!c.why && c.op == OpFormat) truth.format_succeeded(c.serial, block_of(lba), now);
      else if (!c.why && c.op != OpTrim) truth.write_succeeded(c.serial, block_of(lba), c.given[drive_of(lba * BlockBytes)], c.fua, now);
    }
    if (c.op == OpFlush && !c.why) {
      flushes++;
      for (unsigned i = 0; i < Drives; i++) sides[i].truth.flush_succeeded(c.given[i], now);
    }
    formats += c.op == OpFormat && !c.why;
    if (reports_++ % 64 == 0) forget();
    on_report(c);
  }
  void cause(const UserCommand& c, Report r, unsigned drive, bool own) {
    if (own) {
      if (r.why != WhyUnfit || c.stripe) wrong("refused by the stripe: " + c.text());
    } else if (r.why == WhyRefused) {
      if (!c.refuse) wrong("refused: " + c.text());
    } else if (r.why == WhyLost) {                      // judged when it was shown
    } else if (r.why == WhyStatus && r.status) {
      if (!c.statuses.count(r.status)) wrong("a status that no command got: " + std::to_string(r.status));
    } else if (r.why != WhyNone) {
      if (!(sides[drive].known(c.ups[drive]) >> r.why & 1)) wrong(std::string("a cause that nothing has brought: ") + name_of(Why(r.why)));
      uint64_t first, end;
      if (c.op != OpFlush && !c.part(drive, first, end)) wrong("an error of a drive that has no part of " + c.text());
    } else if (c.must_fail) {
      wrong("an error status that is not reported: " + c.text());
    } else if (!c.broken.empty()) {
      wrong("an error status that is not reported, and no try had success: " + c.text());
    } else if (c.refuse) {
      wrong("a Format without its key that succeeds");
    }
  }
  void forget() {
    uint64_t oldest = now;
    for (auto* list : {&out, &frames.reads})
      if (!list->empty()) oldest = std::min(oldest, (*list)[0].given[0].at);
    for (Side& s : sides) s.truth.forget(oldest);
  }

  // ---- what a drive tells ------------------------------------------------------------------------
  std::vector<UserCommand*> users_of(unsigned drive, const Command& c) {
    std::vector<UserCommand*> of;
    uint64_t lba = c.at / BlockBytes, end = lba + c.blocks, first, last;
    Op op = c.op == NvmRead ? OpRead : c.op == NvmWrite ? OpWrite : c.op == NvmZero ? OpZero : c.op == NvmTrim ? OpTrim : OpFlush;
    for (UserCommand& u : out)
      if (u.op == op && (u.op == OpFlush || (u.part(drive, first, last) && first <= lba && end <= last))) of.push_back(&u);
    return of;
  }
  void gives_status(unsigned drive, const Command& c, unsigned status) {
    auto of = users_of(drive, c);
    if (of.empty() && sides[drive].up()) wrong("a command that nobody has given, or that has ended");
    for (UserCommand* u : of) u->statuses.insert(status);
    // While the host is not up, a drive may work off what it has of old. What may be given again: nvme_watch.h.
    if (of.size() == 1 && sides[drive].up() && !Beside) of[0]->must_fail = true;
  }
  void format_ended(unsigned status) {
    bool known = false;
    for (UserCommand& u : out)
      if (u.op == OpFormat && !u.refuse) {
        known = true;
        if (status) u.statuses.insert(status), u.must_fail = sides[0].up();
        break;
      }
    if (!known && sides[0].up()) wrong("a Format that nobody has given");
  }
  // What is beside the commands.
  void beside() {
#if RETRIES
    Side& s = sides[0];
    by_itself.looks(now, s.dead(), s.up(), top->restart_i, top->link_i, top->lost_o);
    health.looks(top, s);
    bool shown = top->done_valid_o;
    if (shown && !was_shown_ && !out.empty()) {
      Report r = get_report(top->done_o);
      by_itself.reported(out[0].op == OpFlush, r.why == WhyNone || (plant == "lost" && r.why == WhyLost), r.why == WhyLost && plant != "lost");
    }
    was_shown_ = shown && !top->done_ready_i;
#endif
  }

  std::deque<uint64_t> data_;
  uint64_t serial_ = 0, s_taken_ = 0, quiet_since_ = 0, ready_ = 0, fault_ = 0, reports_ = 0;
  unsigned tag_ = 0;
  uint64_t format_key_ = 0, format_fields_ = 0;         // of the one that waits
  bool show_cmd_ = false, show_s_ = false, was_shown_ = false;
};
