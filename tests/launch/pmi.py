"""The PMI-1 wire protocol: as mpiexec speaks it to others, as the library speaks it to others, and garbage."""
import os
import shutil
import socket
import subprocess
import sys

from launching import LIMIT, STEPS, Case, environment, main, mpiexec, run

CLIENT = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "client.py")]
INIT = "cmd=init pmi_version=1 pmi_subversion=1"


class Server(Case):
    def test_conversation(self):
        result = mpiexec("-n", 2, "-universe-size", 7, *CLIENT, INIT, "cmd=get_maxes", "cmd=get_appnum", "cmd=get_universe_size",
                         "cmd=put kvsname=k key=aRANK value=x=yRANK", "cmd=barrier_in", "cmd=get kvsname=k key=a0",
                         "cmd=get kvsname=k key=a1", "cmd=get kvsname=k key=zz", "cmd=finalize")
        self.assertEqual((result.code, result.err), (0, ""))
        heard = [line[2:] for line in result.lines if line.startswith("1 ")]
        self.assertEqual(sorted(heard), sorted([
            "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
            "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024", "cmd=appnum appnum=0",
            "cmd=universe_size size=7", "cmd=put_result rc=0 msg=success", "cmd=barrier_out",
            "cmd=get_result rc=0 msg=success value=x=y0", "cmd=get_result rc=0 msg=success value=x=y1",
            "cmd=get_result rc=-1 msg=key_zz_not_found value=unknown", "cmd=finalize_ack"]))

    def test_key_is_put_once(self):
        result = mpiexec("-n", 1, *CLIENT, INIT, "cmd=put kvsname=k key=a value=1", "cmd=put kvsname=k key=a value=2",
                         "cmd=finalize")
        self.assertIn("rc=-1 msg=duplicate_key_a", result.out)
        self.assertEqual(result.code, 0)

    def test_garbage(self):
        for noise, words in ((["nonsense"], ["'nonsense'", "name=value"]), (["cmd=dance"], ["'dance' is unknown"]),
                             (["a=b"], ["cmd="]), (["cmd=put key=a"], ["PMI put"]), (["cmd=get"], ["PMI get"]),
                             (["cmd=abort exitcode=x"], ["exitcode='x'"]), (["mcmd=spawn"], ["spawn"]),
                             (["raw:" + "ff000a"], ["name=value"]), (["raw:0a"], ["cmd="]),
                             (["raw:" + "61" * 9000 + "0a"], ["longer than"]),
                             (["cmd=x" + " a=b" * 30], ["more than"]),
                             (["cmd=put key=" + "k" * 64 + " value=v"], ["too long"])):
            result = mpiexec("-n", 2, *CLIENT, *[noise[0] + ("" if "raw" in noise[0] else "!")], "sleep:20")
            self.assertEqual(result.code, 1, noise)
            self.assert_one_line(result.err, "mpiexec: rank ", *words)

    def test_rank_that_never_comes(self):
        gone = ["sh", "-c", "sleep 0.2"], [*CLIENT, INIT, "cmd=finalize"]
        for first in gone:
            for pause in ("sleep:0", "sleep:0.5"):  # it ends meanwhile, or before the others wait for it
                result = mpiexec("--timeout", 20, "-n", 1, *first, ":", "-n", 2, *CLIENT, INIT, pause, "cmd=barrier_in")
                self.assertEqual(result.code, 1, (first, pause))
                self.assert_one_line(result.err, "rank 0", "while the others wait for it")

    def test_half_a_line_at_the_end(self):
        result = mpiexec("-n", 1, *CLIENT, INIT, "cmd=finalize", "raw:636d64")
        self.assertEqual((result.code, result.err), (0, ""))


class Hydra(Case):
    """What takes MPICH."""

    def setUp(self):
        self.hydra = shutil.which("mpiexec.hydra") or shutil.which("mpiexec.mpich")
        if not self.hydra:
            self.skipTest("no mpiexec.hydra here (Debian: mpich)")

    def test_under_hydra(self):
        result = run([self.hydra, "-n", "4", STEPS, "init", "who", "app", "barrier", "finalize"])
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(result.lines, ["appnum 0 universe -1"] * 4 + [f"rank {r} of 4" for r in range(4)])

    def test_abort_under_hydra(self):
        result = run([self.hydra, "-n", "3", STEPS, "init", "@1", "abort", "7", "barrier"])
        self.assertEqual(result.code, 7)
        self.assertIn("MPI_Abort", result.err)

    def test_mpich_program(self):
        """A program of another PMI-1 library runs under our mpiexec."""
        compiler = shutil.which("mpicc.mpich")
        if not compiler or run([compiler, "-E", "-include", "mpi.h", "-x", "c", "/dev/null"]).code:
            self.skipTest("no mpicc.mpich here, or no headers for it (Debian: libmpich-dev)")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "steps.c")
        build = run([compiler, source, "-o", "steps.mpich"])
        self.addCleanup(lambda: os.path.exists("steps.mpich") and os.remove("steps.mpich"))
        self.assertEqual(build.code, 0, build.err)
        result = mpiexec("-n", 3, "./steps.mpich", "init", "who", "barrier", "finalize")
        self.assertEqual((result.code, result.lines), (0, [f"rank {r} of 3" for r in range(3)]), result.err)


class Refusing(Case):
    """A launcher of the test's own, which refuses each key."""

    ANSWERS = {"init": "response_to_init pmi_version=1 pmi_subversion=1 rc=0", "get_my_kvsname": "my_kvsname kvsname=k",
               "get_maxes": "maxes kvsname_max=256 keylen_max=64 vallen_max=1024", "get_appnum": "appnum appnum=0",
               "get_universe_size": "universe_size size=2", "put": "put_result rc=0", "barrier_in": "barrier_out",
               "get": "get_result rc=-1 msg=no_such_key_today"}

    def test_keys(self):
        ours, theirs = socket.socketpair()
        ours.settimeout(LIMIT)
        fd = theirs.fileno()
        with subprocess.Popen([STEPS, "init", "finalize"], stderr=subprocess.PIPE, text=True, pass_fds=[fd],
                              env=environment(PMI_FD=str(fd), PMI_RANK="0", PMI_SIZE="2")) as process:
            theirs.close()
            for line in ours.makefile(encoding="ascii"):
                command = line.split()[0].partition("=")[2]
                if command not in self.ANSWERS:
                    break
                ours.sendall(f"cmd={self.ANSWERS[command]}\n".encode())
            ours.close()
            said = process.stderr.read()
        self.assertNotEqual(process.returncode, 0, said)
        self.assertIn("the launcher refuses: no_such_key_today", said)


class Client(Case):
    def test_singleton(self):
        result = run([STEPS, "init", "who", "finalize"])
        self.assertEqual((result.code, result.out, result.err), (0, "rank 0 of 1\n", ""))

    def test_connection_at_descriptor_0(self):
        """Whoever closed its input may have been given that number."""
        move = ("import os, sys; os.dup2(int(os.environ['PMI_FD']), 0); os.execve(sys.argv[2], sys.argv[2:], {name: value for name, "
                "value in os.environ.items() if not name.startswith(sys.argv[1])} | {'PMI_FD': '0'})")
        for hidden in ("nothing", "INKLING_JOB_"):  # without these it asks, as under another launcher
            result = mpiexec("-n", 2, sys.executable, "-c", move, hidden, STEPS, "init", "who", "barrier", "finalize")
            self.assertEqual((result.code, result.lines, result.err), (0, ["rank 0 of 2", "rank 1 of 2"], ""), hidden)

    def test_singleton_with_a_bad_setting(self):
        for settings, word in ({"INKLING_EAGER_LIMIT": "much"}, "INKLING_EAGER_LIMIT"), ({"INKLING_NO_SUCH": "1"}, "INKLING_NO_SUCH"):
            result = run([STEPS, "init", "who", "finalize"], **settings)
            self.assertEqual(result.out, "", settings)
            self.assertNotEqual(result.code, 0, settings)
            self.assertIn(word, result.err)

    def test_stale_environment(self):
        """A program that a rank's child might start: numbers in the environment that mean nothing any more."""
        result = run([STEPS, "init", "who", "finalize"], PMI_FD="77", PMI_RANK="2", INKLING_JOB_NAME="x", INKLING_JOB_JOINED="1",
                     INKLING_JOB_RANK="2", INKLING_JOB_SIZE="4", INKLING_JOB_THREAD_LEVEL="MPI_THREAD_ANY")
        self.assertEqual((result.code, result.out), (0, "rank 0 of 1\n"))

    def test_lost_descriptors(self):
        """A rank whose connection was closed before it began is no world of one."""
        start = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
        result = mpiexec("-n", 2, sys.executable, "-c", start, STEPS, "init", "who", "finalize")
        self.assertNotEqual(result.code, 0)
        self.assertEqual(result.out, "")
        self.assertIn("has lost descriptor", result.err)

    def test_warning_under_a_strange_launcher(self):
        for env in ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "4"}, {"PMIX_RANK": "0"},
                    {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2"}):
            result = run([STEPS, "init", "who", "finalize"], **env)
            self.assertEqual((result.code, result.out), (0, "rank 0 of 1\n"))
            self.assert_one_line(result.err, "inkling: warning: started by", "mpiexec")

    def test_one_warning_per_job(self):
        for env in ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4"},
                    {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"},
                    {"SLURM_PROCID": "0", "SLURM_NTASKS": "2"}):
            self.assertEqual(run([STEPS, "init", "finalize"], **env).err, "")


if __name__ == "__main__":
    main()
