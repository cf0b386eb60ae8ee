#!/usr/bin/env python3
"""make bench-hints: what each hint is worth, measured with the hint and without in one run of one program.

A workload is a row of WORKLOADS: the hint's key, the program in bench/ with its arguments, and a
sentence to be filled in with the values that the program prints (lines `name value`), among them `off` and `on`;
`ratio` is how many times better `on` is. All goes to bench/results/gains.json, with the machine and the date: the sentences of
a hint, which `inkling hints` prints, and the values of its first row, from which mpiexec --advise models what a program would
gain. `make install` installs the file beside the commands, share/inkling/gains.json.
"""
import collections
import datetime
import json
import os
import pathlib
import subprocess

import report

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = ROOT / "build/bench/hints"

KEPT = ("{ratio:.2f} x for receives whose messages wait, {messages:,.0f} from one rank in shuffled order: {on:.0f} ns each in "
        "place of {off:.0f}; a waiting message takes {on_bytes:.0f} bytes of memory in place of {off_bytes:.0f}")
PLACED = ("{ratio:.0f} x less waiting for the sender of 1 MiB to a receiver that has posted its receive and computes for "
          "1 ms: {on:.0f} us in MPI_Send in place of {off:.0f}; the whole exchange takes {on_round:.0f} us in place of "
          "{off_round:.0f}")

IN_PLACE = ("{ratio:.2f} x for an allreduce of 4 MiB in memory of MPI_Alloc_mem, two ranks: {on:.0f} us in place of {off:.0f}, "
            "or of {malloc:.0f} in memory of malloc")

# With the test kind.
NOT_LOOKED_UP = ("{ratio:.2f} x for messages of 8 bytes where the job has asked for a device's kind: {on:.0f} ns each in place of "
                 "{off:.0f}, if a look-up is a few compares; a real driver takes longer")

FROM_ALLOC_MEM = ("{ratio:.2f} x for windows of 1 MiB messages between buffers of MPI_Alloc_mem instead of malloc: {on:.1f} GB/s in "
                  "place of {off:.1f}; of 64 KiB {bandwidth_mpi_64K:.1f} in place of {bandwidth_64K:.1f}, of 16 MiB "
                  "{bandwidth_mpi_16384K:.1f} in place of {bandwidth_16384K:.1f}")

SPREAD = ("{ratio:.2f} x for two threads of a process that send 8-byte messages to themselves under tags of their own: "
          "{on:.1f} million a second in place of {off:.1f}; one thread sends {one:.1f}")

SHARED_PLACE = ("{ratio:.0f} x less memory for a small persistent collective besides its request, half of them allreduces and half "
                "broadcasts, two ranks: {on:.0f} bytes on each in place of {off:.0f}, and {on_make:.0f} ns to make one in place of "
                "{off_make:.0f}; a start and its wait take {on_one:.0f} ns in place of {off_one:.0f}, or {on_many:.0f} in place of "
                "{off_many:.0f} with 1,000 in turn")

# Windows of two ranks, unless said otherwise.
NO_LOCKS = ("{ratio:.2f} x for MPI_Put of 8 bytes to each other and MPI_Win_fence: {on:.0f} ns in place of {off:.0f}; accesses look at no "
            "lock without the hint either, and the lock is 16 bytes of a line that the window needs anyway")
REPLACED = ("same_op: {ratio:.2f} x for MPI_Accumulate of 8 bytes with MPI_REPLACE by both ranks to one place: {on:.0f} ns in place "
            "of {off:.0f}")
UNORDERED = ("none: {ratio:.2f} x for MPI_Accumulate of 64 doubles to each other, a flush after 16: {on:.0f} ns each in place of "
             "{off:.0f}; each is done when its call returns, so no later one can overtake it")
IN_STRIPES = ("64 KiB: {ratio:.2f} x for sums of 8,192 64-bit integers by both ranks to one place: {on:.0f} ns in place of {off:.0f}")
OWN_LINES = ("{ratio:.1f} x for atomic additions of each rank in its own 8 bytes of MPI_Win_allocate_shared: {on:.2f} ns in place of "
             "{off:.2f}")
ALIGNED = ("{ratio:.2f} x for MPI_Put of 4 KiB to each other where 4096 is asked for: {on:.0f} ns in place of {off:.0f}; "
           "memory begins at a cache line anyway, and more is for the program's own instructions and devices")
SAME_EVERYWHERE = ("{ratio:.2f} x for making and freeing a window of MPI_Win_allocate, 16 ranks that all give same_size and "
                   "same_disp_unit: {on:.0f} us in place of {off:.0f}; it takes {on_bytes:,.0f} bytes on a rank in place of "
                   "{off_bytes:,.0f}")

# Files, in /dev/shm; "off" of collective_buffering is a run with false.
COLLECTED = ("{ratio:.1f} x for a collective write of blocks of 1 KiB in turn by 8 ranks: {on:.2f} GB/s in place of {off:.2f} with "
             "false")
AGGREGATORS = ("1, which takes 2.3 MiB of a host of 2 cores in place of 4.7: {ratio:.2f} x for a collective write of 256^3 doubles by 4 ranks in "
               "2 x 2 columns: {on:.2f} GB/s in place of {off:.2f}")
BUFFERED = ("64 KiB, in place of 2.3 MiB: {ratio:.2f} x for a collective write of 256^3 doubles by 4 ranks in 2 x 2 columns: "
            "{on:.2f} GB/s in place of {off:.2f}")
STYLED = ("random, which keeps the kernel from reading ahead: {ratio:.2f} x for reading records of 1 MiB, of each 256 bytes in each 1 KiB, "
          "at places in no order of a file on disk that is not in the page cache, 2 ranks: {on:.0f} us a record in place of {off:.0f}")
HOST_ONLY = ("system: {ratio:.2f} x for writes of 64 bytes by the shared pointer, 4 ranks, where the job has asked for a device's kind: "
             "{on:.2f} us in place of {off:.2f}")

Workload = collections.namedtuple("Workload", "hint program arguments ranks less sentence off on settings",
                                  defaults=("off", "on", {}))  # off, on: names of these values

Gain = collections.namedtuple("Gain", "text ratio off on")

WORKLOADS = [Workload(*row) for row in [
    ("mpi_assert_no_any_tag", "unexpected", ["mpi_assert_no_any_tag", "100", "400"], 2, True, KEPT),
    ("mpi_assert_no_any_source", "unexpected", ["mpi_assert_no_any_source", "30000", "20"], 2, True, KEPT),
    ("mpi_assert_memory_alloc_kinds", "reach", ["4194304", "200"], 2, True, IN_PLACE),
    ("mpi_assert_memory_alloc_kinds", "kinds", ["200"], 2, True, NOT_LOOKED_UP, "message_any_kind", "message_host_kinds",
     {"INKLING_TEST_KIND": "true", "INKLING_MEMORY_ALLOC_KINDS": "test"}),
    ("mpi_memory_alloc_kinds", "bandwidth", ["200", "16384"], 2, False, FROM_ALLOC_MEM, "bandwidth_1024K", "bandwidth_mpi_1024K"),
    ("mpi_assert_strict_persistent_collective_ordering", "persistent", ["1000", "100"], 2, True, SHARED_PLACE, "off_bytes", "on_bytes"),
    ("mpi_assert_allow_overtaking", "threads", ["3", "2000"], 1, False, SPREAD),
    ("mpi_assert_exact_length", "overlap", ["mpi_assert_exact_length"], 2, True, PLACED),
    ("no_locks", "win_hints", ["no_locks"], 2, True, NO_LOCKS),
    ("accumulate_ops", "win_hints", ["accumulate_ops"], 2, True, REPLACED),
    ("accumulate_ordering", "win_hints", ["accumulate_ordering"], 2, True, UNORDERED),
    ("mpi_accumulate_granularity", "win_hints", ["granularity_64K"], 2, True, IN_STRIPES),
    ("alloc_shared_noncontig", "win_hints", ["noncontig"], 2, True, OWN_LINES),
    ("mpi_minimum_memory_alignment", "win_hints", ["alignment"], 2, True, ALIGNED),
    ("same_size", "windows", ["100"], 16, True, SAME_EVERYWHERE),
    ("same_disp_unit", "windows", ["100"], 16, True, SAME_EVERYWHERE),
    ("collective_buffering", "files", ["blocks", "/dev/shm", "7", "collective_buffering", "false"], 8, False, COLLECTED, "on", "off"),
    ("cb_nodes", "files", ["cube", "/dev/shm", "7", "cb_nodes", "1"], 4, False, AGGREGATORS),
    ("cb_buffer_size", "files", ["cube", "/dev/shm", "7", "cb_buffer_size", "65536"], 4, False, BUFFERED),
    ("access_style", "files", ["records", BUILD, "25", "access_style", "random"], 2, True, STYLED),
    ("mpi_assert_memory_alloc_kinds", "files", ["shared", "/dev/shm", "7", "mpi_assert_memory_alloc_kinds", "system,mpi"], 4, True, HOST_ONLY,
     "off", "on", {"INKLING_TEST_KIND": "true", "INKLING_MEMORY_ALLOC_KINDS": "test"}),
]]


def build(program):
    BUILD.mkdir(parents=True, exist_ok=True)
    subprocess.run([ROOT / "build/bin/mpicc", "-std=gnu11", "-O2", "-w", "-pthread", "-o", BUILD / program,
                    HERE / f"{program}.c", HERE / "measure.c"], check=True)


def measure(row):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("INKLING_")}
    binding = "core" if row.ranks == 2 else "none"  # the threads of a process alone bind themselves; many share cores
    done = subprocess.run([ROOT / "build/bin/mpiexec", "--bind-to", binding, "-n", str(row.ranks), BUILD / row.program,
                           *row.arguments], env={**environment, **row.settings}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          check=True)
    pairs = [line.split() for line in done.stdout.splitlines() if len(line.split()) == 2]
    return {name: float(value) for name, value in pairs if name != "cpus"}


def sentence(row):
    """What was measured."""
    build(row.program)
    values = measure(row)
    values["off"], values["on"] = values[row.off], values[row.on]
    values["ratio"] = values["off"] / values["on"] if row.less else values["on"] / values["off"]
    text = row.sentence.format(**values)
    print(f"{row.hint}: {text}", flush=True)
    return Gain(text, *(float(f"{values[name]:.4g}") for name in ("ratio", "off", "on")))


def main():
    found = collections.defaultdict(list)
    for row in WORKLOADS:
        found[row.hint].append(sentence(row))
    gains = [{"key": hint, "ratio": rows[0].ratio, "off": rows[0].off, "on": rows[0].on, "text": "; ".join(row.text for row in rows)}
             for hint, rows in found.items()]
    data = {"machine": report.machine(), "date": str(datetime.date.today()), "gains": gains}
    path = ROOT / "bench/results/gains.json"
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"Written: {path.relative_to(ROOT)}. `make` takes it along; commit it if this machine is the one to compare with.")


if __name__ == "__main__":
    main()
