#!/usr/bin/env python3
"""make bench-hosts: messages and collectives between hosts, beside MPICH and Open MPI (Debian's packages), over tcp.

Hosts are network namespaces, as in tests/net/hosts.py, so that all of them share this machine's cores: with two ranks
each has a core to itself, with more no rank is bound, and what a number then says is how much work and how many
wake-ups a call takes. Every round runs every library, one after the other, so that what disturbs the machine disturbs all
alike; a number is the median over the rounds. At the end it prints what surviving deaths costs (surviving.py). Runs add to build/bench/hosts.json, and --table prints what is there.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

import run
import surviving

sys.path.insert(0, str(run.ROOT / "tests/net"))
import hosts  # pylint: disable=wrong-import-position

RESULTS = run.BUILD / "hosts.json"
SHAPES = ["2x1", "2x2", "4x1", "4x2"]
# largest, smallest, which collectives (all), step
SIZES = {"small": (8, 8, "", 8), "middle": (256 << 10, 1 << 10, "", 16), "large": (2 << 20, 2 << 20, "", 8)}
# Others than coll; messages only of 2x1.
PROGRAMS = {"first": ["first"], "latency": ["latency", 300], "bandwidth": ["bandwidth", 100, 4096]}
SURVIVE = "survive"  # of Inkling alone
RATES = "bandwidth", "pingpong"
BATCHES = {"small": 5, "middle": 8, "large": 3}
TIMEOUT = 15
SHORT = "20us"  # as in tests/net/hosts.py: waits must not spin where hosts share cores

# Name: whose programs, launcher, the launcher's options, environment.
TCP = ["--mca", "btl_tcp_if_include", "eth0", "--mca", "btl", "self,vader,tcp", "--mca", "pml", "ob1"]
OFI = ["--mca", "pml", "cm", "--mca", "mtl", "ofi", "--mca", "mtl_ofi_provider_include", "tcp;ofi_rxm"]
BIND = ["--bind-to", "none"]
YIELD = [*BIND, "--mca", "mpi_yield_when_idle", "1"]
CASES = {"Inkling": ("Inkling", "orterun", BIND, {"INKLING_SPIN_TIME": SHORT, "INKLING_OFI_PROVIDER": "tcp;ofi_rxm"}),
         "Inkling, default": ("Inkling", "orterun", BIND, {}),
         "Inkling, UCX": ("Inkling", "orterun", BIND, {"INKLING_SPIN_TIME": SHORT, "INKLING_NETWORK": "ucx"}),
         "MPICH": ("MPICH", "hydra", [], {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0"}),
         "Open MPI, tcp": ("Open MPI", "orterun", YIELD + TCP, {}),
         "Open MPI, ofi": ("Open MPI", "orterun", YIELD + OFI, {})}
PEERS = [name for name in CASES if not name.startswith("Inkling")]


def build(sizes):
    for library in run.libraries():
        if library.is_ours:
            library.build([SURVIVE])
        if sizes != [SURVIVE]:
            library.build(["coll", *PROGRAMS])


def write_pin():
    """A script that runs a program on the core of its host."""
    path = f"{hosts.FOLDER}/pin"
    cores = sorted(os.sched_getaffinity(0))
    with open(path, "w", encoding="ascii") as file:
        file.write(f'#!/bin/sh\nset -- {cores[0]} {cores[1]} "$@"\n[ $(hostname) = host1 ] && core=$1 || core=$2\nshift 2\n'
                   'exec taskset -c $core "$@"\n')
    os.chmod(path, 0o755)
    return path


def run_once(case, shape, script, pin, program, *arguments):
    """Values by name; none, and a line that says why, if it fails or takes too long."""
    owner, kind, options, settings = CASES[case]
    library = next(l for l in run.libraries() if l.name == owner)
    count, per_host = map(int, shape.split("x"))
    launch = hosts.launcher(script, count, per_host, count * per_host, kind)
    command = [*launch, *options, *([pin] if shape == "2x1" else []), library.program(program), *arguments]
    try:
        done = subprocess.run(list(map(str, command)), env={**os.environ, **settings}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=TIMEOUT, check=True)
    except subprocess.TimeoutExpired as late:
        print(f"{case} {shape}: over {TIMEOUT} s", file=sys.stderr)
        said = (late.stdout or b"").decode()
    except subprocess.CalledProcessError as error:
        print(f"{case} {shape}: exit code {error.returncode}\n{error.stdout[-300:]}{error.stderr[-600:]}", file=sys.stderr)
        said = ""
    else:
        said = done.stdout
    return {words[0]: float(words[1]) for words in map(str.split, said.splitlines()) if len(words) == 2}


def measure(args, script, pin):
    with open(RESULTS, "a", encoding="ascii") as file:
        for _ in range(args.rounds):
            for shape in args.shape or SHAPES:
                for size in args.size or [*SIZES, *PROGRAMS]:
                    if size == SURVIVE or size in ("latency", "bandwidth") and shape != "2x1":
                        continue
                    for case in args.case or CASES:
                        words = PROGRAMS.get(size) or ["coll", BATCHES[size], args.forms, *SIZES[size]]
                        values = run_once(case, shape, script, pin, *words)
                        print(json.dumps({"case": case, "shape": shape, "values": values}), file=file, flush=True)


def show_surviving(args, script, pin):
    owner, kind, options, settings = CASES["Inkling"]
    program = next(l for l in run.libraries() if l.name == owner).program(SURVIVE)

    def command(shape):
        count, per_host = map(int, shape.split("x"))
        return [*hosts.launcher(script, count, per_host, count * per_host, kind), *options, *([pin] if shape == "2x1" else []), program]

    surviving.show(args.shape or surviving.SHAPES, command, settings)


def medians():
    """medians[shape][name][case]"""
    found = {}
    with open(RESULTS, encoding="ascii") as file:
        for line in map(json.loads, file):
            for name, value in line["values"].items():
                found.setdefault(line["shape"], {}).setdefault(name, {}).setdefault(line["case"], []).append(value)
    return {shape: {name: {case: statistics.median(all_) for case, all_ in cases.items()} for name, cases in names.items()}
            for shape, names in found.items()}


def table():
    for shape, names in sorted(medians().items()):
        print(f"\n{shape}\n| us, GB/s | {' | '.join(CASES)} | ratio | UCX |\n|---|{'---|' * (len(CASES) + 2)}")
        for name, cases in names.items():
            better = max if name.startswith(RATES) else min
            best = better((cases[peer] for peer in PEERS if peer in cases), default=0)
            ratios = [f"{cases[c] / best:.2f}" if best and c in cases else "-" for c in ("Inkling", "Inkling, UCX")]
            print(f"| {name} | {' | '.join(f'{cases[c]:.2f}' if c in cases else '-' for c in CASES)} | {' | '.join(ratios)} |")


def main():
    parser = argparse.ArgumentParser(prog="make bench-hosts", description=__doc__)
    parser.add_argument("--shape", action="append", choices=sorted({*SHAPES, *surviving.SHAPES}), help="hosts x ranks of each (may be repeated)")
    parser.add_argument("--size", action="append", choices=[*SIZES, *PROGRAMS, SURVIVE], help="(may be repeated)")
    parser.add_argument("--case", action="append", choices=CASES, help="a library (may be repeated)")
    parser.add_argument("--forms", default="bn", help="b blocking, n nonblocking (bn)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fresh", action="store_true", help="forget the results of runs before")
    parser.add_argument("--table", action="store_true", help="print only")
    args = parser.parse_args()
    if not args.table:
        if hosts.INSIDE not in os.environ:
            build(args.size)
        hosts.enter("mpiexec.hydra", "orterun")
        if args.fresh:
            RESULTS.unlink(missing_ok=True)
        script, pin = hosts.build(4), write_pin()
        measure(args, script, pin)
        if not args.size or SURVIVE in args.size:
            show_surviving(args, script, pin)
    if RESULTS.exists():
        table()


if __name__ == "__main__":
    main()
