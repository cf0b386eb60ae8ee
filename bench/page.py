#!/usr/bin/env python3
"""docs/BENCH.md from bench/results/SUITE.md and bench/missed.txt: one table, one picture, what is missed and why.

`make bench` writes the page; `python3 bench/page.py` writes it anew from the results that are there.
"""
import fnmatch
import pathlib
import re
import shutil
import subprocess

import report

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What the page and its picture show of each result: the name of the value and words for a reader.
SHOWN = [
    ("Messages between two ranks", [
        ("latency", "8 bytes, one way"), ("latency_64K", "64 KiB, one way"), ("rate", "8-byte messages"),
        ("rate_multiple", "8-byte messages, MPI_THREAD_MULTIPLE"), ("bandwidth_64K", "64 KiB"), ("bandwidth_1024K", "1 MiB"),
        ("bandwidth_mpi_1024K", "1 MiB of MPI_Alloc_mem"), ("types_column", "a column of 1,000 doubles"), ("types_face_j", "face j of 128^3 doubles"),
        ("types_struct", "10,000 structs with gaps"), ("fortran_section", "a row of 1,000 doubles in mpi_f08")]),
    ("Messages of one process", [
        ("self_sendrecv_single", "8 bytes to oneself, MPI_Sendrecv"), ("self_isend_recv_single", "8 bytes to oneself, MPI_Isend and MPI_Recv"),
        ("threads_1_tags", "two threads, own tags"), ("threads_1_hint", "two threads, own tags that may overtake"),
        ("posted_10000", "a message to one of 10,000 posted receives"), ("unexpected_10000", "a receive of one of 10,000 messages")]),
    ("Two hosts, tcp over loopback", [("across_latency", "8 bytes, one way"), ("across_bandwidth_1024K", "1 MiB")]),
    ("Collectives", [
        ("barrier_b_8", "barrier, 2 ranks"), ("bcast_b_8", "bcast, 8 bytes, 2 ranks"), ("allreduce_b_8", "allreduce, 8 bytes, 2 ranks"),
        ("allreduce_n_8", "nonblocking allreduce, 8 bytes, 2 ranks"), ("allreduce_p_8", "persistent allreduce, 8 bytes, 2 ranks"),
        ("bcast_b_32768", "bcast, 32 KiB, 2 ranks"), ("allreduce_b_32768", "allreduce, 32 KiB, 2 ranks"),
        ("allgather_b_32768", "allgather, 32 KiB, 2 ranks"), ("4_allreduce_b_8", "allreduce, 8 bytes, 4 ranks on 2 cores"),
        ("4_alltoall_b_1048576", "alltoall, 1 MiB, 4 ranks on 2 cores"), ("8_alltoall_b_1048576", "alltoall, 1 MiB, 8 ranks on 2 cores")]),
    ("Windows", [
        ("rma_put_8", "put of 8 bytes and a flush"), ("rma_get_8", "get of 8 bytes and a flush"), ("rma_fetch_and_op", "fetch_and_op and a flush"),
        ("rma_put_fence", "put of 8 bytes and a fence"), ("rma_lock_put", "lock, put of 8 bytes, unlock"),
        ("rma_accumulate_64Ki", "accumulate of 65,536 doubles"), ("rma_put_1024K", "put of 1 MiB and a flush"),
        ("rma_8_contended", "a counter of 8 ranks on 2 cores"), ("windows_8_off", "making and freeing a window, 8 ranks on 2 cores")]),
    ("Files in memory", [
        ("files_memory_contiguous_write", "collective write, one piece a rank, 2 ranks"),
        ("files_memory_cube_write", "collective write of 256^3 doubles in columns, 4 ranks"),
        ("files_memory_blocks_write", "collective write of blocks of 1 KiB, 8 ranks"),
        ("files_memory_sieve_read", "read of 256 bytes of each KiB, 2 ranks"), ("files_memory_shared_write", "write by the shared pointer, 4 ranks"),
        ("files_memory_open_close", "opening and closing, 2 ranks")]),
    ("The rest", [
        ("hello", "mpiexec -n 8 hello"), ("pss", "memory of a rank of 8"), ("init_world", "MPI_Init, 2 ranks"), ("dup_free", "MPI_Comm_dup and MPI_Comm_free, 2 ranks"),
        ("idle", "a core's share in MPI_Recv"), ("polling_8_test", "a hop of 8 ranks on 2 cores that poll with MPI_Test"),
        ("ops_sum_double", "MPI_Reduce_local, sum of 1 MiB of doubles"), ("check_latency", "8 bytes under mpiexec --check, over the time without"),
        ("advise_heat", "a step of examples/heat under mpiexec --advise, over the time without")])]

# Those that the table of a result calls "the same".
WORDS = {
    "rate_multiple": "8-byte message rate, MPI_THREAD_MULTIPLE, one thread", "unexpected_growth": "10,000 unexpected messages, as a multiple of one's time",
    "posted_growth": "10,000 posted receives, as a multiple of one's time", "across_bandwidth_1024K": "across hosts: bandwidth, 1 MiB",
    "sessions_ratio": "MPI_Session_init and a communicator of the world, as a multiple of MPI_Init's time"}

NAMES = {what: name for what, _, name, *_ in report.LINES}


class Result:
    """bench/results/SUITE.md, read back: rows by the name of their value, and the targets that were missed."""

    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        self.path, self.called = path, re.search(r"^## (.+)$", text, re.M)[1]
        self.how = " ".join(re.search(r"^## [^\n]+\n\n(.+?)\n\n", text, re.S | re.M)[1].split())
        self.rows, self.missed = {}, []
        for line in text.split("\nTargets:\n")[0].splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) == 8 and cells[0] in NAMES:
                self.rows[NAMES[cells[0]]] = cells
        goals = {f"{what}: {goal}": (name, goal) for what, _, name, _, _, goals in report.LINES for goal, _ in goals}
        for goal in re.findall(r"^- MISSED: (.+)$", text, re.M):
            if goal in goals:
                self.missed.append(goals[goal])

    def value(self, name, column):
        cells = self.rows.get(name)
        return cells[column] if cells else "-"

    def ratio(self, name):
        """How many times better than the better peer, as text."""
        return self.value(name, 6)

    def better(self, name):
        """The better peer's value."""
        ours, ratio = self.value(name, 2), self.ratio(name)
        peers = [cell for cell in (self.value(name, 3), self.value(name, 4)) if cell != "-"]
        if "-" in (ours, ratio) or not peers:
            return min(peers, key=float, default="-")
        times = float(ratio.split()[0])
        return min(peers, key=lambda peer: min(abs(float(peer) / float(ours) - t) for t in (times, 1 / times) if t))


def table(results):
    head = ["", "unit"]
    for result in results:
        head += [f"Inkling, {result.called.replace('GNU/Linux ', '')}", "better peer", "times better", "limit"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for title, names in SHOWN:
        rows = []
        for name, words in names:
            found = [result for result in results if name in result.rows]
            if found:
                cells = [words, found[0].value(name, 1)]
                for result in results:
                    cells += [result.value(name, 2), result.better(name), result.ratio(name), result.value(name, 5)]
                rows.append("| " + " | ".join(cells) + " |")
        if rows:
            lines += [f"| **{title}** |" + " |" * (len(head) - 1), *rows]
    return lines


def reasons(root):
    """bench/missed.txt: (patterns of value names, why)."""
    for line in (root / "bench/missed.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            patterns, _, why = line.partition(": ")
            yield patterns.split(), why


def missed(results, root):
    """A table, a row a reason and target: what misses it on each system, with its figures."""
    left = [list(result.missed) for result in results]
    yield "| " + " | ".join(["target", *(result.called.replace("GNU/Linux ", "") for result in results), "why"]) + " |"
    yield "|---" * (len(results) + 2) + "|"
    for patterns, why in [*reasons(root), (["*"], "not looked into yet.")]:
        mine = [[one for one in ones if any(fnmatch.fnmatchcase(one[0], pattern) for pattern in patterns)] for ones in left]
        left = [[one for one in ones if one not in taken] for ones, taken in zip(left, mine)]
        for goal in dict.fromkeys(goal for ones in mine for _, goal in ones):
            cells = ["; ".join(figure(result, name, goal) for name, of in ones if of == goal) or "met" for result, ones in zip(results, mine)]
            yield "| " + " | ".join([goal, *cells, why]) + " |"


def figure(result, name, goal):
    what, unit, ours, _, _, limit, ratio, _ = result.rows[name]
    beside = f", {ratio}" if ratio != "-" and "peer" in goal else f", limit {limit}" if limit != "-" else ""
    return f"{WORDS.get(name, what)} ({ours} {unit}{beside})"


def page(root):
    results = [Result(path) for path in sorted((root / "bench/results").glob("*.md"))]
    lines = [
        "# What `make bench` measured", "",
        "`make bench` runs every program on Inkling, MPICH and Open MPI in turn, in rounds that begin with another library each. It pins two",
        "ranks to two cores. *Times better* compares with the better of both peers: above 1 Inkling is better. The *limit* is what the machine",
        "does without MPI: a cache line handed from one process to another, memcpy, loops by hand that pack and unpack in one process, or",
        "pwrite and pread. Open MPI yields where ranks outnumber cores (`--mca mpi_yield_when_idle 1`). MPICH spins, so most such", "lines leave it out.", "",
        "The whole results, with all collectives by size and form, and all targets, are in `bench/results`; what was tried and what it gained",
        "is in `bench/notes.md`. `make bench` writes this page (bench/page.py); do not edit it. `make bench BENCH=\"--root trixie\"` measures",
        "on a bare Debian 13.", ""]
    lines += [f"- {result.called}: {result.how} [The whole result](../bench/results/{result.path.name})." for result in results]
    lines += ["", *table(results), "", "![How many times better than the better peer](bench.png)", "", "## Missed targets, and why"]
    lines.append("")
    for result in results:
        met = sum(1 for line in result.path.read_text(encoding="utf-8").splitlines() if line.startswith("- met: "))
        lines.append(f"{result.called}: {met} of {met + len(result.missed)} targets are met.")
    lines += ["", "Between hosts (`make bench-hosts`): MPIX_Comm_agree takes up to 2.2 allreduces (2 wanted: two trips, not one); over UCX 8 bytes 1.08 x the",
              "better peer's time, 1 MiB 0.87 x its bandwidth.", "", *missed(results, root)]
    return "\n".join(lines) + "\n"


def bars(results):
    """(words, the ratio of each system as text; 1, which is no bar, where there is none) of each line of the table."""
    for title, names in SHOWN:
        for name, words in names:
            ratios = [result.ratio(name).split()[0] for result in results]
            if any(ratio != "-" for ratio in ratios):
                where = f"{title}: " if title.startswith(("Two hosts", "Files", "Windows")) else ""
                yield f"{where}{words}", ["1" if ratio == "-" else ratio for ratio in ratios]


def series(column, count, called):
    """What gnuplot draws for one of `count` systems: bars beside those of the others, and their numbers."""
    width = 0.8 / count
    middle = (column - (count - 1) / 2) * width
    value, colours = f"${column + 1}", ["#88226a", "#d9a441", "#3a7d44"]
    return (f"$data using (1):($0+{middle:.3f}):(1):({value}):($0+{middle - width / 2:.3f}):($0+{middle + width / 2:.3f}) "
            f'with boxxyerror lc rgb "{colours[column % len(colours)]}" title "{called}", '
            f'$data using ({value} > 1 ? {value} : 1):($0+{middle:.3f}):({value} == 1 ? "" : sprintf(" %.2f", {value})) with labels left notitle')


def plot(root):
    """docs/bench.png: a bar a line of the table and system. Returns why there is none, or None."""
    if not shutil.which("gnuplot"):
        return "gnuplot is not installed"
    results = [Result(path) for path in sorted((root / "bench/results").glob("*.md"))]
    rows = list(bars(results))
    if not rows:
        return "there is nothing to compare"
    data = "\n".join(" ".join(ratios) for _, ratios in rows)
    labels = ", ".join(f'"{words}" {place}' for place, (words, _) in enumerate(rows))
    plots = ", ".join(series(column, len(results), result.called) for column, result in enumerate(results))
    script = f"""set terminal pngcairo size 1100,{60 + len(rows) * (8 + 12 * len(results))} noenhanced font "sans,10"
set output "{root / 'docs/bench.png'}"
set title "Times better than the better of MPICH and Open MPI (1: equal; longer is better)"
set logscale x; set grid x; set key bottom right; set ytics ({labels})
set xrange [0.25:1000]; set yrange [{len(rows) - 0.4}:-0.6]
set style fill solid 0.9 noborder; set arrow from 1,graph 0 to 1,graph 1 nohead lw 2 front
$data << EOD
{data}
EOD
plot {plots}
"""
    done = subprocess.run(["gnuplot"], input=script, text=True, capture_output=True, check=False)
    return done.stderr.strip() or "gnuplot failed" if done.returncode else None


def write(root):
    """Writes the page and its picture from the results of all systems."""
    (root / "docs/BENCH.md").write_text(page(root), encoding="utf-8")
    why = plot(root)
    print("wrote docs/BENCH.md" + (f"; the picture is as it was: {why}" if why else ""))


if __name__ == "__main__":
    write(ROOT)
