#!/usr/bin/env python3
"""skipped.py BUILD: why tests of the last `make check` were skipped, one line a reason. CTest tells which, and not why."""
import collections
import pathlib
import re
import sys


def main():
    log = pathlib.Path(sys.argv[1]) / "Testing/Temporary/LastTest.log"
    reasons = collections.Counter()
    for output in re.findall(r"^Output:\n-+\n(.*?)^<end of output>", log.read_text(errors="replace"), re.M | re.S):
        reason = re.search(r"^skipped: (.*)", output, re.M)
        if reason:
            reasons[reason[1]] += 1
    for reason, count in reasons.most_common():
        print(f"skipped {count} test{'s' * (count > 1)}: {reason}")


if __name__ == "__main__":
    main()
