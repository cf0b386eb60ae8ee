"""Bad days of a file system: a call fails, is interrupted, moves only a part; the disk is full, or a limit is reached; a rank
is killed within a write; two jobs write one file. Whoever is told that all is well can rely on it, and nobody waits for ever."""
import atexit
import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import MPIEXEC, SANITIZER, SLOWNESS, STEPS, Case, Job, environment, main, mpiexec, run, wait_for  # noqa: E402

FOLDER = os.path.dirname(STEPS)
FAULTED = os.path.join(FOLDER, "files_faulted")
LOOPING = os.path.join(FOLDER, "files_looping")
NO_MEMORY = os.path.join(FOLDER, "files_no_memory")
BUILT = os.path.join(FOLDER, "libfiles_faulty.so")
PLACE = tempfile.mkdtemp(prefix="tested_preload.")  # LD_PRELOAD takes no path with a space
atexit.register(shutil.rmtree, PLACE)
PRELOAD = os.path.join(PLACE, "faulty.so")
os.symlink(BUILT, PRELOAD)
CLASSES = {errno.EIO: "MPI_ERR_IO", errno.ENOSPC: "MPI_ERR_NO_SPACE", errno.EDQUOT: "MPI_ERR_QUOTA",
           errno.EROFS: "MPI_ERR_READ_ONLY", errno.EACCES: "MPI_ERR_ACCESS"}
WAYS = ["write", "write_all", "iwrite", "iwrite_all", "split", "strided-write", "strided-write_all", "strided-iwrite"]
NOTHING = -1  # to faulty.c
READS = ["read", "read_all", "iread", "strided-read", "strided-read_all"]


class InFolder(Case):
    """Each test has a folder, in memory if FILES_IN names no other."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tested_files.", dir=os.environ.get("FILES_IN", "/dev/shm"))
        self.addCleanup(shutil.rmtree, self.folder)


class Faults(InFolder):
    def faulted(self, what, kind, number, reason, ranks=2, everybody=True):
        """Lines of a run; `everybody`: the call fails on each rank, else on the first only."""
        fault = [f"FILE_FAULT={kind}:{number}:{reason}", f"LD_PRELOAD={PRELOAD}"]
        if everybody:
            words = ["-n", ranks, "env", *fault, FAULTED, what, self.folder]
        else:
            words = ["-n", 1, "env", *fault, FAULTED, what, self.folder, ":", "-n", ranks - 1, FAULTED, what, self.folder]
        result = mpiexec(*words)
        told = f"{what}, {kind} call {number}, {os.strerror(reason) if reason > 0 else 'a part'}: {result.out}{result.err}"
        self.assertEqual(result.code, 0, told)
        self.assertEqual(os.listdir(self.folder), [], told)
        return result.out.splitlines(), told

    def each_call(self, what, kind, reason, expect, everybody=True):
        """Fails call 1, 2, ... until there are no more; expect(lines, text) judges."""
        hits = 0
        for number in (1, 2, 3, 5, 20):
            lines, told = self.faulted(what, kind, number, reason, everybody=everybody)
            if "hit" not in lines:
                break
            hits += 1
            expect([line for line in lines if line.startswith("rank ")], told)
        self.assertGreater(hits, 0, f"{what} makes no {kind} call")

    def all_done(self, lines, told):
        self.assertTrue(lines, told)
        for line in lines:
            self.assertTrue(line.endswith(": done"), told)

    def some_told(self, reason):
        def expect(lines, told):
            errors = [line for line in lines if not line.endswith(": done")]
            self.assertTrue(errors, told)
            own = [line for line in errors if os.strerror(reason) in line]
            self.assertTrue(own, told)
            for line in own:
                self.assertIn(CLASSES[reason], line, told)
                self.assertIn("tested_file", line, told)
        return expect

    def test_interrupted(self):
        for what in WAYS:
            self.each_call(what, "write", errno.EINTR, self.all_done)
        for what in READS:
            self.each_call(what, "read", errno.EINTR, self.all_done)

    def test_short(self):
        for what in WAYS:
            self.each_call(what, "write", 0, self.all_done)
        for what in READS:
            self.each_call(what, "read", 0, self.all_done)

    def test_writes_of_nothing(self):
        for what in WAYS:
            for number in (1, 0):  # the first one, or all
                lines, told = self.faulted(what, "write", number, NOTHING)
                errors = [line for line in lines if "MPI_ERR_IO" in line and "wrote 0 of" in line]
                self.assertTrue(errors, told)

    def test_writes_that_fail(self):
        for what in WAYS:
            self.each_call(what, "write", errno.EIO, self.some_told(errno.EIO))
        for reason in (errno.ENOSPC, errno.EDQUOT):
            for what in ("write", "strided-write_all"):
                self.each_call(what, "write", reason, self.some_told(reason))

    def test_reads_that_fail(self):
        for what in READS:
            self.each_call(what, "read", errno.EIO, self.some_told(errno.EIO))

    def test_one_rank_only(self):
        for what in ("write", "write_all", "strided-write_all", "iwrite_all", "split"):
            self.each_call(what, "write", errno.EIO, self.some_told(errno.EIO), everybody=False)
        for what in ("read_all", "strided-read_all"):
            self.each_call(what, "read", errno.EIO, self.some_told(errno.EIO), everybody=False)

    def test_locks(self):
        """Where a file system has no locks, what needs none works, and the rest does not lie."""
        for what in ("strided-write", "strided-write_all"):
            lines, told = self.faulted(what, "lock", 1, errno.ENOLCK)
            self.assertIn("hit", lines, told)
            self.assertEqual(len([line for line in lines if line.startswith("rank ")]), 2, told)

    def test_no_locks_at_all(self):
        for what in [*WAYS, *READS]:
            lines, told = self.faulted(what, "lock", 0, errno.ENOLCK)
            self.all_done([line for line in lines if line != "hit"], told)
        lines, told = self.faulted("atomic", "lock", 0, errno.ENOLCK)
        self.assertEqual(len([line for line in lines if "MPI_ERR_UNSUPPORTED_OPERATION" in line]), 2, told)

    def test_other_calls(self):
        self.each_call("sync", "sync", errno.EIO, self.some_told(errno.EIO))
        self.each_call("size", "size", errno.EIO, self.some_told(errno.EIO))
        self.each_call("preallocate", "size", errno.ENOSPC, self.some_told(errno.ENOSPC))
        self.each_call("open", "open", errno.EACCES, self.some_told(errno.EACCES))

    def test_an_open_that_fails_on_one_rank(self):
        lines, told = self.faulted("open", "open", 1, errno.EACCES, ranks=3, everybody=False)
        self.assertIn("hit", lines, told)
        self.assertEqual(len([line for line in lines if ": class " in line]), 3, told)


class Full(InFolder):
    """A disk of 1 MiB, in a name space of its own."""

    def on_small_disk(self, *command):
        mount = "mount -t tmpfs -o size=400k none /mnt && exec \"$@\""
        words = ["unshare", "--mount", "--propagation", "private", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c", mount, "sh"]
        if run([*words, "true"]).code:
            self.skipTest("no right to mount a tmpfs")
        return run([*words, MPIEXEC, *map(str, command)])

    def test_full(self):
        for what in WAYS:
            result = self.on_small_disk("-n", 2, FAULTED, what, "/mnt")
            errors = [line for line in result.out.splitlines() if "class" in line]
            self.assertEqual(result.code, 0, what + result.out + result.err)
            self.assertTrue(errors, what + result.out + result.err)
            for line in errors:
                self.assertIn("MPI_ERR_NO_SPACE", line, what)

    def test_limit(self):
        """RLIMIT_FSIZE, lower than what shared memory needs, and so set after MPI_Init: an error, not SIGXFSZ."""
        for what in WAYS:
            result = mpiexec("-n", 2, FAULTED, what, self.folder, FILE_LIMIT="100000")
            told = f"{what}: {result.out}{result.err}"
            self.assertEqual(result.code, 0, told)
            errors = [line for line in result.out.splitlines() if "class" in line]
            self.assertTrue(errors, told)
            for line in errors:
                self.assertRegex(line, "File too large|RLIMIT_FSIZE|limit|rank \\d+ failed on", told)


class NoMemory(Case):
    """Each allocation of a collective access fails on one rank. Its job ends by itself: well, or at once with a line that
    speaks of memory, for it may have none for what others send. Then the allocations behind that one are tried."""

    def end_by_themselves(self, ranks, what, victim, *more, **setting):
        number, sweep = 1, f"{what} on {ranks} ranks, rank {victim} fails {' '.join(more)} {setting}"
        while True:
            result = mpiexec("--timeout", 30, "-n", ranks, NO_MEMORY, what, victim, number, *more, **setting)
            if result.code == 0:
                break
            tried = [int(line) for line in result.out.splitlines() if line.isdigit()]
            self.assertTrue(tried, f"{sweep}: {result.err}")
            told = f"{sweep}, allocation {tried[-1]}: {result.err}"
            self.assertEqual(result.code, 1, told)
            self.assertRegex(result.err, r"^inkling: error: no memory to [^\n]*\nmpiexec: rank \d+ [^\n]*\n$", told)
            if "for-good" not in more:  # the access asks once more, and gets it
                self.assertNotIn("to exchange the data", result.err, told)
            number = tried[-1] + 1
        self.assertEqual(result.out.count("over"), ranks, f"{sweep}: {result.out}")

    def each_victim(self, ranks, ways, *more, **setting):
        for what in ways:
            for victim in (0, ranks - 1):
                self.end_by_themselves(ranks, what, victim, *more, **setting)

    def test_shared_memory(self):
        for ranks in (2, 3):
            self.each_victim(ranks, ("write", "read", "again-write", "again-read", "again-spread"))

    def test_shared_memory_for_good(self):
        self.each_victim(3, ("write", "read"), "for-good")

    def test_messages(self):
        self.each_victim(2, ("write", "read"), INKLING_TRANSPORT="ofi")
        self.each_victim(3, ("again-read",), INKLING_TRANSPORT="ofi")

    def test_messages_for_good(self):
        self.each_victim(2, ("again-write",), "for-good", INKLING_TRANSPORT="ofi")


class Jobs(InFolder):
    def killed(self, what):
        """Kills a rank at some moment of a loop of accesses; the others end, and what was synced is there."""
        path = os.path.join(self.folder, "file")
        job = Job(3, LOOPING, what, path)
        self.addCleanup(job.__exit__)
        self.assertIsNotNone(wait_for(lambda: os.path.exists(path) and os.path.getsize(path) > 3 << 16, 10 * SLOWNESS), "nothing is written")
        time.sleep(0.05)
        victims = job.running("files_looping")
        os.kill(victims[1], signal.SIGKILL)
        self.assertIsNotNone(wait_for(lambda: not job.running(), 10 * SLOWNESS), f"{what}: still there: {job.running()}")
        result = job.end()
        self.assertEqual(result.code, 137, result.err)
        self.assert_one_line(result.err, "mpiexec: rank ", "died of signal 9")
        done = mpiexec("-n", 3, LOOPING, "check-" + what, path)
        self.assertEqual((done.code, done.err), (0, ""), what)
        self.assertEqual(os.listdir(self.folder), ["file"])
        os.unlink(path)

    def test_killed_in_a_collective_write(self):
        for _ in range(3):
            self.killed("collective")

    def test_killed_in_a_write_by_the_shared_pointer(self):
        for _ in range(3):
            self.killed("shared")

    def test_killed_in_a_strided_write(self):
        """With a lock on a byte range held, perhaps."""
        for _ in range(3):
            self.killed("strided")

    def two_jobs(self, **more):
        """Each writes every other block, again and again; neither loses the other's bytes."""
        path = os.path.join(self.folder, "file")
        jobs = [subprocess.Popen([MPIEXEC, "-n", "2", LOOPING, f"half-{half}", path], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment(**more))
                for half in (0, 1)]
        for job in jobs:
            out, _ = job.communicate(timeout=60 * SLOWNESS)
            self.assertEqual((job.returncode, out), (0, ""))
        done = mpiexec("-n", 2, LOOPING, "check-half", path)
        self.assertEqual((done.code, done.err), (0, ""))

    def test_two_jobs(self):
        self.two_jobs()

    @unittest.skipIf(SANITIZER, "the preload must come first")
    def test_two_jobs_without_locks(self):
        self.two_jobs(FILE_FAULT=f"lock:0:{errno.ENOLCK}", LD_PRELOAD=PRELOAD)


class Joined(InFolder):
    """Two jobs of two ranks write a file together, and one of them loses a rank. Those of the other do not wait for it."""

    def begin(self, *jobs):
        path = os.path.join(self.folder, "file")
        started = [Job(2, LOOPING, what, path) for what in jobs]
        for job in started:
            self.addCleanup(job.__exit__)
        self.assertIsNotNone(wait_for(lambda: os.path.exists(path) and os.path.getsize(path) > 3 << 16, 30 * SLOWNESS), "nothing is written")
        time.sleep(0.05)
        return path, started

    def kill(self, job, number, is_spawned):
        """Kills this rank of the job, or of the one that it has spawned."""
        for pid in job.running("files_looping"):
            with open(f"/proc/{pid}/environ", "rb") as environ:
                words = environ.read()
            if f"\0PMI_RANK={number}\0".encode() in words and (b"\0INKLING_JOB_PARENT=" in words) == is_spawned:
                os.kill(pid, signal.SIGKILL)
                return
        self.fail(f"no rank {number}")

    def others_end(self, job, path):
        """Who is told, by the network or by a rank that was, ends its job; what was synced is there."""
        out, err = job.process.communicate(timeout=10 * SLOWNESS)
        self.assertRegex(out, "told: rank [01]: .*(MPI_ERR_PROC_ABORTED|it met an error)", out + err)
        self.assertNotEqual(job.process.returncode, 0)
        self.assertIsNotNone(wait_for(lambda: not job.running(), 10 * SLOWNESS), "something is left")
        done = mpiexec("-n", 4, LOOPING, "check-collective", path)
        self.assertEqual((done.code, done.err), (0, ""))
        os.unlink(path)

    def test_a_rank_of_a_spawned_job_is_killed(self):
        for victim in (0, 1):  # with two cores or more the first is an aggregator
            path, (job,) = self.begin("spawned")
            self.kill(job, victim, True)
            self.others_end(job, path)

    def test_a_rank_of_a_connected_job_is_killed(self):
        for victim in (0, 1):
            path, (kept, lost) = self.begin("accepts", "connects")
            self.kill(lost, victim, False)
            self.others_end(kept, path)
            result = lost.end()
            self.assertEqual(result.code, 137, result.out + result.err)


if __name__ == "__main__":
    main()
