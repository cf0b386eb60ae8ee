"""Ranks, mpiexec and shells between them die amid collectives, at random (FAULT_SEED repeats a run; FAULT_ROUNDS
rounds). Each time everything ends within 2 s with one line, and neither a process nor a file of the job is left."""
import contextlib
import os
import random
import signal
import sys
import time
import unittest
from shlex import quote

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import STEPS, Case, Job, main, wait_for  # noqa: E402

LOOPING = os.path.join(os.path.dirname(STEPS), "fault_looping")
COPIED = os.path.join(os.path.dirname(STEPS), "libfault_copied.so")
SEED = int(os.environ.get("FAULT_SEED", random.randrange(10 ** 9)))
ROUNDS = int(os.environ.get("FAULT_ROUNDS", "20"))
LIMIT = 2.0
CODES = {"segv": 139, "abort": 134, "exit": 1, "leave": 7, "kill": 137, "mpi": 9}


def files():
    return {(folder, name) for folder in ("/dev/shm", "/tmp", "/run", "/var/tmp") if os.path.isdir(folder)
            for name in os.listdir(folder) if "inkling" in name.lower()}


class Crashes(Case):
    def setUp(self):
        self.before = files()

    def end(self, job, what):
        took = wait_for(lambda: not job.running(), 10)
        self.assertIsNotNone(took, f"{what}: still there: {job.running()}")
        self.assertLess(took, LIMIT, what)
        self.assertEqual(files() - self.before, set(), what)
        return job.end()

    def start(self, ranks, *command):
        job = Job(ranks, *command)
        self.addCleanup(job.__exit__)
        self.assertIsNotNone(job.wait_ready(ranks), "the ranks did not start")
        return job

    def test_each_rank_each_way(self):
        for rank in range(3):
            for how, code in CODES.items():
                start = time.monotonic()
                job = Job(3, LOOPING, how, str(rank))
                self.addCleanup(job.__exit__)
                result = job.end()
                self.assertLess(time.monotonic() - start, 3 * LIMIT, (how, rank))
                self.assertEqual(result.code, code, (how, rank, result.err))
                self.assertIn(f"mpiexec: rank {rank} on host ", result.err)
                self.assertEqual(job.running(), [], (how, rank))

    def kill(self, job, chance, what):
        time.sleep(chance.random() * 0.1)
        if what == "mpiexec":
            job.signal(signal.SIGKILL)
            return
        victims = job.running("sh" if what == "shell" else "fault_looping")
        for pid in victims if what == "all ranks" else [chance.choice(victims)]:
            with contextlib.suppress(ProcessLookupError):  # mpiexec may have ended it for the first one's death
                os.kill(pid, signal.SIGKILL)

    @unittest.skipUnless(os.path.exists(COPIED), "a sanitizer has calls of its own")
    def test_a_copy_of_a_dead_rank(self):
        """Rank 1 copies to and from the memory of rank 0, which has died. It leaves it to mpiexec to say so, even if that
        learns of the death half a second later, from a shell."""
        folder, library = os.path.split(COPIED)  # the loader splits LD_PRELOAD at blanks, and a folder may have one
        job = Job(2, "env", f"LD_LIBRARY_PATH={folder}", f"LD_PRELOAD={library}",
                  "sh", "-c", f"{quote(LOOPING)} large; code=$?; sleep 0.5; exit $code")
        self.addCleanup(job.__exit__)
        result = job.end()
        if result.code == 0:
            self.skipTest("no process may copy another's memory here")
        self.assertEqual(result.code, 137, result.err)
        self.assertIn("rank 0 on host ", result.err)

    def test_at_random(self):
        chance = random.Random(SEED)
        for number in range(ROUNDS):
            what = chance.choice(["rank", "rank", "mpiexec", "shell", "all ranks"])
            ranks = chance.choice([2, 3, 5])
            single_copy = chance.choice(["true", "true", "false"])
            shell = what == "shell" or chance.random() < 0.3
            told = (f"FAULT_SEED={SEED}, round {number}: {what} of {ranks}{', behind shells' if shell else ''}, "
                    f"INKLING_CMA={single_copy}")
            job = self.start(ranks, "env", f"INKLING_CMA={single_copy}",
                             *(["sh", "-c", f"{quote(LOOPING)}; exit $?"] if shell else [LOOPING]))
            self.kill(job, chance, what)
            result = self.end(job, told)
            self.assertEqual(result.code, -9 if what == "mpiexec" else 137, told + "\n" + result.err)
            if what != "mpiexec":
                lines = result.err.splitlines(True)
                if shell:  # which may say that its child was killed
                    lines = [line for line in lines if "mpiexec: " in line]
                self.assert_one_line("".join(lines), "mpiexec: rank ")


if __name__ == "__main__":
    print(f"FAULT_SEED={SEED}", file=sys.stderr)
    main()
