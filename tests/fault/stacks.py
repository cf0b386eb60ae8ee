"""What processes that hang are doing."""
import os
import shutil
import subprocess


def of(pids):
    """Where their threads are, as gdb says; without gdb nothing."""
    if not shutil.which("gdb"):
        return ""
    said = []
    for pid in pids:
        done = subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 16"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, errors="replace", check=False, timeout=60)
        lines = [line for line in done.stdout.splitlines() if line.startswith(("#", "Thread"))]
        said += [f"process {pid} ({os.path.basename(os.path.realpath(f'/proc/{pid}/exe'))}):", *lines]
    return "\n".join(said)
