"""What mpiexec --hints-report tells. Run as: python3 report.py BIN GIVE."""
import os
import subprocess
import sys
import tempfile
import unittest

BIN, GIVE = (os.path.abspath(a) for a in sys.argv[1:3])
PRELOAD = os.path.join(os.path.dirname(GIVE), "libfault_allocation.so")
NOTHING = "inkling: hints: none were given"
HALO = "inkling: hints: halo of 2 ranks, rank %d: "
SPREAD = "no effect: the thread level is below MPI_THREAD_MULTIPLE; given by MPI_Comm_dup_with_info"


def told(*arguments, code=0, **more):
    """The report's lines."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("INKLING_")}
    done = subprocess.run([os.path.join(BIN, "mpiexec"), *arguments], capture_output=True, text=True, timeout=50,
                          stdin=subprocess.DEVNULL, env={**environment, **more}, check=False)
    if code not in (None, done.returncode):
        raise AssertionError(f"exit code {done.returncode}: {done.stderr}")
    return [line for line in done.stderr.splitlines() if line.startswith("inkling: hints: ")]


class Report(unittest.TestCase):
    def test_nothing_unless_asked_for(self):
        self.assertEqual(told("-n", "2", GIVE), [])
        self.assertEqual(told("-n", "2", GIVE, INKLING_HINTS_REPORT="off"), [])

    def test_no_hints(self):
        self.assertEqual(told("-n", "3", "--hints-report", GIVE, "none"), [NOTHING])

    def test_each_fate(self):
        lines = told("-n", "2", "--hints-report", GIVE)
        halo = [line[len(HALO % 0):] for line in lines if line.startswith(HALO % 0)]
        self.assertEqual(halo, [
            'mpi_assert_no_any_source = "true", active: a message that comes before its receive is filed neither under '
            "(any source, tag) nor in order of arrival; a receive or probe that names MPI_ANY_SOURCE is refused with MPI_ERR_RANK; "
            "given by MPI_Comm_dup_with_info; proof: 2 receives or probes named MPI_ANY_SOURCE",
            'mpi_assert_exact_length = "false", ignored: the value last offered is not legal; proof: 1 messages did not '
            "have the length of their receive",
            f'mpi_assert_allow_overtaking = "true", {SPREAD}',
            'mpi_assert_strict_persistent_collective_ordering = "false", ignored: the ranks gave different values',
            'mpi_assert_memory_alloc_kinds is not set, ignored: the list last offered has "cuda": it was not requested with '
            "mpiexec --memory-alloc-kinds or in MPI_Session_init, or this machine has none",
            'mpi_memory_alloc_kinds = "mpi,system", ignored: a program cannot set it',
            "somebody_elses_key, ignored: no hint of this kind of object",
        ])
        self.assertFalse([line for line in lines if line.startswith(HALO % 1)])

    def test_what_was_not_freed(self):
        lines = told("-n", "2", "--hints-report", GIVE)
        world = [line for line in lines if "MPI_COMM_WORLD" in line]
        self.assertEqual(len(world), 1)
        self.assertIn('mpi_assert_no_any_tag = "true", active: ', world[0])
        self.assertTrue(world[0].endswith("given by MPI_Comm_set_info; proof: 0 receives or probes named MPI_ANY_TAG"))
        self.assertEqual(len([line for line in lines if "communicator of 1 rank, rank 0" in line]), 2)

    def test_no_effect_here(self):
        """A promise that changes nothing on this communicator is not called active, and the reason is told."""
        for ranks, strict, spread in (1, "no effect: one rank", "active: "), (2, "active: ", "active: "):
            lines = told("-n", str(ranks), "--hints-report", GIVE, "promises")
            self.assertIn(f'mpi_assert_strict_persistent_collective_ordering = "true", {strict}', lines[1], lines)
            self.assertIn(f'mpi_assert_allow_overtaking = "true", {spread}', lines[0], lines)
        lines = told("-n", "2", "--hints-report", "--set", "lanes=1", GIVE, "promises")
        self.assertIn('mpi_assert_allow_overtaking = "true", no effect: inkling_lanes is 1', lines[0], lines)
        lines = told("-n", "2", "--hints-report", GIVE, "across")
        self.assertTrue(any('ordering = "true", no effect: intercommunicator' in line for line in lines), lines)

    def test_windows(self):
        self.check_window("win")

    def test_windows_that_are_not_freed(self):
        self.check_window("left")

    def check_window(self, how):
        lines, field = told("-n", "2", "--hints-report", GIVE, how), "inkling: hints: field of 2 ranks, rank 0: "
        self.assertEqual([line for line in lines if not line.startswith(field)], [])
        starts = [('no_locks = "true", active: MPI_Win_lock', "; given by MPI_Win_allocate"),
                  ('accumulate_ordering = "rar,waw", idle: accumulates of one process', "; given by MPI_Win_allocate"),
                  ('accumulate_ops = "same_op_no_op", ignored: the value last offered is not legal', ""),
                  ('mpi_accumulate_granularity = "8", active: ', "; given by MPI_Win_allocate"),
                  ('same_size = "false", ignored: the ranks gave different values', ""),
                  ('same_disp_unit = "false", ignored: it is fixed when the object is made', ""),
                  ("mpi_assert_no_any_tag, ignored: no hint of this kind of object", "")]
        self.assertEqual(len(lines), len(starts))
        for line, (start, end) in zip(lines, starts):
            self.assertTrue(line.startswith(field + start) and line.endswith(end), line)

    def test_files(self):
        lines, file = told("-n", "2", "--hints-report", GIVE, "file"), "inkling: hints: reported of 2 ranks, rank 0: "
        self.assertEqual([line for line in lines if not line.startswith(file)], [])
        starts = ["striping_factor is not set, ignored: ", 'romio_cb_write = "enable", active: ', "read 50 bytes itself, ",
                  "wrote 100 bytes through the buffers of some ranks, ",
                  "read 20 bytes by a thread, behind nonblocking calls, "]
        self.assertEqual(len(lines), len(starts), lines)
        for line, start in zip(lines, starts):
            self.assertTrue(line.startswith(file + start), line)

    def test_every_rank(self):
        lines = told("-n", "2", "--set", "hints_report=all", GIVE)
        self.assertEqual(len([line for line in lines if line.startswith(HALO % 0)]), 7)
        self.assertEqual(len([line for line in lines if line.startswith(HALO % 1)]), 7)
        world = [line for line in lines if "MPI_COMM_WORLD of 2 ranks, rank 1" in line]
        self.assertIn('mpi_assert_no_any_tag = "false", default; given by MPI_Comm_set_info; proof: 1 receives', world[0])

    @unittest.skipUnless(os.path.exists(PRELOAD), "a sanitizer has an allocator of its own")
    def test_what_memory_is_lacking_for(self):
        """Each allocation fails once: what was given is told, or why it is not in force, or that it cannot be told."""
        with tempfile.TemporaryDirectory() as folder:  # LD_PRELOAD takes no path with a space
            preload, said = os.path.join(folder, "preload.so"), ""
            os.symlink(PRELOAD, preload)
            for number in range(1, 40):
                lines = told("-n", "1", "--hints-report", "env", f"LD_PRELOAD={preload}", f"FAULT_ALLOCATION={number}",
                             GIVE, "kinds", code=None)
                self.assertNotIn(NOTHING, lines, number)
                said += "".join(lines)
        for words in '= "system", active', "ignored: memory was out", "no memory to tell of its hints":
            self.assertIn(words, said)

    def test_settings_are_hints_of_the_process(self):
        lines = told("-n", "2", "--hints-report", GIVE, "none", INKLING_EAGER_LIMIT="8K")
        self.assertEqual(len(lines), 1)
        self.assertIn('settings of process 0: inkling_eager_limit = "8K", active: ', lines[0])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
