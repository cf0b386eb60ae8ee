"""Memory is out in one rank while all make an object: see no_memory_agreed.c."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import MPIEXEC, STEPS, Case, main, run  # noqa: E402

PROGRAM = os.path.join(os.path.dirname(STEPS), "fault_no_memory_agreed")
TRIES = 20  # one of ten meets a message that cannot be kept, which ends the job


class Agreed(Case):
    def test_agreed(self):
        for ranks in 2, 3:
            for _ in range(TRIES):
                result = run([MPIEXEC, "--timeout", "60", "-n", str(ranks), PROGRAM])
                if result.code == 0:
                    break
                self.assertIn("no memory to keep a message of", result.err, ranks)
            self.assertEqual((result.code, result.err), (0, ""), ranks)


if __name__ == "__main__":
    main()
