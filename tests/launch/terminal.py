"""A terminal that stops who writes to it from behind (stty tostop): each rank is a group of its own, and so behind."""
import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import termios
import time

from launching import LIMIT, MPIEXEC, SLOWNESS, STEPS, Case, environment, main, marked, mpiexec

MARK = f"TERMINAL_MARK_{os.getpid()}"


def set_tostop(terminal, on):
    modes = termios.tcgetattr(terminal)
    modes[3] = modes[3] | termios.TOSTOP if on else modes[3] & ~termios.TOSTOP
    termios.tcsetattr(terminal, termios.TCSANOW, modes)


def be_shell(in_front, command):
    """Says what becomes of the job. The terminal's session is its own."""
    def begin():
        os.setpgrp()
        if in_front:
            os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)

    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    set_tostop(0, True)
    with subprocess.Popen(command, env=environment(**{MARK: "1"}), preexec_fn=begin) as job:
        while True:
            _, status = os.waitpid(job.pid, os.WUNTRACED)
            if not os.WIFSTOPPED(status):
                os.write(1, f"shell: ended with {os.waitstatus_to_exitcode(status)}\n".encode())
                os._exit(0)
            os.write(1, f"shell: {job.pid} {signal.Signals(os.WSTOPSIG(status)).name}\n".encode())


class Terminal(Case):
    def read_until(self, pattern):
        end = time.monotonic() + LIMIT
        while not re.search(pattern, self.said):
            self.assertLess(time.monotonic(), end, self.said)
            if select.select([self.terminal], [], [], 0.1)[0]:
                self.said += os.read(self.terminal, 4096).decode(errors="replace")
        return re.search(pattern, self.said)

    def stop_and_go_on(self, in_front, pattern, *options):
        self.said = ""
        shell, self.terminal = pty.fork()
        if shell == 0:
            be_shell(in_front, [MPIEXEC, "-n", "2", *options, STEPS, "init", "say", "x", "barrier", "finalize"])
        try:
            told = self.read_until(pattern)
            self.assertNotIn("x\r\n", self.said)
            set_tostop(self.terminal, False)
            os.kill(int(told[1]), signal.SIGCONT)
            self.read_until("shell: ended with 0")
        finally:
            os.kill(shell, signal.SIGKILL)
            os.waitpid(shell, 0)
            os.close(self.terminal)
            for pid in marked(MARK):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self.assertEqual(self.said.count("x\r\n"), 2, self.said)
        if options:
            self.assertRegex(self.said, "ranks 0-1: stopped by SIGTTOU.*stty -tostop")

    def at_terminal(self, *arguments):
        """What a job says on a terminal that is in front."""
        self.said = ""
        shell, self.terminal = pty.fork()
        if shell == 0:
            os.execve(MPIEXEC, [MPIEXEC, *arguments], environment())
        try:
            self.read_until("over\r\n")
        finally:
            os.waitpid(shell, 0)
            os.close(self.terminal)
        return self.said

    LATE = ("-n", "2", STEPS, "init", "barrier", "finalize", ":", "-n", "2", STEPS, "sleep", "4500", "init", "barrier", "@3", "say", "over", "finalize")

    def test_slow_start(self):
        said = self.at_terminal(*self.LATE)
        self.assertEqual(said.count("mpiexec: 2 of 4 ranks are in MPI after 3 s; waiting for ranks 2-3\r\n"), 1, said)
        self.assertEqual(said.count("mpiexec"), 1, said)

    def test_slow_start_of_what_is_no_mpi(self):
        self.assertEqual(self.at_terminal("-n", "1", "sh", "-c", "sleep 3.5; echo over"), "over\r\n")

    def test_slow_start_in_a_pipe(self):
        self.assertEqual(mpiexec(*self.LATE).err, "")

    def test_in_front(self):
        """mpiexec may write, and says what keeps the ranks."""
        self.stop_and_go_on(True, r"ranks 0-1: stopped by SIGTTOU.*kill -CONT (\d+)", "--direct-output")

    def test_behind(self):
        """mpiexec is stopped, too, as it says so: its shell sees that."""
        self.stop_and_go_on(False, r"shell: (\d+) SIGTTOU", "--direct-output")

    def test_mpiexec_behind(self):
        """It writes for the ranks, and is stopped for them."""
        self.stop_and_go_on(False, r"shell: (\d+) SIGTTOU")

    def test_ranks_have_terminals(self):
        """Of mpiexec's size, each line comes at once, and no byte is changed."""
        script = "test -t 1 && test -t 2 && printf 'a\\n' && stty size <&1 && sleep 1.5 && test $PMI_RANK = 1 && echo over"
        self.said = ""
        shell, self.terminal = pty.fork()
        if shell == 0:
            subprocess.run(["stty", "rows", "33", "cols", "77"], check=True)
            os.execve(MPIEXEC, [MPIEXEC, "-n", "2", "sh", "-c", script + "; exit 0"], environment())
        try:
            self.read_until(r"(?s)a\r\n.*a\r\n")
            self.assertNotIn("over", self.said)
            self.read_until("over\r\n")
        finally:
            os.waitpid(shell, 0)
            os.close(self.terminal)
        self.assertEqual(sorted(self.said.splitlines()), ["33 77", "33 77", "a", "a", "over"], self.said)

    def test_question(self):
        """A part of a line that its rank waits for an answer to comes soon."""
        script = "test $PMI_RANK = 0 || exit 0; printf 'how many? '; read n; echo over $n"
        self.said = ""
        shell, self.terminal = pty.fork()
        if shell == 0:
            os.execve(MPIEXEC, [MPIEXEC, "-n", "2", "sh", "-c", script], environment())
        try:
            begin = time.monotonic()
            self.read_until("how many\\? ")
            self.assertLess(time.monotonic() - begin, 1.0 * SLOWNESS)
            os.write(self.terminal, b"7\n")
            self.read_until("over 7\r\n")
        finally:
            os.waitpid(shell, 0)
            os.close(self.terminal)


if __name__ == "__main__":
    main()
