# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""The scripts of `boards/` in a Tcl of one's own: Vivado's commands are recorded, none is done."""

import functools

# Commands of Vivado (UG835) that the scripts may use.
VIVADO = """create_project create_ip set_property reset_property get_property get_ips generate_target synth_ip
read_verilog synth_design get_cells get_ports create_clock set_false_path current_design opt_design
place_design phys_opt_design route_design write_checkpoint report_timing_summary report_utilization report_drc
get_timing_paths write_bitstream write_cfgmem open_hw_manager connect_hw_server open_hw_target get_hw_devices
current_hw_device program_hw_devices""".split()


class Wrong(Exception):
    pass


def must(holds, what):
    if not holds:
        raise Wrong(what)


class Run:
    """build.tcl (or another script) for one board, with Vivado's commands recorded, none done."""

    def __init__(self, root, board, lanes=None, script="build.tcl", args=None):
        import tkinter
        self.tcl, self.calls = tkinter.Tcl(), []
        for name in VIVADO:
            self.tcl.createcommand(name, functools.partial(self.call, name))
        self.tcl.createcommand("read_xdc", self.read_xdc)
        self.tcl.eval("rename puts {}; proc puts args {}")
        self.tcl.setvar("argv", args or " ".join([board] + ([str(lanes)] if lanes else [])))
        try:
            self.tcl.call("source", str(root / "boards" / script))
        except tkinter.TclError as e:
            raise Wrong(f"{script} {board}: {e}\n{self.tcl.getvar('errorInfo')}")

    def call(self, name, *args):
        self.calls.append((name, args))
        if name == "get_property":
            return "0.1"
        named = [a for a in args if not a.startswith("-")]
        return " ".join(named) if name.startswith(("get_", "current_")) else ""

    def read_xdc(self, path):
        self.calls.append(("read_xdc", (path,)))
        return self.tcl.call("source", path)

    def var(self, name):
        return str(self.tcl.eval(f"set {name}"))

    def ip(self):
        """The block's properties, as they are set."""
        found = [args[1] for name, args in self.calls
                 if name == "set_property" and args[0] == "-dict" and args[-1] == self.var("module")]
        must(len(found) == 1, "the block's properties are not set once")
        return self.dict(found[0])

    def of(self, name):
        return [args for n, args in self.calls if n == name]

    def dict(self, text):
        flat = [str(x) for x in self.tcl.splitlist(text)]
        must(len(flat) % 2 == 0, f"not pairs: {text}")
        return dict(zip(flat[::2], flat[1::2]))


def links(root, board):
    """Lanes that a board is built with."""
    import tkinter
    tcl = tkinter.Tcl()
    tcl.call("source", str(root / "boards" / board / "board.tcl"))
    return [int(str(x)) for x in tcl.splitlist(tcl.eval("set links"))[::2]]
