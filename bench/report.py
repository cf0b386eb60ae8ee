"""The table of a bench run: ratios, limits, targets. bench/page.py makes docs/BENCH.md of it."""
import datetime
import os
import pathlib
import platform
import shlex
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PEERS = ["MPICH", "Open MPI"]
SIZES = {"64K": "64KiB", "256K": "256KiB", "1024K": "1MiB", "4096K": "4MiB", "16384K": "16MiB"}


COLLECTIVES = ["barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall", "reduce_scatter_block"]


# What bench/forms.c measures besides.
OTHERS = ["gather", "gatherv", "scatter", "scatterv", "allgatherv", "alltoallv", "alltoallw", "reduce_scatter", "scan", "exscan",
          "neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw",
          "bcast_gapped", "allgather_gapped", "alltoall_gapped", "allreduce_pairs", "allreduce_user", "allreduce_in_place",
          "allgather_in_place", "alltoall_in_place", "reduce_scatter_in_place", "inter_bcast", "inter_allreduce",
          "inter_allgather", "inter_alltoall"]

# Those of bench/forms.c that went by messages once: name, bytes, size in words.
FORMS = [(name, size, text) for name in ("gatherv", "scatterv", "allgatherv", "inter_bcast") for size, text in ((8, "8 bytes"), (4096, "4 KiB"))] + [
    ("scatter", 4096, "4 KiB"), ("exscan", 1 << 20, "1 MiB")]


class Row:
    """One measured thing: its values by library, the machine's limit, and whether the targets are met.

    targets are (text, holds(ours, values by peer, limit)); a target is only judged when all that it needs is there.
    """

    def __init__(self, what, unit, ours, peers, limit, more_is_better, targets):
        self.what, self.unit, self.ours, self.peers, self.limit = what, unit, ours, peers, limit
        self.more_is_better = more_is_better
        self.targets = [(text, self.judge(holds)) for text, holds in targets]

    def judge(self, holds):
        if self.ours is None:
            return "not run"
        try:
            return "met" if holds(self) else "MISSED"
        except (TypeError, KeyError, ValueError):
            return "not judged"

    @property
    def best_peer(self):
        return (max if self.more_is_better else min)(self.peers.values(), default=None)

    def ratio(self, other):
        """How many times better ours is than the other."""
        if not self.ours or not other:
            return None
        return self.ours / other if self.more_is_better else other / self.ours

    @property
    def share(self):
        """Ours as a multiple of the limit."""
        return self.ours / self.limit if self.ours and self.limit else None


SELF = [("sendrecv", "MPI_Sendrecv"), ("isend_recv", "Isend and Recv"), ("irecv_send", "Irecv and Send"),
        ("waitall", "Irecv, Isend and Waitall")]
LAYOUTS = [("column", "1000 doubles, a column"), ("face_i", "face i of 128^3, one run"), ("face_j", "face j of 128^3"),
           ("face_k", "face k of 128^3"), ("indexed_1", "10,000 doubles, indexed"),
           ("indexed_4", "2,500 blocks of 4 doubles"), ("indexed_64", "156 blocks of 64 doubles"),
           ("struct", "10,000 structs with gaps"), ("vector_of_vector", "vector of vector, 10,000 doubles")]
REDUCTIONS = [(f"{op}_{type_}", f"1 MiB MPI_Reduce_local, {op} of {type_}") for op in ("sum", "max")
              for type_ in ("float", "double", "int")]

# A target on ours alone, in us.
def at_most(microseconds):
    return [(f"at most {microseconds} us", lambda r: r.ours <= microseconds)]


# Operations on windows, by the names of bench/rma.c.
RMA = [("put_8", "MPI_Put of 8 bytes and a flush", [("at most 0.7 x the better peer", lambda r: r.ours <= 0.7 * r.best_peer)]),
       ("get_8", "MPI_Get of 8 bytes and a flush", [("at most 0.7 x the better peer", lambda r: r.ours <= 0.7 * r.best_peer)]),
       ("fetch_and_op", "MPI_Fetch_and_op and a flush", [("at most the better peer's", lambda r: r.ours <= r.best_peer)]),
       ("compare_and_swap", "MPI_Compare_and_swap and a flush", [("at most the better peer's", lambda r: r.ours <= r.best_peer)]),
       ("accumulate_8", "MPI_Accumulate of 8 bytes and a flush", at_most(0.068)),
       ("get_accumulate_8", "MPI_Get_accumulate of 8 bytes and a flush", at_most(0.2)),
       ("put_fence", "MPI_Put of 8 bytes and MPI_Win_fence", at_most(0.45)),
       ("pscw", "post, start, MPI_Put of 8 bytes, complete, wait", at_most(0.35)),
       ("lock_put", "lock, MPI_Put of 8 bytes, unlock", at_most(0.08)),
       ("accumulate_64Ki", "MPI_Accumulate of 65,536 doubles",
        [("at least 2 x the better peer", lambda r: r.ours * 2 <= r.best_peer)]),
       *((f"accumulate_{type_}", f"MPI_Accumulate of 1 MiB of {type_} by both ranks to one",
          [("at most the better peer's", lambda r: r.ours <= r.best_peer)]) for type_ in ("char", "short", "int"))]
EPOCHS = [("fence", "MPI_Put and MPI_Win_fence"), ("pscw", "post, start, MPI_Put, complete, wait, in a ring"),
          ("lock", "exclusive lock, get, put, unlock, by all, per epoch")]


FILES = [  # name, what, its limit, how many times the better peer's rate, and the share of the limit, that it is to reach
    ("contiguous_write", "collective write of 64 MiB, 2 ranks", "contiguous_write_hand", 1, 0.9),
    ("contiguous_read", "collective read of 64 MiB, 2 ranks", "contiguous_read_hand", 1, 0.9),
    ("cube_write", "collective write of 256^3 doubles, 4 ranks in 2 x 2 columns", None, 2, None),
    ("cube_read", "collective read of the same", None, 2, None),
    ("blocks_write", "collective write of blocks of 1 KiB in turn, 8 ranks", None, 2, None),
    ("blocks_read", "collective read of the same", None, 2, None),
    ("sieve_read", "independent read of 256 bytes in each 1 KiB, 2 ranks", None, 1, None),
    ("sieve_write", "independent write of the same", None, 1, None)]


def file_lines():
    for place, where in (("memory", "a file in memory"), ("disk", "a file on the disk, in the page cache")):
        for name, what, limit, times_peer, share in FILES:
            targets = [(f"at least {times_peer} x the better peer" if times_peer > 1 else "at least the better peer",
                        lambda r, k=times_peer: r.ours >= k * r.best_peer)]
            if share:
                targets.append((f"at least {share} x pwrite or pread", lambda r, k=share: r.ours >= k * r.limit))
            yield (f"{where}: {what}", "GB/s", f"files_{place}_{name}", limit and f"files_{place}_{limit}", True, targets)
        yield (f"{where}: one of 100,000 writes by the shared pointer, 4 ranks", "us", f"files_{place}_shared_write", None, False,
               [("at least 3 x as fast as the better peer", lambda r: r.ours * 3 <= r.best_peer)])
        for size, words in (("4K", "4 KiB"), ("1M", "1 MiB"), ("16M", "16 MiB")):
            yield (f"{where}: collective write of a byte of each of 2 ranks, a buffer of {words}", "us", f"files_{place}_tiny_{size}_write", None,
                   False, [("at most the better peer's", lambda r: r.ours <= r.best_peer)])
        yield (f"{where}: opening and closing, 2 ranks", "us", f"files_{place}_open_close", None, False,
               [("at most the better peer's", lambda r: r.ours <= r.best_peer)])


# (what, unit, value name, name of the limit, more is better, [(target, holds)])
LINES = [
    ("8-byte latency, one way", "us", "latency", "latency_hand", False,
     [("below both peers", lambda r: r.ours < r.best_peer),
      ("at most 0.8 x the better peer", lambda r: r.ours <= 0.8 * r.best_peer),
      ("at most 1.3 x a cache-line handoff", lambda r: r.ours <= 1.3 * r.limit)]),
    ("64-KiB latency, one way", "us", "latency_64K", None, False,
     [("at most 0.9 x the better peer", lambda r: r.ours <= 0.9 * r.best_peer)]),
    ("64-KiB latency, data written and read", "us", "latency_used_64K", None, False,
     [("at most 0.9 x the better peer", lambda r: r.ours <= 0.9 * r.best_peer)]),
    ("8-byte latency by mpi_f08; limit: by C", "us", "fortran_latency", "fortran_latency_hand", False,
     [("at most 3 % or 10 ns above C", lambda r: r.ours <= max(1.03 * r.limit, r.limit + 0.01))]),
    ("a row of 1000 doubles, an array section of mpi_f08; limit: a datatype", "us", "fortran_section", "fortran_section_hand", False,
     [("at most 1.05 x the datatype", lambda r: r.ours <= 1.05 * r.limit)]),
    ("8-byte message rate", "M/s", "rate", None, True,
     [("at least 1.5 x the better peer", lambda r: r.ours >= 1.5 * r.best_peer)]),
    ("the same, MPI_THREAD_MULTIPLE, one thread; limit: MPI_THREAD_SINGLE", "M/s", "rate_multiple", "rate_multiple_loop", True,
     [("at least 0.85 x that of MPI_THREAD_SINGLE", lambda r: r.ours >= 0.85 * r.limit)]),
    *((f"8 bytes to oneself, {form}, {level}", "us", f"self_{name}_{level.rsplit('_', 1)[1].lower()}", None, False,
       [("at most 0.9 x the better peer", lambda r: r.ours <= 0.9 * r.best_peer)])
      for name, form in SELF for level in ("MPI_THREAD_SINGLE", "MPI_THREAD_MULTIPLE")),
    *((f"{what}, two threads of {whose}", "M/s", f"threads_{ranks}_{name}", f"threads_{ranks}_{name}_loop", True,
       [("at least 1.6 x one thread", lambda r: r.ours >= 1.6 * r.limit)] if ranks == 1 and name != "tags" else [])
      for ranks, whose in ((1, "a process, to itself; limit: one thread"), (2, "each of two ranks; limit: one thread"))
      for name, what in (("tags", "8-byte message rate under own tags"), ("hint", "the same that may overtake"),
                         ("comms", "the same on own communicators"))),
    ("10,000 posted receives, per message", "us", "posted_10000", None, False, []),
    ("the same as a multiple of one receive's", "x", "posted_growth", None, False,
     [("at most 1.5", lambda r: r.ours <= 1.5)]),
    ("10,000 unexpected messages, per receive", "us", "unexpected_10000", None, False, []),
    ("the same as a multiple of one message's", "x", "unexpected_growth", None, False,
     [("at most 1.5", lambda r: r.ours <= 1.5)]),
    *((f"bandwidth, {text}", "GB/s", f"bandwidth_{size}", f"memcpy_{size}", True, [("at least the better peer", lambda r: r.ours >= r.best_peer)])
      for size, text in SIZES.items()),
    *((f"the same in MPI_Alloc_mem memory, {text}", "GB/s", f"bandwidth_mpi_{size}", f"memcpy_{size}", True,
       [("at least 0.9 x memcpy", lambda r: r.ours >= 0.9 * r.limit)] if size in ("256K", "1024K") else [])
      for size, text in SIZES.items()),
    ("ping-pong in MPI_Alloc_mem memory, 1MiB", "GB/s", "pingpong_mpi_1024K", "pingpong_1024K", True,
     [("above both peers", lambda r: r.ours > r.best_peer),
      ("at least 0.9 x memcpy of what the other core wrote", lambda r: r.ours >= 0.9 * r.limit)]),
    ("across hosts (tcp on loopback; MPICH: UCX): 8-byte latency", "us", "across_latency", None, False,
     [("at most the better peer's", lambda r: r.ours <= r.best_peer)]),
    ("the same: bandwidth, 1MiB", "GB/s", "across_bandwidth_1024K", None, True,
     [("at least the better peer", lambda r: r.ours >= r.best_peer)]),
    ("barrier, 8 ranks on 2 cores", "us", "barrier", None, False,
     [("no slower than Open MPI when it yields", lambda r: r.ours <= r.peers["Open MPI"]),
      ("over 100 x faster than MPICH", lambda r: r.ours * 100 < r.peers["MPICH"])]),
    *((f"{name.replace('_', ' ')}, 8 bytes, 2 ranks", "us", f"{name}_b_8", None, False,
       [("at most 0.9 x the better peer", lambda r: r.ours <= 0.9 * r.best_peer)]) for name in COLLECTIVES),
    *((f"{form} {name}, 8 bytes, 2 ranks", "us", f"{name}_{letter}_8", None, False,
       [("at most 0.9 x the better peer", lambda r: r.ours <= 0.9 * r.best_peer)])
      for form, letter in (("nonblocking", "n"), ("persistent", "p")) for name in ("barrier", "allreduce")),
    *((f"{name}, 32 KiB, 2 ranks", "us", f"{name}_b_32768", None, False,
       [("at most 0.9 x the better peer", lambda r: r.ours <= 0.9 * r.best_peer)])
      for name in ("bcast", "allreduce", "allgather")),
    *((f"{name}, {text}, 2 ranks", "us", f"{name}_b_{size}", None, False,
       [("at most 0.9 x the better peer", lambda r: r.ours <= 0.9 * r.best_peer)])
      for name, size, text in FORMS),
    *((f"alltoall, {size} KiB, {ranks} ranks on 2 cores", "us", f"{ranks}_alltoall_b_{size << 10}", None, False,
       [("at most 0.9 x the better peer", lambda r: r.ours <= 0.9 * r.best_peer)])
      for ranks in (4, 8) for size in (256, 512, 1024, 2048)),
    *((f"{name}, 8 bytes, 4 ranks on 2 cores", "us", f"4_{name}_b_8", None, False,
       [("no slower than Open MPI when it yields", lambda r: r.ours <= r.peers["Open MPI"])])
      for name in ("barrier", "allreduce")),
    ("persistent allreduce, 8 bytes, 4 ranks on 2 cores", "us", "4_allreduce_p_8", None, False, []),
    ("the same with strict ordering asserted", "us", "4_allreduce_s_8", None, False, []),
    *((f"part of an allreduce of {size} that computing hides", "%", f"overlap_{number}", None, True, [])
      for size, number in (("64 KiB", 65536), ("1 MiB", 1048576))),
    ("sender's wait, 1 MiB, its receiver computes for 1 ms", "us", "wait", None, False, []),
    ("the same with inkling_progress_thread", "us", "thread_wait", None, False, []),
    *((f"a hop round {ranks} ranks on 2 cores that poll with MPI_{call.capitalize()} (limit: ours with MPI_Recv)", "us",
       f"polling_{ranks}_{call}", f"polling_{ranks}_{call}_loop", False,
       [("at most 1.5 x MPI_Recv's", lambda r: r.ours <= 1.5 * r.limit)])
      for ranks in (2, 4, 8) for call in ("iprobe", "test")),
    *((f"{ranks} ranks on 2 cores that compute, with an MPI_Test every 100 us, over the same without", "x",
       f"polling_{ranks}_tested", None, False, [("at most 1.1", lambda r: r.ours <= 1.1)]) for ranks in (2, 4, 8)),
    ("a core's share used in MPI_Recv", "%", "idle", None, False, [("under 2 %", lambda r: r.ours < 2)]),
    ("the same of 3 ranks in MPI_Allreduce", "%", "idle_allreduce", None, False, [("under 2 %", lambda r: r.ours < 2)]),
    ("mpiexec -n 8 hello, wall time", "ms", "hello", None, False,
     [("at most a third of the better peer's", lambda r: r.ours * 3 <= r.best_peer)]),
    ("memory (Pss) per rank of 8", "MiB", "pss", None, False, [("under 3 MiB", lambda r: r.ours < 3)]),
    ("MPI_Init, 2 ranks", "us", "init_world", None, False, []),
    ("MPI_Session_init and a communicator of the world", "us", "init_sessions", None, False, []),
    ("the same as a multiple of MPI_Init's time", "x", "sessions_ratio", None, False,
     [("at most 1.2", lambda r: r.ours <= 1.2)]),
    ("MPI_Comm_dup and MPI_Comm_free, 2 ranks", "us", "dup_free", None, False,
     [("below both peers", lambda r: r.ours < r.best_peer)]),
    *((f"message: {what}", "us", f"types_{name}", f"types_{name}_hand", False,
       [("1.5 x as fast as the better peer", lambda r: r.ours * 1.5 <= r.best_peer),
        ("at least 0.6 x packing and unpacking by hand", lambda r: r.ours * 0.6 <= r.limit)])
      for name, what in LAYOUTS),
    *((f"window: {what}", "us", f"rma_{name}", None, False, targets) for name, what, targets in RMA),
    *((f"window: {what} of 1 MiB and a flush", "GB/s", f"rma_{name}_1024K", "memcpy_1024K", True,
       [("at least 0.95 x memcpy", lambda r: r.ours >= 0.95 * r.limit)]) for name, what in (("put", "MPI_Put"), ("get", "MPI_Get"))),
    *((f"window: a counter of {ranks} ranks on 2 cores by MPI_Fetch_and_op", "M/s", f"rma_{ranks}_contended", None, True,
       [("at least the better peer's rate", lambda r: r.ours >= r.best_peer)]) for ranks in (2, 4, 8)),
    *((f"window: a counter of one byte of {ranks} ranks on 2 cores", "M/s", f"rma_{ranks}_contended_byte", None, True,
       [("at least the better peer's rate", lambda r: r.ours >= r.best_peer)]) for ranks in (2, 4, 8)),
    *((f"window: {what}, {ranks} ranks on 2 cores", "us", f"rma_{ranks}_{name}", None, False,
       [("no slower than Open MPI when it yields", lambda r: r.ours <= r.peers["Open MPI"])])
      for ranks in (4, 8) for name, what in EPOCHS),
    *((f"window: MPI_{call.capitalize()}: {what}", "us", f"{call}_{name}", f"types_{name}_hand", False,
       [("1.5 x as fast as the better peer", lambda r: r.ours * 1.5 <= r.best_peer),
        ("at least 0.6 x packing and unpacking by hand", lambda r: r.ours * 0.6 <= r.limit)])
      for call in ("put", "get") for name, what in LAYOUTS),
    *((f"making and freeing a window, {ranks} ranks on 2 cores{with_}", "us", f"windows_{ranks}_{name}", None, False, [])
      for ranks in (2, 4, 8, 16, 32, 64) for name, with_ in (("off", ""), ("on", ", same_size and same_disp_unit"))),
    *((f"memory of a window on a rank, {ranks} ranks{with_}", "B", f"windows_{ranks}_{name}_bytes", None, False, [])
      for ranks in (2, 4, 8, 16, 32, 64) for name, with_ in (("off", ""), ("on", ", same_size and same_disp_unit"))),
    *file_lines(),
    *((f"one of 100,000 {call} that are under way, under mpiexec --check", "us", name, None, False,
       [("at most 5 us", lambda r: r.ours <= 5)]) for call, name in (("MPI_Get", "check_gets"), ("MPI_Rget", "check_rgets"))),
    *((f"{what}, over the same without", "x", name, None, False, [(f"at most {most}", lambda r, most=most: r.ours <= most)])
      for what, name, most in (("8-byte latency under mpiexec --check", "check_latency", 2),
                               ("64 nonblocking 8-byte messages at a time under mpiexec --check", "check_rate", 3),
                               *((f"64 nonblocking messages of {size} at a time under mpiexec --check", f"check_rate_{name}", 3)
                                 for size, name in (("16 KiB", "16K"), ("64 KiB", "64K"), ("1 MiB", "1024K"))),
                               ("a step of examples/heat under mpiexec --check", "check_heat", 1.15),
                               ("a step of examples/heat under mpiexec --advise", "advise_heat", 1.05),
                               ("8-byte latency while a tool holds all performance variables", "watch_held", 1.03),
                               ("8-byte latency while all of them are started, and not read", "watch_started", 1.1),
                               ("8-byte latency while a tool hears of all events", "watch_heard", 1.03),
                               ("8-byte latency when the tool has gone", "watch_after", 1.03))),
    *((what, "GB/s", f"ops_{name}", f"ops_{name}_loop", True,
       [("at least 0.9 x the best loop by hand", lambda r: r.ours >= 0.9 * r.limit)]) for name, what in REDUCTIONS),
]


def rows(medians):
    """Rows for what was measured. medians[library or "limit"][value name] = number."""
    made = []
    for what, unit, name, limit, more_is_better, targets in LINES:
        peers = {peer: medians[peer][name] for peer in PEERS if name in medians.get(peer, {})}
        ours = medians.get("Inkling", {}).get(name)
        if ours is not None or peers:
            made.append(Row(what, unit, ours, peers, medians.get("limit", {}).get(limit), more_is_better, targets))
    return made


def number(value):
    if value is None:
        return "-"
    return f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def times(value):
    return "-" if value is None else f"{value:.2f} x"


def table(made):
    """A Markdown table and the list of targets, also easy on the eye in a terminal."""
    cells = [["", "unit", "Inkling", *PEERS, "limit", "vs. better peer", "/ limit"]]
    for row in made:
        cells.append([row.what, row.unit, number(row.ours), *(number(row.peers.get(peer)) for peer in PEERS),
                      number(row.limit), times(row.ratio(row.best_peer)), times(row.share)])
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    goals = [f"- {verdict}: {row.what}: {text}" for row in made for text, verdict in row.targets]
    return "\n".join([*lines, "", "Targets:", "", *goals])


FORMS = [("b", ""), ("n", ", nonblocking"), ("p", ", persistent"), ("s", ", persistent, strict ordering")]


def sweep(medians, prefix, peers, names=COLLECTIVES):
    """Every collective by bytes per rank: our time in us and, in brackets, as a multiple of the best peer's."""
    ours = medians.get("Inkling", {})
    sizes = sorted({int(name.rsplit("_", 1)[1]) for name in ours if name.startswith(f"{prefix}{names[-1]}_b_")})
    if not sizes:
        return []
    lines = ["| | " + " | ".join(f"{size} B" if size < 1024 else f"{size // 1024} KiB" for size in sizes) + " |",
             "|---" * (len(sizes) + 1) + "|"]
    for name in names:
        for form, words in FORMS:
            cells = []
            for size in sizes:
                key = f"{prefix}{name}_{form}_{size}"
                best = min((medians[peer][key] for peer in peers if key in medians.get(peer, {})), default=None)
                share = f" ({ours[key] / best:.2f})" if key in ours and best else ""
                cells.append(f"{number(ours[key])}{share}" if key in ours else "")
            if any(cells):
                lines.append(f"| {name.replace('_', ' ')}{words} | " + " | ".join(cells) + " |")
    return lines


def growth(medians):
    ours = medians.get("Inkling", {})
    ranks = sorted({int(name.split("_")[1]) for name in ours if name.startswith("growth_")})
    if not ranks:
        return []
    lines = ["| ranks on 2 cores | " + " | ".join(map(str, ranks)) + " |", "|---" * (len(ranks) + 1) + "|"]
    for name, what in (("barrier_b_8", "barrier, us"), ("allreduce_b_8", "allreduce of 8 bytes, us")):
        lines.append(f"| {what} | " + " | ".join(number(ours.get(f"growth_{n}_{name}")) for n in ranks) + " |")
    return lines


def collectives(medians):
    """The tables of collectives, as far as they were measured."""
    parts = [("**Collectives of 2 ranks**, us by bytes per rank; in brackets the time divided by the better peer's, below "
              "1 is better.", sweep(medians, "", PEERS))]
    for ranks in 4, 8:
        parts.append((f"**{ranks} ranks on 2 cores**, the same; the peer is Open MPI, which yields.",
                      sweep(medians, f"{ranks}_", ["Open MPI"])))
    parts.append(("**Other collectives**, 2 ranks. \"gapped\" are vectors with every second double, \"pairs\" MPI_MAXLOC of MPI_DOUBLE_INT, "
                  "\"user\" an operation of the program, \"neighbor\" a grid in two dimensions, \"inter\" two groups of half the ranks.",
                  sweep(medians, "", PEERS, OTHERS)))
    parts.append(("**Other collectives, 4 ranks on 2 cores**; the peer is Open MPI.", sweep(medians, "4_", ["Open MPI"], OTHERS)))
    parts.append(("**More ranks.**", growth(medians)))
    return "\n\n".join(f"{title}\n\n" + "\n".join(lines) for title, lines in parts if lines)


def versions():
    found = []
    for name, command in (("MPICH", ["mpichversion"]), ("Open MPI", ["mpiexec.openmpi", "--version"])):
        try:
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[0]
            found.append(f"{name} {said.split()[-1]}")
        except (OSError, subprocess.CalledProcessError, IndexError):
            pass
    return ", ".join(found)


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        for line in cpuinfo:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{model}, {len(os.sched_getaffinity(0))} cores, Linux {platform.release().split('-')[0]}"


def system():
    """The name of this system's release and how a reader calls it: ("bookworm", "Debian GNU/Linux 12")."""
    lines = pathlib.Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
    said = dict(shlex.split(line)[0].split("=", 1) for line in lines if "=" in line)
    return said.get("VERSION_CODENAME", said["ID"]), f"{said['NAME']} {said.get('VERSION_ID', '')}".strip()


def publish(made, collectives_text, rounds, root):
    """Writes this system's result: bench/results/SUITE.md."""
    name, called = system()
    results = root / "bench/results"
    results.mkdir(exist_ok=True)
    (results / f"{name}.md").write_text(
        f"## {called}\n\n"
        f"{datetime.date.today()}, {machine()}; {versions()}. Medians of {rounds} rounds.\n\n"
        f"{table(made)}\n\n{collectives_text}\n", encoding="utf-8")
