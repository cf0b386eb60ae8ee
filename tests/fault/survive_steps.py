"""mpiexec --survive: a rank dies at each step of each kind of program (survive_steps.c).

A run takes each step with one rank and one way to die, by turns; SURVIVE_ALL=1: with all of them. SURVIVE_KINDS: only these."""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import SLOWNESS, STEPS, Case, main, mpiexec  # noqa: E402

PROGRAM = os.path.join(os.path.dirname(STEPS), "fault_survive_steps")
KINDS = os.environ.get("SURVIVE_KINDS", "").split()
ALL = os.environ.get("SURVIVE_ALL", "0") != "0"
DEATHS = ("kill", "inside", "exit")


def table(kind):
    """(ranks, victim, step, death): what to try."""
    steps = int(subprocess.run([PROGRAM, kind], stdout=subprocess.PIPE, check=True, timeout=60).stdout)
    for step in range(steps + 1):
        for turn in range(9) if ALL else [(step + 1) * 4 % 9]:
            ranks = 3 + (step + turn) % 2
            yield ranks, (0, ranks - 1, 1)[turn // 3], step, DEATHS[turn % 3]


class Steps(Case):
    maxDiff = None

    def go_through(self, kind):
        if KINDS and kind not in KINDS:
            raise unittest.SkipTest("not in SURVIVE_KINDS")
        wrong = []
        with tempfile.TemporaryDirectory() as folder:
            for ranks, victim, step, death in table(kind):
                what = f"{kind}, rank {victim} of {ranks}, step {step}, {death}"
                result = mpiexec("--survive", "--timeout", 10 * SLOWNESS, "-n", ranks, PROGRAM, kind, victim, step, death,
                                 INKLING_CONNECT_TIMEOUT="500ms",
                                 SURVIVE_LIMIT=str(1.0 * SLOWNESS), SURVIVE_FILE=os.path.join(folder, "data"))
                if result.code != 0:
                    wrong.append(f"{what}: code {result.code}: {result.err}")
        self.assertEqual(wrong, [])


for name in ("fence", "locks", "everybody", "partners", "dynamic", "files", "pointers", "persistent", "partitioned", "making", "inter",
             "spawning", "connecting"):
    setattr(Steps, f"test_{name}", lambda self, kind=name: self.go_through(kind))

if __name__ == "__main__":
    main()
