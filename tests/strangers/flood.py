#!/usr/bin/env python3
"""flood.py ASLEEP FLOOD: a job of two hosts gets forged heartbeats from a third one, by another user who knows a rank's port and
the job's number; first a few, then as many as that host can send. None must count: ranks that sleep wake in time, nobody
is taken for lost who is there, and a rank whose host is cut off is."""
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "net"))
import hosts  # noqa: E402

ASLEEP, FLOOD = map(os.path.abspath, sys.argv[1:3])
SLACK = float(os.environ.get("TEST_SLACK", "4"))
TIMEOUT = 2
SECONDS = 4 * TIMEOUT
SLOWEST_MS = 500 * SLACK
NOBODY = 65534
FEW, ALL = 1000, 0


def fail(what, said=""):
    print(f"flood.py: {what}\n{said}")
    sys.exit(1)


def on(number, *command):
    return ["ip", "netns", "exec", f"host{number}", *command]


def heartbeat_port(number):
    said = subprocess.run(on(number, "cat", "/proc/net/udp"), stdout=subprocess.PIPE, text=True, check=True).stdout
    ports = {int(row.split()[1].split(":")[1], 16) for row in said.splitlines()[1:]}
    if len(ports) != 1:
        fail(f"host {number} has the UDP ports {ports}, not one for heartbeats")
    return str(ports.pop())


def begin_attack(job, rate):
    command = [FLOOD, hosts.address(1), heartbeat_port(1), job, str(SECONDS), str(rate)]
    return subprocess.Popen(on(3, "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *command),
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def run(script, rate, pause, cut=False):
    """What the job says, its exit code, and how long it took from the cut."""
    command = [*hosts.launcher(script, 2, 1, 2), ASLEEP, str(SECONDS), str(pause)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as job:
        first = job.stdout.readline().split()
        if first[:1] != ["ready"]:
            fail("the program does not start", " ".join(first))
        with begin_attack(first[1], rate) as stranger:
            begin = time.monotonic()
            if cut:
                hosts.cut(2)
            told = job.stdout.readline()
            took = time.monotonic() - begin
            if cut:
                hosts.mend(2)
            attacked = stranger.communicate()[0].strip()
        try:
            said = told + job.communicate(timeout=20 * SLACK)[0]
        except subprocess.TimeoutExpired:
            job.kill()
            fail(f"{attacked}: the job hangs", told)
    print(f"{rate or 'all'} heartbeats a second: {attacked}; {told.strip()} after {took:.1f} s")
    if not re.search("sent [1-9]", attacked):
        fail("the attack did not reach the rank, so this tested nothing", attacked)
    return said, job.returncode, took


def hold_out(script, rate, pause):
    said, code, _ = run(script, rate, pause)
    slowest = re.search(r"unharmed, slowest (\d+) ms", said)
    if code or not slowest:
        fail(f"the job ended with {code}", said)
    if int(slowest[1]) > SLOWEST_MS:
        fail(f"a message woke its receiver after {slowest[1]} ms")


def be_cut_off(script):
    said, _, took = run(script, FEW, TIMEOUT, cut=True)
    if "lost" not in said or took > TIMEOUT + 2 * SLACK:
        fail(f"a rank that was cut off was told of after {took:.1f} s", said)


def main():
    if os.getuid():
        hosts.skip("attacks by another user take root, who can be both")
    hosts.enter("mpiexec.hydra", "setpriv")
    os.environ.update(INKLING_SPIN_TIME="20us", INKLING_OFI_PROVIDER="tcp;ofi_rxm", INKLING_PEER_TIMEOUT=f"{TIMEOUT}s")
    script = hosts.build(3)
    hold_out(script, FEW, 1.5 * TIMEOUT)  # so long without a packet that a forged count of packets would show
    hold_out(script, ALL, 0.1 * TIMEOUT)
    be_cut_off(script)


if __name__ == "__main__":
    main()
