"""Names of ports between jobs: python3 names.py BIN NAMES, where NAMES is the program of names.c."""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import MPIEXEC, STEPS as NAMES, environment, main, run, wait_for  # noqa: E402


class Names(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.names = os.path.join(self.folder.name, "names")
        os.mkdir(self.names, 0o700)
        self.jobs = []

    def tearDown(self):
        for job in self.jobs:
            job.kill()
            job.wait()
            job.stdout.close()
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def start(self, *steps, launcher=(MPIEXEC, "-n", "2")):
        """A job that publishes and then waits for the file `go`."""
        ready = self.path(f"ready{len(self.jobs)}")
        job = subprocess.Popen([*launcher, NAMES, *steps, "ready", ready, "await", self.path("go")],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                               env=environment(INKLING_NAME_DIRECTORY=self.names))
        self.jobs.append(job)
        self.assertIsNotNone(wait_for(lambda: os.path.exists(ready)))
        return job

    def ask(self, *steps, launcher=(), **env):
        return run([*launcher, NAMES, *steps], **{"INKLING_NAME_DIRECTORY": self.names, **env})

    def answers(self, *steps, **options):
        return self.ask(*steps, **options).out.splitlines()

    def test_two_jobs(self):
        self.start("publish", "ocean", "port 1")
        for launcher in ((MPIEXEC, "-n", "1"), ()):
            self.assertEqual(self.answers("lookup", "ocean", "lookup", "sea", "publish", "ocean", "port 2", "lookup",
                                          "ocean", launcher=launcher),
                             ["ocean: port 1", "sea: MPI_ERR_NAME", "ocean: MPI_ERR_SERVICE", "ocean: port 1"])

    def test_a_singleton_publishes(self):
        self.start("publish", "ocean", "port", launcher=())
        self.assertEqual(self.answers("lookup", "ocean", launcher=(MPIEXEC,)), ["ocean: port"])

    def test_another_job_unpublishes(self):
        self.start("publish", "ocean", "port")
        self.assertEqual(self.answers("unpublish", "ocean", "other", "unpublish", "ocean", "port", "lookup", "ocean",
                                      "unpublish", "ocean", "port"),
                         ["ocean: MPI_ERR_SERVICE", "ocean: port", "ocean: MPI_ERR_NAME", "ocean: MPI_ERR_SERVICE"])

    def test_the_job_ends_without_unpublishing(self):
        job = self.start("publish", "ocean", "port")
        self.assertEqual(len(os.listdir(self.names)), 1)
        open(self.path("go"), "w", encoding="ascii").close()
        self.assertEqual(job.wait(20), 0)
        self.assertEqual(os.listdir(self.names), [])
        self.assertEqual(self.answers("lookup", "ocean"), ["ocean: MPI_ERR_NAME"])

    def test_the_job_aborts(self):
        self.assertEqual(self.ask("publish", "ocean", "port", "abort", launcher=(MPIEXEC,)).code, 3)
        self.assertEqual(os.listdir(self.names), [])

    def test_a_singleton_aborts(self):
        self.assertEqual(self.ask("publish", "ocean", "port", "abort").code, 3)
        self.assertEqual(self.answers("lookup", "ocean", "publish", "ocean", "again"),
                         ["ocean: MPI_ERR_NAME", "ocean: again"])
        self.assertEqual(os.listdir(self.names), [])

    def test_the_publisher_is_killed(self):
        job = self.start("publish", "ocean", "port", launcher=())
        job.kill()
        job.wait()
        self.assertEqual(self.answers("lookup", "ocean"), ["ocean: MPI_ERR_NAME"])

    def test_scope(self):
        self.start("scope", "job", "publish", "ocean", "port", "lookup", "ocean")
        self.assertEqual(self.answers("lookup", "ocean", "scope", "job", "lookup", "ocean", "publish", "ocean", "other"),
                         ["ocean: MPI_ERR_NAME", "ocean: MPI_ERR_NAME", "ocean: other"])
        self.assertEqual(self.answers("scope", "galaxy", "publish", "ocean", "port", "lookup", "ocean"),
                         ["ocean: MPI_ERR_INFO_VALUE"] * 2)

    def test_another_directory(self):
        self.start("publish", "ocean", "port")
        other = self.path("other")
        self.assertEqual(self.answers("lookup", "ocean", INKLING_NAME_DIRECTORY=other), ["ocean: MPI_ERR_NAME"])

    def test_a_directory_that_others_write(self):
        os.chmod(self.names, 0o777)
        self.assertEqual(self.answers("publish", "ocean", "port", "lookup", "ocean"), ["ocean: MPI_ERR_ACCESS"] * 2)

    def test_default_directory(self):
        own = f"/tmp/inkling-{os.geteuid()}"
        before = os.path.exists(own)
        self.assertEqual(self.answers("publish", "names-test", "port", "lookup", "names-test", "unpublish",
                                      "names-test", "port", launcher=("env", "-u", "INKLING_NAME_DIRECTORY")),
                         ["names-test: port"] * 3)
        if not before:
            self.assertFalse(os.path.exists(own))

    def test_many_at_once(self):
        """Publishers of one name at the same time: one wins, and nothing is left."""
        jobs = [subprocess.Popen([NAMES, "publish", "ocean", f"port {i}", "unpublish", "ocean", f"port {i}"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                 env=environment(INKLING_NAME_DIRECTORY=self.names)) for i in range(8)]
        for i, job in enumerate(jobs):
            first, second = job.communicate(timeout=50)[0].splitlines()
            self.assertEqual(first, second)
            self.assertIn(first, (f"ocean: port {i}", "ocean: MPI_ERR_SERVICE"))
        self.assertEqual(os.listdir(self.names), [])


if __name__ == "__main__":
    main()
