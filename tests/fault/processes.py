"""kill -9: of a rank, of mpiexec, of both. Nothing of the job is left, within a second, and no file."""
import os
import signal
import sys
from shlex import quote

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import MPIEXEC, STEPS, Case, Job, main, mpiexec, wait_for  # noqa: E402

HOST = os.uname().nodename
HANG = ["init", "barrier", "@0", "ready", "a", "@1", "ready", "b", "sleep", "60000"]
STRAYS = ["ignore", "15", "ignore", "1", "fork", "@0", "ready", "a", "@1", "ready", "b", "sleep", "60000"]


def files():
    return {(folder, name) for folder in ("/dev/shm", "/tmp") for name in os.listdir(folder)
            if "inkling" in name.lower()}


class Processes(Case):
    def setUp(self):
        self.before = files()

    def tearDown(self):
        self.assertEqual(files() - self.before, set())

    def assert_gone(self, job):
        gone = wait_for(lambda: not job.running())
        self.assertIsNotNone(gone, "still there: " + ", ".join(map(str, job.running())))

    def job(self, *program, ranks=3, **more):
        job = Job(ranks, *program, **more)
        self.addCleanup(job.__exit__)
        self.assertIsNotNone(job.wait_ready(2), "the ranks did not start")
        return job

    def test_kill_a_rank(self):
        job = self.job(STEPS, *HANG)
        os.kill(job.running("launch_steps")[1], signal.SIGKILL)
        self.assert_gone(job)
        result = job.end()
        self.assertEqual(result.code, 137)
        self.assert_one_line(result.err, f"on host {HOST} died of signal 9 (SIGKILL", "ended the other 2 ranks")

    def test_kill_a_rank_behind_a_shell(self):
        job = self.job("sh", "-c", f"{quote(STEPS)} {' '.join(HANG)}; exit $?")
        os.kill(job.running("sh")[0], signal.SIGKILL)
        self.assert_gone(job)
        self.assertEqual(job.end().code, 137)

    def test_kill_mpiexec(self):
        job = self.job(STEPS, *HANG)
        job.signal(signal.SIGKILL)
        self.assert_gone(job)

    def test_kill_the_process_group(self):
        """As a shell's or a batch system's kill does: the guard has a session of its own, and ends what is left."""
        job = self.job(STEPS, *STRAYS, launcher=["setsid"])
        os.killpg(job.process.pid, signal.SIGKILL)
        self.assert_gone(job)

    def test_kill_mpiexec_behind_a_shell(self):
        job = self.job("sh", "-c", f"{quote(STEPS)} {' '.join(HANG)}; exit $?")
        job.signal(signal.SIGKILL)
        self.assert_gone(job)

    def test_kill_mpiexec_with_strays(self):
        """Neither init, nor a session of one's own, nor deafness to SIGTERM saves a process."""
        job = self.job(STEPS, *STRAYS)
        job.signal(signal.SIGKILL)
        self.assert_gone(job)

    def test_kill_mpiexec_and_guard(self):
        job = self.job(STEPS, *HANG)
        guard = job.running("inkling-guard")
        self.assertEqual(len(guard), 1)
        os.kill(guard[0], signal.SIGKILL)
        job.signal(signal.SIGKILL)
        self.assert_gone(job)

    def test_kill_the_guard_only(self):
        with Job(2, STEPS, "init", "@0", "ready", "a", "@1", "ready", "b", "sleep", "300", "barrier", "finalize") as job:
            job.wait_ready(2)
            os.kill(job.running("inkling-guard")[0], signal.SIGKILL)
            result = job.end()
            self.assertEqual((result.code, result.err), (0, ""))

    def test_kill_outer_mpiexec(self):
        job = self.job(MPIEXEC, "-n", "2", "sh", "-c", f"{quote(STEPS)} {' '.join(HANG)}; exit $?", ranks=1)
        job.signal(signal.SIGKILL)
        self.assert_gone(job)

    def test_kill_inner_mpiexec(self):
        job = self.job(MPIEXEC, "-n", "2", "sh", "-c", f"{quote(STEPS)} {' '.join(HANG)}; exit $?", ranks=1)
        os.kill(job.running("mpiexec")[0], signal.SIGKILL)
        self.assert_gone(job)
        self.assertEqual(job.end().code, 137)

    def test_strays_of_a_good_job(self):
        """A rank ends well and leaves processes behind, one in a session of its own."""
        result = mpiexec("-n", 2, "sh", "-c", "sleep 600 & setsid sleep 600 & exit 0")
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertLess(result.seconds, 20)  # run.py looks for what is left

    def test_stopped_rank(self):
        job = self.job(STEPS, *HANG)
        ranks = job.running("launch_steps")
        os.kill(ranks[0], signal.SIGSTOP)
        os.kill(ranks[1], signal.SIGKILL)
        self.assert_gone(job)
        self.assertEqual(job.end().code, 137)

    def test_memory_keeps_its_size(self):
        job = self.job(STEPS, *HANG)
        folder = f"/proc/{job.running('launch_steps')[0]}/fd"
        files = [os.path.join(folder, fd) for fd in os.listdir(folder)]
        memory = [file for file in files if os.readlink(file).startswith("/memfd:inkling")]
        self.assertTrue(memory)
        for file in memory:
            with self.assertRaises(PermissionError):
                os.truncate(file, 0)

    def test_deaf_rank(self):
        job = self.job(STEPS, "ignore", "15", *HANG)
        os.kill(job.running("launch_steps")[0], signal.SIGKILL)
        self.assert_gone(job)


if __name__ == "__main__":
    main()
