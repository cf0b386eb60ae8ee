#!/usr/bin/env python3
"""strict.py MPIEXEC FOLDER LIBRARY PROGRAM [ARGUMENT...]: runs two ranks over a libfabric whose provider is as demanding as those
of real networks: FOLDER has strict.c as libfabric.so.1, LIBRARY is the real one. With STRICT_SENDS set, the provider fails,
and so has the program to."""
import os
import re
import subprocess
import sys

MPIEXEC, FOLDER, LIBRARY = sys.argv[1:4]


def main():
    folders = [FOLDER, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    environment = dict(os.environ, LD_LIBRARY_PATH=":".join(folders), STRICT_LIBRARY=LIBRARY, STRICT_TELL="1",
                       INKLING_TRANSPORT="ofi")
    ended = subprocess.run([MPIEXEC, "-n", "2", *sys.argv[4:]], env=environment, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if "STRICT_SENDS" in os.environ:
        if ended.returncode in (0, 124) or "Input/output error" not in ended.stdout:
            sys.exit(f"strict.py: exit code {ended.returncode} where no send succeeds\n{ended.stdout}")
        return
    told = re.findall(r"strict: (\d+) regions, (\d+) sends, (\d+) receives, (\d+) reads, (\d+) writes", ended.stdout)
    if "INKLING_WIN_RMA" not in os.environ:
        told = [line[:-1] for line in told]
    if ended.returncode or len(told) != 2 or "0" in [number for line in told for number in line]:
        print(f"strict.py: exit code {ended.returncode}\n{ended.stdout}")
        sys.exit(1)
    print(*told)


if __name__ == "__main__":
    main()
