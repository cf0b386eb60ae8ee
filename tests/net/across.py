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


if __name__ == "__main__":
    hosts.enter("mpiexec.hydra")
    os.environ["INKLING_SPIN_TIME"] = "20us"  # all hosts share the cores of this one
    SHELL = hosts.build(HOSTS)
    hosts.launcher(SHELL, HOSTS, 1, HOSTS)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
