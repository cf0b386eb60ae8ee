"""Signals, children, stops, and a system that changes its mind amid collectives: see disturbed.c."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import STEPS, Case, main, mpiexec  # noqa: E402

DISTURBED = os.path.join(os.path.dirname(STEPS), "fault_disturbed")


class Disturbed(Case):
    def disturb(self, how, ranks, **environment):
        result = mpiexec("--timeout", 40, "-n", ranks, DISTURBED, how, **environment)
        if result.code == 77:
            self.skipTest(result.err.strip())
        self.assertEqual((result.code, result.err), (0, ""), (how, ranks, environment))

    def each_way(self, how):
        self.disturb(how, 2)
        self.disturb(how, 5)
        self.disturb(how, 3, INKLING_CMA="false")
        self.disturb(how, 3, INKLING_PROGRESS_THREAD="true")

    def test_refused(self):
        for ranks in 2, 3, 5:
            self.disturb("refused", ranks)

    def test_refused_messages(self):
        self.disturb("refused", 3, INKLING_ALLREDUCE="pieces", INKLING_ALLTOALL="pairwise", INKLING_ALLGATHER="ring",
                     INKLING_BCAST="tree")

    def test_signals(self):
        self.each_way("signals")

    def test_children(self):
        self.each_way("children")

    def test_stopped(self):
        self.each_way("stopped")


if __name__ == "__main__":
    main()
