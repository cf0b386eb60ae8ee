#!/usr/bin/env python3
"""check.py MPIEXEC PROGRAMS faults|clean [NAME...]: runs the programs of a folder under `mpiexec --check` and counts: all, or
those whose names begin so.

faults: a fault is found if there is a report; it counts strictly if a report has its class and names its line, the one marked
FAULT, as the place, as that of the other rank's call, as where the object was made, or in the text, and has the words that the
first line gives ("says: "). Each must count so, in its second run at the latest, but a fault whose first line says that it "may be
missed" may go without a report, and so may one that "needs: watchpoints" where the kernel has none for it, or "needs: guards", which watch more than a buffer's first word,
or "needs: openmp", if the programs were built without it. One with "line: guards" is found without them too, but not its line. Fails also if a job hung instead of being ended (but for faults whose first line says "ends: by --timeout": no rank can prove them). A note leaves the exit code 0.
What was counted goes into the file that CHECK_COUNTS names, for figures.py, which limits the reports.
clean: no report may be made, and the program ends with code 0.
A first line may give an option of mpiexec ("options: --survive").
"""
import concurrent.futures
import ctypes
import functools
import json
import os
import pathlib
import platform
import re
import struct
import subprocess
import sys
import tempfile

NOTES = ("tolerance", "buffering", "accumulate-order")
MISSED_AS_KNOWN = "missed, as it may be"
FOUND_ELSEWHERE = "found, but not its line, which needs what watches the buffer"
ENDED_BY_TIMEOUT = 124  # the code of mpiexec --timeout
ENDS_BY_TIMEOUT = "ends: by --timeout"
HERE = pathlib.Path(__file__).parent


def run(mpiexec, programs, source):
    """The reports of one program, its exit code and output."""
    first = source.read_text(encoding="utf-8").splitlines()[0]
    ranks = re.search(r"ranks: (\d+)", first).group(1)
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        limit = "12" if ENDS_BY_TIMEOUT in first else "100"
        options = re.search(r"options: (--[a-z]+)", first)
        command = [mpiexec, *(options.groups() if options else []), "-n", ranks, "--timeout", limit, f"--check=json:{report}", programs, source.stem]
        done = subprocess.run(command, cwd=folder, text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL)
        try:
            findings = json.loads(pathlib.Path(report).read_text(encoding="utf-8"))["findings"]
        except (OSError, ValueError):
            return None, done.returncode, done.stdout + done.stderr
    return findings, done.returncode, done.stdout + done.stderr


def has_guards():
    """Whether the kernel lets pages be guarded (insight/guard/page_guard.h): by PR_SET_SYSCALL_USER_DISPATCH, which this turns off."""
    if os.environ.get("INKLING_CMA", "false") != "false" or platform.machine() != "x86_64":
        return False
    return ctypes.CDLL(None).prctl(59, 0, 0, 0, 0) == 0


@functools.cache
def has_watchpoints():
    """Whether pages are guarded, or the kernel lends hardware watchpoints for the process's own stores (perf_event_open), which insight/guard/watchpoint.h needs,
    and they are hit."""
    if has_guards():
        return True
    libc, word = ctypes.CDLL(None, use_errno=True), ctypes.c_uint64(0)
    breakpoint_type, stores, user_only = 5, 2, 1 << 5 | 1 << 6
    attr = struct.pack("=IIQQQQQIIQQ", breakpoint_type, 72, 0, 0, 0, 0, user_only, 0, stores, ctypes.addressof(word), 8)
    event = libc.syscall(298, attr, 0, -1, -1, 0) if platform.machine() == "x86_64" else -1
    if event < 0:
        return False
    word.value = 1
    count = int.from_bytes(os.read(event, 8), sys.byteorder)
    os.close(event)
    return count > 0


def lines_of(finding, source):
    places = [finding[key] for key in ("where", "other", "made") if key in finding]
    named = {place["line"] for place in places if place["file"].endswith(source.name)}
    return named | {int(n) for n in re.findall(re.escape(source.name) + r":(\d+)", finding["text"])}


@functools.cache
def has_openmp(programs):
    """Whether the programs have regions of OpenMP, of gcc's library or of LLVM's."""
    code = pathlib.Path(programs).read_bytes()
    return b"GOMP_parallel" in code or b"__kmpc_fork_call" in code


def judge_fault(source, findings, code, programs=""):
    """What is wrong: nothing, 'wrong class or line', 'missed', ..."""
    lines = source.read_text(encoding="utf-8").splitlines()
    wanted = re.search(r"fault: ([a-z-]+)", lines[0]).group(1)
    is_unwatched = ("needs: watchpoints" in lines[0] and not has_watchpoints()) or ("needs: guards" in lines[0] and not has_guards())
    is_unwatched |= "needs: openmp" in lines[0] and not has_openmp(programs)
    may_be_missed = "may be missed: " in lines[0] or is_unwatched
    line = next(number for number, text in enumerate(lines, 1) if re.search(r"(/\*|!) FAULT", text))
    while lines[line - 2].endswith(","):  # the statement begins further up
        line -= 1
    if findings is None:
        return "no report was written"
    if not findings:
        return MISSED_AS_KNOWN if may_be_missed and code == 0 else "missed"
    if (code == 0) != (wanted in NOTES):
        return f"missed: exit code {code}"
    if code == ENDED_BY_TIMEOUT and ENDS_BY_TIMEOUT not in lines[0]:
        return "found, but the job hung"
    says = re.search(r"says: (.*) \*/", lines[0])
    if not any(f["class"] == wanted and line in lines_of(f, source) and (not says or says.group(1) in f["text"]) for f in findings):
        if (is_unwatched or "line: guards" in lines[0] and not has_guards()) and any(f["class"] == wanted for f in findings):
            return FOUND_ELSEWHERE
        return f"not as {wanted} at line {line}: " + "; ".join(
            f"{f['class']} at {sorted(lines_of(f, source))}: {f['text'][:150]}" for f in findings)
    return ""


def main(mpiexec, programs, kind, *names):
    sources = sorted(s for s in (HERE / kind).glob("*.c") if not names or s.stem.startswith(names))
    found = strict = reports = wrong = known = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() + 2) as pool:
        results = pool.map(lambda source: run(mpiexec, programs, source), sources)
        for source, (findings, code, output) in zip(sources, results):
            if kind == "faults":
                verdict = judge_fault(source, findings, code, programs)
                if verdict not in ("", MISSED_AS_KNOWN, FOUND_ELSEWHERE):
                    print(f"{source.stem}: {verdict}; once more")
                    findings, code, output = run(mpiexec, programs, source)
                    verdict = judge_fault(source, findings, code, programs)
                missed = verdict.startswith(("missed", "no report"))
                found += not missed
                strict += not verdict
                reports += len(findings or [])
                known += verdict in (MISSED_AS_KNOWN, FOUND_ELSEWHERE)
            else:
                verdict = "" if findings == [] and code == 0 else f"code {code}, reports {findings}"
                wrong += bool(verdict)
            if verdict:
                print(f"{source.stem}: {verdict}")
            if (verdict.startswith("code") or "no report" in verdict) or (names and verdict):
                print(output)
    if kind == "clean":
        print(f"{len(sources)} clean programs, {wrong} blamed")
        return 1 if wrong else 0
    total = len(sources)
    print(f"{total} faults: {found} found ({found / total:.1%}), {strict} with class and line ({strict / total:.1%}), "
          f"{reports / max(found, 1):.2f} reports for each found")
    if "CHECK_COUNTS" in os.environ:
        counts = {"faults": total, "found": found, "strict": strict, "reports": reports}
        pathlib.Path(os.environ["CHECK_COUNTS"]).write_text(json.dumps(counts), encoding="utf-8")
    return 0 if strict + known == total else 1


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
