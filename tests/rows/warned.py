"""warned.py MPIEXEC PROGRAM: of some rows of docs/TOLERANCES.md the library warns itself, once, and names what is meant."""

import subprocess
import sys

LINES = ["the weights of edges differ between their two ends, and each end keeps its own; edge 0 to 1 has weight 5 at 0 and 1 at 1",
         "the edges that ranks name as incoming are not those that ranks name as outgoing; the edge from 0 to 1 is not named alike at both ends"]


def main(mpiexec, program):
    run = subprocess.run([mpiexec, "-n", "3", program], capture_output=True, text=True, check=False)
    for line in LINES:
        if run.returncode or run.stderr.count(line) != 1:
            return f"exit code {run.returncode}; not once: {line}\n{run.stderr}"
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
