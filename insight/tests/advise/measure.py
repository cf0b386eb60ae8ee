"""measure.py BIN LATE DRIFT: inkling advise --measure of a program that a hint makes faster, of one whose times say nothing, and of what
cannot be measured."""
import pathlib
import re
import subprocess
import sys
import tempfile

BIN, LATE, DRIFT = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]


def measure(folder, *words):
    return subprocess.run([BIN / "inkling", "advise", "--measure", *words], cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=100)


def main(folder):
    done = measure(folder, "-n", "2", LATE)
    assert done.returncode == 0, done.stderr
    assert "mpi_assert_exact_length=true@MPI_COMM_WORLD" in (folder / "inkling-advice/hints.txt").read_text(), done.stderr
    ratio = re.search(r"^ratio +([\d.]+) \(half of the turns: ([\d.]+) to ([\d.]+)\)$", done.stdout, re.M)
    assert ratio and float(ratio[2]) <= float(ratio[1]) <= float(ratio[3]) < 0.9, done.stdout
    assert "The hints pay: they save" in done.stdout, done.stdout
    done = measure(folder, "-n", "2", DRIFT)
    assert done.returncode == 0 and "There is no difference that this measurement can tell" in done.stdout, done.stdout + done.stderr
    done = measure(folder, "-n", "1", LATE, "nothing")
    assert done.returncode != 0, "a program that fails is not measured"
    done = measure(folder)
    assert done.returncode == 1 and "needs a program" in done.stderr, done.stderr
    done = subprocess.run([BIN / "inkling", "info", "--measure", LATE], capture_output=True, text=True)
    assert done.returncode == 1 and "nothing to measure" in done.stderr, done.stderr


with tempfile.TemporaryDirectory() as name:
    main(pathlib.Path(name))
