"""mpiexec --survive: allocation n of one rank fails, for n = 1, 2, 3..., and another rank dies (survive_memory.c). Nobody hangs, nobody else dies
of a signal, and the ranks that have memory go on to the end. First each allocation of one agreement or shrinking: then all go on to the end.

As many n as fit into FAULT_SECONDS (default 40); FAULT_FIRST: the first n."""
import os
import re
import sys
import tempfile
import time

from allocation import PRELOAD, TESTS
from launching import MPIEXEC, SLOWNESS, run

PROGRAM = os.path.join(TESTS, "fault_survive_memory")
SECONDS = float(os.environ.get("FAULT_SECONDS", "40"))
FIRST = int(os.environ.get("FAULT_FIRST", "1"))
RANKS, DEATHS = 4, 1
CALLS = ("agree", "iagree", "shrink", "ishrink")


def play(n, victim, later, report="", call=""):
    """`call`: only allocations of that one count."""
    setting = {"LD_PRELOAD": PRELOAD, "FAULT_ALLOCATION": n, "FAULT_RANK": victim}
    if later:
        setting["FAULT_AND_LATER"] = 1
    if call:
        setting["FAULT_BETWEEN"] = 1
    if report:
        setting["FAULT_REPORT"] = report
    given = [word for name, value in setting.items() for word in ("-env", name, str(value))]
    return run([MPIEXEC, "--survive", "--timeout", str(20 * SLOWNESS), "-n", str(RANKS), *given, PROGRAM, *([call] if call else [])])


def find_wrong(result, missing=1):
    """`missing`: who may leave for lack of memory."""
    if re.search(r"MPI_Init", result.err) and result.code and "died of signal" not in result.err:
        return ""  # an error there ends the job, since there is no handler yet
    ended = result.out.count("has done all")
    if result.code:
        return f"code {result.code}"
    if result.err.count("died of signal") != DEATHS or "not so" in result.err:
        return "a death too many, or a wrong result"
    return "" if ended >= RANKS - DEATHS - missing else f"{ended} ranks have done all"


def count_allocations(victim, call=""):
    with tempfile.NamedTemporaryFile() as report:
        result = play(0, victim, False, report.name, call)
        text = report.read()
    return int(text) if result.code == 0 and text else 0


def try_call(call):
    """How many runs were bad."""
    count, bad = count_allocations(1, call), 0
    for n in range(1, count + 1):
        result = play(n, 1, False, "", call)
        wrong = find_wrong(result, 0)
        bad += bool(wrong)
        if wrong:
            print(f"allocation {n} of {call}: {wrong}:\n{result.out}{result.err}", flush=True)
    print(f"{call}: {count} allocations, {bad} bad")
    return bad if count else 1


def main():
    bad, runs, end = sum(map(try_call, CALLS)), 0, time.monotonic() + SECONDS
    sweeps = {(victim, later): count_allocations(victim) for victim in (0, 1) for later in (False, True)}
    n = FIRST
    while time.monotonic() < end and n <= max(sweeps.values()):
        for (victim, later), count in sweeps.items():
            if n > count or time.monotonic() > end:
                continue
            result = play(n, victim, later)
            wrong = find_wrong(result)
            runs += 1
            bad += bool(wrong)
            if wrong:
                print(f"allocation {n} of rank {victim}{' and all later ones' if later else ''}: {wrong}:\n{result.out}{result.err}", flush=True)
        n += 1 + n // 20
    print(f"{runs} runs up to allocation {n} of {list(sweeps.values())}, {bad} bad")
    return 1 if bad or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
