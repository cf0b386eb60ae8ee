"""Faults in programs of another ABI (faults.c): what is said has the program's names and numbers."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import STEPS, Case, main, mpiexec  # noqa: E402

ENDED = {"die": "rank 1 on host .* died of signal 9 .*; ended the other 1 rank",
         "exit": "rank 1 on host .* exited with code 3 without MPI_Finalize; ended the other 1 rank",
         "abort": "rank 1 on host .* aborted the job with code 7; ended the other 1 rank"}
REFUSED = {"rank": ("MPI_Send(", "count=1, datatype=MPI_INT, dest=9, tag=0, comm=MPI_COMM_WORLD)", "MPI_ERR_RANK"),
           "negative": ("MPI_Send(", "dest=-7,", "MPI_ERR_RANK"), "tag": ("MPI_Send(", "tag=-5,", "MPI_ERR_TAG"),
           "type": ("MPI_Recv(", "datatype=MPI_DATATYPE_NULL, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG", "MPI_ERR_TYPE"),
           "comm": ("MPI_Send(", "datatype=MPI_DOUBLE, dest=0, tag=0, comm=MPI_COMM_NULL)", "MPI_ERR_COMM"),
           "op": ("MPI_Reduce(sendbuf=MPI_IN_PLACE", "op=MPI_OP_NULL, root=1", "MPI_ERR_OP")}


class Faults(Case):
    def ended(self, how):
        result = mpiexec("-n", "2", STEPS, how, LD_LIBRARY_PATH=os.environ["LD_LIBRARY_PATH"])
        self.assertNotEqual(result.code, 0, how)
        return result.err

    def test_ends(self):
        for how, says in ENDED.items():
            self.assertRegex(self.ended(how).splitlines()[-1], "^mpiexec: " + says)

    def test_wrong_arguments(self):
        for how, (call, arguments, name) in REFUSED.items():
            lines = self.ended(how).splitlines()
            self.assertIn("inkling: fatal error in " + call, lines[0])
            self.assertIn(arguments, lines[0])
            self.assertTrue(lines[1].startswith(f"  {name}: "), lines[1])
            self.assertEqual(sum(line.startswith("mpiexec: ") for line in lines), 1, lines)


if __name__ == "__main__":
    main()
