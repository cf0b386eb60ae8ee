"""inkling where without the right to trace: ranks that wait tell of themselves. Run as: python3 told.py BIN SITUATIONS [NAME...].

A filter of system calls (untraced.py) refuses `inkling` what Yama refuses it, so that reading and asking can be compared."""
import json
import os
import re
import signal
import subprocess
import sys
import time

import situations
from situations import INKLING, Hanging
from situations import Case, SITUATIONS, main, run, wait_for

UNTRACED = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "untraced.py")]
REFUSED = "may not be looked at by this user; no answer: in the program, or in a call that makes no progress"
# Situations in which all ranks wait, or those that do not compute.
ALIKE = [("circle", 3), ("threads", 2), ("other_collective", 2)]
LATE = [("wrong_tag", 3), ("late", 4), ("probe", 2), ("posted", 2), ("started", 2), ("waitall", 2), ("lock", 3), ("fence", 3), ("file", 3),
        ("long_chain", 3), ("crowd", 3)]


def lines_of(text):
    """Without times, and without how ranks wait, which changes."""
    return sorted(re.sub(r"; since [^;]*(; .*)?$", "", line) for line in text.splitlines())


class Told(Case):
    def setUp(self):
        if "names no calls" in run([INKLING, "status"]).out:
            self.skipTest("this build has no elfutils' headers (Debian: libdw-dev)")
        if run([*UNTRACED, "true"]).code:
            self.skipTest("no filters of system calls here")

    def ask(self, job, *options):
        return run([*UNTRACED, INKLING, "where", str(job.process.pid), *options])

    def compare(self, job):
        """What is told and what is read, once they are alike but for what only reading finds; else the last of both."""
        read = told = None

        def is_alike():
            nonlocal read, told
            read, told = job.where(), self.ask(job)
            if "may not be looked at" in read.out or "cannot be told" in read.out:
                self.skipTest("ptrace is not permitted here, or elfutils (libdw) is missing")
            known = [line for line in lines_of(read.out) if "compute" not in line]
            return known and "waits for" in read.out and [line for line in lines_of(told.out) if REFUSED not in line] == known

        self.assertEqual(job.ready, "ready\n")
        found = wait_for(is_alike, 30)
        self.assertIsNotNone(found, f"read:\n{read.out}told:\n{told.out}{told.err}")
        self.assertEqual(told.code, 0)
        return told

    def test_ranks_that_all_wait(self):
        for name, ranks in ALIKE:
            with self.subTest(name), Hanging(name, ranks) as job:
                told = self.compare(job)
                self.assertNotIn(REFUSED, told.out)
                self.assertEqual(told.err, "")

    def test_ranks_that_wait_for_others(self):
        for name, ranks in LATE:
            with self.subTest(name), Hanging(name, ranks) as job:
                told = self.compare(job)
                self.assertRegex(told.out, rf"(?m)^ranks? [^:]*: {REFUSED}$")
                self.assertRegex(told.out.splitlines()[0], f"wait for rank [0-9], which {REFUSED}$|waits for rank [0-9], which {REFUSED}$")
                self.assert_one_line(told.err, f"ranks may not be read, and only what waits in MPI answers, as ptrace is not permitted here")
                self.assertIn(f": ask as root, or with `kill -QUIT {job.process.pid}`, on which mpiexec says it", told.err)

    def test_json(self):
        with Hanging("long_chain", 3) as job:
            self.compare(job)
            view = json.loads(self.ask(job, "--json").out)
            self.assertEqual([r["readable"] for r in view["ranks"]], [True, True, False])
            self.assertEqual([[t["waits_for"] for t in r["threads"]] for r in view["ranks"]], [[[1]], [[2]], []])

    def test_computing_with_a_progress_thread(self):
        """It tells of its requests, not of where it computes."""
        with Hanging("overlap", 2, INKLING_PROGRESS_THREAD="true") as job:
            self.assertEqual(job.ready, "ready\n")
            view = None

            def is_told():
                nonlocal view
                view = json.loads(self.ask(job, "--json").out or '{"ranks": [{}]}')
                return [r.get("open_requests") for r in view["ranks"]] == [1, 1]

            self.assertIsNotNone(wait_for(is_told, 30), view)
            self.assertEqual([r["readable"] for r in view["ranks"]], [True, True])
            self.assertRegex(self.ask(job).out, f"(?m)^ranks 0, 1: {REFUSED}$")

    def test_silent_ranks(self):
        with Hanging("computing", 2) as job:
            self.assertEqual(job.ready, "ready\n")
            said = self.ask(job)
            self.assertEqual((said.code, said.out), (1, ""))
            self.assert_one_line(said.err, "2 of 2 ranks may not be read")

    def test_stopped_rank(self):
        """It is asked in vain, answers nothing late when it goes on, and waits as before."""
        with Hanging("circle", 3) as job:
            self.compare(job)
            pid = job.pid(1)
            os.kill(pid, signal.SIGSTOP)
            said = self.ask(job)
            self.assertRegex(said.out, f"(?m)^rank 1: {REFUSED}$")
            self.assertRegex(said.out, "(?m)^rank 0: MPI_Recv from 1, tag 3")
            self.assertRegex(said.out, "^rank 1 is stopped by a signal; rank 0 waits for it")
            os.kill(pid, signal.SIGCONT)
            self.compare(job)

    def test_many_at_once(self):
        with Hanging("circle", 3) as job:
            self.compare(job)
            self.assertIsNotNone(wait_for(lambda: "a circle" in job.where().out, 30))  # which is said of who has waited for half a second
            command = [*UNTRACED, INKLING, "where", str(job.process.pid)]
            asking = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(6)]
            for said in [process.communicate(timeout=situations.LIMIT)[0] for process in asking]:
                self.assertIn("a circle: rank 0, which waits for 1, which waits for 2, which waits for 0\n", said)

    def test_who_asks_dies(self):
        """The lock of who asks ends with it, and its question is not answered for ever."""
        with Hanging("circle", 3) as job:
            self.compare(job)
            for i in range(40):
                asking = subprocess.Popen([*UNTRACED, INKLING, "where", str(job.process.pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(0.02 + 0.002 * i)
                asking.kill()
                asking.wait()
            self.compare(job)

    def test_list(self):
        with Hanging("circle", 2) as job:
            self.assertEqual(job.ready, "ready\n")
            said = run([*UNTRACED, INKLING, "where"])
            self.assertRegex(said.out, rf"(?m)^{job.process.pid} +2 +\d.* s  .*{os.path.basename(SITUATIONS)} circle$")


if __name__ == "__main__":
    main()
