#!/usr/bin/env python3
"""versions.py MPIEXEC PROGRAM: two ranks with different versions of the library, which meet over the network. What rank 1
tells of its version, or reads of rank 0's, or both, is changed on its way between it and the launcher: whoever notices
ends the job and says why."""
import os
import re
import selectors
import socket
import subprocess
import sys


def of_another_version(said, key):
    return re.sub(key + rb"value=\d+:\d[^:]*:tcp", rb"\g<1>value=99:9.9.9:tcp", said)


def hand_on(changed, program):
    """Rank 1, between the launcher and the program."""
    launcher = socket.socket(fileno=int(os.environ["PMI_FD"]))
    mine, its = socket.socketpair()
    os.set_inheritable(its.fileno(), True)
    ended = subprocess.Popen([program], env={**os.environ, "PMI_FD": str(its.fileno())}, close_fds=False)
    its.close()
    ways = selectors.DefaultSelector()
    ways.register(launcher, selectors.EVENT_READ, mine)
    ways.register(mine, selectors.EVENT_READ, launcher)
    while True:
        for key, _ in ways.select():
            said = key.fileobj.recv(1 << 16)
            if not said:
                return ended.wait()
            if key.fileobj is mine and changed != "read":
                said = of_another_version(said, rb"(key=inkling-ofi-1 )")
            elif key.fileobj is launcher and changed != "told":
                said = of_another_version(said, rb"(cmd=get_result.* )")
            key.data.sendall(said)


def check(mpiexec, program, changed):
    result = subprocess.run([mpiexec, "-n", "2", sys.executable, __file__, "rank", changed, program], stdin=subprocess.DEVNULL,
                            check=False, capture_output=True, text=True, timeout=60,
                            env={**os.environ, "INKLING_TRANSPORT": "ofi", "INKLING_OFI_PROVIDER": "tcp;ofi_rxm"})
    due = (r"process [01] runs Inkling 9\.9\.9, which speaks version 99 between hosts, and this one runs [0-9.]+, "
           r"which speaks version \d+: use one Inkling on all hosts")
    if result.returncode == 0 or not re.search(due, result.stderr):
        sys.exit(f"versions.py: {changed}: exit code {result.returncode}, and it was said:\n{result.stdout}{result.stderr}")


if __name__ == "__main__":
    if sys.argv[1] != "rank":
        for case in "told", "read", "both":
            check(*sys.argv[1:], case)
    elif os.environ["PMI_RANK"] == "1":
        sys.exit(hand_on(*sys.argv[2:]))
    else:
        os.execv(sys.argv[3], sys.argv[3:])
