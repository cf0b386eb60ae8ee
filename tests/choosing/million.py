"""A world of up to a million ranks on hosts of 128, of which rank 0 is real (million.c): what MPI_Init, communicators, windows and files
take of it, and how often MPI_Init asks the launcher, which is pretended here. million.py PROGRAM: prints the table of docs/SCALE.md.

No object keeps more for each rank of the world than PER_RANK says, nor takes more than AWHILE while it is made."""
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = os.path.abspath(sys.argv[1])
SIZES = (100, 1000, 10000, 100000, 1000000)
PER_RANK = {"MPI_Init": 24, "MPI_Comm_dup": 0, "MPI_Comm_split": 2, "MPI_Comm_create_group": 2, "MPI_Win_create": 60,
            "MPI_Win_create_dynamic": 28, "MPI_Win_allocate": 60, "MPI_File_open": 28}
AWHILE = 60  # bytes for each rank
RECEIVED = 48  # of each rank
BESIDES = 1 << 20  # whatever the number of ranks
OF_INIT = 24 << 20  # buffers of the network, touched as used


def near_of(ranks):
    return min(128, ranks // 10)


class Launcher:
    """PMI-1 for rank 0; what other ranks put is made up."""

    def __init__(self, ranks):
        self.ranks, self.near, self.put, self.requests = ranks, near_of(ranks), {}, 0
        self.name = f"million{os.getpid()}of{ranks}"

    def get(self, key):
        if key == "PMI_process_mapping":
            return f"(vector,(0,{-(-self.ranks // self.near)},{self.near}))"
        name, _, rank = key.rpartition("-")
        if name == "inkling-host" and int(rank) < self.near:
            return self.put["inkling-host-0"]
        return self.put.get(key)

    def fetch(self, process):
        """The memory of rank 0's host, for the others there."""
        missing = self.near - 1
        while missing and process.poll() is None:
            with open("/proc/net/unix", encoding="ascii") as sockets:
                names = [line.split()[-1] for line in sockets if f"-{self.name}" in line]
            for name in names[:1] * missing:
                with socket.socket(socket.AF_UNIX) as other:
                    other.connect("\0" + name[1:])
                    missing -= other.recv(1) != b""
            time.sleep(0.01)

    def answer(self, line):
        words = dict(word.split("=", 1) for word in line.split())
        self.requests += 1
        command = words["cmd"]
        if command == "put":
            self.put[words["key"]] = words["value"]
        if command == "get":
            value = self.get(words["key"])
            return "get_result rc=-1 msg=no_such_key" if value is None else f"get_result rc=0 value={value}"
        return {"init": "response_to_init pmi_version=1 pmi_subversion=1 rc=0", "get_my_kvsname": f"my_kvsname kvsname={self.name}",
                "get_appnum": "appnum appnum=0", "get_universe_size": f"universe_size size={self.ranks}", "put": "put_result rc=0",
                "barrier_in": "barrier_out", "finalize": "finalize_ack", "abort": "aborted"}[command]


def measure(ranks, folder):
    """{name: (kept, taken for a while, received)}, and requests to the launcher"""
    launcher = Launcher(ranks)
    ours, theirs = socket.socketpair()
    fd = theirs.fileno()
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PMI", "INKLING_", "OMPI", "MPIEXEC"))}
    kept.update(PMI_FD=str(fd), PMI_RANK="0", PMI_SIZE=str(ranks))
    with subprocess.Popen([PROGRAM, str(launcher.near), f"{folder}/file"], stdout=subprocess.PIPE, text=True, pass_fds=[fd],
                          env=kept) as process:
        theirs.close()
        threading.Thread(target=launcher.fetch, args=[process], daemon=True).start()
        for line in ours.makefile(encoding="ascii"):
            try:
                ours.sendall(f"cmd={launcher.answer(line)}\n".encode())
            except BrokenPipeError:
                break
        said = process.stdout.read()
    if process.returncode:
        sys.exit(f"million.py: {ranks} ranks: it ended with {process.returncode}\n{said}")
    return {line.split()[0]: tuple(map(int, line.split()[1:])) for line in said.splitlines()}, launcher.requests


def main():
    wrong, table = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for ranks in SIZES:
            table[ranks], requests = measure(ranks, folder)
            if requests > 14 + near_of(ranks):
                wrong.append(f"{ranks} ranks: MPI_Init asks the launcher {requests} times")
            print(f"{ranks} ranks, {requests} requests to the launcher")
            for name, (kept, awhile, received) in table[ranks].items():
                besides = OF_INIT if name == "MPI_Init" else BESIDES
                print(f"    {name}: keeps {kept}, takes {awhile} for a while, receives {received}")
                if kept > ranks * PER_RANK[name] + besides or awhile > ranks * AWHILE + besides or received > ranks * RECEIVED:
                    wrong.append(f"{ranks} ranks: {name} takes more than it may")
    if wrong or set(table[SIZES[0]]) != set(PER_RANK):
        sys.exit("\n".join(wrong) or "an object is missing")


if __name__ == "__main__":
    main()
