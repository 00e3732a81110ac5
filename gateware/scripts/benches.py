# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""What is built and tested: benches for the simulations, tops for Yosys."""

BENCHES = [
    dict(top="ls_core", module="test_core", params={"Width": w, "MaxPayload": 1024, "BufBytes": 16384}, binds=["tb/ls_core_binds.sv"])
    for w in (64, 128, 256, 512)
] + [
    dict(top=top, module="test_vendor", params={"Width": w, "TwoClocks": two}, binds=["tb/ls_core_binds.sv"],
         env={"TWO_CLOCKS": str(two), "TOP": top})
    for top, w, two in (("ls_top_usp", 64, 0), ("ls_top_usp", 128, 1), ("ls_top_usp", 256, 0),
                        ("ls_top_usp", 512, 1), ("ls_top_7s", 64, 0), ("ls_top_7s", 64, 1),
                        ("ls_top_7s", 128, 0), ("ls_top_7s", 128, 1))
]
BENCHES += [
    dict(top=f"pair_{x}", module="test_pair", params={"Width": w}, binds=["tb/ls_core_binds.sv"],
         sources=[f"tb/pair_{x}.sv"] + ([] if x == "core" else [f"examples/{x}/ex_{x}.sv", f"examples/{x}/ex_{x}_top.sv"]),
         env={"TOP": f"pair_{x}"})
    for x, w in (("core", 64), ("core", 256), ("crossbar", 64), ("pingpong", 128))
] + [
    dict(top=f"ex_{x}_top", module="test_examples", params={"Width": 64}, binds=["tb/ls_core_binds.sv"],
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
# The ends of the parameters' ranges.
BENCHES += [
    dict(top="ls_core", module="test_core", binds=["tb/ls_core_binds.sv"], params=p,
         tests=["reads_from_host_at_any_address", "ring_reads_random", "both_directions_at_once",
                "everything_at_once"])
    for p in ({"Width": 128, "Tags": 1, "Batch": 8, "MaxRequest": 128, "BufBytes": 256},
              {"Width": 256, "Tags": 254, "Batch": 64, "MaxRequest": 4096, "BufBytes": 65536})
]
TOPS = [("ls_core", w) for w in (64, 128, 256, 512)] + [
    ("ls_top_usp", 256), ("ls_top_7s", 64), ("ls_top_7s", 128)]
