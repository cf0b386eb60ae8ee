"""Under a PMIx launcher on this host: Open MPI's, which is one. What is there without one, too."""
import os
import shutil
import signal
import subprocess
import tempfile
import time

from launching import LIMIT, STEPS, Case, environment, main, marked, mpiexec, run, wait_for

ORTERUN = ["orterun", "--oversubscribe", "--bind-to", "none"]
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
STRANGER = {"PMIX_RANK": "0", "PMIX_NAMESPACE": "nobody"}


class OpenMpi(Case):
    def setUp(self):
        if not shutil.which("orterun"):
            self.skipTest("no orterun here (Debian: openmpi-bin)")

    def orterun(self, ranks, *steps, **env):
        return run([*ORTERUN, "-n", str(ranks), STEPS, *steps], **ROOT, **env)

    def test_ranks_are_one_job(self):
        result = self.orterun(4, "init", "who", "app", "barrier", "finalize")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(result.lines[4:], [f"rank {r} of 4" for r in range(4)])
        self.assertTrue(all(line.startswith("appnum 0 universe ") for line in result.lines[:4]), result.out)
        self.assertNotIn("inkling", result.err)

    def test_two_programs(self):
        result = run([*ORTERUN, "-n", "1", STEPS, "init", "who", "app", "finalize", ":", "-n", "2", STEPS, "init", "who", "app",
                      "finalize"], **ROOT)
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual([line.split(" universe")[0] for line in result.lines],
                         ["appnum 0", "appnum 1", "appnum 1", "rank 0 of 3", "rank 1 of 3", "rank 2 of 3"])

    def test_abort(self):
        result = self.orterun(3, "init", "@1", "abort", "7", "barrier", "sleep", "60000")
        self.assertEqual(result.code, 7, result.err)
        self.assertEqual(result.err.count("MPI_Abort(MPI_COMM_WORLD, 7) was called"), 1)

    def test_a_rank_dies(self):
        result = self.orterun(3, "init", "barrier", "@1", "die", "9", "sleep", "60000")
        self.assertNotEqual(result.code, 0)
        self.assertLess(result.seconds, LIMIT / 2)

    def test_the_launcher_dies(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/err", "w", encoding="utf-8") as err:
                job = subprocess.Popen([*ORTERUN, "-n", "3", STEPS, "init", "barrier", "sleep", "60000"], stdout=err, stderr=err,
                                       stdin=subprocess.DEVNULL, env=environment(PMIX_TEST_MARK="1", **ROOT))
            ranks = lambda: [pid for pid, name in marked("PMIX_TEST_MARK=1").items() if name == "launch_steps"]
            self.assertIsNotNone(wait_for(lambda: len(ranks()) == 3))
            time.sleep(0.5)
            job.send_signal(signal.SIGKILL)
            job.wait()
            self.assertIsNotNone(wait_for(lambda: not ranks()), "ranks go on without their launcher")


class Sets(Case):
    """A launcher of the test's own, that has process sets."""

    def launched(self, ranks, *sets):
        launcher = os.path.join(os.path.dirname(STEPS), "launch_sets")
        if not os.path.exists(launcher):
            self.skipTest("no headers of PMIx here (Debian: libpmix-dev)")
        result = run([launcher, str(ranks), *sets, "--", STEPS, "init", "sets", "finalize"], MALLOC_PERTURB_="165")  # what is freed is lost
        self.assertEqual(result.code, 0, result.err)
        return [line for line in result.lines if "mpi://" not in line]

    def test_members_know_their_sets(self):
        self.assertEqual(self.launched(4, "app://even=2,0", "most=1,2,3", "last=3"),
                         ["0 2 app://even: 0 2", "1 3 most: 1 2 3", "2 2 app://even: 0 2", "2 3 most: 1 2 3", "3 1 last: 3",
                          "3 3 most: 1 2 3"])

    def test_sets_that_are_not_of_this_job(self):
        self.assertEqual(self.launched(2, "mixed=0,other:1", "beyond=1,7", "both=0,1"), ["0 2 both: 0 1", "1 2 both: 0 1"])

    def test_a_launcher_without_sets(self):
        self.assertEqual(self.launched(2), [])


class Pretended(Case):
    """A libpmix of the test's own, which says and does what PRETEND has."""

    def setUp(self):
        self.folder = os.path.join(os.path.dirname(STEPS), "launch", "pretended")
        if not os.path.exists(os.path.join(self.folder, "libpmix.so.2")):
            self.skipTest("no headers of PMIx here (Debian: libpmix-dev)")

    def pretended(self, *command, pretend="pmix.job.size=uint32:1", **env):
        path = ":".join(filter(None, [self.folder, os.environ.get("LD_LIBRARY_PATH")]))
        return run(command, LD_LIBRARY_PATH=path, PRETEND=pretend, **{**STRANGER, **env})

    def test_kinds_of_numbers(self):
        for kind in ("uint32", "int", "size"):
            result = self.pretended(STEPS, "init", "who", "app", "finalize",
                                    pretend=f"pmix.job.size={kind}:1,pmix.appnum={kind}:0,pmix.univ.size={kind}:7")
            self.assertEqual((result.code, result.lines), (0, ["appnum 0 universe 7", "rank 0 of 1"]), result.err)

    def test_numbers_that_are_none(self):
        """Nothing is believed that an int does not hold, and no text."""
        for value, universe in (("size:2147483647", 2147483647), ("size:2147483648", -1), ("size:4294967297", -1), ("int:-7", -1),
                                ("uint32:4294967295", -1), ("text:7", -1)):
            result = self.pretended(STEPS, "init", "app", "finalize", pretend=f"pmix.job.size=int:1,pmix.univ.size={value}")
            self.assertEqual((result.code, result.lines), (0, [f"appnum -1 universe {universe}"]), value + result.err)

    def test_ranks_beyond(self):
        for rank, size in ((1, 1), (2, 1), (4294967295, 1), (0, 0)):
            result = self.pretended(STEPS, "init", "finalize", pretend=f"pmix.job.size=uint32:{size}", PMIX_RANK=str(rank))
            self.assertNotEqual(result.code, 0)
            self.assertIn(f"PMIx: the launcher says that this is process {rank} of {size}", result.err)

    def test_children_are_strangers(self):
        """What a rank starts has no rank: it is a world of its own, and asks no launcher."""
        result = self.pretended(STEPS, "init", "show", "PMIX_RANK", "show", "PMIX_NAMESPACE", "finalize")
        self.assertEqual((result.code, result.lines), (0, ["0 PMIX_NAMESPACE=nobody", "0 PMIX_RANK=(none)"]), result.err)

    def test_a_library_that_goes_on_alone(self):
        result = self.pretended(STEPS, "init", "finalize", pretend="pmix.job.size=uint32:1,alone")
        self.assertNotEqual(result.code, 0)
        self.assertIn("PMIx: the launcher of job nobody cannot be reached", result.err)

    def test_the_launcher_is_lost(self):
        result = self.pretended(STEPS, "init", "sleep", "60000", pretend="pmix.job.size=uint32:1,lost")
        self.assertEqual(result.code, 1, result.err)
        self.assertIn("the PMIx launcher of this job is gone; its processes on this host end", result.err)

    def test_the_launcher_is_deaf_at_the_end(self):
        result = self.pretended(STEPS, "init", "finalize", pretend="pmix.job.size=uint32:1,deaf")
        self.assertIn("PMIx: the launcher cannot be told of the end: pretended", result.err)

    def test_aborts(self):
        result = self.pretended(STEPS, "init", "abort", "7")
        self.assertEqual(result.code, 107, result.err)
        result = self.pretended("sh", "-c", 'trap "" ALRM; exec "$0" init abort 7', STEPS, pretend="pmix.job.size=uint32:1,stuck")
        self.assertEqual(result.code, -signal.SIGALRM, result.err)
        self.assertLess(result.seconds, LIMIT / 2)


class Alone(Case):
    def test_launcher_out_of_reach(self):
        result = run([STEPS, "init", "finalize"], **STRANGER)
        self.assertNotEqual(result.code, 0)
        self.assertTrue("PMIx: the launcher" in result.err and "cannot be reached" in result.err or
                        "built where libpmix-dev is installed" in result.err, result.err)

    def test_without_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/libpmix.so.2", "w", encoding="ascii"):
                pass  # found first, and no library
            path = ":".join(filter(None, [folder, os.environ.get("LD_LIBRARY_PATH")]))
            result = run([STEPS, "init", "who", "finalize"], LD_LIBRARY_PATH=path, **STRANGER)
        self.assertEqual((result.code, result.out), (0, "rank 0 of 1\n"), result.err)
        self.assert_one_line(result.err, "inkling: warning: started by a PMIx launcher", "apt install libpmix2")

    def test_our_mpiexec_comes_first(self):
        result = mpiexec("-n", 2, STEPS, "init", "who", "finalize", **STRANGER)
        self.assertEqual((result.code, result.lines, result.err), (0, ["rank 0 of 2", "rank 1 of 2"], ""))


if __name__ == "__main__":
    main()
