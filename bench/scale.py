#!/usr/bin/env python3
"""scale.py [RANKS...]: what starting costs a rank as jobs grow (2, 8, 32, 128), as the table of docs/SCALE.md: requests
to the launcher, memory, and the wall time of the whole run, with ranks of one host over shared memory, the same over
libfabric, and ranks on hosts of their own (network namespaces, as in tests/net/hosts.py), which Hydra starts."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build/bin"
PROGRAM = ROOT / "build/bench/start"
TIMEOUT = 120
RUNS = 3
OVER_OFI = {"INKLING_TRANSPORT": "ofi"}
MOST_HOSTS = 32

CASES = [("one host", {}, lambda ranks: [BIN / "mpiexec", "-n", ranks, PROGRAM]),
         ("one host, libfabric", OVER_OFI, lambda ranks: [BIN / "mpiexec", "-n", ranks, PROGRAM]),
         ("a host each", {}, lambda ranks: [sys.executable, "-B", ROOT / "tests/net/hosts.py", "--hosts", ranks, "--",
                                            PROGRAM])]


def build():
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([BIN / "mpicc", "-std=gnu11", "-O2", "-o", PROGRAM, ROOT / "bench/start.c", ROOT / "bench/measure.c"],
                   check=True)


def run_once(command, settings):
    """Values by name, the wall time in ms among them."""
    begin = time.perf_counter()
    done = subprocess.run(list(map(str, command)), env={**os.environ, **settings}, capture_output=True, text=True,
                          timeout=TIMEOUT, check=False)
    spent = (time.perf_counter() - begin) * 1e3
    if done.returncode:
        raise RuntimeError(done.stdout[-500:] + done.stderr[-500:])
    return {"wall": spent, **{name: float(value) for name, value in map(str.split, done.stdout.splitlines())}}


def measure(name, settings, command, ranks):
    try:
        runs = [run_once(command, settings) for _ in range(RUNS)]
    except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
        print(f"scale.py: {name}, {ranks} ranks: {error}", file=sys.stderr)
        return ["-"] * 4
    middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    wall = "-" if name == "a host each" else f"{middle['wall']:.0f}"  # most of it goes into making hosts
    return [f"{middle['requests']:.0f}", f"{middle['pss']:.2f}", f"{middle['own']:.2f}", wall]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ranks", nargs="*", type=int, default=[2, 8, 32, 128])
    args = parser.parse_args()
    build()
    print("| | ranks | requests of a rank | Pss, MiB | its own, MiB | mpiexec, ms |\n|---|---|---|---|---|---|")
    for name, settings, command in CASES:
        for ranks in args.ranks:
            if name == "a host each" and ranks > MOST_HOSTS:
                continue
            print("|", " | ".join([name, str(ranks), *measure(name, settings, command(ranks), ranks)]), "|", flush=True)


if __name__ == "__main__":
    main()
