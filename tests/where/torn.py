"""Reads that find a process in the middle of a change (torn.c): what they bring is recognised and read again, never said. Run as:
python3 torn.py BIN SITUATIONS ASKING [NAME...]."""
import os
import re
import subprocess
import sys

ASKING = os.path.abspath(sys.argv.pop(3))
TIMES, EACH = 60, 30  # askings; one in so many reads is torn

from situations import WORK, Hanging, Situations, main, run  # noqa: E402

ENDS = r"; since \S+ s; (sleeps?|polls?|1 sleep, 1 polls)$"
RANKS_WORK = [rf"^ranks 1, 2: {WORK}$", rf"^rank [12]: {WORK}$"]  # apart, where they are at two lines of the loop
CASES = {
    "gather": [rf"^rank 0 waits for rank 1, which {WORK}$", rf"^rank 0: MPI_Gather on 'halo' at \S+, waits for rank 1{ENDS}", *RANKS_WORK],
    "lock": [rf"^ranks 1, 2 wait for rank 0, which {WORK}; has locked rank 0 of window 'table'$",
             rf"^ranks 1, 2: MPI_Win_lock of rank 0 on window 'table' at \S+, waits for rank 0, which has locked it{ENDS}",
             rf"^rank 0: {WORK}; has locked rank 0 of window 'table'$"],
    "wrong_tag": [rf"^rank 0 waits for rank 1, which {WORK}$",
                  rf"^rank 0: MPI_Recv from 1, tag 7, on 'halo' at \S+, waits for rank 1; a message from 1 with tag 8 is unexpected there{ENDS}",
                  *RANKS_WORK],
    "circle": ["^a circle: rank 0, which waits for 1, which waits for 2, which waits for 0$",
               *(rf"^rank {r}: MPI_Recv from {(r + 1) % 3}, tag 3, on 'halo' at \S+, waits for rank {(r + 1) % 3}{ENDS}" for r in range(3))],
    "late": [rf"^ranks 0, 1 wait for rank 2, which {WORK}$", rf"^ranks 0, 1: MPI_Allreduce on 'halo' at \S+, waits for rank 2{ENDS}",
             rf"^rank 2: {WORK}$"],
}
# What may be left out where a process gave no two answers alike: all of a wait, but no part of it.
LESS = [r"^ranks? [0-2](, [12]|-2)*: (MPI_(Gather|Win_lock|Recv|Allreduce) at \S+(; sleeps?|; polls?|" + ENDS[:-1] + ")?|" + WORK + ")$",
        r"^asked \d+ times$"]


class Torn(Situations):
    def test_torn_reads(self):
        for name, lines in CASES.items():
            with self.subTest(name), Hanging(name, 3) as job:
                self.assert_said(job, lines[0], lines[1])
                asked = subprocess.run([ASKING, str(TIMES), "0", str(job.pid(0)), str(EACH)], capture_output=True, text=True, check=True)
                said = asked.stdout.splitlines()
                wrong = [line for line in said if not any(re.match(p, line) for p in lines + LESS)]
                self.assertEqual(wrong, [], f"of {len(said)} lines")
                self.assertIn(f"asked {TIMES} times", said)
                for pattern in lines[:2]:
                    self.assertGreater(sum(bool(re.match(pattern, line)) for line in said), TIMES // 2, f"{pattern}:\n{asked.stdout}")
                self.assertGreater(int(asked.stderr.split()[0]), 2 * TIMES, "reads were torn")


if __name__ == "__main__":
    main(["Torn.test_torn_reads"])
