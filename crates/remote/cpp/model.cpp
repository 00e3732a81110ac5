// One Verilated remote_card (rtl/remote_card.sv) behind three C functions.
#include <cstdint>
#include "Vremote_card.h"
#include "verilated.h"

// As in src/model.rs.
struct In {
  uint64_t rx_data;
  uint32_t rx_user;
  uint16_t id, command, dcommand;
  uint8_t rx_keep, rx_valid, rx_last, power, msix_enable, msix_mask, flr, tx_ready, tx_buf_av;
};

struct Out {
  uint64_t tx_data;
  uint8_t tx_keep, tx_valid, tx_last, rx_ready;
};

struct Card {
  VerilatedContext context;
  Vremote_card top{&context, "card"};
};

extern "C" {

void* ls_remote_new() {
  Card* card = new Card;
  card->top.rst_ni = 0;
  for (int i = 0; i < 16; i++) {
    card->top.clk_i = i & 1;
    card->top.eval();
  }
  card->top.rst_ni = 1;
  return card;
}

void ls_remote_free(void* card) {
  static_cast<Card*>(card)->top.final();
  delete static_cast<Card*>(card);
}

// A cycle: `out` is what stands at the pins just before the rising edge, with `in` at the others.
void ls_remote_step(void* card, const In* in, Out* out) {
  Vremote_card* t = &static_cast<Card*>(card)->top;
  t->m_axis_rx_tdata = in->rx_data;
  t->m_axis_rx_tkeep = in->rx_keep;
  t->m_axis_rx_tlast = in->rx_last;
  t->m_axis_rx_tuser = in->rx_user;
  t->m_axis_rx_tvalid = in->rx_valid;
  t->s_axis_tx_tready = in->tx_ready;
  t->tx_buf_av = in->tx_buf_av;
  t->cfg_bus_number = in->id >> 8;
  t->cfg_device_number = in->id >> 3 & 31;
  t->cfg_function_number = in->id & 7;
  t->cfg_command = in->command;
  t->cfg_dcommand = in->dcommand;
  t->cfg_pmcsr_powerstate = in->power;
  t->cfg_interrupt_msixenable = in->msix_enable;
  t->cfg_interrupt_msixfm = in->msix_mask;
  t->cfg_received_func_lvl_rst = in->flr;
  t->clk_i = 0;
  t->eval();
  out->tx_data = t->s_axis_tx_tdata;
  out->tx_keep = t->s_axis_tx_tkeep;
  out->tx_valid = t->s_axis_tx_tvalid;
  out->tx_last = t->s_axis_tx_tlast;
  out->rx_ready = t->m_axis_rx_tready;
  t->clk_i = 1;
  t->eval();
}

}  // extern "C"
