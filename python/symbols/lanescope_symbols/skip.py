"""The intervals between SKP ordered sets.

At 2.5 and 5 GT/s one is due each 1180 to 1538 symbol times (documents of a BSD-2 fork of LitePCIe), from 8 GT/s each 370 to
375 blocks (open Gen3 soft MAC, pcie_gen3_idle_tx); with clocks of their own (SRIS) sooner. It waits for the end of a packet,
which may have begun before it was due. Denser ones are no error."""

LIMITS = {"symbols": 1538, "blocks": 375 * 16}
SET_IN_PROGRESS = 16  # symbol times
BLOCKS_BEHIND = 32  # symbol times: the rest of the block in which the packet ended, and that with EDS


class SkipWatch:
    """Times are symbol times."""

    def __init__(self, blocks: bool) -> None:
        self.limit = LIMITS["blocks" if blocks else "symbols"] + SET_IN_PROGRESS
        self.behind = BLOCKS_BEHIND if blocks else SET_IN_PROGRESS
        self.last: int | None = None
        self.count = self.total = self.late = 0
        self.least: int | None = None
        self.most: int | None = None

    def skp(self, time: int, started: int | None, ended: int | None) -> tuple[int | None, bool]:
        """The interval that ends with this one, and whether it is too long. `started` and `ended` are the times of the last
        packet, `ended` None while it lasts."""
        last, self.last = self.last, time
        if last is None:
            return None, False
        interval = time - last
        self.count += 1
        self.total += interval
        self.least = interval if self.least is None else min(self.least, interval)
        self.most = interval if self.most is None else max(self.most, interval)
        due = last + self.limit
        waited = started is not None and started <= due and (ended is None or time - ended <= self.behind)
        late = time > due and not waited
        self.late += late
        return interval, late

    def restart(self) -> None:
        """After electrical idle."""
        self.last = None

    def summary(self) -> dict[str, object]:
        mean = round(self.total / self.count, 1) if self.count else None
        return {"skp_intervals": self.count, "skp_least": self.least, "skp_mean": mean, "skp_most": self.most, "skp_late": self.late}
