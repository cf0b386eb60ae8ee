#!/usr/bin/env python3
"""crowd.py CALLER CROWD MPIEXEC CALLS CASE...: a stranger on a third host crowds at a port. A case is CONNECTIONS:SOURCES:HOW:WHERE
(HOW: crowd.c). WHERE: port (two jobs meet by it, call after call), plain (from a host whose first packets have no data), report (ranks of two hosts
call mpiexec), ranks (those of one host connect to a rank of the other) or probes (a rank that probes must take many connections in a second).
All who call must be in within two seconds."""
import glob
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "net"))
import hosts  # noqa: E402

CALLER, CROWD, MPIEXEC = map(os.path.abspath, sys.argv[1:4])
CALLS = int(sys.argv[4])
CASES = sys.argv[5:]
REST_MS = os.environ.get("CROWD_REST_MS", "50")  # between calls
SLACK = float(os.environ.get("TEST_SLACK", "1"))
SLOWEST_MS = 2000 * SLACK
SECONDS = float(os.environ.get("CROWD_SECONDS", "30"))
SOURCES = 16
FEWEST = 250  # a look for new connections every ten milliseconds takes 100 in


def fail(what, said=""):
    print(f"crowd.py: {what}\n{said}")
    sys.exit(1)


def on(number, *command):
    return ["ip", "netns", "exec", f"host{number}", *map(str, command)]


def source(number):
    return f"10.77.0.{100 + number}"


def start(number, *command, **env):
    return subprocess.Popen(on(number, "unshare", "--uts", "sh", "-c", f'hostname host{number}; exec "$@"', "sh", *command), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **env})


def await_port(file):
    end = time.monotonic() + 30
    while not os.path.exists(file):
        if time.monotonic() > end:
            fail("nobody opens the port")
        time.sleep(0.01)
    with open(file, encoding="ascii") as f:
        *_, port, address = f.read().strip().split(":")
    return port, address


def crowd_at(port, address, case):
    connections, sources, how, _ = case.split(":")
    crowd = start(3, CROWD, port, connections, SECONDS, how, address, *[source(i) for i in range(int(sources))])
    if crowd.stdout.readline() != "ready\n":
        fail("the stranger does not start", crowd.communicate()[0])
    return crowd


def end(process, what):
    try:
        return process.communicate(timeout=100 * SLACK)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        fail(f"{what} hangs", process.communicate()[0])
        raise


def meet(script, folder, case):
    file = os.path.join(folder, case)
    server = start(1, CALLER, "serves", file, CALLS)
    crowd = crowd_at(*await_port(file), case)
    time.sleep(0.3)
    hosts.on(2, "sysctl", "-q", f"net.ipv4.tcp_fastopen={0 if case.endswith('plain') else 1}")
    caller = start(2, CALLER, "calls", file, CALLS, REST_MS, INKLING_CONNECT_TIMEOUT="10s")
    said = end(caller, "the caller")
    if caller.returncode or "failed" in said:
        server.kill()
    end(server, "the server")
    crowd.kill()
    return said, r"met in (\d+) ms", CALLS


def port_of_mpiexec():
    for _ in range(int(500 * SLACK)):
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                with open(path, "rb") as file:
                    found = re.search(rb"\0INKLING_JOB_REPORT=(inkling-port[^\0]+)", file.read())
            except OSError:
                continue
            if found:
                *_, port, _ = found[1].decode().split(":")
                return port, hosts.SWITCH
        time.sleep(0.01)
    fail("mpiexec opens no port")
    raise AssertionError


def tell(script, folder, case):
    command = [MPIEXEC, "--launcher", "mpiexec.hydra", "--hosts", f"host1:{CALLS // 2},host2:{CALLS - CALLS // 2}", "--stats", "-n", str(CALLS)]
    hosts.launcher(script, 2, 1, 2)
    with subprocess.Popen([*command, "sh", "-c", f"sleep 1; exec {CALLER} inits 0"], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as job:
        crowd = crowd_at(*port_of_mpiexec(), case)
        said = end(job, "the job")
        crowd.kill()
    if f"inkling stats: {CALLS} of {CALLS} ranks" not in said:
        fail("ranks were not heard", said)
    return said, r"init took (\d+) ms", CALLS


def listening(number):
    rows = [row.split() for row in hosts.on(number, "cat", "/proc/net/tcp").splitlines()[1:]]
    return [str(int(row[1].split(":")[1], 16)) for row in rows if row[3] == "0A"]


def send(script, folder, case, calls=CALLS, does="inits"):
    command = [MPIEXEC, "--launcher", "mpiexec.hydra", "--hosts", f"host1:1,host2:{calls}", "-n", str(calls + 1), CALLER, does, "2"]
    hosts.launcher(script, 2, 1, 2)
    with subprocess.Popen(command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as job:
        while not listening(1):
            time.sleep(0.01)
        time.sleep(0.5)
        crowds = [crowd_at(port, hosts.address(1), case) for port in listening(1)]
        said = end(job, "the job")
        for crowd in crowds:
            crowd.kill()
    return said, r"message took (\d+) ms", CALLS


def take_in(script, folder, case):
    said, _, _ = send(script, folder, case, 1, "probes")
    taken = re.search(r"took in (\d+)", said)
    print(f"{case}: took in {taken[1] if taken else 'none'}", flush=True)
    return taken is not None and int(taken[1]) >= FEWEST, said


def is_held_off(script, folder, case):
    if case.endswith(":probes"):
        return take_in(script, folder, case)
    said, what, count = {"report": tell, "ranks": send}.get(case.rpartition(":")[2], meet)(script, folder, case)
    took = sorted(int(ms) for ms in re.findall(what, said))
    print(f"{case}: {took} ms", flush=True)
    return len(took) == count and "failed" not in said and max(took) <= SLOWEST_MS, said


def main():
    hosts.enter("mpiexec.hydra")
    os.environ["INKLING_SPIN_TIME"] = "20us"  # all hosts share the cores of this one
    script = hosts.build(3)
    hosts.ip_each([f"address add {source(i)}/24 dev eth0" for i in range(SOURCES)], "-n", "host3")
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            holds, said = is_held_off(script, folder, case)
            if not holds:
                fail(f"a true caller was kept out by {case}", said)


if __name__ == "__main__":
    main()
