#!/usr/bin/env python3
"""halves.py MPIEXEC STEADY PROVIDER STRANGER FOLDER LIBRARY (+ for a ;): strangers send packets to two ranks, and stop for a while
in the middle of some. Meanwhile the ranks' buffers are used over and over again. What comes late must not land in the ranks'
messages. FOLDER has strict.c as libfabric.so.1, which ends a rank that lets it; LIBRARY is the real one."""
import os
import select
import socket
import subprocess
import sys
import threading
import time

from garbage import LIMIT, MPIEXEC, PROVIDER, SECONDS, STEADY, expect, ports_of, ranks_below

STRANGER, FOLDER, LIBRARY = sys.argv[4:7]
LUMP = 100000  # bytes: some packets, and a part of one
PAUSE = 0.01


def carry(near, far):
    """All that comes from either to the other; what comes from `near` in lumps, with a pause after each."""
    other, carried = {near: far, far: near}, 0
    with near, far:
        while True:
            for source in select.select([near, far], [], [])[0]:
                try:
                    some = source.recv(LUMP - carried % LUMP)
                    other[source].sendall(some)
                except OSError:
                    return
                if not some:
                    return
                carried += len(some) if source is near else 0
                if source is near and carried % LUMP == 0:
                    time.sleep(PAUSE)


def stand_before(port):
    """Listens for a stranger, and passes on what he says. Returns where."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            near = listener.accept()[0]
            try:
                far = socket.create_connection(port)
            except OSError:  # the job has ended
                near.close()
                continue
            threading.Thread(target=carry, args=(near, far), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()


def attack(address, ended):
    """One stranger after the other."""
    host, port = stand_before(address)
    environment = dict(os.environ, STRANGER_PROVIDER=PROVIDER)
    while not ended.is_set():
        subprocess.run([STRANGER, host, str(port), "1", "0"], env=environment, stdout=subprocess.DEVNULL, check=False,
                       timeout=LIMIT)


def main():
    folders = [FOLDER, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    environment = dict(os.environ, INKLING_TRANSPORT="ofi", INKLING_OFI_PROVIDER=PROVIDER, INKLING_OFI_RMA="false",
                       LD_LIBRARY_PATH=":".join(folders), STRICT_LIBRARY=LIBRARY)
    ended = threading.Event()
    with subprocess.Popen([MPIEXEC, "-n", "2", STEADY, str(SECONDS)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", env=environment) as job:
        expect(job.stdout.readline() == "ready\n", "the program does not start")
        ports = set().union(*map(ports_of, ranks_below(job.pid)))
        strangers = [threading.Thread(target=attack, args=((host, port), ended)) for kind, host, port in sorted(ports)
                     if kind == socket.SOCK_STREAM for _ in range(3)]
        for stranger in strangers:
            stranger.start()
        try:
            said, _ = job.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            job.kill()
            said = "the job hangs"
        ended.set()
    for stranger in strangers:
        stranger.join()
    lines = [line for line in said.splitlines() if "a packet from the network was dropped" not in line]
    expect(job.returncode == 0 and lines == ["steady"], f"the job ends with {job.returncode}", said)
    expect(said.splitlines() != lines, "no packet of a stranger reached a rank", said)


if __name__ == "__main__":
    main()
