"""mpiexec --survive: the job goes on when ranks die. Steps of survive.c, and random programs with random kills (survive_random.c).

SURVIVE_SECONDS (10): how long to kill at random; SURVIVE_SEED: the first seed, else of the clock."""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from disturbing import most, send, stacks  # noqa: E402
from launching import BIN, MPIEXEC, SANITIZER, SLOWNESS, STEPS, Case, environment, main, marked, mpiexec, wait_for  # noqa: E402

HOST = os.uname().nodename
FOLDER = os.path.dirname(STEPS)
SURVIVE = os.path.join(FOLDER, "fault_survive")
FINALIZED = os.path.join(FOLDER, "fault_survive_finalized")
RANDOM = os.path.join(FOLDER, "fault_survive_random")
SECONDS = float(os.environ.get("SURVIVE_SECONDS", 10))
SEED = int(os.environ.get("SURVIVE_SEED", time.time_ns() % 1000000))
LIMIT = 60 * SLOWNESS  # seconds of one job: none takes more than two alone
RANKS = (2, 3, 4, 5, 8, 12, 16, 16, 16)  # of random programs
not_for_sanitizers = unittest.skipIf(SANITIZER, "a sanitizer wants to be loaded before what --check and --advise load")


class Survive(Case):
    def step(self, ranks, *words, deaths=1, **env):
        result = mpiexec("--survive", "-n", ranks, SURVIVE, *words, **env)
        self.assertEqual(result.code, 0, result.err)
        self.assertNotIn("not so", result.err)
        self.assertEqual(result.err.count("died of signal 9 (SIGKILL, Killed) after "), deaths, result.err)
        return result

    def test_messages(self):
        for ranks in (2, 3, 5):
            result = self.step(ranks, "messages")
            self.assertRegex(result.err, rf"mpiexec: rank {ranks - 1} on host {HOST} died of signal 9 \(SIGKILL, Killed\) after "
                                         rf"[\d.]+ s; {ranks - 1} of {ranks} ranks go on\n")

    def test_pending(self):
        for ranks in (2, 4):
            self.step(ranks, "pending")

    def test_without_single_copy(self):
        self.step(3, "pending", INKLING_CMA="false")

    def test_untouched(self):
        self.step(4, "untouched")

    def test_collectives(self):
        for which in range(5):
            for count in (1, 30000):
                for nonblocking in (0, 1):
                    self.step(3 + which % 3, "collectives", which, count, nonblocking)

    def test_revoke(self):
        for ranks in (2, 5):
            self.step(ranks, "revoke")

    def test_revoke_early(self):
        for ranks in (2, 3):
            self.step(ranks, "revoke-early", deaths=0)

    def test_revoke_objects(self):
        with tempfile.TemporaryDirectory() as folder:
            for ranks in (2, 4):
                self.step(ranks, "revoke-objects", os.path.join(folder, "data"), deaths=0)

    def test_groups(self):
        for ranks in (2, 3, 5):
            self.step(ranks, "groups")

    def test_two_groups(self):
        for ranks in (3, 4, 5):
            self.step(ranks, "two-groups")

    def test_two_jobs(self):
        for ranks in (1, 2, 3):
            self.step(ranks, "two-jobs")

    def test_finalized(self):
        for ranks in (1, 2, 5):
            for way in ("mailbox", "tree"):
                result = mpiexec("--survive", "-n", ranks, FINALIZED, INKLING_BCAST=way, INKLING_REDUCE=way, INKLING_GATHER=way)
                self.assertEqual((result.code, result.err), (0, ""))

    def test_respawn(self):
        for ranks in (2, 3, 5):
            self.step(ranks, "respawn")

    def test_unmet(self):
        with tempfile.TemporaryDirectory() as folder:
            for turn in range(6):
                self.step(2 + turn % 2, "unmet", os.path.join(folder, str(turn)))

    def test_shrink(self):
        self.step(5, "shrink", deaths=4)

    def test_alone(self):
        self.step(4, "alone", deaths=3)

    def test_in_init(self):
        for ranks in (2, 4):
            self.step(ranks, "in-init")

    def test_without_survive(self):
        result = mpiexec("-n", 2, SURVIVE, "unsupported")
        self.assertEqual((result.code, result.err), (0, ""))

    def test_example(self):
        for deaths, last in (("", None), ("2@150 0@151", "2 ranks go on from step 140"), ("1@10 2@333 3@390", "1 ranks go on from step 380")):
            result = mpiexec("--survive", "-n", 4, os.path.join(BIN, "..", "examples", "survive"), *deaths.split())
            self.assertEqual(result.code, 0, result.err)
            self.assertIn("\nthe same as a run without deaths\n", result.out)
            self.assertIn(last or "", result.out)

    def test_example_replaces(self):
        """As many ranks as before go on, also where several die at once, and where a new one has taken the first place."""
        for deaths, step in (("2@150", 140), ("0@30 2@31", 20), ("3@30 0@150", 140)):
            result = mpiexec("--survive", "-n", 4, os.path.join(BIN, "..", "examples", "survive"), "replace", *deaths.split())
            self.assertEqual(result.code, 0, result.err)
            self.assertIn("\nthe same as a run without deaths\n", result.out)
            self.assertIn(f"4 ranks go on from step {step}", result.out)

    def test_example_manager(self):
        for ranks, deaths, left in ((4, "", 3), (4, "2@0 1@3", 1), (5, "1@0 2@0 3@0 4@5", 0), (2, "1@2", 0)):
            result = mpiexec("--survive", "-n", ranks, os.path.join(BIN, "..", "examples", "manager"), *deaths.split())
            self.assertEqual((result.code, result.out), (0, f"17984 primes below 200000, with {left} of {ranks - 1} workers at the end\n"),
                             result.err)

    def test_setting(self):
        result = mpiexec("-n", 3, SURVIVE, "untouched", INKLING_SURVIVE="true")
        self.assertEqual(result.code, 0, result.err)

    def test_exit(self):
        """Who leaves without MPI_Finalize is dead; the code is that of the living."""
        result = mpiexec("--survive", "-n", 3, SURVIVE, "exit", 0)
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(result.err.count("exited with code 0 without MPI_Finalize after "), 2, result.err)

    def test_all_dead(self):
        result = mpiexec("--survive", "-n", 2, "sh", "-c", "kill -9 $$")
        self.assertEqual(result.code, 137, result.err)

    def test_code_of_the_living(self):
        result = mpiexec("--survive", "-n", 2, "sh", "-c", f'"{STEPS}" init finalize; exit 5')
        self.assertEqual(result.code, 5, result.err)

    @not_for_sanitizers
    def test_checked(self):
        """Nothing that follows from a death is blamed on the living."""
        example = os.path.join(BIN, "..", "examples")
        with tempfile.TemporaryDirectory() as folder:
            for ranks, *words in ((3, SURVIVE, "messages"), (4, SURVIVE, "pending"), (4, SURVIVE, "untouched"), (3, SURVIVE, "collectives", 2, 1, 0),
                                  (4, SURVIVE, "collectives", 0, 30000, 1), (3, SURVIVE, "revoke"), (2, SURVIVE, "revoke-early"),
                                  (3, SURVIVE, "revoke-objects", os.path.join(folder, "data")), (3, SURVIVE, "groups"), (3, SURVIVE, "respawn"),
                                  (5, SURVIVE, "shrink"), (4, SURVIVE, "alone"), (4, os.path.join(example, "survive"), "replace", "2@150"),
                                  (4, os.path.join(example, "manager"), "2@0", "1@3")):
                result = mpiexec("--survive", "--check", "-n", ranks, *words)
                self.assertEqual(result.code, 0, f"{words}: {result.err}")
                self.assertIn("inkling check: nothing was found\n", result.err)

    @not_for_sanitizers
    def test_advised(self):
        """What the dead had counted is there, too."""
        with tempfile.TemporaryDirectory() as folder:
            result = mpiexec("--survive", f"--advise={folder}", "-n", 4, os.path.join(BIN, "..", "examples", "manager"), "2@0", "1@3")
            self.assertEqual(result.code, 0, result.err)
            self.assertIn(", on 4 ranks, names MPI_ANY_TAG", result.err)
            self.assertEqual([name for name in os.listdir(folder) if name.startswith("profile.")], [])


def is_spawned(pid):
    """Also a process that has the name of a rank until it has begun; or it is gone."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as words:
            return words.read().endswith(b"\0child\0")
    except OSError:
        return True


def victims(mark, dice, killed):
    """Ranks but one, and spawned processes, in a random order; none that was killed already and may still be on its way out."""
    found = sorted((pid, name) for pid, name in marked(mark).items() if pid not in killed)
    ranks = [pid for pid, name in found if name == os.path.basename(RANDOM)[:15] and not is_spawned(pid)]
    every = dice.sample(ranks, len(ranks))[1:] + [pid for pid, name in found if name == "survive_child"]
    return dice.sample(every, len(every))


class Tally:
    """What was done to the ranks of all programs."""

    def __init__(self):
        self.programs, self.ranks, self.kills, self.stops = 0, 0, 0, 0

    def strike(self, mark, dice, killed):
        """Kills one or several at once, some of which were stopped before; or stops one for a while."""
        several = dice.choice((1, 1, 1, 1, 1, 1, 2, 3, 5))
        chosen, how = victims(mark, dice, killed)[:several], dice.random()
        if how < 0.25:
            self.stops += sum(send(pid, signal.SIGSTOP) for pid in chosen)
            time.sleep(dice.random() * 0.2)
        for pid in chosen:
            if how < 0.1:
                send(pid, signal.SIGCONT)
            elif send(pid, signal.SIGKILL):
                killed.add(pid)
                self.kills += 1

    def __str__(self):
        return f"{self.programs} programs with {self.ranks} ranks, {self.kills} kills, {self.stops} stopped for a while"


class Kills(Case):
    def play(self, seed, tally, *options):
        """A random program whose ranks are killed at random; at least one lives. With --check nothing is found."""
        dice, mark = random.Random(seed), f"SURVIVE_MARK={uuid.uuid4().hex}"
        leaks = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # a process that looks for them must not be killed
        ranks = dice.choice(RANKS)
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data")
            job = subprocess.Popen([MPIEXEC, "--survive", *options, "-n", str(ranks), RANDOM, str(seed), str(dice.randrange(5, 60)), data],
                                   stderr=subprocess.PIPE, text=True,
                                   env=environment(SURVIVE_MARK=mark.split("=")[1], ASAN_OPTIONS=leaks))
            enough, pause, killed = most(ranks, dice), dice.choice((0.05, 0.1, 0.3)) * SLOWNESS, set()
            for _ in range(4 * ranks):
                time.sleep(dice.random() ** 2 * pause)
                if len(killed) >= enough or job.poll() is not None:
                    break
                tally.strike(mark, dice, killed)
            with open(f"{data}.end", "w", encoding="ascii"):
                begin = time.monotonic()
            try:
                _, err = job.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                where = stacks(marked(mark))
                job.kill()
                _, err = job.communicate()
                self.fail(f"seed {seed}: {ranks} ranks hang after {time.monotonic() - begin:.0f} s:\n{err}{where}")
            self.assertEqual(job.returncode, 0, f"seed {seed}, {ranks} ranks: {err}")
            self.assertNotIn("no transport reaches", err, f"seed {seed}: who is to be met is not known")
            self.assertIsNotNone(wait_for(lambda: not marked(mark)), f"seed {seed}: orphans")
        tally.programs += 1
        tally.ranks += ranks

    def play_all(self, *options):
        end, tally, seed = time.monotonic() + SECONDS, Tally(), SEED
        print(f"SURVIVE_SEED={SEED}", flush=True)
        try:
            while time.monotonic() < end:
                self.play(seed, tally, *options)
                seed += 1
        finally:
            print(tally, flush=True)
        self.assertGreater(tally.kills, 0)

    def test_random_kills(self):
        self.play_all()

    @not_for_sanitizers
    def test_random_kills_checked(self):
        self.play_all("--check")


if __name__ == "__main__":
    main()
