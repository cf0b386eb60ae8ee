"""inkling where: what it says of jobs that hang. Run as: python3 situations.py BIN SITUATIONS [NAME...]."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
import page  # noqa: E402
from launching import LIMIT, MPIEXEC, STEPS as SITUATIONS, Case, environment, main, run, wait_for  # noqa: E402

INKLING = os.path.join(os.path.dirname(MPIEXEC), "inkling")
HERE = os.path.dirname(os.path.abspath(__file__))
WORK = r"computes? in smooth\(\) at situations\.c:\d+"
FOR_1, FOR_0 = "^rank 0 waits for rank 1, which computes", "^ranks 1, 2 wait for rank 0, which computes"
OTHERS_FOR_1 = "^ranks 0, 2 wait for rank 1, which computes"
CALLS = [
    ("synchronous_send", FOR_1, "^rank 0: MPI_Ssend to 1, tag 12, 4 bytes, on 'halo' at .*, waits for rank 1"),
    ("exchange_with_late", FOR_1, "^rank 0: MPI_Sendrecv from 1, tag 14, on 'halo' at .*, waits for rank 1"),
    ("waitany", "^rank 0: MPI_Waitany at ", r"2 requests are open \(2 receive posted at situations.c:\d+\)"),
    ("nonblocking_barrier", OTHERS_FOR_1, "^ranks 0, 2: MPI_Wait on 'halo' at .*, waits for rank 1"),
    ("broadcast", FOR_0, "^ranks 1, 2: MPI_Bcast on 'halo' at .*, waits for rank 0"),
    ("gather", FOR_1, "^rank 0: MPI_Gather on 'halo' at .*, waits for rank 1; "),
    ("all_to_all", OTHERS_FOR_1, "^ranks 0, 2: MPI_Alltoall on 'halo' at .*, waits for rank 1"),
    ("scan", FOR_0, "^ranks 1, 2: MPI_Scan on 'halo' at .*, waits for rank 0"),
    ("fence", OTHERS_FOR_1, "^ranks 0, 2: MPI_Win_fence on window 'table' at .*, waits for rank 1"),
    ("file", OTHERS_FOR_1, "^rank 0: MPI_File_write_at_all on file '.*/file of where' at .*, waits for rank 1"),
    ("failed_open", OTHERS_FOR_1, "^ranks 0, 2: MPI_Barrier on 'halo' at .*, waits for rank 1"),
    ("split", OTHERS_FOR_1, "^rank 0: MPI_Comm_split on 'halo' at .*, waits for rank 1"),
    ("accept_alone", "^rank 0: MPI_Comm_accept at ", f"^ranks 1, 2: {WORK}"),
    ("matched_probe", FOR_1, "^rank 0: MPI_Mprobe from 1, tag 15, on 'halo' at .*, waits for rank 1"),
    ("test_loop", "^rank 0: .*situations.c", r"1 request is open \(1 receive posted at situations.c:\d+\)"),
    ("waitsome", "^rank 0: MPI_Waitsome at ", r"2 requests are open \(2 receive posted at situations.c:\d+\)"),
    ("crowd", FOR_1, "^rank 0: MPI_Recv from 1, tag 7, on 'halo' at .*; a message from 1 with tag 51 is unexpected there; "
     "501 messages are unexpected there in all"),
    ("reduce", FOR_1, "^rank 0: MPI_Reduce on 'halo' at .*, waits for rank 1"),
    ("allgather", OTHERS_FOR_1, "^ranks? 0.*: MPI_Allgather on 'halo' at .*, waits for rank 1"),
    ("reduce_scatter", OTHERS_FOR_1, "^ranks? 0.*: MPI_Reduce_scatter_block on 'halo' at .*, waits for rank 1"),
    ("exscan", FOR_0, "^rank 2: MPI_Exscan on 'halo' at .*, waits for rank 0 through others"),
    ("neighbours", OTHERS_FOR_1, "^ranks 0, 2: MPI_Neighbor_alltoall on 'ring' at .*, waits for rank 1"),
    ("partitioned", "^rank 0: MPI_Wait on 'halo' at ", f"^ranks 1, 2: {WORK}"),
    ("detach", "^rank 0: MPI_Buffer_detach at ", r"1 request is open \(1 send\)"),
    ("start", FOR_1, "^rank 0: MPI_(Put|Win_complete|Win_start) on window 'table' at .*, waits for rank 1; an epoch of MPI_Win_start"),
    ("lock_all", "^rank 1 waits for rank 0, which computes", "^rank 1: MPI_.* on window 'table' at .*, waits for rank 0, which has locked it"),
    ("free_window", OTHERS_FOR_1, "^ranks? 0.*: MPI_Win_free on window 'table' at .*, waits for rank 1"),
    ("open_file", OTHERS_FOR_1, "^ranks? 0.*: MPI_File_open on 'halo' at .*, waits for rank 1"),
    ("close_file", OTHERS_FOR_1, "^ranks? 0.*: MPI_File_close on file '.*/file of where' at .*, waits for rank 1"),
    ("bridge", "^ranks 0, 1 wait for rank 2, which computes", "^rank 0: MPI_Intercomm_create on 'halo' at .*, waits for rank 2"),
    ("connect_alone", "^rank 0: MPI_Comm_connect at ", f"^ranks 1, 2: {WORK}"),
    ("spawn", "^ranks 1, 2 wait for rank 0, which is in MPI_Comm_spawn at ",
     "^ranks 1, 2: MPI_Comm_spawn on 'halo' at .*, waits for rank 0"),
    ("long_chain", "^ranks 0, 1 wait for rank 2, which computes", "^rank 1: MPI_Recv from 2, tag 3"),
]


def at(call, file="situations.c", after=""):
    """Where the program makes the first call of this name in this file, or the first behind this text."""
    with open(os.path.join(HERE, file), encoding="utf-8") as source:
        before, _, text = source.read().rpartition(after) if after else ("", "", source.read())
    lines = text.split("\n")
    return file.replace(".", r"\.") + ":" + str(1 + before.count("\n") + next(i for i, line in enumerate(lines) if f" {call}(" in line))


def at_or_about(call, source):
    """The same, but for what gfortran says of calls of generic procedures that take no descriptor: the line of the block around them."""
    return r"requests\.F90:\d+" if source.endswith(".F90") else at(call, source)


class Hanging:
    """A job in one of the situations, whose ranks have reached it."""

    def __init__(self, name, ranks, *options, program=SITUATIONS, around=(), **env):
        self.folder = tempfile.TemporaryDirectory()
        env["WHERE_FILE"] = os.path.join(self.folder.name, "file of where")
        self.process = subprocess.Popen([*around, MPIEXEC, "-n", str(ranks), *options, program, name],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=environment(**env))
        self.ready = self.process.stdout.readline()

    def where(self, *options):
        return run([INKLING, "where", str(self.process.pid), *options])

    def view(self):
        return json.loads(self.where("--json").out)

    def pid(self, rank):
        return self.view()["ranks"][rank]["pid"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.out, self.err = self.process.communicate(timeout=LIMIT)
        self.folder.cleanup()


class Asking(Case):
    def setUp(self):
        if "names no calls" in run([INKLING, "status"]).out:
            self.skipTest("this build has no elfutils' headers (Debian: libdw-dev)")

    def assert_said(self, job, first, *patterns):
        """Asks until all is said: ranks take a moment to get where they hang. first: of the first line."""
        self.assertEqual(job.ready, "ready\n")
        result = None

        def is_said():
            nonlocal result
            result = job.where()
            lines = result.out.splitlines()
            if "may not be looked at" in result.out:
                self.skipTest("ptrace is not permitted here")
            if "cannot be told" in result.out:
                self.skipTest(result.out.split("cannot be told: ")[1].splitlines()[0])
            return (lines and re.search(first, lines[0]) and
                    all(any(re.search(p, line) for line in lines) for p in patterns))

        if wait_for(is_said, 30) is None:
            self.fail(f"'{first}' and {patterns} are not said in:\n{result.out}{result.err}")
        self.assertEqual(result.code, 0)
        return result.out

    def assert_posted(self, source, *options):
        """Of the situation `posted`: the lines of this source are told."""
        with Hanging("posted", 2, *options) as job:
            receive, send, collective = (at(call, source) for call in ("MPI_Irecv", "MPI_Issend", "MPI_Iallreduce"))
            wait = at_or_about("MPI_Wait", source)
            self.assert_said(job, "^rank 0 waits for rank 1, which ",
                             rf"^rank 0: MPI_Wait for a send to 1, 4 bytes, on 'halo' at {wait}, waits for rank 1; "
                             rf"posted at {send}; 3 requests are open \(2 receive posted at {receive}, 1 collective posted at {collective}\); since ")
            requests = job.view()["ranks"][0]["requests"]
            places = [("collective", collective), ("receive", receive), ("receive", receive), ("send", send)]
            self.assertEqual(sorted((r["kind"], r["posted"]) for r in requests),
                             [(kind, "at " + place.replace("\\", "")) for kind, place in places])
            self.assertEqual([r["tag"] for r in requests if "tag" in r], [50, 51])

    def assert_started(self, source, *options):
        """The same of `started`."""
        with Hanging("started", 2, *options) as job:
            made, made_send, start_all = (at(call, source) for call in ("MPI_Recv_init", "MPI_Ssend_init", "MPI_Startall"))
            start = at_or_about("MPI_Start", source)
            self.assert_said(job, "^rank 0 waits for rank 1, which ",
                             rf"^rank 0: MPI_Wait for a receive from 1, tag 57, on 'halo' at .*, waits for rank 1; posted at {start_all}; "
                             rf"2 requests are open \(1 receive started at {start_all}, made at {made}, "
                             rf"1 send started at {start}, made at {made_send}\); since ")


class Situations(Asking):
    def test_wrong_tag(self):
        with Hanging("wrong_tag", 3) as job:
            self.assert_said(job, f"^rank 0 waits for rank 1, which {WORK}$",
                             rf"^rank 0: MPI_Recv from 1, tag 7, on 'halo' at {at('MPI_Recv')}, waits for rank 1; "
                             r"a message from 1 with tag 8 is unexpected there; since ",
                             f"^ranks 1, 2: {WORK}$")

    def test_wrong_communicator(self):
        with Hanging("wrong_communicator", 2) as job:
            self.assert_said(job, "^rank 0 waits for rank 1, which ",
                             r"a message from 1 with tag 7 on 'MPI_COMM_WORLD' is unexpected there")

    def test_late_rank_in_a_collective(self):
        with Hanging("late", 4) as job:
            self.assert_said(job, f"^ranks 0-2 wait for rank 3, which {WORK}$",
                             rf"^ranks 0-2: MPI_Allreduce on 'halo' at situations\.c:\d+, waits for rank 3; since ",
                             f"^rank 3: {WORK}$")

    def test_circle(self):
        with Hanging("circle", 3) as job:
            self.assert_said(job, "^a circle: rank 0, which waits for 1, which waits for 2, which waits for 0$",
                             "^rank 2: MPI_Recv from 0, tag 3, on 'halo'")

    def test_different_collectives(self):
        with Hanging("other_collective", 2) as job:
            self.assert_said(job, "^different collectives on 'halo': rank 0 is in MPI_Bcast, rank 1 in MPI_Gather$",
                             "^rank 0: MPI_Bcast on 'halo' at .*, waits for rank 1", "^rank 1: MPI_Gather on 'halo' at .*, waits for rank 0")

    def test_stopped_rank(self):
        with Hanging("stopped", 3) as job:
            pid = job.pid(1)
            os.kill(pid, signal.SIGSTOP)
            self.assert_said(job, "^rank 1 is stopped by a signal; rank 0 waits for it$",
                             "^rank 1: .*; stopped by a signal", "^rank 0: MPI_Recv from 1, tag 7")
            with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                self.assertEqual(stat.read().rsplit(")", 1)[1].split()[0], "T", "it stays stopped")
            os.kill(pid, signal.SIGCONT)

    def test_computing_rank(self):
        with Hanging("computing", 2) as job:
            self.assert_said(job, f"^ranks 0, 1: {WORK}$")

    def test_lock_held(self):
        with Hanging("lock", 3) as job:
            self.assert_said(job, "^ranks 1, 2 wait for rank 0, which computes .*; has locked rank 0 of window 'table'",
                             "^ranks 1, 2: MPI_Win_lock of rank 0 on window 'table' at .*, waits for rank 0, "
                             "which has locked it")

    def test_open_epoch(self):
        with Hanging("epoch", 3) as job:
            self.assert_said(job, "^rank 0 waits for rank 1, which ",
                             "^rank 0: MPI_Win_wait on window 'table' at .*, waits for ranks 1, 2",
                             "^rank 1: .* an epoch of MPI_Win_start is open on window 'table'")

    def test_finalize_with_one_missing(self):
        with Hanging("finalize", 3) as job:
            self.assert_said(job, "^ranks 1, 2 wait for rank 0, which computes",
                             rf"^ranks 1, 2: MPI_Finalize at {at('MPI_Finalize')}, waits for rank 0")

    def test_eight_threads(self):
        with Hanging("threads", 2) as job:
            self.assert_said(job, "^a circle: rank 0, which waits for 1, which waits for 0$",
                             r"^rank 0 \(4 threads\): MPI_Recv from 1, tag 100, on 'halo' at ",
                             r"^rank 0 \(4 threads\): MPI_Recv from 1, tag 101, on 'halo' at ",
                             r"^rank 1 \(4 threads\): MPI_Recv from 0, tag 101, on 'halo' at ")

    def test_send_without_a_receive(self):
        with Hanging("send_late", 2) as job:
            self.assert_said(job, "^rank 0 waits for rank 1, which ",
                             r"^rank 0: MPI_Send to 1, (tag 9, )?4194304 bytes, on 'halo' at .*, waits for rank 1")

    def test_probe(self):
        with Hanging("probe", 2) as job:
            self.assert_said(job, "^rank 0 waits for rank 1, which ",
                             rf"^rank 0: MPI_Probe from 1, tag 11, on 'halo' at {at('MPI_Probe')}, waits for rank 1")

    def test_any_source(self):
        with Hanging("any_source", 2) as job:
            self.assert_said(job, "^rank 0: MPI_Recv from any rank, any tag, on 'halo' at ", f"^rank 1: {WORK}$")

    def test_waitall(self):
        with Hanging("waitall", 2) as job:
            self.assert_said(job, "^rank 0 waits for rank 1, which ",
                             rf"^rank 0: MPI_Waitall for a receive from 1, tag 21, on 'halo' at {at('MPI_Waitall')}")

    def test_where_requests_were_posted(self):
        self.assert_posted("requests.c")

    def test_persistent_requests(self):
        self.assert_started("requests.c")

    def test_kinds_of_requests(self):
        with Hanging("kinds", 2) as job:
            generalized, made, start = (at(call, "requests.c", "void kinds(void)") for call in ("MPI_Grequest_start", "MPI_Psend_init", "MPI_Start"))
            self.assert_said(job, "^rank 0 waits for rank 1, which ",
                             rf"^rank 0: MPI_Wait for a receive from 1, tag 64, .*; 2 requests are open \(1 generalized posted at {generalized}, "
                             rf"1 partitioned started at {start}, made at {made}\); since ")

    def test_exchanges(self):
        with Hanging("exchanged", 2) as job:
            made = at("MPI_Isendrecv", "requests.c")
            self.assert_said(job, "^rank 0 waits for rank 1, which ",
                             rf"^rank 0: MPI_Wait for a receive from 1, tag 69, .*; 1 request is open \(1 receive posted at {made}\); since ")

    def test_page(self):
        """The examples of docs/WHERE.md are lines, or parts of lines, that are printed of these situations."""
        said = ""
        for name, ranks, first, *others in [("wrong_tag", 3, FOR_1, "a message from 1 with tag 8 .*; sleeps", f"^ranks 1, 2: {WORK}$"),
                                            ("posted", 2, FOR_1, "3 requests are open .*; sleeps"),
                                            ("started", 2, FOR_1, "2 requests are open .*; sleeps"), ("circle", 3, "^a circle")]:
            with Hanging(name, ranks) as job:
                said += self.assert_said(job, first, *others)
        with Hanging("stopped", 3) as job:
            os.kill(job.pid(1), signal.SIGSTOP)
            said += self.assert_said(job, "^rank 1 is stopped by a signal; rank 0 waits for it$")
        forms = [page.form(line) for line in said.splitlines()]
        for example in page.examples():
            if ".py:" not in example:  # python.py
                self.assertIn(True, [example == line or example.startswith("1 receive") and example in line for line in forms],
                              f"{example}\nis not printed:\n" + "\n".join(forms))

    def test_making_a_communicator(self):
        with Hanging("duplicate", 3) as job:
            self.assert_said(job, "^ranks 1, 2 wait for rank 0, which computes",
                             r"^ranks 1, 2: MPI_Comm_dup on 'halo' at .*, waits for rank 0")

    def test_blocking_calls(self):
        """Situations of three ranks: the first line, and another one."""
        for name, first, pattern in CALLS:
            with self.subTest(name), Hanging(name, 3) as job:
                self.assert_said(job, first, pattern)

    def test_many_ranks_on_few_cores(self):
        self.many_ranks(48)

    def test_256_ranks(self):
        self.many_ranks(256)

    def many_ranks(self, count):
        with Hanging("barrier", count) as job:
            said = self.assert_said(job, f"^ranks 0-{count - 2} wait for rank {count - 1}, which {WORK}$",
                                    rf"^ranks? [0-9].*: MPI_Barrier on 'halo' at situations\.c:\d+, waits for rank {count - 1}; since ",
                                    rf"^ranks .*: MPI_Barrier on 'halo' at .*, waits for rank {count - 1} through others; since .* sleep")
            self.assertLess(said.count("\n"), 6, said)

    def test_children_before_init(self):
        """Half a spawn: the children have been started and have not called MPI_Init."""
        with Hanging("spawn", 3) as job:
            self.assert_said(job, "^ranks 1, 2 wait for rank 0, which is in MPI_Comm_spawn at ")
            self.assertIsNotNone(wait_for(self.children_are_there))

    @staticmethod
    def children_are_there():
        jobs = json.loads(run([INKLING, "where", "--json"]).out)["jobs"]
        children = [j["job"] for j in jobs if j["program"].endswith(f"{SITUATIONS} unborn") and j["ranks"] == 2]
        return any(re.search(f"(?m)^ranks 0, 1: {WORK}; before MPI_Init$", run([INKLING, "where", str(c)]).out) for c in children)

    def test_zombie(self):
        """A rank that has died and whose end mpiexec, which is stopped, has not seen."""
        with Hanging("dies", 3) as job:
            self.assert_said(job, "^ranks 0, 2 wait for rank 1, which computes in dies", "^ranks 0, 2: MPI_Recv from 1")
            pid = job.pid(1)
            os.kill(job.process.pid, signal.SIGSTOP)
            os.kill(pid, signal.SIGKILL)
            try:
                self.assert_said(job, "^rank 1 is not there: ended, not started, or on another host; ranks 0, 2 wait for it$",
                                 "^ranks 0, 2: MPI_Recv from 1, tag 7", "^rank 1: not there: ended")
                with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                    self.assertEqual(stat.read().rsplit(")", 1)[1].split()[0], "Z", "it is still there")
            finally:
                os.kill(job.process.pid, signal.SIGCONT)

    def test_rank_before_init(self):
        program = f"[ $INKLING_JOB_RANK = 1 ] && exec sleep 60; exec '{SITUATIONS}' circle"
        with subprocess.Popen([MPIEXEC, "-n", "2", "sh", "-c", program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=environment()) as job:
            said = ""

            def is_said():
                nonlocal said
                said = run([INKLING, "where", str(job.pid)]).out
                return re.search(r"(?m)^rank 0: MPI_Comm_dup on 'MPI_COMM_WORLD' at .*, waits for rank 1; ", said)

            found = wait_for(is_said, 30)
            job.terminate()
        self.assertIsNotNone(found, said)
        self.assertRegex(said, "^rank 1 is not there: .*; rank 0 waits for it")
        self.assertRegex(said, "(?m)^rank 1: not there: ended, not started, or on another host$")

    def test_lists_jobs_and_takes_ranks(self):
        with Hanging("circle", 2) as job:
            self.assertEqual(job.ready, "ready\n")
            said = run([INKLING, "where"]).out
            self.assertRegex(said, rf"(?m)^{job.process.pid} +2 +\d.* s  .*situations circle$")
            ranks = json.loads(run([INKLING, "where", "--json"]).out)["jobs"]
            self.assertIn((job.process.pid, 2), [(j["job"], j["ranks"]) for j in ranks])
            of_rank = run([INKLING, "where", str(job.pid(1))])
            self.assertIn("MPI_Recv", of_rank.out)

    def test_quit_at_mpiexec(self):
        with Hanging("circle", 2) as job:
            self.assert_said(job, "^a circle")
            job.process.send_signal(signal.SIGQUIT)
            time.sleep(4)
            self.assertIsNone(job.process.poll(), "the job goes on")
        self.assertRegex(job.err, "(?m)^a circle: rank 0, which waits for 1, which waits for 0$")
        self.assertRegex(job.err, "(?m)^rank 1: MPI_Recv from 0, tag 3, on 'halo' at ")

    def test_end_of_the_time(self):
        result = run([MPIEXEC, "--timeout", "3", "-n", "2", SITUATIONS, "circle"])
        self.assertEqual(result.code, 124)
        lines = result.err.splitlines()
        self.assertRegex(lines[0], "^a circle: rank 0, which waits for 1, which waits for 0$")
        self.assertIn("not finished after 3 s", lines[-1])

    def test_death_of_an_awaited_rank(self):
        with Hanging("dies", 3) as job:
            self.assert_said(job, "^ranks 0, 2 wait for rank 1, which computes in dies", "^ranks 0, 2: MPI_Recv from 1")
            pid = job.pid(1)
            time.sleep(2)
            os.kill(pid, signal.SIGKILL)
            job.process.wait(LIMIT)
        lines = job.err.splitlines()
        self.assertEqual(lines[0], "rank 1 is not there: ended, not started, or on another host; ranks 0, 2 wait for it")
        self.assertIn("rank 1 on host ", lines[-1])

    def test_json_and_short_stops(self):
        with Hanging("circle", 2) as job:
            self.assert_said(job, "^a circle")
            stops = []
            for _ in range(20):
                view = job.view()
                self.assertEqual([r["threads"][0]["waits_for"] for r in view["ranks"]], [[1], [0]])
                self.assertEqual(view["ranks"][0]["threads"][0]["call"], "MPI_Recv")
                stops += [r["threads"][0]["stopped_ms"] for r in view["ranks"]]
            stops.sort()
            print(f"stopped for {stops[len(stops) // 2]} ms, at most {stops[-1]} ms", file=sys.stderr)
            self.assertLess(stops[len(stops) // 2], 20)

    def test_message_rates(self):
        """As --watch reads them, on another host or here."""
        with Hanging("paced", 2) as job:
            with subprocess.Popen([INKLING, "where", "--lines", "--watch", str(job.process.pid)], stdout=subprocess.PIPE, text=True,
                                  env=environment()) as watch:
                lines = []
                while sum(line == "job end\n" for line in lines) < 6:
                    lines.append(watch.stdout.readline())
                    if not lines[-1]:
                        self.skipTest("ptrace is not permitted here")
                watch.kill()
        rates = [float(line.split()[12]) for line in lines if line.startswith("0 rank ")][2:]
        answers = [float(line.split()[12]) for line in lines if line.startswith("1 rank ")][2:]
        print(f"messages a second: {rates}", file=sys.stderr)
        self.assertLess(abs(sorted(rates)[len(rates) // 2] - 2000), 100, rates)
        self.assertLess(max(answers), 10, answers)

    def test_screen(self):
        with Hanging("circle", 2) as job:
            self.assert_said(job, "^a circle")
            main_end, terminal = os.openpty()
            watch = subprocess.Popen([INKLING, "where", "--watch", str(job.process.pid)], stdin=terminal, stdout=terminal,
                                     stderr=terminal, env=environment(TERM="xterm", COLUMNS="120", LINES="40"))
            os.close(terminal)
            seen, begin = b"", time.monotonic()
            while time.monotonic() - begin < 30 and b"a circle" not in seen and b"ncurses" not in seen:
                seen += os.read(main_end, 4096)
            os.write(main_end, b"q")
            while True:
                try:
                    more = os.read(main_end, 4096)
                except OSError:
                    break
                if not more:
                    break
                seen += more
            code = watch.wait(LIMIT)
            os.close(main_end)
            if b"ncurses" in seen:
                self.skipTest("no ncurses here (Debian: libncurses-dev)")
            self.assertEqual(code, 0)
            self.assertIn(b"of 2 ranks here", seen)
            self.assertIn(b"waits in MPI", seen)
        result = run([INKLING, "where", "--watch", str(os.getpid())])
        self.assertEqual(result.code, 1)

    def of_copy(self, strip, place):
        """What is said of a copy of the program in which `strip` leaves less."""
        if not shutil.which("strip"):
            self.skipTest("no strip here (Debian: binutils)")
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "situations")
            subprocess.run(["strip", strip, "-o", program, SITUATIONS], check=True)
            with Hanging("posted", 2, program=program) as job:
                said = self.assert_said(job, "^rank 0 waits for rank 1, which computes ", "^rank 0: MPI_Wait for a send to 1, .* ")
            self.assertRegex(said, "1 collective posted " + place)
            with Hanging("wrong_tag", 2, program=program) as job:
                return self.assert_said(job, "^rank 0 waits for rank 1, which computes ", "^rank 0: MPI_Recv from 1, tag 7, on 'halo' ")

    def test_program_without_debug_information(self):
        said = self.of_copy("--strip-debug", r"in posted\(\)\+0x[0-9a-f]+")
        self.assertRegex(said, r"(?m)^rank 0: MPI_Recv from 1, tag 7, on 'halo' in receive\(\)\+0x[0-9a-f]+, waits for rank 1; ")
        self.assertRegex(said, r"(?m)^rank 1: computes in smooth\(\)\+0x[0-9a-f]+$")

    def test_stripped_program(self):
        said = self.of_copy("--strip-all", r"at 0x[0-9a-f]+ of situations")
        self.assertRegex(said, r"(?m)^rank 0: MPI_Recv from 1, tag 7, on 'halo' at 0x[0-9a-f]+ of situations, waits for rank 1; ")
        self.assertRegex(said, r"(?m)^rank 1: computes at 0x[0-9a-f]+ of situations$")

    def test_job_in_a_container(self):
        """With process numbers of its own: it is named by those of this host, and by the number that its mpiexec has in there."""
        spaces = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", *(["--user", "--map-root-user"] if os.getuid() else [])]
        if not shutil.which("unshare") or run([*spaces, "true"]).code:
            self.skipTest("no process namespaces here")
        with Hanging("circle", 2, around=spaces) as job:
            with open(f"/proc/{job.process.pid}/task/{job.process.pid}/children", encoding="ascii") as children:
                mpiexec = children.read().split()[0]
            found = wait_for(lambda: run([INKLING, "where", mpiexec]).out.startswith("a circle: rank 0, which waits for 1, "), 30)
            said = run([INKLING, "where", mpiexec])
            os.kill(int(mpiexec), signal.SIGTERM)  # unshare would not pass it on
            self.assertIsNotNone(found, said.out + said.err)

    def test_other_user(self):
        if os.getuid() or not shutil.which("setpriv"):
            self.skipTest("this takes root and setpriv (Debian: util-linux)")
        with Hanging("circle", 2) as job:
            pid = job.pid(1)
            with tempfile.TemporaryDirectory() as folder:  # one that the other user may enter
                os.chmod(folder, 0o755)
                command = shutil.copy(INKLING, folder)
                result = run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", command, "where", str(pid)])
            self.assertEqual(result.code, 1)
            self.assert_one_line(result.err, f"process {pid} may not be read: ask as its user or as root")

    def test_without_the_right_to_trace(self):
        """Of ranks that compute, and so tell nothing (told.py). mpiexec, which has no such filter of system calls, may look."""
        asks = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "untraced.py"), INKLING, "where"]
        if run([*asks[:2], "true"]).code:
            self.skipTest("no filters of system calls here")
        with Hanging("computing", 2) as job:
            self.assert_said(job, f"^ranks 0, 1: {WORK}$")
            rank = job.pid(1)
            for number in job.process.pid, rank:
                result = run([*asks, str(number)])
                self.assertEqual((result.code, result.out), (1, ""))
                self.assert_one_line(result.err, "2 of 2 ranks may not be read, and only what waits in MPI answers, as ptrace is not permitted here")
                self.assertRegex(result.err, f": ask as root, or with `kill -QUIT {job.process.pid}`, on which mpiexec says it")
            subprocess.run(re.search("`(kill -QUIT [0-9]+)`", run([*asks, str(rank)]).err)[1].split(), check=True)
            said = ""
            while "compute" not in said:
                said = job.process.stderr.readline()
                self.assertNotEqual(said, "", "mpiexec says it")
            self.assertIsNone(job.process.poll(), "the job goes on")
        self.assertRegex(said, f"^ranks? [01](, 1)?: {WORK}$")  # at different lines of the loop, perhaps

    def test_refuses_what_is_no_job(self):
        result = run([INKLING, "where", "1"])
        self.assertEqual(result.code, 1)
        self.assert_one_line(result.err, "inkling: where: ")
        result = run([INKLING, "where", "nonsense"])
        self.assertEqual(result.code, 1)
        self.assert_one_line(result.err, "there is no job or process 'nonsense'")


if __name__ == "__main__":
    main()
