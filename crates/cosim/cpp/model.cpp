// A step of cosim_card (rtl/cosim_card.sv). Compiled once for each build: see model.h.
#include "model.h"

// As in src/pins.rs.
struct In {
  uint64_t rx_data[2], c2h_data[2], p2p_data[2];
  uint64_t cmd_addr[3];
  uint32_t cmd_len[3];
  uint32_t rx_user;
  uint16_t id, dcommand, rx_keep, c2h_keep, p2p_keep;
  uint8_t msix_enable, tx_ready, rx_valid, rx_last, tx_buf_av;
  uint8_t cmd_valid[3], cmd_eof[3];
  uint8_t h2c_ready, win_ready, c2h_valid, c2h_last, p2p_valid, p2p_last, pingpong;
};

struct Out {
  uint64_t tx_data[2], h2c_data[2], win_data[2];
  uint16_t tx_keep, h2c_keep, win_keep;
  uint8_t tx_valid, tx_last, rx_ready;
  uint8_t cmd_ready[3], done_valid[3], done_cause[3];
  uint8_t h2c_valid, h2c_last, h2c_error, win_valid, win_last, win_error, c2h_ready, p2p_ready, pingpong_busy;
};

extern "C" {

// A cycle: `out` is what stands at the pins just before the rising edge, with `in` at the others. `picoseconds` is
// the time of the edge and `half` half a period.
void JOIN(NAME, _step)(void* card_, const In* in, Out* out, uint64_t picoseconds, uint64_t half) {
  Clocked* card = static_cast<Clocked*>(card_);
  MODEL* t = card->top;
  put(t->m_axis_rx_tdata, in->rx_data);
  t->m_axis_rx_tkeep = in->rx_keep;
  t->m_axis_rx_tlast = in->rx_last;
  t->m_axis_rx_tuser = in->rx_user;
  t->m_axis_rx_tvalid = in->rx_valid;
  t->s_axis_tx_tready = in->tx_ready;
  t->tx_buf_av = in->tx_buf_av;
  t->cfg_bus_number = in->id >> 8;
  t->cfg_device_number = in->id >> 3 & 31;
  t->cfg_function_number = in->id & 7;
  t->cfg_dcommand = in->dcommand;
  t->cfg_interrupt_msixenable = in->msix_enable;
  t->h2c_cmd_valid_i = in->cmd_valid[0];
  t->h2c_cmd_addr_i = in->cmd_addr[0];
  t->h2c_cmd_len_i = in->cmd_len[0];
  t->h2c_cmd_eof_i = in->cmd_eof[0];
  t->c2h_cmd_valid_i = in->cmd_valid[1];
  t->c2h_cmd_addr_i = in->cmd_addr[1];
  t->c2h_cmd_len_i = in->cmd_len[1];
  t->c2h_cmd_eof_i = in->cmd_eof[1];
  t->p2p_cmd_valid_i = in->cmd_valid[2];
  t->p2p_cmd_addr_i = in->cmd_addr[2];
  t->p2p_cmd_len_i = in->cmd_len[2];
  t->p2p_cmd_eof_i = in->cmd_eof[2];
  t->h2c_ready_i = in->h2c_ready;
  t->win_ready_i = in->win_ready;
  t->c2h_valid_i = in->c2h_valid;
  put(t->c2h_data_i, in->c2h_data);
  t->c2h_keep_i = in->c2h_keep;
  t->c2h_last_i = in->c2h_last;
  t->p2p_valid_i = in->p2p_valid;
  put(t->p2p_data_i, in->p2p_data);
  t->p2p_keep_i = in->p2p_keep;
  t->p2p_last_i = in->p2p_last;
  t->pingpong_i = in->pingpong;
  card->clock(0, picoseconds - half);

  get(out->tx_data, t->s_axis_tx_tdata);
  out->tx_keep = t->s_axis_tx_tkeep;
  out->tx_valid = t->s_axis_tx_tvalid;
  out->tx_last = t->s_axis_tx_tlast;
  out->rx_ready = t->m_axis_rx_tready;
  out->cmd_ready[0] = t->h2c_cmd_ready_o;
  out->cmd_ready[1] = t->c2h_cmd_ready_o;
  out->cmd_ready[2] = t->p2p_cmd_ready_o;
  out->done_valid[0] = t->h2c_done_valid_o;
  out->done_valid[1] = t->c2h_done_valid_o;
  out->done_valid[2] = t->p2p_done_valid_o;
  out->done_cause[0] = t->h2c_done_cause_o;
  out->done_cause[1] = t->c2h_done_cause_o;
  out->done_cause[2] = t->p2p_done_cause_o;
  get(out->h2c_data, t->h2c_data_o);
  out->h2c_keep = t->h2c_keep_o;
  out->h2c_valid = t->h2c_valid_o;
  out->h2c_last = t->h2c_last_o;
  out->h2c_error = t->h2c_error_o;
  get(out->win_data, t->win_data_o);
  out->win_keep = t->win_keep_o;
  out->win_valid = t->win_valid_o;
  out->win_last = t->win_last_o;
  out->win_error = t->win_error_o;
  out->c2h_ready = t->c2h_ready_o;
  out->p2p_ready = t->p2p_ready_o;
  out->pingpong_busy = t->pingpong_busy_o;
  card->clock(1, picoseconds);
}

}  // extern "C"
