"""Jobs that are started side by side, meet through a file, and end well: the ground of meeting.py, on one host, and of
../net/across.py."""
import os
import subprocess
import tempfile
import time
import unittest

LIMIT = 1000  # run.py is stricter


class Jobs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "port")
        self.jobs = []

    def start_command(self, command, env, fds=()):
        job = subprocess.Popen(list(map(str, command)), env=env, pass_fds=fds, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.jobs.append(job)
        self.addCleanup(self.end, job)
        return job

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
        """Waits for these jobs, or all, whose exit codes must be 0."""
        outputs = []
        for job in jobs or self.jobs:
            try:
                out, _ = job.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                self.fail(f"{job.args} does not end")
            outputs.append(out)
            self.assertEqual(job.returncode, 0, f"{job.args}:\n{out}")
        return outputs

    def wait_for(self, file):
        end = time.monotonic() + LIMIT
        while not os.path.exists(file):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.005)

    def wait_for_port(self):
        """What the job that opens a port has written to the file."""
        self.wait_for(self.file)
        with open(self.file, encoding="ascii") as file:
            return file.read()
