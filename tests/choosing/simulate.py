"""inkling simulate: what it counts is what jobs send, and no algorithm that the library takes grows faster than its bound by more than a
logarithm. simulate.py BUILD COUNTS: the build, and the program of counts.c. Arguments behind them: classes."""
import json
import math
import os
import subprocess
import sys
import unittest

BUILD, COUNTS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
INKLING, MPIEXEC = (os.path.join(BUILD, "bin", name) for name in ("inkling", "mpiexec"))


def run(*command, **env):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PMI", "INKLING_", "OMPI", "MPIEXEC"))}
    return subprocess.run(command, capture_output=True, text=True, timeout=250, env={**kept, **env}, check=False)


def simulate(*words):
    result = run(INKLING, "simulate", "--json", *map(str, words))
    if result.returncode:
        raise RuntimeError(result.stderr)
    return json.loads(result.stdout)["rows"]


class Counts(unittest.TestCase):
    def compare(self, ranks, hosts, sizes):
        near = ranks // hosts
        for row in simulate("--ranks", ranks, "--hosts", hosts, "--bytes", sizes):
            setting = {f"INKLING_{row['collective'].upper()}": row["algorithm"]}
            if hosts > 1:
                setting["INKLING_HOST_RANKS"] = str(near)
            result = run(MPIEXEC, "-n", str(ranks), COUNTS, row["collective"], str(row["bytes"]), **setting)
            self.assertEqual((result.returncode, result.stderr), (0, ""), row)
            counted, simulated = [int(n) for n in result.stdout.split()], [row[name] for name in ("all_messages", "all_bytes", "sent_most")]
            if row["algorithm"] == "hosts" and row["bytes"] <= 2048 and row["collective"] in ("barrier", "bcast", "reduce", "allreduce"):
                # ranks of a host take these steps in its memory, which is not simulated: messages are those between hosts
                chain = row["collective"] in ("bcast", "reduce")
                self.assertEqual(counted[0], hosts - 1 if chain else hosts * math.log2(hosts), row)
            elif row["algorithm"] == "hosts" and row["collective"] == "allgather" and row["bytes"] * ranks <= 2048:
                self.assertEqual(counted[0], simulated[0] - (ranks - hosts), row)
            elif row["algorithm"] == "hosts" and row["collective"] == "scan" and row["bytes"] <= 2048:
                self.assertEqual(counted[0], simulated[0] - (near - 1) * (hosts - 1), row)
            else:
                self.assertEqual(counted, simulated, row)
            self.assertFalse(row["sample"])
            self.assertGreater(row["seconds"], 0, row)

    def test_one_host(self):
        self.compare(5, 1, "8,1000")

    def test_hosts(self):
        self.compare(8, 2, "8,65536")

    def test_more_hosts(self):
        self.compare(16, 4, "64")


class Hosts(unittest.TestCase):
    """What the host with most sends to others and receives from them, in collectives of two levels, does not grow with the ranks of a host: a
    message from or to each other host where a root has all, one from or to each rank of another one where all have something for all,
    the logarithm of the hosts where results are one for all, and that for each of its ranks where each result is one rank's."""

    most = {"gather": lambda near, hosts: hosts - 1, "scatter": lambda near, hosts: hosts - 1,
            "alltoall": lambda near, hosts: near * (hosts - 1), "reduce_scatter": lambda near, hosts: near * (hosts - 1 if hosts < 5 else math.log2(hosts)),
            "allgather": lambda near, hosts: math.log2(hosts), "scan": lambda near, hosts: math.log2(hosts)}

    def test_messages(self):
        for ranks, hosts in ((64, 4), (128, 8), (256, 4)):
            for row in simulate("--chosen", "--ranks", ranks, "--hosts", hosts, "--bytes", "8", *self.most):
                self.assertEqual(row["algorithm"], "hosts", row)
                self.assertLessEqual(row["host_messages"], self.most[row["collective"]](ranks // hosts, hosts), row)


class Growth(unittest.TestCase):
    """Messages of the rank that has most, by what the library takes beyond 64 ranks, are at most some logarithms, but where each rank
    has something for each other one; and the time by the bound grows no faster than the logarithm of the ranks."""

    def test_growth(self):
        before = {}
        for ranks in (1024, 65536):
            for row in simulate("--chosen", "--ranks", ranks, "--hosts", ranks // 16, "--bytes", "8", "barrier", "bcast", "reduce", "allreduce"):
                self.assertFalse(row["sample"], row)
                self.assertLessEqual(row["rank_messages"], 8 * math.log2(ranks), row)
                ratio = row["seconds"] / row["bound"]
                grown = ratio / before.setdefault(row["collective"], ratio)
                self.assertLessEqual(grown, math.log(65536) / math.log(1024), row)

    def test_few_bytes(self):
        """However many ranks: what each has for all, or one for each, takes some times the bound, and no step for each rank."""
        for ranks, collectives, times in ((1024, ("scatter", "allgather", "reduce_scatter"), 3), (16384, ("scatter", "allgather"), 6), (65536, ("scatter",), 6)):
            for row in simulate("--chosen", "--ranks", ranks, "--hosts", ranks // 16, "--bytes", "8", *collectives):
                self.assertLessEqual(row["seconds"], times * row["bound"], row)
                self.assertLessEqual(row["rank_messages"], 4 * math.log2(ranks), row)
        for row in simulate("--chosen", "--ranks", 1024, "--hosts", 1024, "--bytes", "2K", "allgather", "reduce_scatter"):
            self.assertEqual(row["algorithm"], "bruck", row)
            self.assertLessEqual(row["seconds"], 4 * row["bound"], row)
        for size, algorithm in ((8, "hosts"), (256, "hosts"), (4096, "pairwise")):
            (row,) = simulate("--chosen", "--ranks", 1024, "--hosts", 64, "--bytes", size, "alltoall")
            self.assertEqual(row["algorithm"], algorithm, row)


class Largest(unittest.TestCase):
    """A million ranks, rank by rank, within a gigabyte or so."""

    def test_million(self):
        rows = simulate("--chosen", "--ranks", 1 << 20, "--hosts", 8192, "--bytes", "8", "barrier", "allreduce")
        self.assertEqual({row["collective"] for row in rows}, {"barrier", "allreduce"})
        for row in rows:
            self.assertGreater(row["seconds"], row["bound"], row)


class Words(unittest.TestCase):
    def test_words(self):
        for words, said in ((("--ranks", "0"), "--ranks is '0'; give a number from 1 to 1048576"),
                            (("--bytes", "8,x"), "--bytes is '8,x'; give sizes like 8,64K,1M"),
                            (("--fast",), "nothing stands behind '--fast'"), (("--fast", "1"), "there is no option '--fast'"),
                            (("scatterv",), "there is no collective 'scatterv'"),
                            (("--model", "/nowhere"), "/nowhere: cannot be read")):
            result = run(INKLING, "simulate", *words)
            self.assertEqual(result.returncode, 1)
            self.assertIn(said, result.stderr)
        self.assertIn("--hosts H", run(INKLING, "simulate", "--help").stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
