#!/usr/bin/env python3
"""survived.py MPIEXEC SURVIVE LAUNCHER: mpiexec --survive between hosts. SURVIVE is the program of tests/fault/survive.c, whose steps are
tried on three hosts of one rank and on two of two ranks, where the launcher lets those live whose neighbours die. A host is cut off, too."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import hosts
import slurm

LIMIT = float(os.environ.get("TEST_SLACK", "10"))
TIMEOUT = 2.0  # INKLING_PEER_TIMEOUT of the host that is cut off
TOOLS = {"mpiexec.hydra": "hydra", "orterun": "orterun", "srun": "srun-pmi2"}
STEPS = ["messages", "pending", "untouched", "collectives 0 1 0", "collectives 1 30000 0", "collectives 3 1 1", "collectives 3 30000 0",
         "revoke", "shrink", "groups", "two-groups", "soon"]
DEATHS = {"shrink": -1, "alone": -1}  # all but one


def expect(truth, what):
    if not truth:
        print(f"survived.py: {what}")
        sys.exit(1)


def command(first, count, per_host, *words):
    of_host = "host{}".format if LAUNCHER == "srun" else hosts.address
    names = ",".join(f"{of_host(number)}:{per_host}" for number in range(first, first + count))
    return [MPIEXEC, "--launcher", LAUNCHER, "--survive", "--host", names, "-n", str(count * per_host), PROGRAM, *words]


def try_step(first, count, per_host, step):
    name = f"{step}, {count} hosts of {per_host}"
    with subprocess.Popen(command(first, count, per_host, *step.split()), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, SURVIVE_LIMIT=str(LIMIT / 10))) as job:
        try:
            out, err = job.communicate(timeout=6 * LIMIT)
        except subprocess.TimeoutExpired:
            job.send_signal(signal.SIGTERM)
            out, err = job.communicate()
            expect(False, f"{name}: hangs:\n{out}{err}")
    expect(job.returncode == 0, f"{name}: code {job.returncode}:\n{out}{err}")
    deaths = DEATHS.get(step, 1) % (count * per_host)
    said = re.findall(r"mpiexec: rank \d+ on host host\d+ died after [\d.]+ s; \d+ of \d+ ranks go on\n", err)
    expect(len(said) == deaths, f"{name}: {len(said)} deaths are told, not {deaths}:\n{out}{err}")
    print(name, *re.findall("came after.*", out), flush=True)


def try_warning(direct):
    """A mpiexec.hydra that would end all: its option is named, once."""
    for options, times in ([], 1), (["-disable-auto-cleanup"], 0):
        done = subprocess.run([direct[0], *options, *direct[1:], PROGRAM, "costs", "1", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=6 * LIMIT, check=False, env=dict(os.environ, INKLING_SURVIVE="true"))
        expect(done.returncode == 0, f"started by Hydra itself: code {done.returncode}:\n{done.stdout}{done.stderr}")
        expect(done.stderr.count("-disable-auto-cleanup") == times, f"started by Hydra itself, {options}: not {times} warnings:\n{done.stderr}")


def try_finalized():
    """Another job ends in good order, and its part of collectives is on its way."""
    *own, _ = command(1, 3, 1)
    done = subprocess.run([*own, os.path.join(os.path.dirname(PROGRAM), "fault_survive_finalized")], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=6 * LIMIT, check=False)
    expect(done.returncode == 0, f"finalized: code {done.returncode}:\n{done.stdout}")


def try_in_init():
    """A death in MPI_Init: the launcher's fence waits for the dead for ever, but mpiexec does not."""
    begin = time.monotonic()
    done = subprocess.run(command(1, 3, 1, "in-init"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=6 * LIMIT,
                          check=False)
    took = time.monotonic() - begin
    expect(done.returncode == 1 and "rank 1 died in MPI_Init" in done.stdout, f"in MPI_Init: code {done.returncode}:\n{done.stdout}")
    expect(took < 2 * LIMIT, f"in MPI_Init: it took {took:.1f} s")


def cut_off(first):
    with subprocess.Popen(command(first, 3, 1, "cut-off"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, INKLING_PEER_TIMEOUT=f"{TIMEOUT:g}s")) as job:
        at_last = threading.Timer(6 * LIMIT, job.kill)
        at_last.start()
        lines = []
        for line in job.stdout:
            lines.append(line)
            if line == "ready\n":
                hosts.cut(first + 2)
                begin = time.monotonic()
            if line == "goes on\n":
                took = time.monotonic() - begin
                hosts.mend(first + 2)  # so that the launcher hears of its end
        job.wait()
        at_last.cancel()
    text = "".join(lines)
    expect("goes on\n" in lines and "not so" not in text, f"cut off: they do not go on:\n{text}")
    expect(took < TIMEOUT + LIMIT, f"cut off: it took {took:.1f} s:\n{text}")
    print(f"cut off: told after {took:.1f} s")


if __name__ == "__main__":
    MPIEXEC, PROGRAM, LAUNCHER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    hosts.enter(*hosts.TOOLS[TOOLS[LAUNCHER]])
    os.environ["INKLING_SPIN_TIME"] = "20us"  # all hosts share these cores
    script = hosts.build(3)
    own_command = hosts.launcher(script, 3, 1, 3, TOOLS[LAUNCHER])
    hosts.answer_at_once(3)
    if LAUNCHER == "srun":
        slurm.start(script, 3)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder  # process numbers are not unique here, which Open MPI's launcher names its files by
        for each in STEPS:
            try_step(1, 3, 1, each)
            if LAUNCHER != "mpiexec.hydra":
                try_step(1, 2, 2, each)
        try_finalized()
        try_in_init()
    if LAUNCHER == "mpiexec.hydra":
        try_warning(own_command)
        cut_off(1)
