#!/usr/bin/env python3
"""faults.py [--provider NAME] LOST SEVERED [CASE...]: bad days of a network. Rank 1's host is cut off while rank 0 communicates
with it; the error must come within INKLING_PEER_TIMEOUT or so, and nothing may stay behind. Or the connections between two
live ranks are cut while messages are under way (severed, severed_silent): what was lost must be told, nobody may wait for
ever, and what arrives must be the next message. Without cases all are tried. NAME has + for its ;."""
import os
import subprocess
import sys
import threading
import time

import hosts

TIMEOUT = 2.0
SLACK = float(os.environ.get("TEST_SLACK", "10"))
CASES = ["send", "recv", "stream", "large", "any", "barrier", "fatal", "severed", "severed_silent"]


def expect(truth, what):
    if not truth:
        print(f"faults.py: {what}")
        sys.exit(1)


def cut_off(script, program, what):
    size = 3 if what == "large" else 2
    command = hosts.launcher(script, hosts=size, per_host=1, size=size)
    environment = dict(os.environ, INKLING_PEER_TIMEOUT=f"{TIMEOUT:g}s")
    with subprocess.Popen([*command, program, what], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=environment) as job:
        expect(job.stdout.readline() == "ready\n", f"{what}: the program does not start")
        time.sleep(0.5)
        hosts.cut(2)
        begin, lines, told = time.monotonic(), [], None
        at_last = threading.Timer(TIMEOUT + 2 * SLACK, hosts.mend, [2])  # who says nothing is ended all the same
        at_last.start()
        for line in job.stdout:
            lines.append(line.rstrip())
            if told is None and ("told" in line or "out of reach" in line):
                told = time.monotonic() - begin
                hosts.mend(2)  # so that the launcher can end what is there
        code = job.wait()
        at_last.cancel()
    text = "\n  ".join(lines)
    expect(told is not None, f"{what}: the loss was not told:\n  {text}")
    expect(told < TIMEOUT + SLACK, f"{what}: it took {told:.1f} s:\n  {text}")
    expect("CHECK failed" not in text, f"{what}: the program fails:\n  {text}")
    expect(code != 0 if what == "fatal" else code == 7, f"{what}: the job ended with {code}:\n  {text}")
    if what == "fatal":
        reasons = [line for line in lines if "out of reach" in line and "process 1" in line]
        expect(len(reasons) == 1, f"{what}: {len(reasons)} lines tell why, not one:\n  {text}")
    print(f"{what}: told after {told:.1f} s")


def sever(script, program, what):
    command = hosts.launcher(script, hosts=2, per_host=1, size=2)
    environment = dict(os.environ, INKLING_PEER_TIMEOUT=f"{TIMEOUT:g}s")
    with subprocess.Popen([*command, program, what], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=environment) as job:
        try:
            said, _ = job.communicate(timeout=20 + 2 * SLACK)
        except subprocess.TimeoutExpired:
            job.kill()
            expect(False, f"{what}: nobody is told that messages were lost")
    expect("CHECK failed" not in said and ("told after" in said or "all arrived" in said), f"{what}: messages:\n{said}")
    expect(job.returncode == 7, f"{what}: the job ended with {job.returncode}:\n{said}")
    print(f"{what}: {said.splitlines()[0]}")


def main():
    hosts.enter("mpiexec.hydra")
    if sys.argv[1] == "--provider":
        os.environ["INKLING_OFI_PROVIDER"] = sys.argv[2].replace("+", ";")
        del sys.argv[1:3]
    lost, severed = map(os.path.abspath, sys.argv[1:3])
    os.environ["INKLING_SPIN_TIME"] = "20us"
    script = hosts.build(3)
    for what in sys.argv[3:] or CASES:
        if what.startswith("severed"):
            sever(script, severed, what)
        else:
            cut_off(script, lost, what)


if __name__ == "__main__":
    main()
