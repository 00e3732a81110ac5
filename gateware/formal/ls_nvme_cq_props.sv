// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Each entry that the drive writes is told once, as it stands there, in their order, over the wrap of the
// queue and the turn of the phase; what is told is an entry that was written; the head doorbell gives free
// what was told, no more. The drive writes what it likes as long as the doorbell has left it room, and the
// memory is one cycle late.
module ls_nvme_cq_props (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        run_i,
  input logic        empty_i,
  input logic        write_i,       // the drive writes an entry,
  input logic [15:0] cid_i,         // of this identifier
  input logic [14:0] status_i,
  input logic        bell_ready_i,
  input logic        stall_i,       // the memory gives another a row
  input logic [31:0] other_i
);
  localparam int unsigned Depth = 8;
  logic        re, told, bell_valid, first_q = 1'b1, write;
  logic [2:0]  at, bell;
  logic [15:0] cid;
  logic [14:0] status;
  logic [31:0] row_q, head;
  // Entries since reset, over two rounds.
  logic [3:0]  written_q, told_q, freed_q;
  logic [31:0] mem [Depth];
  logic [3:0]  news;                // written and not told
  ls_nvme_cq #(.Depth(Depth)) dut (
    .clk_i, .rst_ni, .clear_i(1'b0), .run_i, .empty_i, .stall_i, .re_o(re), .at_o(at), .dw3_i(row_q), .cpl_valid_o(told), .cpl_cid_o(cid),
    .cpl_status_o(status), .bell_valid_o(bell_valid), .bell_ready_i, .bell_o(bell)
  );

  assign write = write_i && 4'(written_q - freed_q) < 4'(Depth - 1);
  assign news  = written_q - told_q;
  assign head  = mem[told_q[2:0]];
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    if (re || stall_i) row_q <= stall_i ? other_i : mem[at];
    if (!rst_ni) begin
      written_q <= '0;
      told_q    <= '0;
      freed_q   <= '0;
      for (int unsigned i = 0; i < Depth; i++) mem[i] <= '0;
    end else begin
      if (write) begin
        mem[written_q[2:0]] <= {status_i, !written_q[3], cid_i};
        written_q           <= written_q + 4'd1;
      end
      if (told) told_q <= told_q + 4'd1;
      if (bell_valid && bell_ready_i) freed_q <= freed_q + 4'(3'(bell - freed_q[2:0]));
    end
  end

  // What is new has the phase of its round, and all else another.
  logic [Depth-1:0] phases;
  for (genvar j = 0; j < Depth; j++) begin : gen_phase
    logic [3:0] place;
    assign place     = told_q + 4'(j);
    assign phases[j] = (mem[place[2:0]][16] == !place[3]) == (4'(j) < news);
  end

  // How long an entry waits for being told.
  logic [2:0] wait_q;
  always_ff @(posedge clk_i) wait_q <= (!rst_ni || news == '0 || told || !run_i || stall_i) ? '0 : wait_q + 3'd1;

  // Something was to be given free, and was not just now.
  logic owed_q;
  always_ff @(posedge clk_i) owed_q <= rst_ni && empty_i && told_q != freed_q && !(bell_valid && bell_ready_i);

  always_comb begin
    if (first_q) assume (!rst_ni);
    else         assume (rst_ni);
    if (!first_q) begin
      a_told: assert (!told || (news != '0 && cid == head[15:0] && status == head[31:17]));
      a_bell: assert (4'(freed_q + 4'(3'(bell - freed_q[2:0]))) == told_q);
      a_soon: assert (wait_q <= 3'd4);
      // When nothing is in flight, what was told is given free.
      a_free: assert (!(owed_q && run_i) || bell_valid);
      a_news: assert (!bell_valid || told_q != freed_q);
      // What holds between the two, for the induction.
      i_room: assert (news <= 4'(Depth - 1) && 4'(written_q - freed_q) <= 4'(Depth - 1) && 4'(told_q - freed_q) <= 4'(Depth - 1)
                      && 4'(told_q - freed_q) + news == 4'(written_q - freed_q));
      i_head: assert (dut.head_q == told_q[2:0] && dut.phase_q == !told_q[3] && dut.rung_q == freed_q[2:0]);
      i_phase: assert (phases == '1);
      i_row:  assert (!dut.read_q || row_q[16] != dut.phase_q || (news != '0 && row_q == head));
      i_late: assert (!dut.here_q || dut.dw3_q[16] != dut.phase_q || (news != '0 && dut.dw3_q == head));
    end
    c_wrap: cover (!first_q && told && told_q == 4'd9 && freed_q != '0);
  end
endmodule
