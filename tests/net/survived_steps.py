#!/usr/bin/env python3
"""survived_steps.py MPIEXEC PROGRAM LAUNCHER: a rank dies, or a whole host, at each step of each kind of program between hosts. PROGRAM is
that of tests/fault/survive_steps.c.

With Open MPI's launcher, which lets the other ranks of a host live, there are two hosts of two ranks; with Hydra, which does not, three of
one, and a host may leave the network there. A rank may be stopped, for good or for a while. A run takes some steps of each kind, each with one rank and one way to
die, by turns; SURVIVE_ALL=1: all steps with all of them. SURVIVE_KINDS: only these kinds. SURVIVE_DEATHS: only these ways."""
import os
import subprocess
import sys
import tempfile
import threading

import hosts

LIMIT = float(os.environ.get("TEST_SLACK", "10"))
TIMEOUT = 1.0  # INKLING_PEER_TIMEOUT
TOOLS = {"mpiexec.hydra": "hydra", "orterun": "orterun"}
KINDS = os.environ.get("SURVIVE_KINDS", "fence locks everybody partners dynamic files pointers persistent partitioned making inter spawning "
                       "connecting").split()
ALL = os.environ.get("SURVIVE_ALL", "0") != "0"
SHARE = 4  # without SURVIVE_ALL every fourth step
SILENT = ("cut", "stop", "pause")  # deaths that only silence tells of


def table(kind):
    """(victim, step, death): what to try."""
    steps = int(subprocess.run([PROGRAM, kind], stdout=subprocess.PIPE, check=True, timeout=60).stdout)
    for step in range(steps + 1):
        for victim in VICTIMS:
            for death in DEATHS:
                yield victim, step, death


def chosen():
    every = [(kind, *row) for kind in KINDS for row in table(kind)]
    if ALL:
        return every
    return every[::SHARE * len(VICTIMS) * len(DEATHS) + 1]


def command(*words):
    names = ",".join(f"{hosts.address(number)}:{PER_HOST}" for number in range(1, HOSTS + 1))
    return [MPIEXEC, "--launcher", LAUNCHER, "--survive", "--host", names, "-n", str(HOSTS * PER_HOST), PROGRAM, *words]


def mend(victim):
    """So that the launcher hears of the host's end."""
    hosts.ip("-n", f"host{1 + victim // PER_HOST}", "link", "set", "eth0", "up")


def go_through(kind, victim, step, death, folder):
    """What is wrong; "": nothing."""
    limit = LIMIT / 10 + (2 * TIMEOUT if death in SILENT else 0)
    env = dict(os.environ, INKLING_PEER_TIMEOUT=f"{TIMEOUT:g}s" if death in SILENT else "10s", SURVIVE_LIMIT=str(limit),
               INKLING_CONNECT_TIMEOUT="5s" if kind == "spawning" else "500ms", SURVIVE_FILE=os.path.join(folder, "data"))
    with subprocess.Popen(command(kind, str(victim), str(step), death), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=env) as job:
        hang = threading.Event()
        at_last = threading.Timer(4 * LIMIT, lambda: (hang.set(), mend(victim), job.terminate()))
        at_last.start()
        lines = []
        for line in job.stdout:
            lines.append(line)
            if line == "they go on\n" and death == "cut":
                mend(victim)
        code = job.wait()
        at_last.cancel()
        mend(victim)
    said = "".join(lines)
    if hang.is_set():
        return f"hangs:\n{said}"
    return "" if code == 0 and "they go on\n" in lines and "goes on although" not in said else f"code {code}:\n{said}"


if __name__ == "__main__":
    MPIEXEC, PROGRAM, LAUNCHER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    hosts.enter(LAUNCHER)
    if LAUNCHER == "mpiexec.hydra":
        HOSTS, PER_HOST, DEATHS, VICTIMS = 3, 1, ("kill", "cut", "inside", "stop", "pause", "exit"), (2, 0)
    else:
        HOSTS, PER_HOST, DEATHS, VICTIMS = 2, 2, ("kill", "inside", "stop", "pause", "exit"), (3, 0, 2)
    DEATHS = tuple(os.environ.get("SURVIVE_DEATHS", " ".join(DEATHS)).split())
    os.environ["INKLING_SPIN_TIME"] = "20us"  # all hosts share these cores
    hosts.launcher(hosts.build(HOSTS), HOSTS, PER_HOST, HOSTS * PER_HOST, TOOLS[LAUNCHER])
    hosts.answer_at_once(HOSTS)
    failed = tried = 0
    with tempfile.TemporaryDirectory() as own:
        os.environ["TMPDIR"] = own  # process numbers are not unique here, which Open MPI's launcher names its files by
        for row in chosen():
            tried += 1
            wrong = go_through(*row, own)
            failed += bool(wrong)
            if wrong:
                print(*row, wrong, flush=True)
    print(f"{tried} deaths, {failed} wrong")
    sys.exit(failed > 0 or tried == 0)
