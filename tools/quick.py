"""What tests use of the profile `quick`, built at once: a crate built for one package alone has other features than built for
another, and all that is above it would be compiled, and the engines Verilated, once for each."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PROGRAM = TARGET / "quick" / "lanescope"
FUZZ = TARGET / "quick" / "examples" / "fuzz"
CARGO = ["--workspace", "--profile", "quick"]
BUILD = ["cargo", "build", "--quiet", *CARGO, "--lib", "--bin", "lanescope", "--example", "fuzz"]
