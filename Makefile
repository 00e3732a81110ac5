# What a newcomer types. Rust, Python 3, a C++ compiler and make are all that these need.

LANESCOPE := cargo run --quiet --release -p lanescope-cli --bin lanescope --
SYSTEMS := rosta-rb8v7 kfcr-5400 kfcr-x38

.PHONY: help demo test bench bench-gateware soak validate readme clean

help:
	@echo "make demo      build, run the published rigs, compare with the published figures; results under out/"
	@echo "make test      every test and lint, all failures printed, counts in the last line"
	@echo "make validate  every published figure against the simulation"
	@echo "make bench     how fast the simulation is"
	@echo "make bench-gateware  the engine's rates, latencies and size, from Verilated runs"
	@echo "make soak      long random runs of the gateware"
	@echo "make readme    print anew what README.md shows of the program"
	@echo "make clean     remove what was built"

demo:
	cargo build --release -p lanescope-cli
	@mkdir -p out
	@$(LANESCOPE) limit --link gen4x8 --mps 256 --latency 1us
	@echo
	@$(LANESCOPE) show rosta-rb8v7
	@set -e; for system in $(SYSTEMS); do \
		echo; \
		$(LANESCOPE) run $$system --csv out/$$system.csv --json=out/$$system.json; \
	done
	@echo
	@$(LANESCOPE) run rosta-rb8v7 p2p-write --axis flows=4 --detail
	@echo
	@$(LANESCOPE) validate --json=out/validation.json
	@echo
	@echo "tables as CSV and JSON: out/"

test:
	@python3 tools/test.py

bench-gateware:
	@$(MAKE) --no-print-directory -C gateware setup bench

soak:
	@$(MAKE) --no-print-directory -C gateware setup soak

validate:
	@$(LANESCOPE) validate

bench:
	@cargo run --quiet --release -p lanescope-sim --example bench

readme:
	@python3 tools/readme.py

clean:
	cargo clean
	rm -rf out
