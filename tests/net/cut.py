#!/usr/bin/env python3
"""cut.py MPIEXEC STEADY PROVIDER STRANGER COUNT (+ for a ;): strangers connect to a rank, one after the other, COUNT in all, and each
disconnects in the middle of a packet. The job goes on."""
import os
import random
import select
import socket
import subprocess
import sys
import tempfile
import threading

from garbage import LIMIT, MPIEXEC, PROVIDER, SEED, STEADY, end_soon, expect, over_provider, ports_of, ranks_below

STRANGER, COUNT = sys.argv[4], int(sys.argv[5])
ENOUGH = 300000  # bytes that a stranger says: its greeting and packets


def listen_in(near, far):
    """Passes on what a stranger and a rank say, until that is enough: the greeting, which the rank answers, and what follows."""
    said, greeting = b"", None
    with near, far:
        while len(said) < ENOUGH:
            for source in select.select([near, far], [], [])[0]:
                some = source.recv(ENOUGH)
                expect(some, f"a connection ends after {len(said)} bytes")
                if source is near:
                    said += some
                    far.sendall(some)
                else:
                    greeting = greeting or said
                    near.sendall(some)
    return greeting, said[len(greeting):]


def record(port):
    """What a stranger says to a rank."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host, number = listener.getsockname()
        with subprocess.Popen([STRANGER, host, str(number), "1", "messages"], stdout=subprocess.DEVNULL,
                              env=dict(os.environ, STRANGER_PROVIDER=PROVIDER)) as stranger:
            near = listener.accept()[0]
            try:
                return listen_in(near, socket.create_connection(port))
            finally:
                stranger.kill()


def cut_one(port, greeting, packets):
    with socket.create_connection(port, timeout=LIMIT) as s:
        s.sendall(greeting)
        expect(s.recv(ENOUGH), "a greeting has no answer")
        s.sendall(packets)
        s.shutdown(socket.SHUT_WR)
        try:
            while s.recv(ENOUGH):
                pass
        except ConnectionResetError:
            pass


def main():
    rng = random.Random(SEED)
    environment = dict(over_provider(), INKLING_OFI_RMA="false")
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
            [MPIEXEC, "-n", "2", STEADY, str(LIMIT), f"{folder}/enough"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", env=environment) as job:
        expect(job.stdout.readline() == "ready\n", "the program does not start")
        watchdog = threading.Timer(LIMIT, job.kill)
        watchdog.start()
        ports = sorted(ports_of(ranks_below(job.pid)[0]))
        port = next((host, number) for kind, host, number in ports if kind == socket.SOCK_STREAM)
        greeting, packets = record(port)
        for _ in range(COUNT - 1):  # the recorded one was cut as well
            cut_one(port, greeting, packets[:rng.randrange(len(packets))])
        end_soon(folder)
        said, _ = job.communicate()
        watchdog.cancel()
    lines = [line for line in said.splitlines() if not line.startswith("inkling: warning: ")]
    expect(job.returncode == 0 and lines == ["steady"], f"the job ends with {job.returncode}", said)
    expect("dropped" in said, "no packet of a stranger reached a rank", said)


if __name__ == "__main__":
    main()
