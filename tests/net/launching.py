#!/usr/bin/env python3
"""launching.py MPIEXEC PLACES: mpiexec --hosts, where hosts are others than this one."""
import os
import subprocess
import sys

import hosts

MPIEXEC, PLACES = map(os.path.abspath, sys.argv[1:3])


def run(*words, **settings):
    ended = subprocess.run([MPIEXEC, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           env={**os.environ, **settings}, check=False)
    return ended.returncode, ended.stdout


def expect(truth, what, said):
    if not truth:
        print(f"launching.py: {what}:\n{said}")
        sys.exit(1)


def main():
    hosts.enter("mpiexec.hydra")
    script = hosts.build(2)
    hosts.launcher(script, 2, 1, 2)
    os.environ["INKLING_SPIN_TIME"] = "20us"
    names = f"{hosts.address(1)}:2,{hosts.address(2)}:2"
    code, said = run("--launcher", "mpiexec.hydra", "--hosts", names, "-n", "4", PLACES)
    expect(code == 0 and "4 ranks, 2 on a host" in said, "four ranks on two hosts", said)
    expect("mpiexec.hydra starts 4 ranks on" in said, "the launcher is named", said)
    code, said = run("--hosts", names, "-n", "2", "--genv", "COLOUR", "deep blue", "sh", "-c", "echo $COLOUR; exit 3")
    expect(code == 3 and said.count("deep blue") == 2, "environment and exit code come through", said)
    app = ["--hosts", names, "-n", "1", "sh", "-c", "echo app $INKLING_JOB_APPNUM"]
    code, said = run(*app, ":", *app)
    expect(code == 0 and sorted(said.splitlines())[:2] == ["app 0", "app 1"], "each of two programs has its number", said)
    code, said = run("--hosts", "no-such-host.invalid", "-n", "1", "true")
    expect(code == 1 and "no-such-host.invalid" in said and said.count("\n") == 1, "a host that is none", said)
    code, said = run("--hosts", names, "-n", "2", "/bin/true", PATH="/nonexistent")
    expect(code == 1 and "apt install mpich" in said, "no launcher", said)


if __name__ == "__main__":
    main()
