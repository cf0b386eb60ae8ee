#!/usr/bin/env python3
"""survived_random.py MPIEXEC PROGRAM: random programs (tests/fault/survive_random.c) between hosts, whose ranks are killed at random, and
whose hosts leave the network with all ranks.

SURVIVE_SECONDS (10): how long; SURVIVE_SEED: the first seed, else of the clock."""
import contextlib
import glob
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

import hosts

LIMIT = 6 * float(os.environ.get("TEST_SLACK", "10"))  # seconds of one job
SECONDS = float(os.environ.get("SURVIVE_SECONDS", 10))
SEED = int(os.environ.get("SURVIVE_SEED", time.time_ns() % 1000000))
TIMEOUT = 3.0  # INKLING_PEER_TIMEOUT
MOST = 8  # hosts
LAUNCHERS = {"mpiexec.hydra": "hydra", "orterun": "orterun"}


def processes():
    """{number: (name, host)} of the ranks and what they have spawned; this is the only job here."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/comm", encoding="ascii") as file:
            name = file.read().strip()
            if name in (os.path.basename(PROGRAM)[:15], "survive_child") and not is_dead(pid):
                found[int(pid)] = name, subprocess.run(["ip", "netns", "identify", pid], stdout=subprocess.PIPE, text=True,
                                                       check=False).stdout.strip()
    return found


def is_dead(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0] in "ZX"


def kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def kill_one(dice):
    found = processes()
    ranks = [pid for pid, (name, _) in found.items() if name != "survive_child"]
    victims = (ranks if len(ranks) > 1 else []) + [pid for pid, (name, _) in found.items() if name == "survive_child"]
    if not victims:
        return 0
    kill(sorted(victims)[dice.randrange(len(victims))])
    return 1


def lose_host(dice, lost):
    """Takes a host off the network and kills all of it."""
    found = processes()
    names = sorted({host for name, host in found.values() if name != "survive_child"})
    if len(names) < 2:
        return 0
    host = names[dice.randrange(len(names))]
    hosts.cut(int(host[4:]))
    lost.append(int(host[4:]))
    count = 0
    while gone := [pid for pid, (_, where) in processes().items() if where == host]:  # it may be starting others
        for pid in gone:
            kill(pid)
        count += len(gone)
        time.sleep(0.01)
    return count


def mend(lost):
    for number in lost:
        hosts.mend(number)
    lost.clear()


def play(seed, folder):
    """How many were killed."""
    dice = random.Random(seed)
    launcher = dice.choice([name for name in LAUNCHERS if name in FOUND])
    per_host = 1 if launcher == "mpiexec.hydra" else dice.randrange(1, 4)
    count = dice.randrange(2, min(MOST, 16 // per_host) + 1) if dice.random() < 0.3 else dice.randrange(2, 5)
    may_lose_host = launcher == "mpiexec.hydra" and dice.random() < 0.3
    what = f"seed {seed}: {launcher}, {count} hosts of {per_host}"
    names = ",".join(f"{hosts.address(number)}:{per_host}" for number in range(1, count + 1))
    env = dict(os.environ, INKLING_PEER_TIMEOUT=f"{TIMEOUT:g}s" if may_lose_host else "10s", INKLING_CONNECT_TIMEOUT="10s")
    killed, lost, begin = 0, [], time.monotonic()
    with open(os.path.join(folder, "said"), "w+", encoding="utf-8") as said, subprocess.Popen(
            [MPIEXEC, "--launcher", launcher, "--survive", "--host", names, "-n", str(count * per_host), PROGRAM, str(seed),
             str(dice.randrange(40, 120)), os.path.join(folder, f"data{seed}")], stdout=said, stderr=subprocess.STDOUT, env=env) as job:
        # a launcher's barrier in MPI_Init waits for all
        while job.poll() is None and len(glob.glob(os.path.join(folder, f"data{seed}.started.*"))) < count * per_host:
            time.sleep(0.02)
        for _ in range(dice.randrange(1, count * per_host)):
            time.sleep(dice.random() ** 2)
            killed += lose_host(dice, lost) if may_lose_host and dice.random() < 0.5 else kill_one(dice)
        while job.poll() is None and time.monotonic() < begin + LIMIT:
            time.sleep(0.02)
            if lost and not processes():
                mend(lost)  # so that the launcher hears of its end
        hangs = job.poll() is None
        if hangs:
            job.send_signal(signal.SIGTERM)
        code = job.wait()
        mend(lost)
        said.seek(0)
        text = said.read()
    orphans = [pid for pid in processes() if time.sleep(1) or pid in processes()]
    wrong = f"hangs after {LIMIT:g} s" if hangs else f"code {code}" if code else f"orphans {orphans}" if orphans else ""
    if wrong:
        print(f"{what}: {wrong}:\n{text}", flush=True)
        sys.exit(1)
    return killed


if __name__ == "__main__":
    MPIEXEC, PROGRAM = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    FOUND = [name for name in LAUNCHERS if any(os.access(os.path.join(place, name), os.X_OK) for place in os.environ["PATH"].split(":"))]
    if not FOUND:
        hosts.skip("neither mpiexec.hydra nor orterun here (Debian: mpich, openmpi-bin)")
    hosts.enter(*FOUND)
    os.environ["INKLING_SPIN_TIME"] = "20us"  # all hosts share these cores
    script = hosts.build(MOST)
    hosts.answer_at_once(MOST)
    for kind in LAUNCHERS.values():
        hosts.launcher(script, MOST, 1, MOST, kind)
    print(f"SURVIVE_SEED={SEED}", flush=True)
    runs = kills = 0
    end = time.monotonic() + SECONDS
    with tempfile.TemporaryDirectory() as own:
        os.environ["TMPDIR"] = own  # process numbers are not unique here, which Open MPI's launcher names its files by
        while time.monotonic() < end:
            kills += play(SEED + runs, own)
            runs += 1
    print(f"{runs} programs, {kills} kills")
    sys.exit(kills == 0)
