"""What mpiexec --hints-report and --stats tell. Run as: python3 report.py BIN GIVE."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

BIN, GIVE = (os.path.abspath(a) for a in sys.argv[1:3])
PRELOAD = os.path.join(os.path.dirname(GIVE), "libfault_allocation.so")
NOTHING = "inkling: hints: none were given"
HALO = "inkling: hints: halo of 2 ranks: "
HALO_OF = "inkling: hints: halo of 2 ranks, rank %d: "
SPREAD = "no effect: the thread level is below MPI_THREAD_MULTIPLE; given by MPI_Comm_dup_with_info"


def job(*arguments, code=0, **more):
    """What a job says on stderr."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("INKLING_")}
    done = subprocess.run([os.path.join(BIN, "mpiexec"), *arguments], capture_output=True, text=True, timeout=50,
                          stdin=subprocess.DEVNULL, env={**environment, **more}, check=False)
    if code not in (None, done.returncode):
        raise AssertionError(f"exit code {done.returncode}: {done.stderr}")
    return done.stderr


def lines_of(stderr):
    return [line for line in stderr.splitlines() if line.startswith("inkling: hints: ")]


def told(*arguments, **more):
    """The report's lines."""
    return lines_of(job(*arguments, **more))


class Report(unittest.TestCase):
    def test_nothing_unless_asked_for(self):
        self.assertEqual(told("-n", "2", GIVE), [])
        self.assertEqual(told("-n", "2", GIVE, INKLING_HINTS_REPORT="off"), [])

    def test_no_hints(self):
        self.assertEqual(told("-n", "3", "--hints-report", GIVE, "none"), [NOTHING])
        alone = subprocess.run([GIVE, "none"], capture_output=True, text=True, timeout=50, check=True,
                               env={**os.environ, "INKLING_HINTS_REPORT": "first"})
        self.assertEqual(lines_of(alone.stderr), [NOTHING])

    def test_a_hint_without_where_that_matches_nothing(self):
        hint = "--hint", "no_locks=true", "--hint", "mpi_assert_no_any_tag=true"
        self.assertEqual(told("-n", "2", *hint, GIVE, "none"), [])
        self.assertEqual([line.split(";")[0] for line in told("-n", "2", *hint, "--hints-report", GIVE, "none") if "matched no" in line],
                         ["inkling: hints: no_locks=true: matched no object that takes no_locks"])

    def test_each_fate(self):
        """What both ranks tell alike is one line, with the sum of what they counted."""
        lines = told("-n", "2", "--hints-report", GIVE)
        halo = [line[len(HALO):] for line in lines if line.startswith(HALO)]
        self.assertEqual(halo, [line + "; ranks 0-1" for line in (
            'mpi_assert_no_any_source = "true", active: a message that comes before its receive is filed neither under '
            "(any source, tag) nor in order of arrival; a receive or probe that names MPI_ANY_SOURCE is refused with MPI_ERR_RANK; "
            "given by MPI_Comm_dup_with_info; proof: 4 receives or probes named MPI_ANY_SOURCE",
            'mpi_assert_exact_length = "false", ignored: the value last offered is not legal; proof: 2 messages did not '
            "have the length of their receive",
            f'mpi_assert_allow_overtaking = "true", {SPREAD}',
            'mpi_assert_strict_persistent_collective_ordering = "false", ignored: the ranks gave different values',
            'mpi_assert_memory_alloc_kinds is not set, ignored: the list last offered has "cuda": it was not requested with '
            "mpiexec --memory-alloc-kinds or in MPI_Session_init, or this machine has none",
            'mpi_memory_alloc_kinds = "mpi,system", ignored: a program cannot set it',
            "somebody_elses_key, ignored: no hint of this kind of object",
        )])

    def test_what_was_not_freed(self):
        lines = told("-n", "2", "--hints-report", GIVE)
        tag = [line for line in lines if "mpi_assert_no_any_tag" in line]
        self.assertEqual(len(tag), 4, tag)  # two communicators, on which the ranks give different values
        world = [line for line in tag if "MPI_COMM_WORLD" in line and line.endswith("; rank 0")]
        self.assertIn('MPI_COMM_WORLD of 2 ranks: mpi_assert_no_any_tag = "true", no effect: no message waited behind another '
                      "for its receive; ", world[0])
        self.assertIn("given by MPI_Comm_set_info; proof: 0 receives or probes named MPI_ANY_TAG", world[0])
        self.assertTrue(any("communicator of 1 rank: " in line and line.endswith("; rank 1") for line in tag))

    def test_like_objects_are_one_line(self):
        """Objects that tell alike are named in one line; with =all each is a line of each rank."""
        lines = told("-n", "2", "--hints-report", GIVE, "many")
        used = [line for line in lines if line.startswith("inkling: hints: c0 of 2 ranks: ")]
        self.assertIn(len(used), (1, 2), lines)  # whether a receive was there in time is chance, for each rank
        for line in used:
            self.assertRegex(line, 'exact_length = "true", (active: .*; [0-6] of [36] large messages were written directly; '
                                   '|no effect: no large message met a receive that waited for its source and tag; )')
        self.assertEqual([line for line in lines if line not in used], [
            'inkling: hints: c1 of 2 ranks, c2 of 2 ranks, c3 of 2 ranks and 6 more: mpi_assert_exact_length = "true", no effect: '
            "no large message was sent, nor written into a receive; given by MPI_Comm_dup_with_info; proof: 0 messages did not "
            "have the length of their receive; ranks 0-1; 9 each"])
        self.assertEqual(len(told("-n", "2", "--hints-report=all", GIVE, "many")), 20)

    def test_what_was_written_directly(self):
        """By the sender, which counts, and into the receiver's buffer: it is active for both."""
        lines = told("-n", "2", "--hints-report", GIVE, "written")
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], 'exact_length = "true", active: .*; ([1-9]|10) of 10 large messages were written directly; ranks 0-1$')

    def test_sessions(self):
        """Without the World Model: a session that ends, one that is left, and a communicator that is left."""
        lines = told("-n", "2", "--hints-report", GIVE, "sessions", code=1)
        self.assertEqual(len(lines), 3, lines)
        self.assertTrue(any('session: thread_level = "MPI_THREAD_SINGLE", active: ' in line and line.endswith("; ranks 0-1")
                            for line in lines), lines)
        self.assertTrue(any('session: thread_level = "MPI_THREAD_FUNNELED", active: ' in line and "not freed" in line
                            for line in lines), lines)
        self.assertTrue(any('communicator of 2 ranks: mpi_assert_no_any_tag = "true", active: ' in line for line in lines), lines)

    def test_jobs_that_do_not_end_well(self):
        for how, code in ("abort", 3), ("killed", 137):
            lines = told("-n", "2", "--hints-report", GIVE, how, code=code)
            self.assertTrue(any('MPI_COMM_WORLD of 2 ranks: mpi_assert_no_any_tag = "true", active: ' in line
                                for line in lines), (how, lines))
            self.assertTrue(any('a window of 2 ranks: no_locks = "true", active: ' in line for line in lines), (how, lines))

    def test_json(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.json")
            self.assertEqual(told("-n", "2", f"--hints-report=json:{path}", GIVE), [])
            with open(path, encoding="utf-8") as file:
                lines = json.load(file)
            self.assertEqual(told("-n", "2", f"--hints-report=json:{path}", GIVE, "none"), [])
            with open(path, encoding="utf-8") as file:
                self.assertEqual(json.load(file), [])
        source = [line for line in lines if line["key"] == "mpi_assert_no_any_source"]
        self.assertEqual(len(source), 1, lines)
        self.assertEqual({k: source[0][k] for k in ("kind", "objects", "ranks", "ended", "value", "state", "given_by", "counts")},
                         {"kind": "communicator", "objects": ["halo of 2 ranks"], "ranks": "0-1", "ended": True, "value": "true",
                          "state": "active", "given_by": "MPI_Comm_dup_with_info", "counts": [4, 0, 0]})
        self.assertEqual(source[0]["counted"], "proof: 4 receives or probes named MPI_ANY_SOURCE")

    def test_bad_option(self):
        done = subprocess.run([os.path.join(BIN, "mpiexec"), "--hints-report=jsn", GIVE], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("--hints-report=jsn: text, all or json:FILE is needed", done.stderr)

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
        lines, field = told("-n", "2", "--hints-report", GIVE, how), "inkling: hints: field of 2 ranks: "
        self.assertEqual([line for line in lines if not line.startswith(field)], [])
        starts = [('no_locks = "true", active: MPI_Win_lock', "; given by MPI_Win_allocate; proof: 1 calls that lock were refused"),
                  ('accumulate_ordering = "rar,waw", idle: accumulates of one process', "; given by MPI_Win_allocate"),
                  ('accumulate_ops = "same_op_no_op", ignored: the value last offered is not legal', ""),
                  ('mpi_accumulate_granularity = "8", no effect: single elements are protected anyway', "; given by MPI_Win_allocate"),
                  ('same_size = "false", ignored: the ranks gave different values', ""),
                  ('same_disp_unit = "false", ignored: it is fixed when the object is made', ""),
                  ("mpi_assert_no_any_tag, ignored: no hint of this kind of object", "")]
        self.assertEqual(len(lines), len(starts))
        for line, (start, end) in zip(lines, starts):
            self.assertTrue(line.startswith(field + start) and line.endswith(end + "; ranks 0-1"), line)

    def test_files(self):
        lines, file = told("-n", "2", "--hints-report", GIVE, "file"), "inkling: hints: reported of 2 ranks: "
        self.assertEqual([line for line in lines if not line.startswith(file)], [])
        starts = ['access_style = "write_once", no effect: the kernel knows no such style; given by MPI_File_open',
                  'striping_factor = "4", no effect: no file system that stripes; ', 'romio_cb_read = "enable", no effect: no read was collective; ',
                  'romio_cb_write = "enable", active: ', 'romio_ds_write = "enable", no effect: no rank wrote for itself; ',
                  'ind_rd_buffer_size = "8192", active: ', "read 100 bytes itself, ",
                  "wrote 200 bytes through the buffers of some ranks, ",
                  "read 40 bytes by a thread, behind nonblocking calls, "]
        self.assertEqual(len(lines), len(starts), lines)
        for line, start in zip(lines, starts):
            self.assertTrue(line.startswith(file + start) and line.endswith("; ranks 0-1"), line)

    def test_promises_about_wildcards(self):
        lines = told("-n", "2", "--hints-report", GIVE, "filed")
        self.assertEqual(len(lines), 4, lines)
        for key, name in ("tag", "TAG"), ("source", "SOURCE"):
            proof = f"given by MPI_Comm_dup_with_info; proof: 0 receives or probes named MPI_ANY_{name}"
            hint = f'of 2 ranks: mpi_assert_no_any_{key} = "true", '
            self.assertTrue(any(f"deep {hint}active: " in line and
                                f"{proof}; 6 messages that waited were filed in fewer places; ranks 0-1" in line
                                for line in lines), (key, lines))
            self.assertIn(f"inkling: hints: shallow {hint}no effect: no message waited behind another for its receive; "
                          f"{proof}; ranks 0-1", lines)

    def test_hints_about_accumulates(self):
        lines = told("-n", "2", "--hints-report", GIVE, "accumulates")
        self.assertEqual(len(lines), 5, lines)
        for line, (name, why, end) in zip(lines, (
                ("replaced", "active: ", "; 4 accumulates took no lock"),
                ("summed", "no effect: it spared no replacement a lock", ""),
                ("coarse", "active: ", "; 4 accumulates of integers took a lock"),
                ("doubles", "no effect: no accumulate of integers took a lock for it", ""),
                ("fine", "no effect: single elements are protected anyway", ""))):
            self.assertTrue(line.startswith(f"inkling: hints: {name} of 2 ranks: ") and f'", {why}' in line and
                            line.endswith(f"; given by MPI_Win_allocate{end}; ranks 0-1"), (name, line))

    def test_no_effect_on_windows(self):
        lines = told("-n", "2", "--hints-report", GIVE, "idle_win")
        for key, why in (("same_size", "same_disp_unit is not given as well"),
                         ("alloc_shared_noncontig", "it is about windows of MPI_Win_allocate_shared"),
                         ("mpi_minimum_memory_alignment", "memory begins so anyway")):
            self.assertTrue(any(f"{key} = " in line and f"no effect: {why}; given by MPI_Win_allocate; ranks 0-1" in line
                                for line in lines), (key, lines))

    def test_slips_name_their_object(self):
        """A warning for each wrong value and each object, with the call and the name; the same again is none; of a flood eight."""
        said = [line for line in job("-n", "2", GIVE, "slips").splitlines() if line.startswith("inkling: warning: ")]
        self.assertEqual(len(said), len(set(said)))
        on = 'MPI_Comm_set_info on communicator "%s": info key "mpi_assert_%s" '
        for words in ('ranks 0-1: MPI_Comm_dup_with_info: info key "mpi_assert_exact_length" cannot be "maybe"',
                      'ranks 0-1: MPI_Win_allocate: info key "no_locks" cannot be "maybe"',
                      "ranks 0-1: " + on % ("halo", "exact_length") + 'cannot be "perhaps"',
                      "ranks 0-1: " + on % ("MPI_COMM_WORLD", "exact_length") + 'cannot be "perhaps"',
                      "ranks 0-1: " + on % ("halo", "no_any_tga") + "is not known",
                      "rank 1: " + on % ("halo", "strict_persistent_collective_ordering") + "must be the same on all ranks, "
                      'but rank 1 has "true"',
                      "rank 1: " + on % ("MPI_COMM_WORLD", "strict_persistent_collective_ordering") + "must be the same on all "
                      'ranks, but rank 1 has "false"'):
            self.assertEqual(len([line for line in said if words in line]), 1, words)
        flood = [line for line in said if 'cannot be "wrong' in line]
        self.assertEqual(len(flood), 8)
        self.assertEqual([line.endswith("; no more is told of this key") for line in flood], [False] * 7 + [True])

    def test_every_rank(self):
        lines = told("-n", "2", "--set", "hints_report=all", GIVE)
        self.assertEqual(len([line for line in lines if line.startswith(HALO_OF % 0)]), 7)
        self.assertEqual(len([line for line in lines if line.startswith(HALO_OF % 1)]), 7)
        world = [line for line in lines if "MPI_COMM_WORLD of 2 ranks, rank 1" in line]
        self.assertIn('mpi_assert_no_any_tag = "false", default; given by MPI_Comm_set_info; proof: 1 receives', world[0])

    @unittest.skipUnless(os.path.exists(PRELOAD), "a sanitizer has an allocator of its own")
    def test_what_memory_is_lacking_for(self):
        """Each allocation fails once: what was given is told, or why it is not in force, or that it cannot be told."""
        with tempfile.TemporaryDirectory() as folder:  # LD_PRELOAD takes no path with a space
            preload, said = os.path.join(folder, "preload.so"), ""
            os.symlink(PRELOAD, preload)
            for number in range(1, 40):
                stderr = job("-n", "1", "--hints-report", "env", f"LD_PRELOAD={preload}", f"FAULT_ALLOCATION={number}",
                             GIVE, "kinds", code=None)
                if not re.search("error in MPI_(Init|Info_)", stderr):  # before any is given
                    self.assertNotIn(NOTHING, lines_of(stderr), number)
                said += "".join(lines_of(stderr))
        for words in '= "system", active', "ignored: memory was out", "no memory to tell of its hints":
            self.assertIn(words, said)

    def test_settings_are_hints_of_the_process(self):
        lines = told("-n", "2", "--hints-report", GIVE, "none", INKLING_EAGER_LIMIT="8K")
        self.assertEqual(len(lines), 1)
        self.assertIn('settings: inkling_eager_limit = "8K", active: ', lines[0])
        self.assertTrue(lines[0].endswith("; ranks 0-1"), lines)

    def test_what_is_counted(self):
        """A counter, a sum of bytes and a time."""
        said = job("-n", "4", "--stats", GIVE)
        self.assertRegex(said, r"(?m)^  eager messages +4 +1 +1 +1 +\(rank \d\)$")
        self.assertRegex(said, r"(?m)^  eager bytes +16 +4 +4 +4 +\(rank \d\)$")
        self.assertRegex(said, r"(?m)^  wait time +(\d+\.\d{3} s +){4}\(rank \d\)$")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
