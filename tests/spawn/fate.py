"""What becomes of spawned processes, and of those that spawned them, when something ends: python3 fate.py BIN FATE,
where FATE is the program of fate.c. Nothing may be left behind in any case."""
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import STEPS as FATE, Job, environment, main, wait_for  # noqa: E402


class Alone(Job):
    """A program without mpiexec."""

    def __init__(self, *program):
        super().__init__(1, "true")
        super().end()
        self.process = subprocess.Popen(program, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, cwd=self.folder.name, env=environment(**{self.mark: "1"}))


class Fate(unittest.TestCase):
    def start(self, fate, ranks=2, files=None, **options):
        job = Job(ranks, FATE, fate, **options) if ranks else Alone(FATE, fate)
        self.addCleanup(job.__exit__, None, None, None)
        if files:
            self.assertIsNotNone(wait_for(lambda: all(self.has(job, file) for file in files), 30))
        return job

    @staticmethod
    def has(job, file):
        return os.path.exists(os.path.join(job.folder.name, file))

    @staticmethod
    def make(job, file):
        with open(os.path.join(job.folder.name, file), "w", encoding="ascii"):
            pass

    def assert_nothing_left(self, job):
        self.assertIsNotNone(wait_for(lambda: not job.running()), job.running())

    def end(self, job, code):
        result = job.end()
        self.assertEqual(result.code, code, result.err)
        self.assert_nothing_left(job)
        return result

    def test_children_have_no_input_and_share_the_output(self):
        for options in ((), ("--label",)):
            job = self.start("part", options=options)
            prefix = "[%d] " if options else "%.0s"
            self.assertEqual(self.end(job, 0).lines, [prefix % i + f"child {i} reads -1" for i in range(2)])

    def test_a_child_aborts(self):
        for ranks in (0, 2):
            job = self.start("abort-child", ranks)
            self.end(job, 7 if ranks else 0)
            self.assertTrue(self.has(job, "told-0"))

    def test_a_child_crashes(self):
        job = self.start("crash-child")
        self.assertIn("spawned job: rank 0", self.end(job, 128 + signal.SIGSEGV).err)
        self.assertTrue(self.has(job, "told-0"))

    def test_a_child_exits_with_a_code(self):
        self.end(self.start("exit-child"), 5)

    def test_a_parent_aborts(self):
        for ranks in (0, 2):
            self.end(self.start("abort-parent", ranks), 9)

    def test_a_parent_crashes(self):
        self.end(self.start("crash-parent", 3), 128 + signal.SIGSEGV)
        job = self.start("crash-parent", 0)
        job.process.communicate(timeout=30)
        self.assert_nothing_left(job)

    def test_children_survive_a_parent_they_have_left(self):
        for ranks in (0, 2):
            job = self.start("survive", ranks, ["child-0", "child-1"])
            if not ranks:
                self.assertEqual(job.process.wait(30), 9)
            self.make(job, "go")
            result = self.end(job, 9)
            self.assertTrue(self.has(job, "late-0") and self.has(job, "late-1"), result.err)

    def test_parents_survive_children_they_have_left(self):
        job = self.start("part-and-crash", 2, ["child-0", "parent-1"])
        self.make(job, "go")
        self.end(job, 128 + signal.SIGSEGV)
        self.assertTrue(self.has(job, "late-0") and self.has(job, "late-1"))

    def test_interrupt(self):
        job = self.start("wait", 2, ["child-0", "child-1", "parent-1"])
        job.signal(signal.SIGINT)
        self.end(job, 128 + signal.SIGINT)

    def test_timeout(self):
        self.end(self.start("wait", options=("--timeout", "2")), 124)

    def test_mpiexec_is_killed(self):
        job = self.start("wait", 2, ["child-0", "child-1", "parent-1"])
        job.signal(signal.SIGKILL)
        job.process.communicate(timeout=30)
        self.assert_nothing_left(job)

    def test_a_singleton_is_killed(self):
        job = self.start("wait", 0, ["child-0", "child-1"])
        job.signal(signal.SIGKILL)
        job.process.communicate(timeout=30)
        self.assert_nothing_left(job)


if __name__ == "__main__":
    main()
