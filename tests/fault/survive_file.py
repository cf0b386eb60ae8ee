"""mpiexec --survive: a collective write that one rank leaves for a death ends on all ranks, where buffers are filled by messages (survive_file.c)."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import STEPS, Case, main, mpiexec  # noqa: E402

PROGRAM = os.path.join(os.path.dirname(STEPS), "fault_survive_file")


class File(Case):
    def test_write(self):
        with tempfile.TemporaryDirectory() as folder:
            result = mpiexec("--survive", "-n", 4, PROGRAM, os.path.join(folder, "data"), INKLING_TRANSPORT="ofi", INKLING_ALLGATHER="bruck")
            self.assertEqual((result.code, result.err.count("died of signal 9 (SIGKILL, Killed) after ")), (0, 1), result.err)


if __name__ == "__main__":
    main()
