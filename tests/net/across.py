#!/usr/bin/env python3
"""across.py BIN MEET [TEST]...: jobs that meet across hosts. MEET is the program of tests/connect; hosts are those of
hosts.py."""
import os
import subprocess
import sys
import tempfile
import time
import unittest

import hosts

BIN, MEET = (os.path.abspath(word) for word in sys.argv[1:3])
HOSTS = 4
LIMIT = 1000  # run.py is stricter
SHELL = None  # starts a command on a host


def on(host, *command):
    """As a user's shell there would start it."""
    return [SHELL, f"host{host}", *command]


def alone(host):
    """A process without a launcher."""
    return on(host)


def local(host, ranks):
    """A job on one host."""
    return on(host, f"{BIN}/mpiexec", "-n", str(ranks))


def spread(*numbers, per_host=1):
    """A job on several hosts."""
    names = ",".join(f"{hosts.address(number)}:{per_host}" for number in numbers)
    return ["mpiexec.hydra", "-localhost", hosts.SWITCH, "-hosts", names, "-n", str(per_host * len(numbers))]


class Across(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "port")
        self.jobs = []

    def start(self, job, *arguments, **env):
        process = subprocess.Popen([*job, MEET, *map(str, arguments)], env=dict(os.environ, **env),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.jobs.append(process)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(job):
        if job.poll() is None:
            job.terminate()
            try:
                job.wait(5)
            except subprocess.TimeoutExpired:
                job.kill()
        job.stdout.close()

    def finish(self, *jobs):
        outputs = []
        for job in jobs or self.jobs:
            out, _ = job.communicate(timeout=LIMIT)
            outputs.append(out)
            self.assertEqual(job.returncode, 0, f"{job.args}:\n{out}")
        return outputs

    def wait_for_port(self):
        end = time.monotonic() + LIMIT
        while not os.path.exists(self.file):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.005)
        with open(self.file, encoding="ascii") as file:
            return file.read()

    def pair(self, serving, calling, **env):
        self.start(serving, "serve", self.file, **env)
        self.start(calling, "call", self.file, **env)
        self.finish()

    def test_two_singletons(self):
        self.pair(alone(1), alone(2))

    def test_two_jobs(self):
        self.pair(local(1, 2), local(2, 3))

    def test_job_and_singleton(self):
        self.pair(spread(1, 2), alone(3))

    def test_singleton_and_job(self):
        self.pair(alone(1), spread(2, 3))

    def test_jobs_on_the_same_hosts(self):
        """Some of the two share memory, and some do not."""
        self.pair(spread(1, 2), spread(2, 1))

    def test_four_hosts(self):
        self.pair(spread(1, 2), spread(3, 4))

    def test_another_fabric(self):
        self.pair(local(1, 2), spread(2, 3), INKLING_OFI_PROVIDER="sockets")

    def test_large_messages_in_pieces(self):
        self.pair(local(1, 1), local(2, 2), INKLING_OFI_RMA="false")

    def test_with_threads_that_make_progress(self):
        self.pair(local(1, 2), local(2, 1), INKLING_PROGRESS_THREAD="true")

    def test_three_jobs(self):
        for host, which in enumerate(("first", "second", "third"), 1):
            self.start(local(host, 2), "three", self.file, which)
            self.wait_for_port()
        self.finish()

    def test_one_after_the_other(self):
        """Some come over the network and some do not."""
        self.start(local(1, 2), "serve", self.file, 4)
        for job in (local(1, 1), alone(2), local(1, 2), spread(2, 3)):
            self.finish(self.start(job, "call", self.file))
        self.finish()

    def test_parting_and_meeting_again(self):
        self.start(local(1, 2), "cycle", self.file, 50, "serves")
        self.start(local(2, 2), "cycle", self.file, 50, "calls")
        self.finish()

    def test_many_callers(self):
        calls = 10
        self.start(local(1, 1), "cycle", self.file, calls, "serves")
        for _ in range(calls):
            self.finish(self.start(alone(2), "cycle", self.file, 1, "calls"))
        self.finish()

    def test_callers_queue(self):
        self.start(local(1, 1), "serve", self.file, 3)
        for host in (2, 3, 4):
            self.start(local(host, 1), "call", self.file)
        self.finish()

    def die_at(self, serving, merges):
        server = self.start(serving, "outlive", self.file, merges, INKLING_PEER_TIMEOUT="2s")
        for _ in range(7):
            self.start(alone(2), "die", self.file, merges).wait(LIMIT)
        self.finish(server)

    def test_deaths(self):
        self.die_at(alone(1), 0)

    def test_deaths_in_a_merged_communicator(self):
        self.die_at(local(1, 1), 1)

    def test_finalize_while_connected(self):
        self.start(local(1, 2), "late", self.file, "serves")
        self.start(local(2, 2), "late", self.file, "calls")
        self.finish()

    def test_memory_only(self):
        """Who is told to stay in memory says so, and the other goes on to wait for callers."""
        server = self.start(alone(1), "serve", self.file)
        refused = self.start(alone(2), "call", self.file, INKLING_TRANSPORT="shm")
        out, _ = refused.communicate(timeout=LIMIT)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("INKLING_TRANSPORT must not be shm", out)
        self.finish(self.start(alone(3), "call", self.file), server)


if __name__ == "__main__":
    hosts.enter("mpiexec.hydra")
    os.environ["INKLING_SPIN_TIME"] = "20us"  # all hosts share the cores of this one
    SHELL = hosts.build(HOSTS)
    hosts.launcher(SHELL, HOSTS, 1, HOSTS)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
