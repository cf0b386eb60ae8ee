"""How random programs are disturbed, and what those that hang are doing."""
import contextlib
import os
import shutil
import subprocess


def most(ranks, dice):
    """How many of so many die: often nearly all, sometimes one."""
    return max(1, ranks - 1 - int((ranks - 1) * dice.random() ** 3))


def send(pid, number):
    """Whether it was still there."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def stacks(pids):
    """Where their threads are, as gdb says; without gdb nothing."""
    if not shutil.which("gdb"):
        return ""
    said = []
    for pid in pids:
        said.append(f"process {pid} ({os.path.basename(os.path.realpath(f'/proc/{pid}/exe'))}):")
        with contextlib.suppress(subprocess.TimeoutExpired):  # it is stopped, perhaps
            done = subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 16"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", check=False, timeout=30)
            said += [line for line in done.stdout.splitlines() if line.startswith(("#", "Thread"))]
    return "\n".join(said)
