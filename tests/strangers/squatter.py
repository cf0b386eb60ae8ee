#!/usr/bin/env python3
"""squatter.py PLACES: another user of the host takes the socket names that a job of Slurm would have if they followed from
its number. The job must not notice."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "net"))
import hosts  # noqa: E402
import slurm  # noqa: E402

PLACES = os.path.abspath(sys.argv[1])
NOBODY = 65534
SQUAT = """
import socket, sys
taken = []
for name in sys.argv[1:]:
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    s.bind(chr(0) + name)
    s.listen()
    taken.append(s)
print("taken", flush=True)
sys.stdin.read()
"""


def main():
    if os.getuid():
        hosts.skip("attacks by another user take root, who can be both")
    hosts.enter(*hosts.TOOLS["srun-pmi2"], "setpriv")
    os.environ["INKLING_SPIN_TIME"] = "20us"
    script = hosts.build(1)
    slurm.start(script, 1)
    names = [f"inkling-0-{job}.{step}" for job in range(1, 9) for step in range(3)]
    squatter = ["ip", "netns", "exec", "host1", "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
                "/usr/bin/python3", "-c", SQUAT, *names]
    with subprocess.Popen(squatter, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as stranger:
        if stranger.stdout.readline() != "taken\n":
            sys.exit("squatter.py: the names could not be taken")
        try:
            ended = subprocess.run([*hosts.launcher(script, 1, 2, 2, "srun-pmi2"), PLACES, "1"], text=True, check=False,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=80)
        except subprocess.TimeoutExpired as late:
            sys.exit(f"squatter.py: the job hangs: {late.stdout}")
        finally:
            stranger.stdin.close()
    if ended.returncode or "2 ranks, 2 on a host" not in ended.stdout:
        sys.exit(f"squatter.py: exit code {ended.returncode}\n{ended.stdout}")


if __name__ == "__main__":
    main()
