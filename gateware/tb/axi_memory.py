# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""A memory of cocotbext-axi that is not always ready, behind `axi_order`, which says whether it takes addresses or data first."""

import random


def slow(ram, rate):
    """All five channels pause in that share of the cycles; 0: in none."""
    def some():
        while True:
            yield random.random() < rate
    w, r = ram.write_if, ram.read_if
    for c in (w.aw_channel, w.w_channel, w.b_channel, r.ar_channel, r.r_channel):
        c.clear_pause_generator()
        c.pause = False
        if rate:
            c.set_pause_generator(some())


def order(dut, ram, which=None):
    """Sets the order of addresses and data, as `axi_order` numbers them; None: any of them."""
    dut.order_i.value = random.randrange(4) if which is None else which
    ram.write_if.w_channel.queue_occupancy_limit = 512      # all of a burst may come before its address
