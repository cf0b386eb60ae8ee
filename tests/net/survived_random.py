#!/usr/bin/env python3
"""survived_random.py MPIEXEC PROGRAM: random programs (tests/fault/survive_random.c) between hosts, whose ranks are killed at random, and
whose hosts leave the network with all ranks, or stop for longer than inkling_peer_timeout.

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

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fault"))
from disturbing import most, send, stacks  # noqa: E402

LIMIT = 6 * float(os.environ.get("TEST_SLACK", "10"))  # seconds of one job
SECONDS = float(os.environ.get("SURVIVE_SECONDS", 10))
SEED = int(os.environ.get("SURVIVE_SEED", time.time_ns() % 1000000))
TIMEOUT = 3.0  # INKLING_PEER_TIMEOUT
MOST = 8  # hosts
LAUNCHERS = {"mpiexec.hydra": 1, "orterun": 3}  # how often
KINDS = {"mpiexec.hydra": "hydra", "orterun": "orterun"}


def host_of(pid):
    """Its host's number; 0: none."""
    place = os.stat(f"/proc/{pid}/ns/net").st_ino
    return next((number for number in range(1, MOST + 1) if os.stat(f"{hosts.FOLDER}/host{number}").st_ino == place), 0)


def processes():
    """{number: (name, host)} of the ranks and what they have spawned; this is the only job here."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/comm", encoding="ascii") as file:
            name = file.read().strip()
            if name in (os.path.basename(PROGRAM)[:15], "survive_child") and not is_dead(pid):
                found[int(pid)] = name, host_of(pid)
    return found


def is_dead(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0] in "ZX"


class Job:
    """A program under way, and what was done to its ranks."""

    def __init__(self, seed, folder):
        self.dice = dice = random.Random(seed)
        self.seed, self.data = seed, os.path.join(folder, f"data{seed}")
        self.launcher = dice.choice([name for name, times in LAUNCHERS.items() if name in FOUND for _ in range(times)])
        self.per_host = 1 if self.launcher == "mpiexec.hydra" else dice.choice((1, 2, 3, 4, 5, 8))
        largest = min(MOST, 16 // self.per_host)
        self.hosts = largest if dice.random() < 0.6 else dice.randrange(2, largest + 1)
        self.ranks = self.hosts * self.per_host
        self.may_stop = dice.random() < 0.3
        self.may_lose_host = self.launcher == "mpiexec.hydra" and dice.random() < 0.3
        self.killed, self.stopped, self.lost = set(), set(), []
        self.pids = set()
        self.notes, self.begin = [], time.monotonic()

    def __str__(self):
        return f"seed {self.seed}: {self.launcher}, {self.hosts} hosts of {self.per_host}"

    def command(self):
        names = ",".join(f"{hosts.address(number)}:{self.per_host}" for number in range(1, self.hosts + 1))
        return [MPIEXEC, "--launcher", self.launcher, "--survive", "--host", names, "-n", str(self.ranks), PROGRAM, str(self.seed),
                str(self.dice.randrange(5, 60)), self.data]

    def environment(self):
        is_short = self.may_stop or self.may_lose_host
        return dict(os.environ, INKLING_PEER_TIMEOUT=f"{TIMEOUT:g}s" if is_short else "10s", INKLING_CONNECT_TIMEOUT="10s")

    def have_started(self):
        """A launcher's barrier in MPI_Init waits for all."""
        return sum(os.path.getsize(name) > 0 for name in glob.glob(f"{self.data}.started.*")) == self.ranks

    def find_ranks(self):
        """Their process numbers. A process that a rank has forked has its name for a moment."""
        self.pids = set()
        for name in glob.glob(f"{self.data}.started.*"):
            with open(name, encoding="ascii") as file:
                self.pids.add(int(file.read()))

    def alive(self):
        """(ranks with their hosts, spawned processes); none that may be on its way out."""
        found = {pid: what for pid, what in sorted(processes().items()) if pid not in self.killed | self.stopped}
        return ({pid: host for pid, (_, host) in found.items() if pid in self.pids},
                [pid for pid, (name, _) in found.items() if name == "survive_child"])

    def victims(self):
        """Ranks but one, and spawned processes, in a random order."""
        ranks, spawned = self.alive()
        every = self.dice.sample(list(ranks), len(ranks))[1:] + spawned
        return self.dice.sample(every, len(every))

    def note(self, what, pids):
        """For the report of what is wrong."""
        self.notes.append(f"{time.monotonic() - self.begin:.3f} s: {what} {' '.join(map(str, pids))}")

    def kill(self, pids):
        """One after the other with Hydra, which ends the job when several of its hosts end at once."""
        self.note("kills", pids)
        for pid in pids:
            self.killed.update([pid] if send(pid, signal.SIGKILL) else [])
            time.sleep(0.2 if self.launcher == "mpiexec.hydra" else 0)

    def strike(self):
        how = self.dice.random()
        if self.may_lose_host and how < 0.4:
            self.lose_host()
        elif self.may_stop and how < 0.2:
            self.stop(self.victims()[:self.dice.randrange(1, 5)])
        else:
            self.kill(self.victims()[:self.dice.choice((1, 1, 1, 1, 2, 3))])

    def stop(self, pids):
        """For longer than the others wait. Then some go on, and end themselves if others have taken them for dead."""
        self.note("stops", pids)
        for pid in pids:
            send(pid, signal.SIGSTOP)
        time.sleep(TIMEOUT * (1 + self.dice.random()))
        for pid in pids:
            if self.dice.random() < 0.5:
                self.kill([pid])
            elif send(pid, signal.SIGCONT):
                self.note("lets go on", [pid])
                self.stopped.add(pid)

    def lose_host(self):
        """Takes a host off the network and kills all of it."""
        names = sorted(set(self.alive()[0].values()))
        if len(names) < 2:
            return
        host = names[self.dice.randrange(len(names))]
        self.note("cuts off host", [host])
        hosts.cut(host)
        self.lost.append(host)
        while gone := [pid for pid, (_, where) in processes().items() if where == host]:  # it may be starting others
            self.kill(gone)
            time.sleep(0.01)

    def mend(self):
        for number in self.lost:
            hosts.mend(number)
        self.lost.clear()

    def disturb(self, job):
        while job.poll() is None and not self.have_started():
            time.sleep(0.02)
        self.find_ranks()
        enough, pause = most(self.ranks, self.dice), self.dice.choice((0.1, 0.3, 1))
        for _ in range(4 * self.ranks):
            time.sleep(self.dice.random() ** 2 * pause)
            if len(self.killed) >= enough or job.poll() is not None:
                break
            self.strike()
        with open(f"{self.data}.end", "w", encoding="ascii"):
            pass

    def end(self, job):
        """What is wrong; "": nothing."""
        begin = time.monotonic()
        while job.poll() is None and time.monotonic() < begin + LIMIT:
            time.sleep(0.02)
            if self.lost and not processes():
                self.mend()  # so that the launcher hears of its end
        hangs = job.poll() is None
        where = stacks(processes()) if hangs else ""
        if hangs:
            job.send_signal(signal.SIGTERM)
        code = job.wait()
        self.mend()
        if hangs:
            return f"hangs after {LIMIT:g} s: {where}"
        orphans = [pid for pid in processes() if time.sleep(1) or pid in processes()]
        return f"code {code}" if code else f"orphans {orphans}" if orphans else ""

    def complaints(self):
        """What ranks found wrong, of which launchers may have forwarded nothing."""
        for name in glob.glob(f"{self.data}.wrong.*"):
            with open(name, encoding="utf-8") as file:
                yield file.read()

    def play(self, folder):
        with open(os.path.join(folder, "said"), "w+", encoding="utf-8") as said, subprocess.Popen(
                self.command(), stdout=said, stderr=subprocess.STDOUT, env=self.environment()) as job:
            self.disturb(job)
            wrong = self.end(job)
            said.seek(0)
            text = said.read()
        if wrong:
            print(f"{self}: {wrong}:", *self.notes, *self.complaints(), text, sep="\n", flush=True)
        return not wrong


def play_all(folder):
    jobs, is_right, end = [], True, time.monotonic() + SECONDS
    while is_right and time.monotonic() < end:
        jobs.append(Job(SEED + len(jobs), folder))
        is_right = jobs[-1].play(folder)
    kills = sum(len(job.killed) for job in jobs)
    print(f"{len(jobs)} programs with {sum(job.ranks for job in jobs)} ranks, {kills} kills, {sum(len(job.stopped) for job in jobs)} stopped for a while")
    return is_right and kills > 0


if __name__ == "__main__":
    MPIEXEC, PROGRAM = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    FOUND = [name for name in LAUNCHERS if any(os.access(os.path.join(place, name), os.X_OK) for place in os.environ["PATH"].split(":"))]
    if not FOUND:
        hosts.skip("neither mpiexec.hydra nor orterun here (Debian: mpich, openmpi-bin)")
    hosts.enter(*FOUND)
    os.environ["INKLING_SPIN_TIME"] = "20us"  # all hosts share these cores
    script = hosts.build(MOST)
    hosts.answer_at_once(MOST)
    for kind in KINDS.values():
        hosts.launcher(script, MOST, 1, MOST, kind)
    print(f"SURVIVE_SEED={SEED}", flush=True)
    with tempfile.TemporaryDirectory() as own:
        os.environ["TMPDIR"] = own  # process numbers are not unique here, which Open MPI's launcher names its files by
        sys.exit(not play_all(own))
