#!/usr/bin/env python3
"""fortran.py MPIEXEC FOLDER: runs the programs that were made of insight/tests/check/fortran, which lie in FOLDER, under `mpiexec --check`.

The lines of calls and accesses are those of the program, not of the Fortran interface. f_*: check.py tells how faults are judged.
ok_*: nothing may be found.
"""
import os
import sys

import check


def judge(mpiexec, folder, source):
    findings, code, output = check.run(mpiexec, os.path.join(folder, "check_fortran_" + source.stem), source)
    if source.stem.startswith("ok_"):
        verdict = "" if findings == [] and code == 0 else f"code {code}, reports {findings}"
    else:
        verdict = check.judge_fault(source, findings, code)
    return verdict, output


def main(mpiexec, folder):
    sources = sorted((check.HERE / "fortran").glob("*.f90"))
    failed = 0
    for source in sources:
        verdict, output = judge(mpiexec, folder, source)
        if verdict not in ("", check.MISSED_AS_KNOWN, check.FOUND_ELSEWHERE):
            failed += 1
            print(f"{source.stem}: {verdict}\n{output}")
    print(f"{len(sources)} Fortran programs, {failed} not judged as they should be")
    return 1 if failed or not sources else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
