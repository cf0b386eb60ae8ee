#!/usr/bin/env python3
"""docs/simulated.png and the table of docs/SCALE.md from inkling simulate: the time of each algorithm by ranks, 128 on a host.

`make bench-simulate` runs it. The model is the given one (cmd/simulate/loggp.c), or that of MODEL, a file that inkling tune wrote.
Usage: curves.py [MODEL]
"""
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INKLING = ROOT / "build/bin/inkling"
NEAR = 128
RANKS = [128, 256, 512, 1024]
MORE = [4096, 16384, 131072, 1048576]  # what the library takes alone
PANELS = [("barrier", 0), ("bcast", 8), ("bcast", 1 << 20), ("allreduce", 8), ("allreduce", 1 << 20), ("alltoall", 8)]


def simulate(ranks, collective, size, *words):
    command = [INKLING, "simulate", "--json", "--ranks", ranks, "--hosts", ranks // NEAR, "--bytes", size, *words, *MODEL, collective]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["rows"]


def measure():
    """{(collective, size): rows of all ranks}"""
    rows = {panel: [] for panel in PANELS}
    for collective, size in PANELS:
        for ranks in RANKS:
            rows[collective, size] += simulate(ranks, collective, size)
        for ranks in MORE:
            if collective != "alltoall":
                rows[collective, size] += simulate(ranks, collective, size, "--chosen")
        print(collective, size, file=sys.stderr)
    return rows


def title(collective, size):
    words = {0: "", 8: ", 8 bytes", 1 << 20: ", 1 MiB"}[size]
    return collective + words


def plot(rows):
    """Returns why there is no picture, or None."""
    if not shutil.which("gnuplot"):
        return "gnuplot is not installed"
    script = [f'set terminal pngcairo size 1200,700 noenhanced font "sans,9"\nset output "{ROOT / "docs/simulated.png"}"',
              "set multiplot layout 2,3", 'set logscale xy; set grid; set key top left; set xlabel "ranks, 128 a host"; set ylabel "us"']
    for number, panel in enumerate(PANELS):
        lines = {}
        for row in rows[panel]:
            lines.setdefault(row["algorithm"], []).append((row["ranks"], row["seconds"] * 1e6, row["bound"] * 1e6))
        bounds = sorted({(ranks, bound) for points in lines.values() for ranks, _, bound in points if bound})
        parts = []
        for place, (name, points) in enumerate([*lines.items(), ("bound", bounds)]):
            data = "\n".join(" ".join(f"{value:.6g}" for value in point[:2]) for point in points)
            script.append(f"$d{number}_{place} << EOD\n{data}\nEOD")
            style = "lines dt 2 lc rgb 'black'" if name == "bound" else "linespoints"
            parts.append(f"$d{number}_{place} using 1:2 with {style} title '{name}'")
        script.append(f"set title '{title(*panel)}'\nplot " + ", ".join(parts))
    done = subprocess.run(["gnuplot"], input="\n".join(script) + "\nunset multiplot\n", text=True, capture_output=True, check=False)
    return done.stderr.strip() or "gnuplot failed" if done.returncode else None


def table(rows):
    """What the library takes: time, by the bound, and what the busiest rank and host have to do."""
    lines = ["| | ranks | algorithm | us | x bound | messages of a rank | bytes through a host |", "|---|---|---|---|---|---|---|"]
    for panel in PANELS:
        for row in rows[panel]:
            if row["chosen"] and row["ranks"] in (128, 1024, 16384, 1048576):
                mark = "~" if row["sample"] else ""
                ratio = f"{row['seconds'] / row['bound']:.2g}" if row["bound"] else ""
                lines.append(f"| {title(*panel)} | {row['ranks']:,} | {row['algorithm']} | {mark}{row['seconds'] * 1e6:.3g} | {ratio} "
                             f"| {row['rank_messages']:,} | {row['host_bytes']:,} |")
    return lines


if __name__ == "__main__":
    MODEL = ["--model", sys.argv[1]] if len(sys.argv) > 1 else []
    found = measure()
    print("\n".join(table(found)))
    why = plot(found)
    print("wrote docs/simulated.png" if not why else f"no picture: {why}", file=sys.stderr)
