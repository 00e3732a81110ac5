#!/usr/bin/env python3
"""The Python package: its environment, its tests, its wheel.

`python.py test` builds it into target/python-env and runs its tests; then `python.py dask` runs those of sweeps on Dask, and
`python.py notebooks` the notebooks; `python.py symbols` tests the reader of symbols. `python.py bench [POINTS]` times such a
sweep against the command, `python.py call` a question from Python against Rust. `python.py wheel` writes a wheel for
manylinux_2_28 or older into out/wheels, checks it, and tests that it is imported by every CPython of 3.10 and later that is
found. Standard library only; what else is needed comes from PyPI into target/python-env."""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from quick import BUILD, FUZZ, PROGRAM, TARGET

ROOT = Path(__file__).resolve().parent.parent
ENV = TARGET / "python-env"
PYTHON = ENV / "bin" / "python"
OUT = ROOT / "out" / "wheels"
TOOLS = {
    "test": ["maturin>=1.9,<2", "mypy", "pandas", "pyarrow", "polars", "duckdb", "distributed>=2024.4", "nbclient", "ipykernel", "matplotlib", "litex"],
    "wheel": ["maturin>=1.9,<2", "ziglang", "auditwheel", "abi3audit"],
}
VERSIONS = ["3.10", "3.11", "3.12", "3.13"]
MOST_BYTES = 15_000_000
MOST_IMPORT_MS = 50


def run(*words, **options):
    subprocess.run([str(word) for word in words], cwd=ROOT, check=True, **options)


def environment(what):
    """The environment with what is needed, made once: a file in it tells what was installed for `what`."""
    stamp, wanted = ENV / f"for-{what}", "\n".join(TOOLS[what])
    if PYTHON.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    if not PYTHON.exists():
        run(sys.executable, "-m", "venv", ENV)
    run(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *TOOLS[what])
    stamp.write_text(wanted)


def setup():
    environment("test")


def installed():
    """The package in the environment, as `maturin develop` installs it. That would build the whole workspace once more, with
    the features of the package alone; what it says of the package is written by maturin all the same."""
    shutil.copy2(TARGET / "quick" / "liblanescope_native.so", ROOT / "python" / "lanescope" / "_native.abi3.so")
    asked = [PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]
    packages = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    for old in packages.glob("lanescope*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    describe = ["-m", "maturin", "pep517", "write-dist-info", "--metadata-directory", packages]
    subprocess.run([PYTHON, *describe], cwd=ROOT / "python", stdout=subprocess.DEVNULL, check=True)
    (packages / "lanescope.pth").write_text(f"{ROOT / 'python'}\n")


def test():
    environment("test")
    run(*BUILD)
    installed()
    run(PYTHON, "-m", "mypy", "--strict", "python/lanescope")
    run(PYTHON, "-m", "mypy.stubtest", "lanescope._native")
    with tempfile.TemporaryDirectory() as fuzzed:
        run(FUZZ, "0", "7", fuzzed)
        env = {**os.environ, "LANESCOPE": str(PROGRAM), "PYTHONDEVMODE": "", "LANESCOPE_FUZZED": fuzzed}
        tests = subprocess.run([PYTHON, "python/tests/test_package.py"], cwd=ROOT, env=env, check=False)
    sys.exit(tests.returncode)


def dask():
    """Sweeps on Dask's workers; after `test`, which builds what it needs."""
    env = {**os.environ, "LANESCOPE": str(PROGRAM)}
    sys.exit(subprocess.run([PYTHON, "python/tests/test_dask.py"], cwd=ROOT, env=env, check=False).returncode)


def notebooks():
    """The notebooks of python/examples; their pictures go to target/notebooks."""
    env = {**os.environ, "LANESCOPE_PICTURES": str(TARGET / "notebooks")}
    sys.exit(subprocess.run([PYTHON, "python/tests/test_notebooks.py"], cwd=ROOT, env=env, check=False).returncode)


def symbols():
    """The reader of symbols, which needs nothing but Python; mypy and litex of the environment are run beside it, where it
    could be had."""
    python = PYTHON if PYTHON.exists() else sys.executable
    sys.exit(subprocess.run([python, "python/symbols/tests/suite.py"], cwd=ROOT, check=False).returncode)


def bench():
    """A sweep on Dask's workers against the command; after `test`, which builds both."""
    env = {**os.environ, "LANESCOPE": str(PROGRAM)}
    sys.exit(subprocess.run([PYTHON, "python/tests/bench_dask.py", *sys.argv[2:]], cwd=ROOT, env=env, check=False).returncode)


def call():
    """A question from Rust and from Python; after `test`, which builds the package."""
    for _ in range(3):
        run("cargo", "run", "--quiet", "--profile", "quick", "-p", "lanescope-ask", "--example", "call")
        run(PYTHON, "python/tests/bench_call.py")


def wheel():
    environment("wheel")
    for old in OUT.glob("*.whl"):
        old.unlink()
    build = ["build", "--manifest-path", "python/Cargo.toml", "--profile", "release", "--zig"]
    # Without models of gateware: they are compiled C++, and need the Verilator that made them.
    env = {**os.environ, "LANESCOPE_VERILATOR": "none", "PATH": f"{ENV / 'bin'}:{os.environ['PATH']}"}
    run(PYTHON, "-m", "maturin", *build, "--compatibility", "manylinux_2_28", "--out", OUT, env=env)
    (made,) = OUT.glob("*.whl")
    size = made.stat().st_size
    print(f"{made.name}: {size / 1e6:.1f} MB of {MOST_BYTES / 1e6:.0f} MB")
    run(PYTHON, "-m", "auditwheel", "show", made)
    run(PYTHON, "-m", "abi3audit", "--strict", "--verbose", made)
    failed = size > MOST_BYTES or not zipfile.is_zipfile(made)
    for version in VERSIONS:
        failed |= not imported(version, made)
    sys.exit(int(failed))


def interpreter(version):
    """A CPython of that version: on PATH, or among those of pyenv; None where there is none."""
    folder = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for candidate in [f"python{version}", *sorted(folder.glob(f"{version}.*/bin/python"))]:
        asked = [str(candidate), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        try:
            if subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip() == version:
                return str(candidate)
        except OSError:
            continue
    return None


def imported(version, made):
    """Installs the wheel into a clean environment without a compiler, and calls it."""
    python = interpreter(version)
    if python is None:
        print(f"CPython {version}: not found here, not tested")
        return True
    clean = TARGET / f"python-clean-{version}"
    run(python, "-m", "venv", "--clear", clean)
    mine = clean / "bin" / "python"
    env = {"PATH": str(clean / "bin"), "HOME": str(Path.home())}
    run(mine, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", made, env=env)
    answer = subprocess.run([mine, "python/tests/called.py"], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    print(f"CPython {version}: {answer.stdout.strip()}{answer.stderr.strip()}")
    return answer.returncode == 0


if __name__ == "__main__":
    COMMANDS = {"setup": setup, "test": test, "dask": dask, "notebooks": notebooks, "symbols": symbols, "bench": bench, "call": call,
                "wheel": wheel}
    if len(sys.argv) < 2 or len(sys.argv) > 2 and sys.argv[1] != "bench" or sys.argv[1] not in COMMANDS:
        sys.exit(f"usage: python.py {'|'.join(COMMANDS)}")
    COMMANDS[sys.argv[1]]()
