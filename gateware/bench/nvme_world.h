// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// ls_nvme_host between a user and a faulty drive (nvme_faulty.h), cycle by cycle, and all that must hold whatever the drive
// does: reports come in the order of the commands, one for each; a cause that is told is one that was planted; an error of
// a command's is told; every block that a read shows, and every block that reaches the drive, is one that may be there
// (nvme_truth.h); nothing stands still. What is broken ends the run. What the user asks for, and which faults come, is
// the matter of who owns this.
#pragma once
#include "nvme_faulty.h"
#include "nvme_link.h"
#include "nvme_truth.h"
#include "verilated.h"

#include <set>

enum Why : unsigned {
  WhyNone, WhyStatus, WhyTimeout, WhyUr, WhyCa, WhyPoison, WhyCrs, WhyCfs, WhyCid, WhyReset, WhyAbsent, WhyUnfit, WhyCount
};
inline const char* name_of(Why why) {
  static const char* names[] = {"done", "status", "timeout", "UR", "CA", "poisoned", "CRS", "CFS", "identifier", "reset", "absent", "unfit"};
  return names[why];
}
// The causes that a fault may bring, but WhyStatus of a command.
inline unsigned causes(Fault f) {
  switch (f) {
    case Fault::Silent: case Fault::WrongPhase: case Fault::NoReg: case Fault::NotReady: case Fault::PauseLong: return 1 << WhyTimeout;
    case Fault::Double: case Fault::BadCid: return 1 << WhyCid;
    case Fault::PoisonData: case Fault::PoisonEntry: case Fault::PoisonReg: return 1 << WhyPoison;
    case Fault::UrReg: return 1 << WhyUr;
    case Fault::CaReg: return 1 << WhyCa;
    case Fault::CrsLong: return 1 << WhyCrs;
    case Fault::Cfs: return 1 << WhyCfs;
    // In the middle of the bring-up all ones are first taken for what they say.
    case Fault::Ones: return 1 << WhyAbsent | 1 << WhyUr | 1 << WhyTimeout | 1 << WhyUnfit;
    // A bring-up that did not look at the link while it was down finds a drive without addresses.
    case Fault::LinkDown: case Fault::Removed: return 1 << WhyAbsent | 1 << WhyUr | 1 << WhyTimeout;
    default: return 0;
  }
}

struct UserCommand {
  Op op = OpFlush;
  bool fua = false;
  uint64_t lba = 0, serial = 0, ups = 0;                // `serial` is of what changes blocks
  unsigned blocks = 0, tag = 0;
  Truth::Given given{};
  std::set<unsigned> statuses;                          // that pieces of it may have got
  bool must_fail = false;                               // one of them surely is of this command
  int why = -1;                                         // as reported
  bool changes() const { return op == OpWrite || op == OpZero || op == OpTrim; }
  // What it may make of a block.
  std::vector<uint64_t> makes() const {
    if (op == OpTrim) return {Zeros, Ones};
    return op == OpWrite ? std::vector<uint64_t>{serial} : op == OpZero ? std::vector<uint64_t>{Zeros} : std::vector<uint64_t>{};
  }
};
// A frame of read data.
struct Frame {
  std::vector<uint8_t> bytes;
  bool ended = false, error = false;
};

// Until when the user or the block holds a stream up, whatever the chances are.
struct Holds { uint64_t s = 0, m = 0, done = 0, rq = 0, cpl = 0; };
struct Chances { double cmd = 1, s = 1, m = 1, done = 1, rq = 1, cpl = 1; };

class World {
 public:
  static constexpr unsigned Ahead = 16;                 // TLPs on the way to the host and in its block, as credits would allow
  static constexpr unsigned Quiet = 200000;             // cycles in which something must happen, be it a fault
  static constexpr unsigned Longest = 400000;           // until a command must have its report
  VerilatedContext ctx;
  Vtop* top;
  Ports ports{top};
  Link link;
  FaultyDrive drive;
  Truth truth;
  std::mt19937_64 rng;
  Chances chances;
  Holds holds;
  std::function<void(Fault)> on_hit = [](Fault) {};
  std::function<void(const UserCommand&)> on_report = [](const UserCommand&) {};
  std::string plant;                                    // a check that is to fail

  uint64_t now = 0, ups = 0, deaths = 0, blocks_read = 0, blocks_stored = 0, flushes = 0, strays = 0, late_stores = 0, possible = 0;
  uint64_t whys[WhyCount] = {};
  bool restart = false;
  std::deque<UserCommand> waiting, out;
  std::deque<UserCommand> reads;                        // whose frames are not complete
  std::deque<std::string> log;

  World(uint64_t seed, unsigned blocks, unsigned mps)
      : top(made(ctx, seed)), link(3, 125, mps, 50), drive(mps == 128 ? 0 : 1, 1 + seed % 2, seed, blocks), truth(blocks), rng(seed ^ 0x5eed) {
    drive.flight = link.flight;
    drive.hit = [this](Fault f) { hits(f); };
    drive.loses_power = [this] { truth.power_lost(now); };
    drive.stores = [this](uint64_t serial, uint64_t lba) { stores(serial, lba); };
    drive.fails_bring_up = [this] { may_ |= 1 << WhyStatus; };
    drive.gives_status = [this](const Command& c, unsigned status) { gives_status(c, status); };
    top->clk_i = top->rst_ni = 0;
    top->link_i = 1;
    for (int i = 0; i < 8; i++) step();
    top->rst_ni = 1;
    quiet_since_ = now;
  }
  ~World() { delete top; }

  bool chance(double p) { return p >= 1 || rng() % (1 << 20) < p * (1 << 20); }
  void say(const std::string& what) {
    log.push_back(std::to_string(now) + " " + what);
    if (log.size() > 40) log.pop_front();
  }
  bool idle() const { return waiting.empty() && out.empty() && reads.empty(); }
  bool down() const { return now < down_until_; }
  uint64_t refused_for() const { return now - s_taken_; }         // cycles in which write data was shown and not taken
  bool frame_begun() const { return !frames_.empty() && !frames_[0].ended && !frames_[0].bytes.empty(); }

  // A command for the host, and its data.
  void give(Op op, uint64_t lba = 0, unsigned blocks = 0, bool fua = false) {
    UserCommand c;
    c.op = op;
    c.lba = lba;
    c.blocks = blocks;
    c.fua = fua;
    c.tag = tag_++ & 0xffff;
    if (c.changes()) c.serial = ++serial_;
    if (op == OpWrite) {
      for (unsigned b = 0; b < blocks; b++)
        for (unsigned i = 0; i < BlockWords; i++) data_.push_back(word_of(c.serial, lba + b, i));
    }
    waiting.push_back(c);
  }
  // The link goes down for so long, with the drive's power or without.
  void link_goes_down(Fault f, uint64_t cycles) {
    down_until_ = now + cycles;
    if (f == Fault::Removed) drive.lose_power();
    else drive.restart();
    link.up.flying.clear();
    link.down.flying.clear();
    while (ports.rx.size() > (ports.rx_at ? 1 : 0)) ports.rx.pop_back();
    hits(f);
  }
  void comes(Fault f, uint64_t cycles) {
    if (f == Fault::LinkDown || f == Fault::Removed) link_goes_down(f, cycles);
    else drive.comes(f, cycles);
  }

  void step() {
    top->link_i = !down();
    top->restart_i = restart;
    restart = false;
    show_user();
    ports.show();
    top->rq_ready_i = down() || (now >= holds.rq && chance(chances.rq));
    top->cpl_ready_i = down() || !drive.healthy() || (now >= holds.cpl && chance(chances.cpl));
    top->clk_i = 0;
    top->eval();
    if (top->rst_ni) {
      takes();
      ports.mps = down() || !drive.healthy() ? 512 : drive.mps;      // a reset drive has forgotten what was set
      ports.move();
    }
    top->clk_i = 1;
    top->eval();
    wires();
    now++;
    if (top->run_o && !was_up_) comes_up();
    else if (!top->run_o && was_up_) over_it_ = 0;
    if (top->dead_o != was_dead_) over_it_ = 0;
    if (top->dead_o && !was_dead_) {
      deaths++;
      say("dead: step " + std::to_string(top->step_o) + ", " + name_of(Why(top->why_o)));
    }
    was_up_ = top->run_o;
    was_dead_ = top->dead_o;
    if (!out.empty() && now - out[0].given.at > Longest) wrong("a command that does not end: " + text(out[0]));
    if (now - quiet_since_ > Quiet) wrong("nothing happens any more: step " + std::to_string(top->step_o) + ", " + std::to_string(out.size()) + " commands are out");
  }
  void alive() { quiet_since_ = now; }

 private:
  static Vtop* made(VerilatedContext& ctx, uint64_t seed) {       // what no reset sets holds any value
    ctx.randReset(2);
    ctx.randSeed(seed % 0x7fffffff + 1);
    return new Vtop(&ctx);
  }

  // ---- the user's ports --------------------------------------------------------------------------
  void show_user() {
    show_cmd_ = show_cmd_ || (!waiting.empty() && chance(chances.cmd));
    show_s_ = show_s_ || (!data_.empty() && now >= holds.s && chance(chances.s));
    top->cmd_valid_i = show_cmd_;
    if (show_cmd_) {
      const UserCommand& c = waiting[0];
      put_user(top->cmd_i, c.op, c.lba, c.blocks, c.tag, c.fua);
    }
    top->s_valid_i = show_s_;
    if (show_s_) {
      uint64_t words[Bytes / 8];
      for (unsigned i = 0; i < Bytes / 8; i++) words[i] = data_[i];
      memcpy(&top->s_data_i, words, Bytes);
    }
    top->m_ready_i = now >= holds.m && chance(chances.m) && !(plant == "hang" && flushes >= 5);
    top->done_ready_i = now >= holds.done && chance(chances.done);
  }
  void takes() {
    strays += top->stray_o;
    if (show_cmd_ && top->cmd_ready_o) {
      UserCommand c = waiting[0];
      waiting.pop_front();
      show_cmd_ = false;
      c.given = truth.given(now);
      c.ups = ups;
      if (out.empty()) alive();
      for (unsigned b = 0; b < c.blocks; b++)
        for (uint64_t serial : c.makes()) truth.write_given(c.serial, serial, c.lba + b, now);
      if (c.op == OpRead) {
        reads.push_back(c);
        frames_.emplace_back();
      }
      out.push_back(c);
    }
    if (!show_s_ || top->s_ready_o) s_taken_ = now;
    if (show_s_ && top->s_ready_o) {
      data_.erase(data_.begin(), data_.begin() + Bytes / 8);
      show_s_ = false;
    }
    if (top->m_valid_o && top->m_ready_i) beat();
    if (top->done_valid_o && top->done_ready_i) report(get_report(top->done_o));
  }
  void beat() {
    alive();
    size_t at = 0;
    while (at < frames_.size() && frames_[at].ended) at++;
    if (at == frames_.size()) wrong("data that nobody asked for");
    Frame& f = frames_[at];
    const UserCommand& c = reads[at];
    uint8_t data[Bytes];
    memcpy(data, &top->m_data_o, Bytes);
    if (plant == "read_byte" && blocks_read > 50) data[3] ^= 16;
    f.error = top->m_error_o;
    if (!f.error) {
      if (top->m_keep_o != ((1ull << Bytes) - 1)) wrong("a beat with bytes that are not kept");
      f.bytes.insert(f.bytes.end(), data, data + Bytes);
      if (f.bytes.size() > c.blocks * BlockBytes) wrong("a frame that is too long");
      if (f.bytes.size() % BlockBytes == 0) block(c, &f.bytes[f.bytes.size() - BlockBytes], f.bytes.size() / BlockBytes - 1);
    } else if (top->m_keep_o != 1 || !top->m_last_o || f.bytes.size() % BlockBytes) {
      wrong("an error that is not at the end of a block");
    }
    f.ended = top->m_last_o;
    if (f.ended && !f.error && f.bytes.size() != c.blocks * BlockBytes) wrong("a frame that is too short");
    reads_end();
  }
  void block(const UserCommand& c, const uint8_t* from, unsigned n) {
    uint64_t serial, word, lba = c.lba + n;
    memcpy(&serial, from, 8);
    for (unsigned i = 0; i < BlockWords; i++) {
      memcpy(&word, from + 8 * i, 8);
      if (word != word_of(serial, lba, i)) wrong("a wrong word " + std::to_string(i) + " of block " + std::to_string(lba));
    }
    if (!truth.may_find(serial, lba, c.given)) wrong("block " + std::to_string(lba) + " as write " + std::to_string(serial) + " left it, which cannot be there:" + truth.tell(lba) + "; " + text(c));
    blocks_read++;
    possible += truth.possible(lba, c.given);
  }
  // A read is over with its frame and its report.
  static std::string text(const UserCommand& c) {
    static const char* names[] = {"read of ", "write of ", "flush of ", "Write Zeroes of ", "deallocation of "};
    return names[c.op] + std::to_string(c.blocks) + " blocks from " +
           std::to_string(c.lba) + ", given at " + std::to_string(c.given.at);
  }
  void reads_end() {
    while (!reads.empty() && frames_[0].ended && reads[0].why >= 0) {
      const UserCommand& c = reads[0];
      if (frames_[0].error != (c.why != WhyNone)) wrong("a frame and its report disagree");
      if (c.why == WhyNone)
        for (unsigned b = 0; b < c.blocks; b++) {
          uint64_t serial;
          memcpy(&serial, &frames_[0].bytes[b * BlockBytes], 8);
          truth.read_found(serial, c.lba + b, c.given, now);
        }
      reads.pop_front();
      frames_.pop_front();
    }
  }
  void report(Report r) {
    alive();
    if (plant == "report_lost" && flushes >= 5) return plant.clear();
    if (plant == "error_hidden" && r.why == WhyStatus) r.why = WhyNone;
    if (plant == "cause" && r.why == WhyCid) r.why = WhyCrs;
    if (out.empty()) wrong("a report of tag " + std::to_string(r.tag) + " that nobody waits for");
    UserCommand c = out[0];
    out.pop_front();
    if (r.tag != c.tag) wrong("a report of tag " + std::to_string(r.tag) + " in the place of " + std::to_string(c.tag));
    if (r.why >= WhyCount) wrong("a cause that is none");
    whys[r.why]++;
    c.why = r.why;
    if (r.why == WhyStatus && r.status) {
      if (!c.statuses.count(r.status)) wrong("a status that no command got: " + std::to_string(r.status));
    } else if (r.why != WhyNone) {
      unsigned known = may_ | (c.ups == ups ? 0 : may_before_);
      if (!(known >> r.why & 1)) wrong(std::string("a cause that nothing has brought: ") + name_of(Why(r.why)));
    } else if (c.must_fail) {
      wrong("an error status that is not reported: " + text(c));
    }
    if (c.op == OpRead) {
      for (UserCommand& read : reads)
        if (read.tag == c.tag && read.why < 0) read.why = c.why;
      reads_end();
    }
    for (unsigned b = 0; c.changes() && b < c.blocks; b++) {
      truth.write_ended(c.serial, c.lba + b, now);
      if (!c.why && c.op != OpTrim) truth.write_succeeded(c.serial, c.lba + b, c.given, c.fua, now);
    }
    if (c.op == OpFlush && !c.why) {
      flushes++;
      truth.flush_succeeded(c.given, now);
    }
    if (reports_++ % 64 == 0) {
      uint64_t oldest = now;
      for (auto* list : {&out, &reads})
        if (!list->empty()) oldest = std::min(oldest, (*list)[0].given.at);
      truth.forget(oldest);
    }
    on_report(c);
  }

  // ---- what the drive tells ------------------------------------------------------------------------
  void hits(Fault f) {
    alive();
    may_ |= causes(f);
    if (at_once(f)) over_it_ |= causes(f);
    say(std::string("fault: ") + name_of(f));
    on_hit(f);
  }
  void stores(uint64_t serial, uint64_t lba) {
    blocks_stored++;
    if (truth.is_out(serial, lba)) return;
    if (top->run_o) wrong("write data of a command that has ended reaches block " + std::to_string(lba));
    late_stores++;
  }
  void gives_status(const Command& c, unsigned status) {
    std::vector<UserCommand*> of;
    uint64_t lba = c.at / BlockBytes, end = lba + c.blocks;
    Op op = c.op == NvmRead ? OpRead : c.op == NvmWrite ? OpWrite : c.op == NvmZero ? OpZero : c.op == NvmTrim ? OpTrim : OpFlush;
    for (UserCommand& u : out)
      if (u.op == op && (u.op == OpFlush || (u.lba <= lba && end <= u.lba + u.blocks)))
        of.push_back(&u);
    if (of.empty() && top->run_o) wrong("a command that nobody has given, or that has ended");
    for (UserCommand* u : of) u->statuses.insert(status);
    if (of.size() == 1 && top->run_o) of[0]->must_fail = true;     // while the host is not up, a drive may work off what it has of old
  }
  void comes_up() {
    alive();
    say("up");
    ups++;
    may_before_ = may_;
    may_ = over_it_;                                    // what came over the drive may show only now
    over_it_ = 0;
  }

  void wires() {
    Tlp t;
    link.now = drive.now = now;
    if (down()) {
      ports.rq.clear();
      ports.cpl.clear();
      return;
    }
    while (link.come(link.up, link.down, t)) ports.rx.push_back(std::move(t));
    while (link.come(link.down, link.up, t)) {
      if (plant == "write_byte" && blocks_stored > 50 && t.bytes >= 128) t.data[5] ^= 1;
      drive.comes_in(t);
    }
    drive.work_on();
    while (link.room(link.down) && (!ports.rq.empty() || !ports.cpl.empty())) {
      auto& from = ports.rq.empty() ? ports.cpl : ports.rq;
      link.put(link.down, std::move(from[0]));
      from.pop_front();
    }
    while (link.room(link.up) && ports.rx.size() + link.up.flying.size() < Ahead && drive.sends(t)) link.put(link.up, std::move(t));
  }

  std::deque<uint64_t> data_;
  std::deque<Frame> frames_;                            // one for each of `reads`
  uint64_t serial_ = 0, s_taken_ = 0, quiet_since_ = 0, down_until_ = 0, reports_ = 0;
  unsigned tag_ = 0, may_ = 0, may_before_ = 0, over_it_ = 0;
  bool show_cmd_ = false, show_s_ = false, was_up_ = false, was_dead_ = false;
};
