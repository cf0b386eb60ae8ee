"""Hosts as tests/net/hosts.py makes them, each with process numbers of its own too, so that none sees the processes of another."""
import array
import os
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "net"))
import hosts  # noqa: E402

DOOR = f"{hosts.FOLDER}/door"
SPACES = ["--net", "--uts", "--pid", "--mount"]
# What takes the place of ssh: a process may not enter a space beside its own, so it asks this one, which is above all.
CALL = f"""import array, socket, sys
with socket.socket(socket.AF_UNIX) as door:
    door.connect({DOOR!r})
    words = [w for w in sys.argv[1:]]
    while words[0].startswith("-"):
        words.pop(0)
    door.sendmsg(["\\0".join(words).encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
    sys.exit(int(door.recv(16) or b"255"))
"""
first = {}  # by host: its first process


def enter(number):
    """The begin of a command that runs on a host."""
    return ["nsenter", "-t", str(first[number]), *SPACES, "--"]


def serve(caller):
    with caller:
        text, passed, _, _ = caller.recvmsg(1 << 20, socket.CMSG_SPACE(12))
        ends = array.array("i")
        ends.frombytes(passed[0][2])
        name, *words = text.decode().split("\0")
        number = int(name.split(".")[-1].removeprefix("host"))
        done = subprocess.run([*enter(number), "sh", "-c", " ".join(words)], stdin=ends[0], stdout=ends[1], stderr=ends[2], check=False)
        for end in ends:
            os.close(end)
        caller.sendall(str(done.returncode & 255).encode())


def listen(door):
    while True:
        threading.Thread(target=serve, args=(door.accept()[0],), daemon=True).start()


def start(number):
    """Its spaces, and a process that keeps them."""
    keeper = subprocess.Popen(["ip", "netns", "exec", f"host{number}", "unshare", "--uts", "--pid", "--mount", "--fork", "--kill-child",
                               "--mount-proc", "sh", "-c", f"hostname host{number}; echo ready; exec sleep 1000"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    assert keeper.stdout.readline() == "ready\n"
    deadline = time.monotonic() + 10
    while number not in first and time.monotonic() < deadline:
        with open(f"/proc/{keeper.pid}/task/{keeper.pid}/children", encoding="ascii") as children:
            for pid in children.read().split():
                first[number] = int(pid)


def build(count):
    """Hosts 1 to count; the path of what a launcher calls in place of ssh."""
    hosts.build(count)
    for number in range(1, count + 1):
        start(number)
    script = f"{hosts.FOLDER}/call"
    with open(f"{hosts.FOLDER}/call.py", "w", encoding="ascii") as file:
        file.write(CALL)
    with open(script, "w", encoding="ascii") as file:
        file.write(f'#!/bin/sh\nexec {sys.executable} -E -S -B {hosts.FOLDER}/call.py "$@"\n')
    os.chmod(script, 0o755)
    door = socket.socket(socket.AF_UNIX)
    door.bind(DOOR)
    door.listen(16)
    threading.Thread(target=listen, args=(door,), daemon=True).start()
    return script
