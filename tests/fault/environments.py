"""Poor places to run in: little of this, none of that. Everything works, or one line says why not."""
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from shlex import quote

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import MPIEXEC, SANITIZER, STEPS, Case, main, run  # noqa: E402

TESTS = os.path.dirname(STEPS)
REDUCE, SPLIT = os.path.join(TESTS, "mpi_coll_reduce"), os.path.join(TESTS, "mpi_comm_split_type")
REFUSE, WOKEN = os.path.join(TESTS, "fault_refuse"), os.path.join(TESTS, "fault_woken")
FILE_LIMITS = os.path.join(TESTS, "fault_file_limits")
NOBODY = 65534

not_for_sanitizers = unittest.skipIf(SANITIZER, "a sanitizer needs what is taken away")


def in_namespace(kinds, preparation, *command):
    """A command in namespaces of its own, after a line of shell."""
    return run(["unshare", *kinds, "sh", "-c", f'{preparation} || exit 77; exec "$@"', "sh", *command])


class Environments(Case):
    def skip_if_refused(self, result):
        """What mpiexec and the ranks say is no reason."""
        if result.code == 77 or result.err.startswith("unshare: "):
            self.skipTest("not allowed here: " + result.err.strip())

    def check(self, result):
        self.skip_if_refused(result)
        self.assertEqual((result.code, result.err), (0, ""))

    def limited(self, shell, *command, **env):
        """After a line of shell in this process's place."""
        return run(["sh", "-c", f'{shell} || exit 77; exec "$@"', "sh", *command], **env)

    def test_small_dev_shm(self):
        small = "mount -t tmpfs -o size=64k tmpfs /dev/shm"
        for program in (REDUCE, WOKEN):
            self.check(in_namespace(["-m"], small, MPIEXEC, "-n", "8", program))
        self.check(in_namespace(["-m"], small, REFUSE, "memfd_create=EPERM", "--", MPIEXEC, "-n", "8", REDUCE))

    def test_no_dev_shm(self):
        self.check(in_namespace(["-m"], "mount -t tmpfs -o ro tmpfs /dev/shm", MPIEXEC, "-n", "4", REDUCE))

    def test_no_room_for_a_memory_file(self):
        folders = ("/dev/shm", "/run", "/var/tmp", "/tmp")
        if any(os.path.commonpath([folder, os.path.realpath(MPIEXEC)]) == folder for folder in folders):
            self.skipTest("the build itself lies where this test leaves no room")
        full = " && ".join(f"mount -t tmpfs -o size=8k tmpfs {folder}" for folder in folders)
        result = in_namespace(["-m"], full, REFUSE, "memfd_create=EPERM", "--", MPIEXEC, "-n", "4", REDUCE)
        self.skip_if_refused(result)
        self.assertEqual(result.code, 1)
        self.assert_one_line(result.err, "mpiexec: no shared memory", "KiB free")

    def test_no_network(self):
        self.check(in_namespace(["-n"], "true", MPIEXEC, "-n", "4", REDUCE))

    def test_no_such_host_name(self):
        self.check(in_namespace(["--uts"], "hostname odd.invalid", MPIEXEC, "-n", "4", REDUCE))

    @not_for_sanitizers
    def test_no_proc(self):
        self.check(in_namespace(["-m"], "mount -t tmpfs tmpfs /proc", MPIEXEC, "-n", "4", REDUCE))

    def test_no_sys(self):
        result = in_namespace(["-m"], "mount -t tmpfs tmpfs /sys", MPIEXEC, "-n", "4", SPLIT)
        self.skip_if_refused(result)
        self.assertEqual(result.code, 0, result.err)  # hwloc complains on standard error

    def test_process_namespace(self):
        self.check(in_namespace(["--pid", "--fork", "--mount-proc"], "true", MPIEXEC, "-n", "4", REDUCE))

    def as_nobody(self, *command):
        become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs"]
        probe = run([*become, "test", "-x", MPIEXEC, "-a", "-x", REDUCE])
        if probe.code:
            self.skipTest("cannot become nobody, or it may not reach the build: " + probe.err.strip())
        return run([*become, *command])

    def test_nobody(self):
        self.check(self.as_nobody(MPIEXEC, "-n", "4", REDUCE))
        self.check(self.as_nobody(MPIEXEC, "-n", "2", WOKEN, "1000000"))

    def test_ptrace_refused(self):
        self.check(run([REFUSE, "process_vm_readv=EPERM", "process_vm_writev=EPERM", "--", MPIEXEC, "-n", "2", WOKEN,
                        "1000000"]))

    @unittest.skipIf("thread" in SANITIZER, "ThreadSanitizer writes a file of its own")
    def test_file_size_limit(self):
        for kib in 10 << 20, 1 << 20, 100 << 10:  # shared memory takes what there is
            self.check(self.limited(f"ulimit -f {kib}", MPIEXEC, "-n", "2", REDUCE))
        result = self.limited("ulimit -f 10240", MPIEXEC, "-n", "4", REDUCE)
        self.assertNotEqual(result.code, 0)
        self.assertIn("run `ulimit -f unlimited` first", result.err)
        result = self.limited("ulimit -f 0", MPIEXEC, "-n", "2", REDUCE)
        self.assertEqual(result.code, 39, result.err)
        self.assertIn("run `ulimit -f unlimited` first", result.err)
        self.assertIn("MPI_ERR_NO_MEM", result.err)
        self.check(self.limited("ulimit -S -f 0", MPIEXEC, "-n", "2", REDUCE))
        self.check(self.limited("ulimit -f 0", MPIEXEC, "-n", "1", REDUCE))

    @unittest.skipIf("thread" in SANITIZER, "ThreadSanitizer writes a file of its own")
    def test_large_memory_under_a_file_size_limit(self):
        """What does not fit into shared memory lies elsewhere, but for memory that must be shared."""
        for limit, mib, said in (("unlimited", 200, "shared"), (200 << 10, 8, "shared"), (200 << 10, 200, "run `ulimit -f unlimited`")):
            result = self.limited(f"ulimit -f {limit}", MPIEXEC, "-n", "2", FILE_LIMITS, "alone", str(mib))
            self.assertEqual(result.code, 0, result.err)
            self.assertIn(said, result.out)

    @unittest.skipIf("thread" in SANITIZER, "ThreadSanitizer writes a file of its own")
    def test_jobs_with_different_file_size_limits_meet(self):
        for mine, theirs in (("unlimited", 100 << 10), (400 << 10, 100 << 10)):
            result = self.limited(f"ulimit -f {mine}", MPIEXEC, "-n", "2", FILE_LIMITS, "parent", str(theirs))
            self.assertEqual((result.code, result.out), (0, "met\n"), result.err)

    @not_for_sanitizers
    def test_address_space_limit(self):
        self.check(self.limited("ulimit -v 400000", MPIEXEC, "-n", "4", REDUCE))
        for kilobytes in (20000, 5000):  # in between, the stack itself cannot grow: SIGSEGV
            result = self.limited(f"ulimit -v {kilobytes}", MPIEXEC, "-n", "2", REDUCE)
            self.assertLess(result.code, 128, result.err)
            self.assertEqual(result.code == 0, result.err == "", result.err)

    def loader_dies(self, kilobytes):
        """The kernel or ld.so dies at this limit: SIGSEGV, before any library's code runs. ld.so does not check each of its allocations."""
        result = self.limited(f"ulimit -d {kilobytes} && export LD_DEBUG=files", STEPS, "init", "barrier", "finalize")
        return result.code == -signal.SIGSEGV and "calling init" not in result.err

    def data_limited(self, start, kilobytes):
        result = self.limited(f"ulimit -d {kilobytes}", *start, STEPS, "init", "barrier", "finalize")
        if result.code in (-signal.SIGSEGV, 128 + signal.SIGSEGV) and self.loader_dies(kilobytes):
            return "does not start"
        self.assertIn(result.code, range(128), result.err)
        self.assertNotIn("signal", result.err)
        self.assertEqual(result.code == 0, result.err == "", result.err)
        return "runs" if result.code == 0 else "says why" if "fatal error in MPI_" in result.err else "does not start"

    @not_for_sanitizers
    def test_data_limit(self):
        """Also at the limits from which on the loader is content."""
        for start in ([], *([MPIEXEC, "-n", size] for size in ("1", "2", "4"))):
            for kilobytes in range(400, 2000, 200):
                self.data_limited(start, kilobytes)
            low, high = 2000, 200000
            while high - low > 50:
                middle = (low + high) // 2
                low, high = (middle, high) if self.data_limited(start, middle) == "does not start" else (low, middle)
            says = {self.data_limited(start, high + more) for more in range(0, 1000, 25)}
            self.assertEqual(says, {"runs", "says why"}, start)

    @not_for_sanitizers
    def test_mapping_limit_in_ranks(self):
        """Ranks that have too little for their rings say so."""
        result = run([MPIEXEC, "-n", "4", "sh", "-c", f"ulimit -v 30000; exec {quote(REDUCE)}"], INKLING_RING_SIZE="16M")
        self.assertLess(result.code, 128, result.err)
        self.assertNotEqual(result.code, 0)
        self.assertIn("MPI_ERR_NO_MEM", result.err)

    def test_process_limit(self):
        result = self.as_nobody("sh", "-c", f"ulimit -u 3; exec {quote(MPIEXEC)} -n 8 {quote(REDUCE)}")
        if result.code:  # nobody may have other processes
            self.assertEqual(result.code, 1, result.err)
            self.assert_one_line(result.err, "mpiexec: cannot start", "Resource temporarily unavailable")

    def test_few_descriptors(self):
        for limit in ("ulimit -S -n 16", "ulimit -n 64"):
            self.check(self.limited(limit, MPIEXEC, "-n", "32", STEPS, "init", "barrier", "finalize"))
        result = self.limited("ulimit -n 24", MPIEXEC, "-n", "32", STEPS, "init", "barrier", "finalize")
        self.assertEqual(result.code, 1, result.err)
        self.assertIn("Too many open files", result.err)
        self.check(self.limited("ulimit -n 20", MPIEXEC, "-n", "2", REDUCE))

    def test_stack_limit(self):
        self.check(self.limited("ulimit -s 256", MPIEXEC, "-n", "4", REDUCE))

    def test_deleted_directory(self):
        folder = tempfile.mkdtemp()
        result = self.limited(f"cd {folder} && rmdir {folder}", MPIEXEC, "-n", "2", REDUCE)
        self.check(result)

    def test_no_environment(self):
        options = {k: v for k, v in os.environ.items() if SANITIZER and k.endswith("SAN_OPTIONS")}
        done = subprocess.run([MPIEXEC, "-n", "4", REDUCE], env=options, capture_output=True, text=True, timeout=50,
                              stdin=subprocess.DEVNULL, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_closed_streams(self):
        for closed in ("0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"):
            self.check(run(["sh", "-c", f"{quote(MPIEXEC)} -n 2 {quote(REDUCE)} {closed}"]))
            self.check(run(["sh", "-c", f"{quote(MPIEXEC)} -l -n 2 {quote(REDUCE)} {closed}"]))

    def test_full_disk(self):
        for option in ("", "-l"):
            result = run(["sh", "-c", f"{quote(MPIEXEC)} {option} -n 2 {quote(STEPS)} init barrier say x finalize >/dev/full"])
            self.assertLess(result.code, 128, result.err)
        result = run(["sh", "-c", f"{quote(MPIEXEC)} -n 2 {quote(STEPS)} init abort 3 2>/dev/full"])
        self.assertEqual(result.code, 3)

    def test_closed_pipe(self):
        for option in ("", "-l"):
            result = run(["sh", "-c", f"{quote(MPIEXEC)} {option} -n 2 {quote(STEPS)} init barrier say x say y finalize | true"])
            self.assertEqual(result.code, 0, result.err)

    def test_read_only_directory(self):
        self.check(in_namespace(["-m"], "mount -t tmpfs -o ro tmpfs /mnt && cd /mnt && export HOME=/mnt TMPDIR=/mnt",
                                MPIEXEC, "-n", "4", REDUCE))


if __name__ == "__main__":
    main()
