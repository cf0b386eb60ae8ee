"""Exit codes, signals, aborts and time limits: the code, one line that says why, and quickly."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from shlex import quote

from launching import BIN, LIMIT, MPIEXEC, SANITIZER, SLOWNESS, STEPS, Case, Job, environment, main, mpiexec, run, wait_for

HOST = os.uname().nodename


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


class Deaths(Case):
    def check(self, code, words, *arguments):
        result = mpiexec(*arguments)
        self.assertEqual(result.code, code, result.err)
        self.assert_one_line(result.err, "mpiexec: ", *words)
        self.assertLess(result.seconds, 15)
        return result

    def test_exit_code_after_finalize(self):
        self.check(3, [f"rank 1 on host {HOST} exited with code 3 after MPI_Finalize"], "-n", 2, STEPS, "init",
                   "finalize", "@1", "exit", 3, "sleep", 100, "say", "x")

    def test_others_go_on_after_finalize(self):
        result = mpiexec("-n", 3, STEPS, "init", "finalize", "@1", "exit", 3, "sleep", 300, "say", "x")
        self.assertEqual((result.code, result.lines), (3, ["x", "x"]))

    def test_exit_without_finalize(self):
        for code, expected in ((0, 1), (5, 5)):
            self.check(expected, [f"rank 1 on host {HOST} exited with code {code} without MPI_Finalize",
                                  "ended the other 3 ranks"],
                       "-n", 4, STEPS, "init", "@1", "exit", code, "barrier", "finalize")

    def test_exit_before_init(self):
        self.check(4, [f"rank 2 on host {HOST} exited with code 4 before MPI_Init"], "-n", 3, STEPS, "@2", "exit", 4,
                   "init", "barrier", "finalize")

    def test_exit_zero_without_init(self):
        for steps in (["@1", "exit", 0, "init", "sleep", 20000], ["@1", "sleep", 200, "@1", "exit", 0, "init", "sleep", 20000]):
            self.check(1, [f"rank 1 on host {HOST} ended while the others wait for it"], "-n", 3, STEPS, *steps)

    def test_signals(self):
        for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT, signal.SIGTERM):
            advice = {signal.SIGKILL: ", perhaps for lack of memory: see dmesg; ended", signal.SIGTERM: "); ended"}.get(number, "core file; ended")
            self.check(128 + number, [f"rank 1 on host {HOST} died of signal {number.value} ({number.name},", advice,
                                      "ended the other 2 ranks"],
                       "-n", 3, STEPS, "init", "@1", "die", number.value, "barrier", "finalize")

    def test_abort(self):
        for code, expected in ((7, 7), (300, 300 & 255), (256, 1)):
            result = mpiexec("-n", 3, STEPS, "init", "@1", "abort", code, "barrier", "finalize")
            self.assertEqual(result.code, expected)
            self.assertIn(f"rank 1 on host {HOST} aborted the job with code {code}; ended the other 2 ranks\n",
                          result.err)
            self.assertEqual(result.err.count("MPI_Abort"), 1)
            self.assertLess(result.seconds, 15)

    def test_everyone_aborts_is_told_once(self):
        result = mpiexec("-n", 8, STEPS, "init", "abort", "9")
        self.assertEqual(result.code, 9)
        self.assertEqual(result.err.count("aborted the job"), 1)
        self.assertEqual(result.err.count("MPI_Abort"), 1)

    def check_held(self, *steps, begin="abort"):
        """What rank 0 holds in its buffer, while it does these steps, comes when rank 1 ends the job."""
        for command in ([STEPS], ["sh", "-c", f"{quote(STEPS)} \"$@\"; exit $?", "sh"]):
            start = time.monotonic()
            result = mpiexec("-n", 3, *command, "init", "@0", "hold", "held by 0", "barrier", "@1", "hold", "held by 1",
                             "@1", "sleep", "200", "@1", begin, 7, *steps)
            self.assertLess(time.monotonic() - start, 10 * SLOWNESS)  # half of what rank 0 sleeps
            self.assertEqual(result.code, 7 if begin == "abort" else 128 + 7, result.err)
            self.assertTrue("held by 0" in result.lines, steps)
            if begin == "abort":
                self.assertTrue("held by 1" in result.lines, steps)
        return result

    def test_output_held_in_a_call(self):
        self.check_held("barrier")

    def test_output_held_by_cxx(self):
        """std::cout has a buffer of its own where it is not synchronized with stdio."""
        if not shutil.which("c++"):
            self.skipTest("no C++ compiler here (Debian: g++)")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "held.cpp")
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "held")
            built = run([os.path.join(BIN, "mpicxx"), source, "-o", program])
            self.assertEqual(built.code, 0, built.err)
            result = mpiexec("-n", 2, program)
        self.assertEqual((result.code, result.lines), (3, ["held by 0", "held by 1"]), result.err)

    def test_cxx_without_a_stream(self):
        """A library brings C++'s along, but no part of the program has made std::cout."""
        preload = {} if SANITIZER else {"LD_PRELOAD": "libstdc++.so.6"}  # which has brought it
        said = run([STEPS, "init", "hold", "held", "abort", "3"], **preload)
        self.assertEqual((said.code, said.lines), (3, ["held"]), said.err)
        said = mpiexec("-n", 2, STEPS, "init", "hold", "held", "barrier", "@1", "abort", "3", "barrier", **preload)
        self.assertEqual((said.code, said.lines), (3, ["held", "held"]), said.err)

    def test_output_held_by_python(self):
        """Its stdout has a buffer of its own: held by a rank that waits, by one that computes in Python, and by the one that aborts."""
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "held.py")
        library = os.path.join(os.path.dirname(BIN), "lib", "libmpi_abi.so.1")
        result = mpiexec("-n", 3, "env", "-u", "PYTHONUNBUFFERED", sys.executable, "-S", script, library)
        self.assertEqual((result.code, result.lines), (3, ["held by 0", "held by 1", "held by 2"]), result.err)

    def test_output_held_while_computing(self):
        self.check_held("@0", "spin", "barrier")

    def test_output_held_while_asleep(self):
        self.check_held("@0", "sleep", "20000", "barrier")

    def test_output_held_at_a_death(self):
        self.check_held("barrier", begin="die")

    def test_output_held_while_printing(self):
        """Nothing is said twice, and lines stay as they are."""
        lines = self.check_held("@0", "mumble", "barrier").out.splitlines()
        numbers = [int(line) for line in lines if not line.startswith("held")]
        self.assertTrue(numbers[:-1] == list(range(len(numbers) - 1)))

    def test_output_held_while_waiting_for_input(self):
        steps = ["init", "@0", "hold", "held", "barrier", "@1", "sleep", "200", "@1", "abort", "7", "@0", "read", "barrier"]
        result = run(["bash", "-c", f"sleep 3 | {quote(MPIEXEC)} -n 2 {' '.join(map(quote, [STEPS, *steps]))}"])
        self.assertEqual((result.code, result.lines), (7, ["held"]), result.err)

    def test_own_handler_of_sigterm(self):
        result = mpiexec("-n", 2, STEPS, "@0", "catch", "15", "init", "barrier", "@0", "hold", "held", "@1", "abort", "7", "@0", "spin",
                         "barrier")
        self.assertEqual((result.code, result.lines), (7, ["caught 15"]), result.err)

    @unittest.skipUnless(os.path.exists(os.path.join(BIN, "mpifort")), "no Fortran in this build")
    def test_output_held_in_fortran(self):
        source = """
      program held
      include 'mpif.h'
      integer rank, ierr
      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      open(20, file='unit20')
      if (rank .eq. 0) write(*, *) 'held by', rank
      if (rank .eq. 0) write(20, *) 'held by', rank
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      if (rank .eq. 1) write(*, *) 'held by', rank
      if (rank .eq. 1) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      end
"""
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/held.f", "w", encoding="ascii") as file:
                file.write(source)
            built = run([os.path.join(BIN, "mpifort"), "-o", "held", "held.f"], cwd=folder)
            self.assertEqual(built.code, 0, built.err)
            with open(f"{folder}/out", "w", encoding="ascii") as out:
                subprocess.run([MPIEXEC, "-n", "2", f"{folder}/held"], stdout=out, stderr=subprocess.DEVNULL, cwd=folder,
                               env=environment(), timeout=LIMIT, check=False)
            for name, count in ("out", 2), ("unit20", 1):
                with open(f"{folder}/{name}", encoding="ascii") as file:
                    self.assertEqual(file.read().count("held by"), count, name)

    def because_of_a_death(self, *last):
        """mpiexec hears of both at once, and waits first for the rank that ends by itself; it names the rank that was killed."""
        with Job(2, STEPS, "init", "barrier", "@0", "ready", "a", "@1", "ready", "b", "@0", "sleep", "2000", *last,
                 "sleep", "60000") as job:
            self.assertIsNotNone(job.wait_ready(2))
            job.signal(signal.SIGSTOP)
            for pid in job.running("launch_steps"):
                with open(f"/proc/{pid}/environ", "rb") as environ:
                    if b"\0PMI_RANK=1\0" in environ.read():
                        os.kill(pid, signal.SIGKILL)
            self.assertIsNotNone(wait_for(lambda: not job.running("launch_steps")), "the rank that ends by itself is still there")
            job.signal(signal.SIGCONT)
            result = job.end()
            self.assertEqual(result.code, 137, result.err)
            self.assert_one_line(result.err, f"rank 1 on host {HOST} died of signal 9 (SIGKILL,")

    def test_abort_because_of_a_death(self):
        self.because_of_a_death("@0", "abort", "7")

    def test_exit_because_of_a_death(self):
        self.because_of_a_death("@0", "exit", "7")

    def test_survivors_that_ignore_sigterm(self):
        result = self.check(139, ["rank 0"], "-n", 3, STEPS, "ignore", 15, "init", "@0", "die", 11, "barrier")
        self.assertLess(result.seconds, 15)

    def test_timeout(self):
        result = mpiexec("--timeout", "0.3", "-n", 2, STEPS, "init", "sleep", 20000)
        self.assertEqual(result.code, 124, result.err)
        self.assertIn("not finished after 0.3 s (--timeout); ended the other 2 ranks", result.err.splitlines()[-1])
        self.assertLess(result.seconds, 15)

    def test_timeout_from_the_environment(self):
        result = mpiexec("-n", 2, STEPS, "sleep", 20000, MPIEXEC_TIMEOUT="0.3")
        self.assertEqual(result.code, 124)
        self.assertIn("not finished after 0.3 s (MPIEXEC_TIMEOUT)", result.err.splitlines()[-1])

    def test_in_time(self):
        self.assertEqual(mpiexec("--timeout", 30, STEPS, "say", "x").out, "x\n")

    def test_forwarded_signals(self):
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGINT):
            with Job(3, STEPS, "catch", str(number.value), "@0", "ready", "a", "@1", "ready", "b", "@2", "ready", "c",
                     "sleep", "600") as job:
                self.assertIsNotNone(job.wait_ready(3))
                job.signal(number)
                if number == signal.SIGQUIT:  # the first one asks what the ranks do
                    time.sleep(0.5)
                    self.assertIsNone(job.process.poll())
                    job.signal(number)
                result = job.end()
                self.assertEqual(result.lines, [f"caught {number.value:02}"] * 3)
                self.assertEqual(result.code, 0)

    def test_interrupt(self):
        with Job(3, STEPS, "init", "barrier", "@0", "ready", "a", "sleep", "20000") as job:
            job.wait_ready(1)
            job.signal(signal.SIGINT)
            result = job.end()
            self.assertEqual(result.code, 130)
            self.assert_one_line(result.err, "ended by SIGINT")

    def test_kill_mpiexec_with_a_daemon(self):
        """It has left its session, its parents and its environment, and closed what it inherited."""
        daemon = "exec 0<&- 1>&- 2>&-; sh -c 'echo $$ > new; mv new pid; exec sleep 600' &"
        with Job(1, "sh", "-c", f"(env -i setsid sh -c {quote(daemon)} &); exec sleep 600") as job:
            path = os.path.join(job.folder.name, "pid")
            self.assertIsNotNone(wait_for(lambda: os.path.exists(path)))
            with open(path, encoding="ascii") as file:
                pid = int(file.read())
            job.signal(signal.SIGKILL)
            self.assertIsNotNone(wait_for(lambda: not is_alive(pid)))

    def test_interrupt_of_a_job_that_goes_on(self):
        with Job(2, STEPS, "ignore", "2", "init", "barrier", "@0", "ready", "a", "sleep", "20000") as job:
            self.assertIsNotNone(job.wait_ready(1))
            job.signal(signal.SIGINT)
            time.sleep(2)
            job.signal(signal.SIGINT)
            result = job.end()
            self.assertEqual(result.code, 130)
            self.assertEqual(result.err.count("; a second ^C ends it at once\n"), 1, result.err)

    def test_second_interrupt_kills(self):
        with Job(2, STEPS, "ignore", "2", "ignore", "15", "init", "barrier", "@0", "ready", "a", "sleep",
                 "20000") as job:
            job.wait_ready(1)
            job.signal(signal.SIGINT)
            time.sleep(0.2)
            job.signal(signal.SIGINT)
            self.assertEqual(job.end().code, 130)

    def test_nohup(self):
        with Job(2, STEPS, "init", "barrier", "@0", "ready", "a", "sleep", "1500", "finalize",
                 launcher=["nohup"]) as job:
            self.assertIsNotNone(job.wait_ready(1))
            for _ in range(2):
                job.signal(signal.SIGHUP)
                time.sleep(0.2)
            result = job.end()
            self.assertEqual((result.code, result.err), (0, ""))

    def test_stopped_ranks_are_told(self):
        for number in (signal.SIGSTOP, signal.SIGTTOU, signal.SIGTTIN):
            with Job(3, STEPS, "init", "barrier", "@0", "ready", "a", "sleep", "1500", "finalize") as job:
                self.assertIsNotNone(job.wait_ready(1))
                for pid in job.ranks():
                    os.kill(pid, number)
                time.sleep(1.5)
                job.signal(signal.SIGCONT)
                result = job.end()
                self.assertEqual(result.code, 0)
                self.assert_one_line(result.err, f"ranks 0-2: stopped by {number.name}", f"kill -CONT {job.process.pid}")

    def test_termination_of_stopped_ranks(self):
        with Job(2, STEPS, "init", "barrier", "@0", "ready", "a", "@1", "ready", "b", "sleep", "20000") as job:
            self.assertIsNotNone(job.wait_ready(2))
            for pid in job.ranks():
                os.kill(pid, signal.SIGSTOP)
            start = time.monotonic()
            job.signal(signal.SIGTERM)
            result = job.end()
            self.assertEqual(result.code, 143)
            self.assertIn("ended by SIGTERM", result.err)
            self.assertLess(time.monotonic() - start, 10)

    def test_suspend_and_continue(self):
        def states():
            found = []
            for pid in job.ranks() + [job.process.pid]:
                with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
                    found.append(stat.read().rsplit(")", 1)[1].split()[0])
            return found

        with Job(2, STEPS, "init", "barrier", "@0", "ready", "a", "sleep", "1500", "finalize") as job:
            job.wait_ready(1)
            job.signal(signal.SIGTSTP)
            self.assertIsNotNone(wait_for(lambda: states().count("T") == 3), states())
            job.signal(signal.SIGCONT)
            self.assertIsNotNone(wait_for(lambda: "T" not in states()))
            self.assertEqual(job.end().code, 0)


if __name__ == "__main__":
    main()
