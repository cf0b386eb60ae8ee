#!/usr/bin/env python3
"""garbage.py MPIEXEC STEADY PROVIDER (+ for its ;; ucx: the other network): everybody on the network may connect to a rank's ports and send what he
likes. The job goes on as if nothing had been, whichever its provider, but for a warning of packets that were dropped."""
import os
import random
import socket
import subprocess
import sys
import tempfile
import time

MPIEXEC, STEADY, PROVIDER = sys.argv[1:3] + [sys.argv[3].replace("+", ";")]
SECONDS = 6
SEED = int(os.environ.get("TEST_SEED") or time.time_ns() % 1000000)
LIMIT = 20 + 5 * float(os.environ.get("TEST_SLACK", "4"))


def over_provider():
    """The environment of ranks."""
    network = {"INKLING_TRANSPORT": "ucx"} if PROVIDER == "ucx" else {"INKLING_TRANSPORT": "ofi", "INKLING_OFI_PROVIDER": PROVIDER}
    return {**os.environ, **network}


def expect(truth, what, said=""):
    if not truth:
        print(f"garbage.py {PROVIDER}, TEST_SEED={SEED}: {what}\n{said}")
        sys.exit(1)


def sockets_of(pid):
    """The numbers of the sockets that a process has open."""
    found = set()
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            where = os.readlink(f"/proc/{pid}/fd/{fd}")
        except OSError:
            continue
        if where.startswith("socket:["):
            found.add(where[8:-1])
    return found


def ports_of(pid):
    """(family, kind, address) of all that anybody may send to."""
    own, found = sockets_of(pid), set()
    for name, kind, state in ("tcp", socket.SOCK_STREAM, "0A"), ("udp", socket.SOCK_DGRAM, "07"):
        with open(f"/proc/{pid}/net/{name}", encoding="ascii") as table:
            for row in list(table)[1:]:
                fields = row.split()
                if fields[3] == state and fields[9] in own:
                    host, port = fields[1].split(":")
                    host = socket.inet_ntoa(bytes.fromhex(host)[::-1])
                    found.add((kind, "127.0.0.1" if host == "0.0.0.0" else host, int(port, 16)))
    return found


def ranks_below(parent):
    with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as children:
        return [int(pid) for pid in children.read().split()
                if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(STEADY)]


def noises(rng):
    yield b""
    yield b"GET / HTTP/1.0\r\n\r\n"
    for size in 1, 8, 16, 64, 300, 5000:
        yield rng.randbytes(size)
        yield bytes(size)
        yield b"\xff" * size
        yield bytes([1]) * size
        yield rng.choice([b"\x01\x00", b"\x00\x01", b"\x00\x03", b"\x03\x00"]) + bytes(6) + rng.randbytes(size)


def disturb(kind, host, port, noise, stays):
    """Whether the noise left. Connections that stay open say nothing more."""
    sent = 0
    with socket.socket(socket.AF_INET, kind) as s:
        s.settimeout(0.02)
        try:
            s.connect((host, port))
            sent = s.send(noise)
            if kind == socket.SOCK_STREAM and not stays:
                s.shutdown(socket.SHUT_WR)
                s.recv(100)
        except OSError:
            pass
        if stays:
            s.detach()
    return sent > 0


def disturb_all(ports, rng):
    for port in sorted(ports):
        left = [disturb(*port, noise, rng.random() < 0.3) for noise in noises(rng)]
        expect(any(left), f"no noise reaches port {port}")


def end_soon(folder):
    """Tells STEADY to end once it has gone on for a while."""
    time.sleep(1)
    with open(f"{folder}/enough", "wb"):
        pass


def main():
    rng = random.Random(SEED)
    environment = over_provider()
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
            [MPIEXEC, "-n", "2", STEADY, str(LIMIT), f"{folder}/enough"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", env=environment) as job:
        expect(job.stdout.readline() == "ready\n", "the program does not start", "")
        ranks = ranks_below(job.pid)
        expect(len(ranks) == 2, f"two ranks below mpiexec, not {ranks}")
        ports = set().union(*map(ports_of, ranks))
        kinds = {kind for kind, _, _ in ports}
        expect(kinds == {socket.SOCK_STREAM, socket.SOCK_DGRAM}, f"ports of a provider and of the pulse: {ports}")
        disturb_all(ports, rng)
        end_soon(folder)
        try:
            said, _ = job.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            job.kill()
            expect(False, f"the job hangs after garbage on {sorted(ports)}")
    lines = [line for line in said.splitlines() if "a packet from the network was dropped" not in line]
    expect(job.returncode == 0 and lines == ["steady"], f"the job ends with {job.returncode}", said)


if __name__ == "__main__":
    main()
