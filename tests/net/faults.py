#!/usr/bin/env python3
"""faults.py [--provider NAME] LOST SEVERED [CASE...]: bad days of a network. Rank 1's host is cut off while rank 0 communicates
with it; the error must come within INKLING_PEER_TIMEOUT or so, and nothing may stay behind. Or, for the cases of CUTS, the
connections between two live ranks are cut while messages are under way (severed.c): what was lost must be told, nobody may wait
for ever, and what arrives must be the next message. CUT has messages of 4 KiB, CUT/tiny of 64 bytes, whose loss providers do
not tell, CUT/large of 8 MiB, which the receiver's provider reads, CUT/pieces the same in pieces. Without cases all but cuts are
tried. Each case has hosts of its own, and all run at once, since they mostly wait. NAME has + for its ;."""
import concurrent.futures
import mmap
import os
import subprocess
import sys
import threading
import time

import hosts

TIMEOUT = 2.0
HOSTS = 3  # of a case
STILL = 0.2  # seconds without a further message
MOVING = 8  # large messages that have been sent
BYTES = {"": 4 << 10, "tiny": 64, "large": 8 << 20, "pieces": 8 << 20}  # of a message
SMALL = 64 << 10  # bytes: as in severed.c
SLACK = float(os.environ.get("TEST_SLACK", "10"))
CASES = ["send", "recv", "stream", "large", "any", "barrier", "puts", "gets", "fatal"]
CUTS = ["severed", "severed_silent", "cut_at_sender", "cut_at_receiver", "no_more_tcp"]


def expect(truth, what):
    if not truth:
        print(f"faults.py: {what}")
        sys.exit(1)


def cut_off(script, program, what, first):
    size = 3 if what == "large" else 2
    command = hosts.launcher(script, hosts=size, per_host=1, size=size, first=first)
    environment = dict(os.environ, INKLING_PEER_TIMEOUT=f"{TIMEOUT:g}s", INKLING_WIN_RMA="true")
    with subprocess.Popen([*command, program, what], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=environment) as job:
        expect(job.stdout.readline() == "ready\n", f"{what}: the program does not start")
        time.sleep(0.5)
        hosts.cut(first + 1)
        begin, lines, told = time.monotonic(), [], None
        at_last = threading.Timer(TIMEOUT + 2 * SLACK, hosts.mend, [first + 1])  # who says nothing is ended all the same
        at_last.start()
        for line in job.stdout:
            lines.append(line.rstrip())
            if told is None and ("told" in line or "out of reach" in line):
                told = time.monotonic() - begin
                hosts.mend(first + 1)  # so that the launcher can end what is there
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


def established(here, there, *options):
    return hosts.on(here, "ss", "-H", "-t", "-n", *options, "state", "established", "dst", hosts.address(there)).count("\n")


def forbid_tcp(here, there):
    hosts.on(here, "ip", "rule", "add", "priority", "0", "ipproto", "tcp", "to", hosts.address(there), "prohibit")


def cut_connections(case, first):
    """Between the first host and the next. Both ends see a reset, as from a firewall; or only one does, and what it tells the other
    is lost. Returns how many there were, and whether the kernel can do that."""
    here, there = (first, first + 1) if case == "cut_at_receiver" else (first + 1, first)
    if case in ("cut_at_receiver", "cut_at_sender"):
        hosts.cut(here)
    if case == "no_more_tcp":
        forbid_tcp(here, there)
        forbid_tcp(there, here)
    cuts = established(here, there, "--kill")
    if case == "no_more_tcp":
        established(there, here, "--kill")
    hosts.mend(here)
    return cuts, cuts or not established(here, there)


def wait_for_messages(tally, of_bytes):
    """Until large messages are being moved, or as many small ones wait as the network holds: no more are sent then."""
    sent, since = 0, time.monotonic()
    end = since + SLACK
    while time.monotonic() < end:
        time.sleep(0.01)
        now = int.from_bytes(tally[4:8], sys.byteorder)
        if now != sent:
            sent, since = now, time.monotonic()
        if sent and (sent >= MOVING if of_bytes > SMALL else time.monotonic() > since + STILL):
            return


def sever(script, program, what, first):
    command = hosts.launcher(script, hosts=2, per_host=1, size=2, first=first)
    case, _, how = what.partition("/")
    environment = dict(os.environ, INKLING_PEER_TIMEOUT=f"{TIMEOUT:g}s", INKLING_OFI_RMA=str(how != "pieces").lower())
    name = f"{hosts.FOLDER}/tally{first}"
    with open(name, "w+b") as file:
        file.truncate(4096)
        tally = mmap.mmap(file.fileno(), 4096)
    with subprocess.Popen([*command, program, case, str(BYTES[how]), name], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=environment) as job:
        expect(job.stdout.readline() == "ready\n", f"{what}: the program does not start")
        wait_for_messages(tally, BYTES[how])
        cuts, can = cut_connections(case, first)
        if not can:
            job.kill()
            hosts.skip("this kernel does not end connections (CONFIG_INET_DIAG_DESTROY)")
        tally[0:4] = (1).to_bytes(4, sys.byteorder)
        try:
            said, _ = job.communicate(timeout=40 + 2 * SLACK)
        except subprocess.TimeoutExpired:
            job.kill()
            expect(False, f"{what}: nobody is told that messages were lost")
    expect(cuts, f"{what}: no connection was cut, so this tests nothing")
    expect("CHECK failed" not in said and ("told after" in said or "all arrived" in said), f"{what}: messages:\n{said}")
    expect(job.returncode == 7, f"{what}: the job ended with {job.returncode}:\n{said}")
    print(f"{what}: {cuts} cut, {said.splitlines()[0]}")


def main():
    hosts.enter("mpiexec.hydra")
    if sys.argv[1] == "--provider":
        os.environ["INKLING_OFI_PROVIDER"] = sys.argv[2].replace("+", ";")
        del sys.argv[1:3]
    lost, severed = map(os.path.abspath, sys.argv[1:3])
    os.environ["INKLING_SPIN_TIME"] = "20us"
    cases = sys.argv[3:] or CASES
    script = hosts.build(HOSTS * len(cases))
    with concurrent.futures.ThreadPoolExecutor(len(cases)) as at_once:
        running = [at_once.submit(*((sever, script, severed) if what.partition("/")[0] in CUTS else (cut_off, script, lost)), what,
                                  1 + HOSTS * number) for number, what in enumerate(cases)]
    for case in running:
        case.result()


if __name__ == "__main__":
    main()
