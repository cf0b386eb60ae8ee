"""What it costs to survive deaths, for bench/hosts.py: a job with --survive and one without take turns (survive.c). With one host of several ranks
the network has no part in it."""
import os
import statistics
import subprocess
import tempfile

SHAPES = ["1x2", "1x4", "2x1", "4x1", "2x2"]
NETWORKS = ["ofi", "ucx"]
TURNS = 40
TIMEOUT = 120


def read(text):
    """{name: [a value for each turn]}"""
    values = {}
    for words in map(str.split, text.splitlines()):
        if len(words) == 2:
            values.setdefault(words[0], []).append(float(words[1]))
    return values


def run_pair(command, environment):
    """The values of the job without, and of that with."""
    with tempfile.TemporaryDirectory() as folder:
        turn = os.path.join(folder, "turn")
        jobs = [subprocess.Popen([*map(str, command), turn, str(i), "2", str(TURNS)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, env={**os.environ, **environment, "TMPDIR": folder, "INKLING_SURVIVE": ("false", "true")[i]}) for i in (0, 1)]
        try:
            said = [job.communicate(timeout=TIMEOUT) for job in jobs]
        finally:
            for job in jobs:
                job.kill()
                job.wait()
    for job, (_, complaint) in zip(jobs, said):
        if job.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))}: exit code {job.returncode}\n{complaint}")
    return [read(out) for out, _ in said]


def compare(one, other):
    """Both medians, and the median of the ratios of each turn."""
    ratio = statistics.median(b / a for a, b in zip(one, other))
    return f"{statistics.median(one):.2f} | {statistics.median(other):.2f} | {ratio:.2f}"


def row(shape, network, command, environment):
    without, with_ = run_pair(command, environment)
    return (f"| {shape} | {'-' if shape.startswith('1x') else network} | {compare(without['latency'], with_['latency'])} | "
            f"{compare(with_['allreduce'], with_['agree'])} | {compare(with_['dup'], with_['shrink'])} |")


def show(shapes, make_command, environment):
    """make_command(shape): the launcher and what it starts, but for the arguments."""
    print("\n| hosts x ranks | network | 8 bytes, us | with --survive | x | allreduce | agree | x | dup and free | shrink and free | x |\n"
          f"|---|---|{'---|' * 9}")
    for shape in shapes:
        for network in NETWORKS[:1] if shape.startswith("1x") else NETWORKS:
            print(row(shape, network, make_command(shape), dict(environment, INKLING_NETWORK=network)), flush=True)
