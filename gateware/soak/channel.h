// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A host channel as its driver sees it: set up, descriptors posted in a ring or pushed, records read as they are
// written, aborted and set up again. What each record must say follows from what was posted and from what the
// model has seen of it.
#pragma once
#include "completer.h"
#include "requests.h"
#include "writer.h"

struct HostChannel {
  enum State { Closed, Opening, Running, Draining, Aborting, Settling };
  State state = Closed;
  bool wanted = false;              // whether a session may be begun
  unsigned vector = 0;
  uint64_t sessions = 0, aborts = 0, ended = 0, records = 0, failed_fetches = 0;

  HostChannel(Requests& q, unsigned number, ReadModel* r, WriteModel* w, unsigned batch)
      : host(q), index(number), page(0x100 * (number + 1)), reader(r), writer(w), most(batch) {
    (r ? r->on_begin : w->on_begin) = [this](const Command& c) { begins(c); };
    if (r) r->on_close = [this] {
      for (auto& f : fetches) if (f.read->good != ~0u || f.read->ways() & bit(Timeout)) return true;
      return false;
    };
  }
  HostChannel(const HostChannel&) = delete;

  Source& ring() { return reader ? reader->src[0] : writer->src[0]; }
  bool idle() const { return state == Closed; }
  bool writer_side() const { return writer; }

  void reset() {
    state = Closed;
    epoch++;
    waiting = open_frame = false;
    fetches.clear();
  }

  // Each cycle. `calm`: the stream and the way out show nothing.
  void run(bool calm) {
    Rng& rng = world.rng;
    switch (state) {
      case Closed:
        if (wanted && rng.chance(20)) open();
        break;
      case Opening: break;
      case Running:
        if (host.waiting() < 40 && rng.chance(rate)) post();
        if (dead && !host.waiting() && rng.chance(8)) abort();
        if (!records_on) poll();
        break;
      case Draining:
        if (dead) abort();
        else if (!records_on) poll();
        if (open_frame && state == Draining && posted - done < (use_ring ? (1u << log2) - 1 : 32)) post(true);
        if (state == Draining && ring().unreported.empty() && !open_frame) close();
        break;
      case Aborting: poll_busy(); break;
      case Settling:
        if (calm) still++; else still = 0;
        if (still > 40) settled();
        break;
    }
  }
  void drain() { if (state == Running) state = Draining; }

  void abort() {
    if (state != Running && state != Draining) return;
    aborts++;
    lax(true);
    tells = records_on && world.rng.chance(512);
    host.write_low(page, uint32_t(control | 2 | uint64_t(tells) << 26));
    state = Aborting;
  }

  // ---- descriptors are fetched ------------------------------------------------------------------------
  bool mine(Place p) const { return p == (index ? Desc1 : Desc0); }
  ReadP fetch(const Header& h, RootMemory& memory) {
    must(use_ring && (state == Running || state == Draining || state == Aborting), "channel %u: a fetch of descriptors, and there is no ring", index);
    unsigned n = h.len_dw / 4, size = 1u << log2;
    uint64_t at = desc + 16 * (fetched % size);
    must(h.addr == at && h.len_dw % 4 == 0 && n, "channel %u: fetch of %u DW at %llx and not %llx", index, h.len_dw, (u64)h.addr, (u64)at);
    must(h.first_be == 15 && h.last_be == 15, "channel %u: byte enables of a fetch", index);
    unsigned block = std::min(most, world.mrrs / 16);
    must(fetched + n <= posted, "channel %u: a fetch of what was not posted", index);
    must(fetched % size + n <= size, "channel %u: a fetch beyond the end of the ring", index);
    must(fetched % size % block + n <= block, "channel %u: a fetch across its block", index);
    auto r = std::make_shared<Read>();
    r->addr = h.addr;
    r->n = 16 * n;
    r->sent = world.now;
    memory.asked(h, r, true);
    fetches.push_back({fetched, r});
    fetched += n;
    failed_fetches += !(r->causes & bit(None));
    return r;
  }

  // A command begins: could the engine know of it?
  void begins(const Command& c) {
    for (auto& f : fetches)
      must(c.nth < f.first + f.read->good / 16, "channel %u: descriptor %llu is done, and it could not be read", index, (u64)c.nth);
    while (fetches.size() > 1 && fetches[1].first <= c.nth && fetches[0].read->good == ~0u && fetches[0].read->settled) fetches.pop_front();
  }

  // ---- records ------------------------------------------------------------------------------------------
  bool writes_here(Place p) const { return p == (index ? Rec1 : Rec0); }
  // Whether an interrupt must follow.
  bool record(const Header& h, const std::vector<uint8_t>& raw) {
    records++;
    unsigned size = 1u << log2;
    must(state != Closed && state != Opening && records_on, "channel %u: a record, and nobody wants any: state %u, %llu cycles after an abort", index,
         unsigned(state), (u64)(world.now - lax_since));
    must(h.addr == recs + 16 * slot && h.len_dw == 4 && h.first_be == 15 && h.last_be == 15, "channel %u: record at %llx and not %llx",
         index, (u64)h.addr, (u64)(recs + 16 * slot));
    uint32_t dw[4];
    for (unsigned i = 0; i < 4; i++) dw[i] = raw[4 * i] | raw[4 * i + 1] << 8 | raw[4 * i + 2] << 16 | uint32_t(raw[4 * i + 3]) << 24;
    must((dw[0] & 1) == phase, "channel %u: the phase of record %u", index, slot);
    if (++slot == size) slot = 0, phase ^= 1;
    unsigned n = dw[0] >> 16, cause = dw[0] >> 8 & 15;
    bool regular = dw[0] >> 4 & 1, irq = dw[0] >> 3 & 1, eof = dw[0] >> 2 & 1, sof = dw[0] >> 1 & 1;
    if (!n) return ends(cause, regular || irq || eof || sof || dw[1] || dw[3], dw[2]);
    // Those that an abort drops while bus mastering is off are missing.
    uint32_t before = dw[2] - n;
    while (state == Aborting && before != done && done < before && world.master_off >= lax_since && !ring().unreported.empty()) lost();
    must(before == done, "channel %u: a record of descriptors from %u on, and %llu were told of", index, before, (u64)done);
    bool irqs = false;
    for (unsigned i = 0; i < n; i++) {
      bool is_last = i == n - 1;
      if (is_last && cause == Fetch) {
        bool may = false;
        for (auto& f : fetches) may |= f.first + f.read->good / 16 == done || (f.first <= done && done < f.first + f.read->n / 16 && f.read->ways() & bit(Timeout));
        must(may, "channel %u: descriptors from %llu on could not be read, it says", index, (u64)done);
        must(!regular && !dw[1] && !dw[3] && !dead, "channel %u: record of a failed fetch: %x %x %x", index, dw[0], dw[1], dw[3]);
        dead = irqs = true;
      } else {
        must(!dead || state == Aborting, "channel %u: a record after a failed fetch", index);
        CommandP c = is_last ? reported(cause, dw[1], eof, dw[3]) : reported(None, 0, false, ~0u);
        irqs |= c->irq;
        if (is_last) {
          bool want = reader ? cause == None : cause == None && writer->regular(*c);
          must(regular == want, "channel %u: regular is %u", index, regular);
          if (cause != Abort && !c->bad) must(sof == (reader ? c->sof : c->began_frame), "channel %u: start of frame is %u", index, sof);
        }
      }
      done++;
    }
    must(irq == irqs, "channel %u: interrupt is %u in a record of %u", index, irq, n);
    return irq || cause != None;
  }

 private:
  struct Out {
    uint64_t first;
    ReadP read;
  };
  Requests& host;
  unsigned index, page;
  ReadModel* reader;
  WriteModel* writer;
  unsigned most;                    // descriptors of a fetch
  unsigned log2 = 5, slot = 0, phase = 1, rate = 0, fixed = 0, still = 0;
  uint64_t control = 0, desc = 0, recs = 0, posted = 0, fetched = 0, done = 0, lax_since = 0;
  unsigned call_left = 0;
  bool tells = false;                               // an abort is to end with a record
  bool use_ring = true, records_on = true, dead = false, waiting = false, open_frame = false;
  unsigned epoch = 0;
  std::deque<Out> fetches;

  void lax(bool on) {
    lax_since = world.now;
    if (reader) reader->lax = on, reader->lax_since = world.now;
    else writer->lax = on, writer->lax_since = world.now;
  }
  CommandP reported(unsigned cause, unsigned len, bool eof, unsigned id) {
    Source& s = ring();
    must(!s.unreported.empty(), "channel %u: a record of nothing", index);
    CommandP c = s.unreported.front();
    if (id != ~0u)
      return reader ? reader->reported(0, cause, len, eof, id, "record") : writer->reported(0, cause, len, eof, id, "record");
    // One of those before the last: it was regular.
    if (!reader && !c->complete && writer->may_skip(*c)) writer->skip();
    if (!reader) must(writer->regular(*c), "record: command %u was not regular", c->id);
    if (c->skipped) return writer->reported(0, None, 0, false, c->id, "record");
    return reader ? reader->reported(0, None, c->len, c->eof, c->id, "record") : writer->reported(0, None, c->len, c->eof, c->id, "record");
  }
  // The record that ends an abort: all that was done has been told by then. No interrupt comes of it.
  bool ends(unsigned cause, bool more, uint32_t total) {
    must(state == Aborting || state == Settling, "channel %u: a record of nothing", index);
    must(tells && cause == Abort && !more, "channel %u: a record of nothing that does not end an abort, cause %u", index, cause);
    must(total == done || world.master_off >= lax_since, "channel %u: an abort ends after %u descriptors, and %llu were told of", index, total, (u64)done);
    tells = false;
    if (writer) writer->closed = true;
    ended++;
    return false;
  }
  void lost() {
    ring().unreported.pop_front();
    done++;
  }

  void open() {
    Rng& rng = world.rng;
    sessions++;
    epoch++;
    state = Opening;
    use_ring = rng.chance(750);
    records_on = use_ring || rng.chance(512);
    log2 = rng.chance(300) ? rng.range(1, 3) : rng.range(3, 8);
    if (world.calls) use_ring = records_on = true, log2 = world.rng.range(4, 8);
    if (writer) writer->first = world.calls || use_ring && rng.chance(512), writer->closed = false;
    tells = false;
    call_left = 0;
    unsigned attr = reader ? reader->attr : writer->attr, count = rng.chance(512) ? rng.range(0, 4) : rng.range(0, 64), time = rng.chance(512) ? rng.below(40) : rng.below(1500);
    vector = rng.below(4);
    rate = rng.chance(300) ? 20 : rng.chance(512) ? 150 : 500;
    if (world.calls) rate = 1000;
    fixed = world.calls ? 0 : rng.chance(300) ? rng.chance(512) ? 64 : rng.range(1, 300) : 0;
    desc = world.area[index ? Desc1 : Desc0].base + (uint64_t(rng.below(4)) << 16);
    recs = world.area[index ? Rec1 : Rec0].base + (uint64_t(rng.below(4)) << 16);
    posted = fetched = done = 0;
    slot = 0;
    phase = 1;
    dead = waiting = open_frame = false;
    fetches.clear();
    if (writer) writer->fixed = fixed;
    control = uint64_t(writer && writer->first) << 24;
    control |= 1 | uint64_t(use_ring) << 2 | uint64_t(records_on) << 3 | attr << 4 | log2 << 8 | vector << 12 | count << 16 | uint64_t(time) << 32;
    host.write(page + 0x08, desc);
    host.write(page + 0x10, recs);
    host.write(page + 0x18, 0);
    host.write(page + 0x30, 0);
    host.write(page, control);
    unsigned mine_now = epoch;
    host.read(page + 0x40, [this, mine_now](uint64_t) { if (state == Opening && epoch == mine_now) state = Running; });
  }

  // `ends`: one that ends the frame that the last one left open.
  void post(bool ends = false) {
    Rng& rng = world.rng;
    unsigned room = (use_ring ? (1u << log2) - 1 : 32) - unsigned(posted - done), n = std::min(room, rng.range(1, use_ring ? 40 : 4));
    if (!n || dead) return;
    if (ends) n = 1;
    uint64_t base = world.area[reader ? H2cRing : C2hRing].base;
    for (unsigned i = 0; i < n; i++) {
      auto c = std::make_shared<Command>();
      c->len = fixed ? fixed : rng.chance(400) ? rng.range(1, 130) : rng.chance(800) ? rng.range(1, 2100) : rng.range(1, 12000);
      if (world.mood.fault && rng.chance(20)) c->len = rng.chance(512) ? 0 : 1 << 24, c->bad = true;
      c->addr = base + rng.below(unsigned(AreaSize) - 16384);
      if (rng.chance(400)) c->addr &= ~63ull;
      c->eof = c->sof = true;
      if (!fixed && !rng.chance(600) && !(world.mood.mixed && world.mood.fault)) c->eof = rng.chance(512), c->sof = rng.chance(512);
      if (world.calls) {                            // a call has one to six
        c->len = rng.range(1, 130);
        c->sof = call_left == 0;
        if (c->sof) call_left = rng.range(1, 6);
        c->eof = --call_left == 0;
      }
      if (ends) c->eof = true;
      if (ends && c->bad) c->bad = false, c->len = 1;
      open_frame = reader && !c->eof;
      c->irq = rng.chance(200);
      c->id = rng.below(1 << 24);
      c->nth = posted;
      uint64_t high = c->len | uint64_t(c->sof) << 32 | uint64_t(c->eof) << 33 | uint64_t(c->irq) << 34 | uint64_t(c->id) << 40;
      if (use_ring) {
        Area& a = world.area[index ? Desc1 : Desc0];
        uint64_t at = desc + 16 * (posted & ((1u << log2) - 1));
        for (unsigned b = 0; b < 8; b++) a.at(at + b) = uint8_t(c->addr >> (8 * b)), a.at(at + 8 + b) = uint8_t(high >> (8 * b));
      } else {
        host.write(page + 0x20, c->addr);
        host.write(page + 0x28, high);
      }
      posted++;
      if (reader) reader->given(0, c);
      else writer->given(0, c);
    }
    if (use_ring) host.write_low(page + 0x18, uint32_t(posted & ((1u << log2) - 1)));
  }

  // Without records: how many are done, from the register.
  void poll() {
    if (waiting || host.waiting() > 20) return;
    waiting = true;
    unsigned mine_now = epoch;
    host.read(page + 0x40, [this, mine_now](uint64_t v) {
      if (epoch != mine_now) return;
      waiting = false;
      if (state != Running && state != Draining) return;
      uint32_t now = uint32_t(v >> 32);
      must(now >= done && now <= posted, "channel %u: %u done of %llu, %llu before", index, now, (u64)posted, (u64)done);
      // How each ended is not told; the data has shown it.
      for (; done < now; done++) {
        Command& c = *ring().unreported.front();
        if (writer && !c.complete && writer->may_skip(c)) writer->skip();
        bool over = reader ? c.bad || c.moved == c.len : c.complete;
        for (auto& r : c.reads) over &= r->settled || (r->ways() & bit(Timeout));
        // The last may still stand at the way out.
        must(over || (writer && done + 1 == now), "channel %u: command %u is counted as done before it is", index, c.id);
        ring().unreported.pop_front();
      }
    });
  }
  void close() {
    host.write_low(page, (reader ? reader->attr : writer->attr) << 4);
    state = Opening;
    unsigned mine_now = epoch;
    host.read(page + 0x40, [this, mine_now](uint64_t) {
      if (epoch != mine_now) return;
      state = Closed;
    });
  }
  void poll_busy() {
    if (waiting) return;
    waiting = true;
    unsigned mine_now = epoch;
    host.read(page + 0x40, [this, mine_now](uint64_t v) {
      if (epoch != mine_now) return;
      waiting = false;
      if (!(v & 1) && state == Aborting) state = Settling, still = 0;
    });
  }
  // An abort has come to its end, and the stream shows nothing any more.
  void settled() {
    Source* s = reader ? reader->src : writer->src;
    must(!tells || world.master_off >= lax_since, "channel %u: an abort has ended without its record", index);
    must(!reader || !reader->stream_open(), "channel %u: an abort has left a frame open", index);
    must(s[1].unreported.empty(), "channel %u: an abort has left a command of the port without report", index);
    if (reader) reader->clear();
    else writer->drop();
    lax(false);
    host.write_low(page, (reader ? reader->attr : writer->attr) << 4);
    state = Opening;
    unsigned mine_now = epoch;
    host.read(page + 0x40, [this, mine_now](uint64_t) {
      if (epoch != mine_now) return;
      if (writer) writer->held = false;
      state = Closed;
    });
  }
};
