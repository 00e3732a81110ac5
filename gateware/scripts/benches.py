# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""What is built and tested: benches for the simulations, tops for Yosys."""

import os
from functools import partial

from boards import simulated

BINDS = ["tb/ls_traffic_check.sv", "tb/ls_core_binds.sv"]
# The questions, a file each. They are put to the bare engine and to the engine behind each block.
QUESTIONS = ["test_moves", "test_rings", "test_marks", "test_registers", "test_faults", "test_aborts", "test_limits"]

FLR_REST = 4000         # cycles; 50 ms would be too long to simulate
DEEP = bool(os.environ.get("DEEP"))
# Rings and aborts are the engine's own: behind blocks, and between the least and the largest width, each is asked less often.
WITHOUT_OWN = [q for q in QUESTIONS if q not in ("test_rings", "test_marks", "test_aborts")]
BENCHES = [
    dict(top="ls_core", module=QUESTIONS if DEEP or w in (64, 512) else WITHOUT_OWN, params={"Width": w, "MaxPayload": 1024}, binds=BINDS)
    for w in (64, 128, 256, 512)
]
# Each block: one width with all questions, others without those that the engine answers alike behind any block. All widths
# and clocks with all questions, and the UltraScale+ block with one TLP in a beat where it may have more: `make blocks`.
BLOCKS = [("ls_top_usp", 64, 0, 0), ("ls_top_usp", 128, 1, 0), ("ls_top_usp", 256, 1, 1), ("ls_top_usp", 512, 0, 1),
          ("ls_top_7s", 64, 1, 0), ("ls_top_7s", 128, 0, 0)]
BLOCKS += [("ls_top_usp", 256, 0, 0), ("ls_top_usp", 512, 1, 0), ("ls_top_7s", 64, 0, 0), ("ls_top_7s", 128, 1, 0)] if DEEP else []
OF_BLOCKS = WITHOUT_OWN + ["test_vendor"]
BENCHES += [
    dict(top=top, module=QUESTIONS + ["test_vendor"] if DEEP or w == 128 or straddle and w == 512 else OF_BLOCKS, binds=BINDS,
         params=dict({"Width": w, "TwoClocks": two}, **({"Straddle": 1} if straddle else {}), MaxPayload=1024,
                     MaxRequest=4096 if two else 512, FlrRest=FLR_REST),
         env={"TWO_CLOCKS": str(two), "TOP": top, "STRADDLE": str(straddle), "FLR_REST": str(FLR_REST)})
    for top, w, two, straddle in BLOCKS
]
# MSI beside MSI-X.
BENCHES += [
    dict(top=top, module="test_msi", binds=BINDS, brief=True,
         params=dict({"Width": w, "Msi": 1, "MaxPayload": 1024}, **({} if top == "ls_core" else {"FlrRest": FLR_REST}), **more),
         env={"MSI": "1", "TOP": top, "TWO_CLOCKS": str(more.get("TwoClocks", 0)), "STRADDLE": str(more.get("Straddle", 0)),
              "VECTORS": str(more.get("Vectors", 4)), "FLR_REST": str(FLR_REST)})
    for top, w, more in (("ls_core", 64, {"Vectors": 8}), ("ls_core", 512, {"Vectors": 16}), ("ls_top_7s", 64, {"Vectors": 16}),
                         ("ls_top_7s", 128, {"TwoClocks": 1}), ("ls_top_usp", 64, {"Vectors": 16}),
                         ("ls_top_usp", 256, {"TwoClocks": 1, "Straddle": 1}), ("ls_top_usp", 512, {}),
                         ("ls_top_usp", 512, {"Straddle": 1, "Vectors": 8}))
]
# Card memory in the place of streams.
BENCHES += [dict(top="mm", module="test_mm", params={"Width": w, "BurstBytes": b}, binds=BINDS,
                 sources=["tb/ls_axi_check.sv", "tb/axi_order.sv", "tb/mm.sv"], env={"WIDTH": str(w), "BURST": str(b)})
            for w, b in ((64, 1024), (128, 256), (256, 4096), (512, 1024))]
# Several channels each way.
BENCHES += [
    dict(top="channels", module="test_channels", params=dict({"Width": w, "H2c": h, "C2h": c}, **more), binds=BINDS,
         sources=["tb/channels.sv"], env={"H2C": str(h), "C2H": str(c), "TWO_CLOCKS": str(more.get("TwoClocks", 0))})
    for w, h, c, more in ((64, 2, 2, {}), (64, 8, 8, {}), (128, 3, 1, {"Plain": 1, "TwoClocks": 1}), (256, 1, 4, {"Plain": 1}),
                          (512, 2, 2, {"Tags": 128}))
]
# Two cards behind a switch.
BENCHES += [
    dict(top="pair", brief=True, module="test_pair", params={"Width": w, "Kind": kind}, binds=BINDS,
         sources=["tb/pair.sv"] + [f"examples/{x}/ex_{x}{end}.sv" for x in ("crossbar", "pingpong") for end in ("", "_top")]
         + ["examples/pingpong/ex_pingpong_regs.sv"],
         env={"KIND": name})
    for kind, name, w in ((0, "core", 64), (0, "core", 256), (1, "crossbar", 64), (2, "pingpong", 128))
] + [
    dict(top=f"ex_{x}_top", brief=True, module="test_examples", params={"Width": 64}, binds=BINDS,
         sources=([] if x == "loopback" else [f"examples/{x}/ex_{x}.sv"]) + [f"examples/{x}/ex_{x}_top.sv"],
         env={"TOP": f"ex_{x}_top"})
    for x in ("source", "sink", "loopback")
]
# The model of the 7-series block by itself.
BENCHES += [
    dict(top="seven_series_ports", module="test_seven_series", params={"Width": w},
         sources=["models/seven_series_ports.sv"])
    for w in (64, 128)
]
# What a board has beside the engine.
BENCHES += [dict(top="ls_usp_ext_tag", module="test_ext_tag", params={"Every": 16})]
# Whole boards, with a model in the place of the block.
BENCHES += [
    dict(top=top, brief=True, module="test_board", params={"Lanes": lanes, "Width": w}, env={"TOP": top}, binds=BINDS,
         sources=[f"boards/{top}.sv", partial(simulated, block, primitive, lanes, w)])
    for top, block, primitive, lanes, w in (
        ("ls_board_7s", "pcie_7x", "IBUFDS_GTE2", 4, 128), ("ls_board_usp", "pcie4_uscale_plus", "IBUFDS_GTE4", 4, 256),
        ("ls_board_usp", "pcie4_uscale_plus", "IBUFDS_GTE4", 16, 512))
]
# What is added to the model of the UltraScale+ block.
BENCHES += [dict(top="straddling_ports", module="test_straddling_block", params={"Width": 512},
                 sources=["models/straddling_ports.sv"])]
# The ends of the parameters' ranges.
BENCHES += [
    dict(top="ls_core", brief=True, module=QUESTIONS, binds=BINDS, params=p,
         tests=["reads_from_host_at_any_address", "ring_reads_random", "both_directions_at_once",
                "everything_at_once"])
    for p in ({"Width": 128, "Tags": 1, "Batch": 8, "MaxRequest": 128, "BufBytes": 256},
              {"Width": 256, "Tags": 254, "Fetches": 1, "Batch": 64, "MaxRequest": 4096, "BufBytes": 65536})
]
# A ring by itself, where 65,536 entries take no time: 2 to 512 entries with all of these, more with one of them each.
# Each size with all: `make rings`.
BENCHES += [dict(top="ls_desc_ring", module="test_ring", params={"Width": w, "Batch": b, "Fetches": f},
                 env={"FETCHES": str(f), "SIZES": " ".join(map(str, range(1, 17) if DEEP else (*range(1, 10), *large)))})
            for w, b, f, large in ((64, 32, 4, (16,)), (128, 8, 1, (15,)), (256, 32, 8, (13, 14)), (512, 256, 2, (10, 11, 12)))]
# The NVMe host, with a controller in Python; its faults at one width.
BENCHES += [dict(top="ls_nvme_host", module=module, params=dict({"Width": w, "TickCycles": 40, "CmdTicks": 300}, **more),
                 binds=["tb/ls_nvme_binds.sv"], env={"CMDS": str(more.get("Cmds", 32)), "RETRIES": str(more.get("Retries", 0))})
            for w, module, more in ((64, ["test_nvme_host", "test_nvme_faults", "test_nvme_reads"], {}),
                                    (256, ["test_nvme_host", "test_nvme_commands", "test_nvme_return", "test_nvme_reads",
                                           "test_nvme_shutdown"], {"Cmds": 8, "Retries": 2, "AbortTicks": 300,
                                                                                   "FormatTicks": 1000, "Restarts": 2,
                                                                                   "RestartTicks": 100, "ShutTicks": 300}))]
# What the drive is told of its write cache and its power state.
BENCHES += [dict(top="ls_nvme_host", module="test_nvme_features", brief=True, name="ls_nvme_host_features", binds=["tb/ls_nvme_binds.sv"],
                 params={"Width": 64, "WriteCache": 2, "PowerState": 1, "Ultra": 1, "TickCycles": 40, "CmdTicks": 300})]
# Record and play before it.
BENCHES += [dict(top="ls_nvme_recorder", module="test_nvme_record", binds=["tb/ls_nvme_binds.sv"],
                 params={"Width": 64, "FifoBytes": 2048, "GigLog2": 13, "WrBytes": 32768, "RdBytes": 32768, "TickCycles": 40,
                         "CmdTicks": 300}, env={"GIG": str(1 << 13)})]
# A deep queue in external memory.
BENCHES += [dict(top="axi_fifo", module="test_axi_fifo", params={"Width": w, "SizeLog2": size, "BurstBytes": b},
                 sources=["tb/ls_axi_check.sv", "tb/axi_order.sv", "tb/axi_fifo.sv"],
                 env={"WIDTH": str(w), "SIZE": str(1 << size), "BURST": str(b), "BASE": str(0x10000)})
            for w, size, b in ((64, 12, 128), (256, 13, 256))]
# Several drives as one.
BENCHES += [dict(top="ls_nvme_stripe", module=["test_nvme_stripe", "test_nvme_stripe_flush"],
                 params={"Drives": n, "Width": w, "ChunkBytes": chunk, "TickCycles": 40, "CmdTicks": 300, "ShutTicks": 300},
                 binds=["tb/ls_nvme_binds.sv", "tb/ls_nvme_stripe_binds.sv"],
                 env={"DRIVES": str(n), "WIDTH": str(w), "CHUNK": str(chunk)})
            for n, w, chunk in ((2, 64, 4096), (4, 64, 1024))[:2 if DEEP else 1]]
# The same questions behind a vendor's block as a root port. The completion of a register read waits behind all that
# the drive has queued, which it may not pass: longer than the 50 ticks of the bare host.
BENCHES += [dict(top="ls_nvme_7s", module=module, binds=["tb/ls_nvme_binds.sv"], env={"CMDS": "32", "FAULTS": "10"},
                 params={"Width": w, "TickCycles": 40, "CmdTicks": 300, "ReqTicks": 1000, "WaitCycles": 50, "LookCycles": 8000})
            for w, module in ((64, ["test_nvme_host", "test_root_port"]), (128, ["test_nvme_host", "test_nvme_faults"]))]
# Below switches; at the other block with registers above 4 GiB.
BENCHES += [dict(top=top, module="test_nvme_switch", name=f"{top}_below_switch", binds=["tb/ls_nvme_binds.sv", *binds], env={"BAR": hex(bar)}, **some,
                 params={"Width": w, "Switch": 2, "BarBase": f"64'h{bar:x}", "TickCycles": 40, "CmdTicks": 300, "ReqTicks": 1000, "WaitCycles": 50,
                         "LookCycles": 8000})
            for top, w, bar, binds, some in (
                ("ls_nvme_7s", 64, 0xe000_0000, [], {}),
                ("ls_nvme_usp", 128, 0x20_0000_0000, ["tb/ls_rp_usp_binds.sv"],
                 {} if DEEP else {"tests": ["comes_up_below/ports=3", "directly_below"], "brief": True}))]
# Several hosts at one root port, their drives below one switch.
BENCHES += [dict(top="nvme_share", module="test_nvme_share", binds=["tb/ls_nvme_binds.sv"], sources=["tb/nvme_share.sv"],
                 params={"Drives": 3, "Width": w, "Ports": "40'h0000000460", "TickCycles": 40, "CmdTicks": 600, "ReqTicks": 1000, "ShutTicks": 300,
                         "WaitCycles": 50, "LookCycles": 8000})
            for w in (64, 128)[:2 if DEEP else 1]]
# Behind the UltraScale+ block some of them, unless told to be thorough (`make root`).
SOME = [] if DEEP else [
    "comes_up", "writes_and_reads_back", "nothing_goes_down_before_its_time", "how_the_link_has_trained/trained=1",
    "a_fault_while_running/fault=poison"]
BENCHES += [dict(top="ls_nvme_usp", module=["test_nvme_host", "test_root_port", "test_root_port_usp", "test_nvme_faults"], **({"tests": SOME, "brief": True} if SOME else {}),
                 binds=["tb/ls_nvme_binds.sv", "tb/ls_rp_usp_binds.sv"], env={"CMDS": "32", "FAULTS": "20"},
                 params={"Width": w, "TickCycles": 40, "CmdTicks": 300, "ReqTicks": 1000, "WaitCycles": 50, "LookCycles": 8000})
            for w in ((128,) if SOME else (64, 128, 256, 512))]
# QEMU's controller as the drive: the memory that it sees lies in QEMU's.
BENCHES += [dict(top="ls_nvme_host", module="test_nvme_qemu", name="ls_nvme_host_qemu", brief=True, binds=["tb/ls_nvme_binds.sv"],
                 params={"Width": 64, "TickCycles": 40, "CmdTicks": 5000, "AbortTicks": 1000, "FormatTicks": 100000, "ReqTicks": 2000,
                         "WriteCache": 1, "MemBase": "64'h2000000"})]
# The core: its pure parts, and two MACs back to back.
BENCHES += [dict(top="phy_parts", module="test_phy_parts", brief=True, params={}, sources=["tb/phy_parts.sv"])]
BENCHES += [dict(top="mac_pair", module="test_mac", params={"MsCycles": 1000, "Ts1Count": 1024}, sources=["tb/mac_pair.sv"])]
# How long each state of the LTSSM lasts at most.
BENCHES += [dict(top="mac_pair", module="test_ltssm_times", brief=True, params={"MsCycles": 100, "Ts1Count": 64}, sources=["tb/mac_pair.sv"])]
BENCHES += [dict(top="link_parts", module="test_link_parts", brief=True, params={}, sources=["tb/link_parts.sv"])]
# Two data link layers back to back, with wires of Python between them.
BENCHES += [dict(top="link_pair", module=module, params={"ReplayBytes": size, "Tlps": tlps}, sources=["tb/link_pair.sv"])
            for module, size, tlps in (("test_link", 4096, 32), ("test_link_faults", 1024, 8))]
# The same on two MACs, from TLPs to symbols.
BENCHES += [dict(top="core_pair", module="test_core", params={"MsCycles": 200, "Ts1Count": 64}, sources=["tb/mac_pair.sv", "tb/core_pair.sv"])]
BENCHES += [dict(top="tl_end", module=["test_tl", "test_tl_rules"], params={}, sources=["tb/tl_end.sv"])]
BENCHES += [dict(top="ep_pair", module="test_ep", params={"MsCycles": 200, "Ts1Count": 64}, sources=["tb/mac_pair.sv", "tb/ep_pair.sv"])]
# The engine on it, by some of its own questions.
ON_CORE = ["writes_to_host_at_any_address", "reads_from_host_at_any_address", "both_directions_at_once", "short_frames_end_their_descriptor", "ring_writes_random",
           "pushed_descriptors", "registers_of_the_user", "faults_of_completions", "memory_that_is_not_there", "everything_at_once"]
BENCHES += [dict(top="core_card", module=["test_moves", "test_rings", "test_registers", "test_faults", "test_limits"], params={}, sources=["tb/core_card.sv"],
                 binds=BINDS, tests=None if DEEP else ON_CORE)]
# A MAC at the symbol port, with a client in a process of its own.
BENCHES += [dict(top="ls_mac", module="test_symbol_port", brief=True, params={"Down": 1, "Link": 5, "MsCycles": 100, "Ts1Count": 64})]
# The rules themselves: each is broken once.
BENCHES += [dict(top="ls_axi_check", module="test_axi_rules", params={"Stop": 0, "Wait": 8}, sources=["tb/ls_axi_check.sv"])]
BENCHES += [dict(top="ls_traffic_check", module="test_rules", params={"Stop": 0}, sources=["tb/ls_traffic_check.sv"])]
TOPS = [("ls_core", w) for w in (64, 128, 256, 512)] + [
    ("ls_nvme_host", 64), ("ls_nvme_host", 256), ("ls_nvme_share", 128), ("ls_nvme_usp", 256), ("ls_top_usp", 256), ("ls_top_7s", 64), ("ls_top_7s", 128)]
