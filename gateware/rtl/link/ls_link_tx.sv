// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What goes out to the MAC, a packet at a time: a Nak, an Ack that cannot wait longer, the DLLPs by which flow control
// begins, an UpdateFC that cannot wait longer, and TLPs with their number and LCRC. An Ack or UpdateFC cannot wait if
// it would be too late behind the TLP that is next.
module ls_link_tx
  import ls_link_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        run_i,              // the link is up: a TLP that is on its way when it goes down is nullified
  input  logic [8:0]  limit_i,            // clocks that an Ack or UpdateFC may wait
  // Acks and Naks
  input  logic        nak_i,
  input  logic        ack_i,
  input  logic        ack_now_i,
  input  logic [8:0]  ack_age_i,
  input  seq_t        ack_seq_i,
  output logic        ack_sent_o,
  // flow control
  input  logic        init_i,
  input  logic        update_i,
  input  logic [8:0]  update_age_i,
  input  dllp_t       fc_i,
  output logic        fc_sent_o,
  // TLPs
  input  logic        tlp_i,
  input  seq_t        seq_i,
  input  logic [9:0]  len_i,
  output logic        idle_o,
  output logic        begin_o,
  output logic        next_o,
  input  logic [15:0] word_i,
  input  logic        last_i,
  output logic        end_o,
  // the MAC
  output logic        valid_o,
  input  logic        ready_i,
  output logic [15:0] word_o,
  output logic        last_o,
  output logic        dllp_o,
  output logic        null_o
);

  typedef enum logic [2:0] {Choose, Body, Check, CheckEnd, Dllp, DllpEnd} state_e;

  // Behind it come its number, its LCRC and the symbols around it.
  localparam logic [9:0] Around = 10'd4;

  state_e      state_q;
  logic        acks, fcs, tlps, taken, null_q, ack_due_q, update_due_q, tlp_q;
  logic [10:0] behind;                    // clocks of the TLP that is next
  dllp_t       dllp;
  logic [15:0] upper_q, first;

  assign behind = tlp_i ? 11'(len_i) + 11'(Around) : '0;
  // A TLP waits for a clock, in which it is seen who would be late behind it.
  always_ff @(posedge clk_i) begin
    ack_due_q    <= ack_now_i || 12'(ack_age_i) + 12'(behind) >= 12'(limit_i);
    update_due_q <= 12'(update_age_i) + 12'(behind) >= 12'(limit_i);
    tlp_q        <= tlp_i;
  end
  assign acks   = run_i && (nak_i || (ack_i && ack_due_q));
  assign fcs    = run_i && !acks && (init_i || (update_i && update_due_q));
  assign tlps   = run_i && !acks && !fcs && tlp_i && tlp_q;
  assign dllp   = acks ? dllp_ack(nak_i, ack_seq_i) : fc_i;
  assign first  = acks || fcs ? dllp[15:0] : {seq_i[7:0], 4'h0, seq_i[11:8]};

  // CRCs take a word when it has gone out: a clock for the memory, another for them.
  logic        fold_q, start_q;
  logic [15:0] sent_q, dllp_crc_q, dllp_crc;
  logic [31:0] crc_q, crc;
  assign crc      = fold_q ? lcrc_next(start_q ? '1 : crc_q, sent_q) : crc_q;
  assign dllp_crc = fold_q ? dllp_crc_next(start_q ? '1 : dllp_crc_q, sent_q) : dllp_crc_q;

  assign valid_o = state_q != Choose || acks || fcs || tlps;
  assign dllp_o  = acks || fcs;
  assign last_o  = state_q inside {CheckEnd, DllpEnd};
  assign null_o  = state_q == CheckEnd && null_q;
  assign taken   = valid_o && ready_i;
  always_comb begin
    unique case (state_q)
      Choose:   word_o = first;
      Body:     word_o = word_i;
      Check:    word_o = crc[15:0] ^ {16{!null_q}};
      CheckEnd: word_o = crc[31:16] ^ {16{!null_q}};
      Dllp:     word_o = upper_q;
      default:  word_o = ~dllp_crc;
    endcase
  end

  assign idle_o     = state_q inside {Choose, Dllp, DllpEnd};
  assign begin_o    = taken && state_q == Choose && tlps;
  assign next_o     = taken && state_q == Body;
  assign end_o      = taken && state_q == CheckEnd;
  assign ack_sent_o = taken && state_q == Choose && acks;
  assign fc_sent_o  = taken && state_q == Choose && fcs;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Choose;
    else if (taken) begin
      unique case (state_q)
        Choose:  state_q <= tlps ? Body : Dllp;
        Body:    if (last_i || !run_i) state_q <= Check;
        Check:   state_q <= CheckEnd;
        Dllp:    state_q <= DllpEnd;
        default: state_q <= Choose;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    fold_q  <= taken && state_q inside {Choose, Body, Dllp};
    start_q <= state_q == Choose;
    sent_q  <= word_o;
    crc_q      <= crc;
    dllp_crc_q <= dllp_crc;
    if (taken && state_q inside {Choose, Body}) null_q <= state_q == Body && !run_i;
    if (state_q == Choose) upper_q <= dllp[31:16];
  end

endmodule
