"""Standard streams: input to rank 0, output without loss, labels."""
import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from shlex import quote

from launching import LIMIT, MPIEXEC, SLOWNESS, STEPS, Case, environment, main, mpiexec, run, wait_for


def open_terminal(test):
    try:
        return pty.openpty()
    except OSError as error:
        test.skipTest(f"no terminal can be made here: {error}")


def unread(pipe):
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"0123"))[0]


def seconds_used(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def is_stuck(pipe):
    """Its writer has more to say, and finds no room any more."""
    before = unread(pipe)
    time.sleep(0.5)
    return before > 0 and unread(pipe) == before
ON_SELF = 'MPI_Comm_set_info on communicator "MPI_COMM_SELF": '


class Output(Case):
    def test_input_goes_to_rank_0(self):
        text = "".join(f"line {i}\n" for i in range(20000))
        self.assertEqual(mpiexec("-n", 3, STEPS, "read", stdin=text).out, text)
        self.assertEqual(mpiexec("-n", 2, "--label", STEPS, "read", stdin="a\nb\n").out, "[0] a\n[0] b\n")

    def test_closed_streams(self):
        result = run(["sh", "-c", f"exec {quote(MPIEXEC)} -n 2 {quote(STEPS)} init barrier finalize read <&- 2>&-"])
        self.assertEqual((result.code, result.out), (0, ""))

    def test_input_from_a_terminal(self):
        here, there = open_terminal(self)
        with subprocess.Popen([MPIEXEC, "-n", "2", STEPS, "read"], stdin=there, stdout=subprocess.PIPE, text=True,
                              env=environment(), start_new_session=True,
                              preexec_fn=lambda: __import__("fcntl").ioctl(0, 0x540E, 0)) as process:
            os.close(there)
            os.write(here, b"typed\n\x04")
            out, _ = process.communicate(timeout=LIMIT)
        os.close(here)
        self.assertEqual((process.returncode, out), (0, "typed\n"))

    def test_labels(self):
        result = mpiexec("-n", 3, "--label", STEPS, "say", "out", "complain", "err")
        self.assertEqual(result.lines, [f"[{r}] out" for r in range(3)])
        self.assertEqual(sorted(result.err.splitlines()), [f"[{r}] err" for r in range(3)])

    def test_unfinished_and_long_lines(self):
        self.assertEqual(mpiexec("--label", "printf", "a\n\nb").out, "[0] a\n[0] \n[0] b\n")
        script = "head -c 200000 /dev/zero | tr '\\0' x; echo; echo end"
        lines = mpiexec("-l", "sh", "-c", script).out.splitlines()
        self.assertEqual(sum(line.count("x") for line in lines), 200000)
        self.assertTrue(all(line.startswith("[0] ") for line in lines))
        self.assertEqual(lines[-1], "[0] end")

    def test_nothing_is_lost(self):
        script = "for i in $(seq 3000); do echo line $i; done"
        for options in ([], ["--label"], ["--direct-output"]):
            result = mpiexec("-n", 4, *options, "sh", "-c", script)
            self.assertEqual((result.code, result.out.count("\n")), (0, 12000))

    def test_last_words_of_a_crash(self):
        for options in ([], ["--label"], ["--direct-output"]):
            result = mpiexec("-n", 2, *options, STEPS, "@1", "say", "last words", "@1", "die", "9", "sleep", "20000")
            self.assertEqual(result.code, 137)
            self.assertIn("last words\n", result.out)

    def test_reader_goes_away(self):
        for options in ("", "--label", "--direct-output"):
            result = run(["bash", "-c", f"{quote(MPIEXEC)} {options} -n 2 yes | head -n 1; exit ${{PIPESTATUS[0]}}"])
            self.assertEqual(result.out.count("\n"), 1)
            self.assertEqual(result.code, 128 + 13, result.err)

    def test_warnings_that_ranks_say_alike(self):
        said = ON_SELF + 'info key "mpi_assert_no_any_tga" is not known and changes nothing; did you mean "mpi_assert_no_any_tag"?'
        misspell = ("misspell", "mpi_assert_no_any_tga")
        for options in ([], ["--label"]):
            result = mpiexec("-n", 4, *options, STEPS, "init", *misspell, *misspell, "barrier", "finalize")
            self.assertEqual((result.code, result.err), (0, f"inkling: warning: ranks 0-3: {said}\n"))
        self.assertEqual(mpiexec("-n", 1, STEPS, "init", *misspell, "finalize").err, f"inkling: warning: {said}\n")
        self.assertEqual(run([STEPS, "init", *misspell, "finalize"]).err, f"inkling: warning: {said}\n")
        some = [word for rank in (0, 1, 3) for word in (f"@{rank}", *misspell)]
        result = mpiexec("-n", 4, STEPS, "init", *some, "@2", "misspell", "mpi_assert_no_any_tgg", "barrier", "finalize")
        self.assertEqual(sorted(result.err.splitlines()),
                         [f"inkling: warning: rank 2: {said.replace('tga', 'tgg')}",
                          f"inkling: warning: ranks 0-1, 3: {said}"])

    def test_warnings_come_soon(self):
        """Also when the other ranks never say the same."""
        command = [MPIEXEC, "-n", "2", STEPS, "init", "@1", "misspell", "mpi_assert_no_any_tga", "sleep", "20000"]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              env=environment()) as process:
            line = process.stderr.readline()
            running = process.poll() is None
            process.terminate()
            process.communicate(timeout=LIMIT)
        self.assertTrue(running)
        self.assertTrue(line.startswith(f"inkling: warning: rank 1: {ON_SELF}info key"), line)

    def test_warnings_of_a_rank_that_dies(self):
        result = mpiexec("-n", 3, STEPS, "init", "misspell", "mpi_assert_no_any_tga", "barrier", "@1", "misspell",
                         "mpi_assert_exact_lenght", "@1", "die", "9", "sleep", "20000")
        lines = result.err.splitlines()
        self.assertEqual(result.code, 137)
        self.assertEqual([line.split(f": {ON_SELF}info key")[0] for line in lines[:2]],
                         ["inkling: warning: ranks 0-2", "inkling: warning: rank 1"], result.err)
        self.assertTrue(lines[2].startswith("mpiexec: rank 1"), result.err)

    def test_terminal_output(self):
        """A rank writes straight to mpiexec's own output."""
        here, there = open_terminal(self)
        with subprocess.Popen([MPIEXEC, "-n", "1", "sh", "-c", "test -t 1 && echo yes"], stdin=subprocess.DEVNULL,
                              stdout=there, env=environment()) as process:
            os.close(there)
            seen = b""
            self.assertIsNotNone(wait_for(lambda: process.poll() is not None))
            seen = os.read(here, 100)
        os.close(here)
        self.assertEqual((process.returncode, seen), (0, b"yes\r\n"))


# Rank N writes lines of N alone, most in two pieces.
PIECES = """
import os, random, sys
rank, chance = os.environ["PMI_RANK"], random.Random(int(os.environ["PMI_RANK"]))
for number in range(200):
    line = (rank * chance.choice((1, 30, 300, 30000 if number % 20 == 0 else 2)) + "\\n").encode()
    cut = chance.randrange(len(line) + 1)
    for piece in line[:cut], line[cut:]:
        while piece:
            piece = piece[os.write(1 + number % 2, piece):]
"""


class Lines(Case):
    """Lines of several ranks do not mix."""

    def check(self, text, ranks=8):
        lines = text.split("\n")
        self.assertEqual(lines.pop(), "")
        self.assertEqual([line for line in lines if len(set(line)) != 1], [])
        self.assertEqual({line[0]: lines.count(line[0]) for line in lines}.keys(), set(map(str, range(ranks))))
        self.assertEqual(len(lines), ranks * 200)

    def program(self, redirect):
        return run(["bash", "-c", f"{quote(MPIEXEC)} -n 8 {quote(sys.executable)} -c {quote(PIECES)} {redirect}"])

    def test_pipe(self):
        self.check(self.program("2>&1 | cat").out)

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            self.program(f">{quote(folder)}/out 2>&1")
            with open(f"{folder}/out", encoding="ascii") as file:
                self.check(file.read())

    def test_slow_reader(self):
        self.check(self.program("2>&1 | (sleep 1; cat)").out)

    def test_long_line(self):
        """As long as no line is longer than the limit that the memory has."""
        script = "head -c 900000 /dev/zero | tr '\\0' $PMI_RANK; echo"
        lines = mpiexec("-n", 4, "sh", "-c", script).lines
        self.assertEqual(lines, [str(rank) * 900000 for rank in range(4)])

    def test_no_lines(self):
        """Bytes of any kind come as they are, also without an end of a line."""
        for script in "head -c 5000000 /dev/zero; printf x", "printf 'a\\r\\0\\nb'", "printf x":
            alone = run(["sh", "-c", script]).out
            self.assertEqual(mpiexec("-n", 2, "sh", "-c", f"test $PMI_RANK = 1 || exit 0; {script}").out, alone)

    def test_question(self):
        """A part of a line comes after a while, and all of it."""
        script = "test $PMI_RANK = 0 || exec sleep 600; printf 'how many? '; exec sleep 600"
        with subprocess.Popen([MPIEXEC, "-n", "2", "sh", "-c", script], stdout=subprocess.PIPE,
                              env=environment()) as job:
            self.assertEqual(os.read(job.stdout.fileno(), 100), b"how many? ")
            job.terminate()

    def test_killed(self):
        """What a rank has written before it is killed is there, before the line that says so."""
        result = run(["bash", "-c", f"{quote(MPIEXEC)} -n 2 sh -c 'test $PMI_RANK = 1 || exec sleep 600; printf x; kill -9 $$' 2>&1"])
        self.assertTrue(result.out.startswith("xmpiexec: rank 1"), result.out)

    def test_full(self):
        """A rank cannot write either once mpiexec cannot."""
        with open("/dev/full", "w", encoding="ascii") as full:
            ended = subprocess.run([MPIEXEC, "-n", "2", "yes"], stdout=full, stderr=subprocess.PIPE, text=True,
                                   env=environment(), timeout=LIMIT, check=False)
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("No space left on device", ended.stderr)

    def test_stuck_output_keeps_no_error(self):
        with subprocess.Popen([MPIEXEC, "-n", "2", "sh", "-c", "test $PMI_RANK = 0 && exec yes; sleep 1; echo x >&2; exec sleep 600"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as job:
            self.assertEqual(os.read(job.stderr.fileno(), 100), b"x\n")
            job.terminate()
            job.stdout.close()

    def test_direct(self):
        """The ranks have the descriptor itself."""
        script = "test $PMI_RANK = 1 || exit 0; readlink /proc/$$/fd/1"
        for option, same in ("--direct-output", True), ("--bind-to=none", False):
            with tempfile.NamedTemporaryFile() as out:
                subprocess.run([MPIEXEC, option, "-n", "2", "sh", "-c", script], stdout=out, env=environment(),
                               timeout=LIMIT, check=True)
                with open(out.name, encoding="utf-8") as file:
                    self.assertEqual(file.read() == out.name + "\n", same)

    def test_few_descriptors(self):
        """A job that has none to spare runs all the same."""
        result = run(["bash", "-c", f"ulimit -n 80; {quote(MPIEXEC)} -n 8 echo x"])
        self.assertEqual((result.code, result.out), (0, 8 * "x\n"), result.err)


class Readers(Case):
    """Those of mpiexec's output, with --label."""

    def test_stuck(self):
        """Who does not read keeps mpiexec neither from the time limit nor from a signal."""
        for limit in ["--timeout", "1"], []:
            begin = time.monotonic()
            with subprocess.Popen([MPIEXEC, *limit, "--label", "-n", "2", "yes", "x" * 100], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, env=environment()) as job:
                if not limit:
                    time.sleep(1)
                    job.terminate()
                job.wait(LIMIT)
                self.assertLess(time.monotonic() - begin, 1 + 4 * SLOWNESS, limit)
                self.assertEqual(job.returncode, 124 if limit else 143)
                job.stdout.close()

    def test_dead_rank_while_stuck(self):
        """A rank that is killed while nobody reads ends the job, and the other stream says why."""
        with tempfile.TemporaryDirectory() as folder:
            name = f"{folder}/pid"
            script = f"test $PMI_RANK = 0 && exec yes; echo $$ >{quote(name)}.new; mv {quote(name)}.new {quote(name)}; exec sleep 1000"
            with subprocess.Popen([MPIEXEC, "--label", "-n", "2", "sh", "-c", script], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, env=environment(), text=True) as job:
                self.assertIsNotNone(wait_for(lambda: os.path.exists(name) and is_stuck(job.stdout), LIMIT))
                begin = time.monotonic()
                with open(name, encoding="ascii") as file:
                    os.kill(int(file.read()), signal.SIGKILL)
                job.wait(LIMIT)
                self.assertLess(time.monotonic() - begin, 1 + 4 * SLOWNESS)
                self.assertEqual(job.returncode, 128 + signal.SIGKILL)
                self.assertIn("rank 1", job.stderr.read())
                job.stdout.close()

    def test_a_reader_that_comes_back(self):
        """mpiexec has nothing to do once all is read."""
        with subprocess.Popen([MPIEXEC, "sh", "-c", "yes | head -c 300000; exec sleep 1000"], stdout=subprocess.PIPE,
                              env=environment()) as job:
            self.assertIsNotNone(wait_for(lambda: is_stuck(job.stdout), LIMIT))
            self.assertEqual(len(job.stdout.read(300000)), 300000)
            before = seconds_used(job.pid)
            time.sleep(0.5)
            used = seconds_used(job.pid) - before
            job.terminate()
            self.assertLess(used, 0.05)

    def test_slow(self):
        """All of it comes, in whole lines, though the pipe is full again and again."""
        script = "i=0; while [ $i -lt 3000 ]; do echo $i-" + 200 * "x" + "; i=$((i+1)); done"
        with subprocess.Popen([MPIEXEC, "--label", "-n", "2", "sh", "-c", script], stdout=subprocess.PIPE,
                              env=environment(), text=True) as job:
            time.sleep(1)
            lines = job.stdout.readlines()
        self.assertEqual(job.returncode, 0)
        for rank in range(2):
            self.assertEqual([line for line in lines if line.startswith(f"[{rank}]")],
                             [f"[{rank}] {i}-{200 * 'x'}\n" for i in range(3000)])

    def test_full(self):
        """Output that is lost is told, and is no success."""
        with open("/dev/full", "w", encoding="ascii") as full:
            ended = subprocess.run([MPIEXEC, "--label", "-n", "1", "echo", "x"], stdout=full, stderr=subprocess.PIPE,
                                   text=True, env=environment(), timeout=LIMIT, check=False)
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("No space left on device", ended.stderr)


if __name__ == "__main__":
    main()
