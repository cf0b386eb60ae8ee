"""What the tests of mpiexec share. Each test file is run as: python3 FILE BIN STEPS, where BIN is the folder of
the commands and STEPS the program of steps.c."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

BIN = os.path.abspath(sys.argv[1]) if len(sys.argv) > 2 else ""
STEPS = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else ""
MPIEXEC = os.path.join(BIN, "mpiexec")
SANITIZER = os.environ.get("SANITIZER", "")  # the build's, as for -fsanitize=; "": none
SLOWNESS = 5 if SANITIZER else 1  # as in tests/CMakeLists.txt
LIMIT = 50 * SLOWNESS
SKIPPED = 77
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup


class Result:
    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds
        self.lines = sorted(out.splitlines())


def environment(**more):
    """Ours, without what a launcher around the tests may have left, and with `more`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PMI", "INKLING_JOB_", "OMPI", "MPIEXEC"))}
    kept.update(more)
    return kept


def run(command, stdin=None, cwd=None, **env):
    start = time.monotonic()
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=LIMIT, cwd=cwd,
                          stdin=subprocess.DEVNULL if stdin is None else None, env=environment(**env), check=False)
    return Result(done.returncode, done.stdout, done.stderr, time.monotonic() - start)


def mpiexec(*arguments, **options):
    return run([MPIEXEC, *map(str, arguments)], **options)


def marked(mark):
    """Processes whose environment has the mark."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environ, open(f"/proc/{pid}/stat", "rb") as stat:
                dead = stat.read().rsplit(b")", 1)[1].split()[0] in (b"Z", b"X")
                if mark.encode() in environ.read() and not dead:
                    with open(f"/proc/{pid}/comm", encoding="utf-8") as comm:
                        found[int(pid)] = comm.read().strip()
        except OSError:
            pass
    return found


def wait_for(condition, seconds=10.0):
    """Waits until the condition holds; returns for how long, None if it never did."""
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        if condition():
            return time.monotonic() - start
        time.sleep(0.01)
    return None


class Job:
    """A job in the background, whose ranks each make a file when they are ready."""

    def __init__(self, ranks, *program, options=(), launcher=()):
        self.mark = f"LAUNCH_MARK_{uuid.uuid4().hex}"
        self.folder = tempfile.TemporaryDirectory()
        command = [*launcher, MPIEXEC, "-n", str(ranks), *options, *program]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, cwd=self.folder.name,
                                        env=environment(**{self.mark: "1"}))

    def wait_ready(self, files):
        return wait_for(lambda: len(os.listdir(self.folder.name)) >= files)

    def running(self, name=None):
        return [pid for pid, comm in marked(self.mark).items()
                if pid != self.process.pid and (name is None or comm == name)]

    def ranks(self):
        return [pid for pid in self.running() if marked(self.mark).get(pid) not in ("inkling-guard",)]

    def signal(self, number):
        os.kill(self.process.pid, number)

    def end(self):
        out, err = self.process.communicate(timeout=LIMIT)
        return Result(self.process.returncode, out, err, 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.running():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.folder.cleanup()


class Case(unittest.TestCase):
    def assert_one_line(self, text, *words):
        """One line of mpiexec's, with all these words; before it who waits, where ranks have waited for long for one that died."""
        *report, last = text.splitlines(keepends=True) or [""]
        self.assertEqual([line for line in report if not line.startswith("rank") or not last.startswith("mpiexec: ")], [], text)
        self.assertTrue(last.endswith("\n"), text)
        for word in words:
            self.assertIn(word, last)


def main(names=sys.argv[3:]):
    """Runs the tests of these names, or all. When none could run, CTest is told so."""
    result = unittest.main(argv=[sys.argv[0], *names], verbosity=2, exit=False).result
    if result.wasSuccessful() and result.skipped and result.testsRun <= len(result.skipped):
        print(*sorted({f"skipped: {reason}" for _, reason in result.skipped}), sep="\n")
        sys.exit(SKIPPED)
    sys.exit(not result.wasSuccessful())
