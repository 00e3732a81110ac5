// A step of cosim_nvme_host (rtl/cosim_nvme_host.sv): see model.h.
#include "model.h"

// As in src/host_pins.rs.
struct In {
  uint64_t rx_data[2], s_data[2];
  uint64_t rx_addr, cmd_lba;
  uint32_t cmd_blocks;
  uint16_t rx_len, rx_id, rx_count, cmd_tag;
  uint8_t rx_tag, rx_status, rx_request, rx_completion, rx_first, rx_last, rx_write;
  uint8_t rq_ready, cpl_ready, cmd_valid, cmd_write, s_valid, m_ready;
};

struct Out {
  uint64_t cpl_data[2], m_data[2];
  uint64_t rq_addr, size;
  uint32_t rq_data;
  uint16_t cpl_len, cpl_id, cpl_count, done_status, done_tag, m_keep;
  uint8_t rx_ready, rq_valid, rq_cfg, rq_write, rq_tag;
  uint8_t cpl_valid, cpl_first, cpl_last, cpl_lower, cpl_tag, cpl_status;
  uint8_t cmd_ready, done_valid, done_why, s_ready, m_valid, m_last, m_error;
  uint8_t run, dead, stray, step, why;
};

extern "C" {

// A cycle: `out` is what stands at the ports just before the rising edge, with `in` at the others. `picoseconds` is
// the time of the edge and `half` half a period.
void JOIN(NAME, _step)(void* host_, const In* in, Out* out, uint64_t picoseconds, uint64_t half) {
  Clocked* host = static_cast<Clocked*>(host_);
  MODEL* t = host->top;
  t->rx_req_valid_i = in->rx_request;
  t->rx_cpl_valid_i = in->rx_completion;
  if (in->rx_request || in->rx_completion) {
    put(t->rx_data_i, in->rx_data);
    t->rx_sop_i = in->rx_first;
    t->rx_eop_i = in->rx_last;
    t->rx_write_i = in->rx_write;
    t->rx_addr_i = in->rx_addr;
    t->rx_len_i = in->rx_len;
    t->rx_tag_i = in->rx_tag;
    t->rx_id_i = in->rx_id;
    t->rx_status_i = in->rx_status;
    t->rx_count_i = in->rx_count;
  }
  t->rq_ready_i = in->rq_ready;
  t->cpl_ready_i = in->cpl_ready;
  t->cmd_valid_i = in->cmd_valid;
  t->cmd_write_i = in->cmd_write;
  t->cmd_lba_i = in->cmd_lba;
  t->cmd_blocks_i = in->cmd_blocks;
  t->cmd_tag_i = in->cmd_tag;
  t->s_valid_i = in->s_valid;
  if (in->s_valid) put(t->s_data_i, in->s_data);
  t->m_ready_i = in->m_ready;
  host->clock(0, picoseconds - half);

  out->rx_ready = t->rx_ready_o;
  out->rq_valid = t->rq_valid_o;
  if (out->rq_valid) {
    out->rq_cfg = t->rq_cfg_o;
    out->rq_write = t->rq_write_o;
    out->rq_addr = t->rq_addr_o;
    out->rq_tag = t->rq_tag_o;
    out->rq_data = t->rq_data_o;
  }
  out->cpl_valid = t->cpl_valid_o;
  if (out->cpl_valid) {
    out->cpl_first = t->cpl_sop_o;
    out->cpl_last = t->cpl_eop_o;
    out->cpl_len = t->cpl_len_o;
    out->cpl_lower = t->cpl_lower_o;
    out->cpl_tag = t->cpl_tag_o;
    out->cpl_id = t->cpl_id_o;
    out->cpl_status = t->cpl_status_o;
    out->cpl_count = t->cpl_count_o;
    get(out->cpl_data, t->cpl_data_o);
  }
  out->cmd_ready = t->cmd_ready_o;
  out->done_valid = t->done_valid_o;
  out->done_why = t->done_why_o;
  out->done_status = t->done_status_o;
  out->done_tag = t->done_tag_o;
  out->s_ready = t->s_ready_o;
  out->m_valid = t->m_valid_o;
  if (out->m_valid) {
    get(out->m_data, t->m_data_o);
    out->m_keep = t->m_keep_o;
    out->m_last = t->m_last_o;
    out->m_error = t->m_error_o;
  }
  out->run = t->run_o;
  out->dead = t->dead_o;
  out->stray = t->stray_o;
  out->step = t->step_o;
  out->why = t->why_o;
  out->size = t->size_o;
  host->clock(1, picoseconds);
}

}  // extern "C"
