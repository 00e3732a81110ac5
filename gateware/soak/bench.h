// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The engine's ports, driven and observed each cycle. What goes in comes from the models of the host and of the
// user's design, what comes out is held against them.
#pragma once
#include "channel.h"
#include "Vtop.h"
#include "verilated.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

// What `--plant` makes of what the engine says, once: each must be noticed.
enum class Plant { None, ReadByte, WriteByte, SentByte, WindowByte, Record, Interrupt, Report, Answer, Hang };

struct Bench {
  VerilatedContext ctx;
  Vtop* top;
#if VM_TRACE_FST
  VerilatedFstC trace;
#endif
  uint64_t trace_from = ~0ull;
  Plant plant = Plant::None;
  uint64_t plant_at = 0;

  ReadModel reader;
  WriteModel writer{"card to host", C2hRing, C2hPort}, sender{"card to card", Places, P2pPort};
  Requests host;
  RootMemory memory;
  HostChannel channel[2] = {{host, 0, &reader, nullptr, BATCH}, {host, 1, nullptr, &writer, BATCH}};   // host to card, card to host
  std::deque<CommandP> port[3];     // commands of the user's design that wait: h2c, c2h, p2p
  uint64_t commands = 0, interrupts = 0, tlps = 0, reads = 0, resets = 0, offs = 0;
  bool in_reset = false, flr = false;     // a function-level reset: the engine's part of it, all
  bool pulse = false;               // whether the user's design asks for interrupts
  uint64_t stalled[8] = {};
  uint64_t table[4] = {};
  uint32_t vector_data[4] = {};

  Bench(unsigned max_payload, unsigned max_request)
      : top((ctx.randReset(2), ctx.randSeed(int(world.seed & 0x7fffffff) | 1), new Vtop(&ctx))) {
    reader.max_request = max_request;
    writer.max_payload = sender.max_payload = max_payload;
    sender.eof_bit = 1 << 19;
  }
  ~Bench() {
#if VM_TRACE_FST
    if (trace.isOpen()) trace.close();
#endif
    delete top;
  }
  void trace_to(const char* file, uint64_t from) {
#if VM_TRACE_FST
    ctx.traceEverOn(true);
    top->trace(&trace, 99);
    trace.open(file);
    trace_from = from;
#else
    (void)file, (void)from;
    fprintf(stderr, "this program was built without traces\n");
    exit(2);
#endif
  }
  void edge(bool high) {
    top->clk_i = high;
    top->eval();
#if VM_TRACE_FST
    if (world.now >= trace_from) trace.dump(2 * world.now + high);
#endif
  }

  void power_up() {
    top->flr_i = 0;
    top->rst_ni = 0;
    for (unsigned i = 0; i < 4; i++) step();
    top->rst_ni = 1;
  }

  bool idle() const {
    return reader.idle() && writer.idle() && sender.idle() && host.quiet() && memory.idle() && channel[0].idle() && channel[1].idle()
        && port[0].empty() && port[1].empty() && port[2].empty() && !flr && !top->tx_valid_o && !top->rq_valid_o;
  }

  void step() {
    in_reset = !top->core_rst_no;
    drive();
    edge(false);
    observe();
    edge(true);
    world.now++;
  }

  void irq(unsigned v) { pulses[v]++, last_pulse[v] = world.now; }
  // Nothing more is to come: was an interrupt lost?
  void check_interrupts() {
    for (unsigned v = 0; v < 4; v++)
      must(!pulses[v] || last_message[v] > last_pulse[v], "interrupt %u of cycle %llu was never sent", v, (u64)last_pulse[v]);
  }
  void forget_interrupts() { for (unsigned v = 0; v < 4; v++) pulses[v] = messages[v] = last_message[v] = last_pulse[v] = 0; }

 private:
  bool shown[6] = {};               // h2c, c2h, p2p commands; rx_req; c2h, p2p streams
  const Beat* cpl = nullptr;
  unsigned n_c2h = 0, n_p2p = 0;
  Header tx_hdr;
  std::vector<uint8_t> tx_data;
  uint64_t pulses[4] = {}, messages[4] = {}, last_pulse[4] = {}, last_message[4] = {}, off_at = 0;
  unsigned begun_off[2] = {};

  bool free(unsigned i) const { return world.now >= stalled[i] && !world.rng.chance(world.mood.pause[i]); }
  bool planted(Plant p) {
    if (plant != p || world.now < plant_at) return false;
    if (p != Plant::Hang && p != Plant::Interrupt) plant = Plant::None;     // those last
    return true;
  }

  void drive() {
    top->set_i = unsigned(__builtin_ctz(world.mps / 128)) << 6 | unsigned(__builtin_ctz(world.mrrs / 128)) << 3 | world.ext_tag << 2
        | world.master << 1 | unsigned(world.msix);
    if (!world.master) world.master_off = world.now;
    top->tx_ready_i = free(0) && !(plant == Plant::Hang && world.now >= plant_at);
    top->rq_ready_i = free(1);
    top->cpl_ready_i = free(2);
    top->h2c_ready_i = free(5);
    top->win_ready_i = free(6);
    const Beat* b = host.next();
    if (b && !shown[3] && free(3)) shown[3] = true;
    if (!b) shown[3] = false;
    host.shown = top->rx_req_valid_i = shown[3];
    if (shown[3]) {
      top->rx_req_sop_i = b->sop;
      top->rx_req_eop_i = b->eop;
      put_header(top->rx_req_hdr_i, b->hdr);
      set_data(top->rx_req_data_i, b->data);
    }
    // A block gives a completion without long pauses within it.
    cpl = (memory.begun() ? !world.rng.chance(world.mood.pause[4] / 2) : free(4)) ? memory.next() : nullptr;
    top->rx_cpl_valid_i = cpl != nullptr;
    if (cpl) {
      top->rx_cpl_sop_i = cpl->sop;
      top->rx_cpl_eop_i = cpl->eop;
      put_header(top->rx_cpl_hdr_i, cpl->hdr);
      set_data(top->rx_cpl_data_i, cpl->data);
    }
    if (in_reset) shown[0] = shown[1] = shown[2] = shown[4] = shown[5] = false;
    offer(0, top->h2c_cmd_valid_i, top->h2c_cmd_addr_i, top->h2c_cmd_len_i, top->h2c_cmd_eof_i, top->h2c_cmd_id_i);
    offer(1, top->c2h_cmd_valid_i, top->c2h_cmd_addr_i, top->c2h_cmd_len_i, top->c2h_cmd_eof_i, top->c2h_cmd_id_i);
    offer(2, top->p2p_cmd_valid_i, top->p2p_cmd_addr_i, top->p2p_cmd_len_i, top->p2p_cmd_eof_i, top->p2p_cmd_id_i);
    n_c2h = stream(writer, 4, top->c2h_valid_i, top->c2h_data_i, top->c2h_keep_i, top->c2h_last_i);
    n_p2p = stream(sender, 5, top->p2p_valid_i, top->p2p_data_i, top->p2p_keep_i, top->p2p_last_i);
    unsigned at = top->user_addr_o;
    top->user_ready_i = top->user_valid_o && !in_reset && host.user_ready(at);
    top->user_error_i = top->user_ready_i && host.user_error(at);
    top->user_rdata_i = host.user_data(at);
    top->user_irq_i = !pulse || in_reset || !world.rng.chance(2) ? 0 : 1u << world.rng.below(4);
    if (!top->rst_ni) top->user_irq_i = 0;
  }
  template <typename V, typename A, typename L, typename E, typename I>
  void offer(unsigned i, V& valid, A& addr, L& len, E& eof, I& id) {
    if (!shown[i] && !port[i].empty() && !in_reset && world.rng.chance(700)) shown[i] = true;
    valid = shown[i];
    if (!shown[i]) return;
    const Command& c = *port[i].front();
    addr = c.addr, len = c.len, eof = c.eof, id = c.id;
  }
  template <typename V, typename D, typename K, typename L>
  unsigned stream(WriteModel& w, unsigned i, V& valid, D& data, K& keep, L& end) {
    uint8_t row[Bytes] = {};
    bool last = false;
    unsigned n = 0;
    if (!in_reset && (shown[i] || free(7))) n = w.offer(row, last);
    shown[i] = valid = n != 0;
    if (!n) return 0;
    set_data(data, row);
    keep = n == 64 ? ~0ull : (1ull << n) - 1;
    end = last;
    return n;
  }

  void observe() {
    if (!top->rst_ni) return;
    if (shown[3] && top->rx_req_ready_o) host.taken(), shown[3] = false, world.moved = world.now;
    if (cpl) memory.taken(), world.moved = world.now;
    if (top->tx_valid_o && top->tx_ready_i) tx_beat(), world.moved = world.now;
    if (top->rq_valid_o && top->rq_ready_i) request(), world.moved = world.now;
    if (top->cpl_valid_o && top->cpl_ready_i) {
      Header h = get_header(top->cpl_hdr_o);
      if (planted(Plant::Answer)) h.tag ^= 1;
      host.answer(h, top->cpl_data_o);
    }
    watch_master();
    if (in_reset) return;
    accept(0, top->h2c_cmd_ready_o);
    accept(1, top->c2h_cmd_ready_o);
    accept(2, top->p2p_cmd_ready_o);
    if (n_c2h && top->c2h_ready_o) writer.accepted(n_c2h), shown[4] = false, world.moved = world.now;
    if (n_p2p && top->p2p_ready_o) sender.accepted(n_p2p), shown[5] = false, world.moved = world.now;
    if (top->h2c_valid_o && top->h2c_ready_i) out(true), world.moved = world.now;
    if (top->win_valid_o && top->win_ready_i) out(false), world.moved = world.now;
    report(0, top->h2c_done_valid_o, top->h2c_done_o);
    report(1, top->c2h_done_valid_o, top->c2h_done_o);
    report(2, top->p2p_done_valid_o, top->p2p_done_o);
    host.user_access(top->user_valid_o, top->user_ready_i, top->user_write_o, top->user_addr_o, top->user_wdata_o,
                     top->user_error_i ? 0 : top->user_wstrb_o);
    for (unsigned v = 0; v < 4; v++) if (top->user_irq_i >> v & 1) irq(v);
  }
  void accept(unsigned i, bool ready) {
    if (!shown[i] || !ready) return;
    CommandP c = port[i].front();
    port[i].pop_front();
    shown[i] = false;
    commands++;
    if (i == 0) reader.given(1, c);
    else if (i == 1) writer.given(1, c);
    else sender.given(1, c);
  }
  void report(unsigned i, bool valid, uint64_t d) {
    if (!valid || planted(Plant::Report)) return;
    unsigned id = d & 0xffffff, cause = d >> 24 & 15, len = unsigned(d >> 33 & 0xffffff);
    bool eof = d >> 31 & 1;
    if (i == 0) reader.reported(1, cause, len, eof, id, "host to card, port");
    else if (i == 1) writer.done(cause, len, eof, id);
    else sender.done(cause, len, eof, id);
  }
  void out(bool h2c) {
    uint8_t row[Bytes];
    for (unsigned i = 0; i < Bytes; i++) row[i] = h2c ? get_byte(top->h2c_data_o, i) : get_byte(top->win_data_o, i);
    unsigned n = unsigned(__builtin_popcountll(h2c ? top->h2c_keep_o : top->win_keep_o));
    if (h2c ? top->h2c_last_o && !top->h2c_error_o && !reader.lax && planted(Plant::ReadByte) : planted(Plant::WindowByte)) row[n - 1] ^= 1;
    if (h2c) reader.beat(row, n, top->h2c_last_o, top->h2c_error_o);
    else host.beat(row, n, top->win_last_o, top->win_error_o);
  }

  void tx_beat() {
    if (top->tx_sop_o) {
      tx_hdr = get_header(top->tx_hdr_o);
      tx_data.clear();
      tlps++;
      must(tx_hdr.kind == MemWr && tx_hdr.tc == 0, "a TLP of kind %u among writes", tx_hdr.kind);
    }
    for (unsigned i = 0; i < Bytes && tx_data.size() < 4 * tx_hdr.len_dw; i++) tx_data.push_back(get_byte(top->tx_data_o, i));
    if (!top->tx_eop_o) return;
    must(tx_data.size() == 4 * tx_hdr.len_dw, "a write of %u DW that ends after %zu bytes", tx_hdr.len_dw, tx_data.size());
    Place p = world.place(tx_hdr.addr);
    if (p == Msix) return interrupt();
    for (auto& c : channel)
      if (c.writes_here(p)) {
        if (planted(Plant::Record)) return;
        if (c.record(tx_hdr, tx_data)) irq(c.vector);
        return;
      }
    if (p == C2hRing || p == C2hPort) {
      if (planted(Plant::WriteByte)) tx_data[tx_hdr.addr % 4 + (tx_data.size() > 8 ? 4 : 0)] ^= 0xff, tx_data[3] ^= 0xff;
      writer.tlp(tx_hdr, tx_data);
    } else if (world.place(tx_hdr.addr & ~sender.eof_bit) == P2pPort) {
      if (planted(Plant::SentByte)) for (auto& b : tx_data) b ^= 1;
      sender.tlp(tx_hdr, tx_data);
    } else fail("a write to %llx, where nothing is", (u64)tx_hdr.addr);
  }
  void interrupt() {
    unsigned v = 0;
    while (v < 4 && table[v] != tx_hdr.addr) v++;
    must(v < 4 && tx_hdr.len_dw == 1 && tx_hdr.first_be == 15, "an interrupt to %llx, where no vector is", (u64)tx_hdr.addr);
    uint32_t d = tx_data[0] | tx_data[1] << 8 | tx_data[2] << 16 | uint32_t(tx_data[3]) << 24;
    must(d == vector_data[v], "interrupt %u with data %x and not %x", v, d, vector_data[v]);
    if (planted(Plant::Interrupt)) return;
    must(++messages[v] <= pulses[v], "interrupt %u, and nobody asked for it", v);
    last_message[v] = world.now;
    interrupts++;
  }
  void request() {
    Header h = get_header(top->rq_hdr_o);
    reads++;
    must(h.kind == MemRd && h.tc == 0, "a TLP of kind %u among reads", h.kind);
    Place p = world.place(h.addr);
    for (auto& c : channel)
      if (c.mine(p)) {
        c.fetch(h, memory);
        return;
      }
    ReadP r = reader.asked(h);
    memory.asked(h, r, false);
  }
  // While bus mastering is off, what stood at the way out may go, one of each source among it, and nothing more.
  void watch_master() {
    if (world.master) {
      begun_off[0] = begun_off[1] = 0;
      return;
    }
    begun_off[0] += top->tx_valid_o && top->tx_ready_i && top->tx_sop_o;
    begun_off[1] += top->rq_valid_o && top->rq_ready_i;
    must(begun_off[0] <= 4 && begun_off[1] <= 2, "with bus mastering off, %u writes and %u reads have begun", begun_off[0], begun_off[1]);
  }
};
