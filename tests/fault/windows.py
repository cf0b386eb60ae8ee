"""A process dies amid each kind of epoch on windows: see windows.c. A rank of a job ends the job, in one line. Parents
that share a window with children are told and go on, also where the dead one held a lock or combined: nobody waits."""
import os
import random
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import SLOWNESS, STEPS, Case, main, mpiexec  # noqa: E402

WINDOWS = os.path.join(os.path.dirname(STEPS), "fault_windows")
SEED = int(os.environ.get("FAULT_SEED", random.randrange(10 ** 9)))
DEEDS = ["fence", "pscw", "start", "test", "lock", "share", "lock_all", "flush", "request", "accumulate", "fetch",
         "attach", "make"]
LIMIT = 20  # seconds; what nobody would end
KILLED = 128 + signal.SIGKILL


class Windows(Case):
    def die(self, ranks, deed, when="amid", *hints, **environment):
        start = time.monotonic()
        result = mpiexec("--timeout", LIMIT * SLOWNESS, "-n", ranks, WINDOWS, deed, when, *hints, **environment)
        told = f"{ranks} ranks, {deed} {when} {hints} {environment}: {time.monotonic() - start:.1f} s\n{result.err}"
        self.assertEqual(result.code, KILLED, told)
        return result

    def die_alone(self, *arguments, **environment):
        result = self.die(3, *arguments, **environment)
        self.assert_one_line(result.err, "died of signal 9")

    def die_of_two(self, *arguments, **environment):
        if os.environ.get("COUNTED"):
            self.skipTest("their parents leave objects behind")
        for children in "first", "last":
            result = self.die(2, *arguments, CHILDREN=children, **environment)
            self.assert_one_line(result.err, "spawned job: rank ")

    def test_amid_each(self):
        for deed in DEEDS:
            self.die_alone(deed)

    def test_amid_each_by_messages(self):
        for deed in DEEDS:
            self.die_alone(deed, INKLING_TRANSPORT="ofi")

    def test_amid_accesses_by_the_network(self):
        for deed in "fence", "pscw", "lock", "flush", "request", "make":
            self.die_alone(deed, INKLING_TRANSPORT="ofi", INKLING_WIN_RMA="true")

    def test_children_by_the_network(self):
        for deed in "flush", "request":
            self.die_of_two(deed, INKLING_TRANSPORT="ofi", INKLING_WIN_RMA="true", INKLING_PEER_TIMEOUT="2s")

    def test_children(self):
        for deed in DEEDS:
            self.die_of_two(deed)

    def test_children_by_copies(self):
        for deed in "flush", "request", "accumulate", "fetch":
            self.die_of_two(deed, CREATED="1")

    def test_children_by_messages(self):
        for deed in DEEDS:
            self.die_of_two(deed, INKLING_CMA="false", CREATED="1")

    def test_children_that_nobody_has_met(self):
        """With these hints the ranks exchange no addresses."""
        for deed in "lock", "share", "accumulate":
            self.die_of_two(deed, "amid", "same_size=true", "same_disp_unit=true")

    def test_while_it_attaches(self):
        """The version of the victim's table may stay odd: who reads it is told."""
        for delay in 3000, 7001, 11003:
            self.die_of_two("change", delay)

    def test_at_any_time(self):
        chance = random.Random(SEED)
        for deed in DEEDS[:-1]:
            self.die_of_two(deed, 1 + chance.randrange(20000))


if __name__ == "__main__":
    print(f"FAULT_SEED={SEED}", file=sys.stderr)
    main()
