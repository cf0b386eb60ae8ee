"""Each option of mpiexec beside each other one, in the order of the table or the other by turns: either both do what they do alone, or one
line names what cannot be beside the other."""
import itertools
import os
import re
import tempfile

from launching import STEPS, Case, main, mpiexec

WORDS = ["init", "who", "show", "GIVEN", "show", "EXPORTED", "show", "GLOBAL", "show", "OUTSIDE", "where", "app", "level", "cores", "complain",
         "words", "barrier", "finalize"]
CORE = min(os.sched_getaffinity(0))
PREFIX = r"(?:\d{4}-\d\d-\d\d [\d:.]+ )?(?:\[\d\] )?"  # of the time and the rank


class Run:
    """What a job of two ranks said, wherever the options had it go."""

    def __init__(self, folder, words):
        self.folder = folder
        self.result = mpiexec("-n", 2, *words, STEPS, *WORDS, OUTSIDE="outer")
        self.out, self.err, self.files = self.result.out, self.result.err, ""
        for place, _, names in os.walk(folder):
            for name in names:
                with open(os.path.join(place, name), encoding="utf-8", errors="replace") as file:
                    self.files += file.read()
        self.all = self.out + self.err + self.files

    def has(self, line, times=2, text=None):
        return len(re.findall(f"(?m)^{PREFIX}(?:[01] )?{line}$", self.all if text is None else text)) >= times


def prefixed(pattern):
    """Whether lines of ranks begin like that, unless they go to files."""
    return lambda run: all(re.match(pattern, line) for line in (run.out + run.err).splitlines() if re.search("rank . of 2$|words$", line))


def anything(_):
    return True


# name: the words ({}: a folder of the run's own), and whether it shows that the option took effect
OPTIONS = {
    "env": ("--env GIVEN one", lambda run: run.has("GIVEN=one")),
    "x": ("-x EXPORTED=two", lambda run: run.has("EXPORTED=two")),
    "genv": ("--genv GLOBAL three", lambda run: run.has("GLOBAL=three")),
    "envnone": ("--envnone", lambda run: run.has(r"OUTSIDE=\(none\)")),
    "envall": ("--envall", lambda run: run.has("OUTSIDE=outer")),
    "envlist": ("--envlist HOME", lambda run: run.has(r"OUTSIDE=\(none\)")),
    "wdir": ("--wdir /", lambda run: run.has("/")),
    "path": ("--path /nowhere", anything),
    "arch": (f"--arch {os.uname().machine}", anything),
    "soft": ("--soft 1:2", anything),
    "appnum": ("--appnum 5", lambda run: run.has(r"appnum 5 universe \d+")),
    "universe": ("--universe-size 77", lambda run: run.has(r"appnum \d universe 77")),
    "errhandler": ("--initial-errhandler mpi_errors_return", anything),
    "level": ("--thread-level MPI_THREAD_MULTIPLE", lambda run: run.has(".*MPI_THREAD_MULTIPLE.*")),
    "kinds": ("--memory-alloc-kinds mpi,system", anything),
    "host": ("--host localhost:2", anything),
    "label": ("--label", prefixed(r"(\S+ \S+ )?\[[01]\] ")),
    "timestamp": ("--timestamp-output", prefixed(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} ")),
    "merge": ("--merge-stderr-to-stdout", lambda run: not run.has("words", 1, run.err)),
    "copies": ("--output-filename {}/copies", lambda run: os.path.exists(f"{run.folder}/copies/1/rank.0/stdout")),
    "outfile": ("--outfile-pattern {}/out.%r", lambda run: run.has(r"rank \d of 2", 2, run.files) and not run.has("rank . of 2", 1, run.out)),
    "errfile": ("--errfile-pattern {}/err.%r", lambda run: run.has("words", 2, run.files)),
    "direct": ("--direct-output", anything),
    "stdin": ("--stdin all", anything),
    "codes": ("--print-all-exitcodes", lambda run: run.has(".*exit.*0.*", 1)),
    "quiet": ("--quiet", lambda run: "mpiexec: ignored" not in run.err),
    "ignored": ("--verbose", anything),
    "ppn": ("--ppn 2", anything),
    "rr": ("--rr", anything),
    "bind": ("--bind-to none", lambda run: run.has(r"rank \d cores .*")),
    "map": ("--map-by slot", anything),
    "rank": ("--rank-by slot", anything),
    "set": (f"--cpu-set {CORE}", lambda run: run.has(rf"rank \d cores {CORE}")),
    "hwthreads": ("--use-hwthread-cpus", anything),
    "oversubscribe": ("--oversubscribe", anything),
    "bindings": ("--report-bindings", lambda run: run.has(".*rank 0.*", 1, run.err)),
    "show": ("--display-map", lambda run: run.has(f".*{os.path.basename(STEPS)}.*", 1)),
    "abi": ("--abi none", anything),
    "timeout": ("--timeout 40", anything),
    "setting": ("--set eager-limit=2K", anything),
    "hint": ("--hint mpi_assert_no_any_tag=true", anything),
    "report": ("--hints-report", lambda run: run.has("inkling: hints: .*", 1)),
    "survive": ("--survive", anything),
    "stats": ("--stats", lambda run: run.has("inkling stats: 2 of 2 ranks .*", 1)),
    "check": ("--check", lambda run: run.has("inkling check: nothing was found", 1)),
    "advise": ("--advise={}/advice", lambda run: os.path.exists(f"{run.folder}/advice/advice.json")),
}

# What one line refuses, and what the later of two changes.
REFUSED = [{"label", "direct"}, {"timestamp", "direct"}, {"copies", "direct"}, {"copies", "outfile"}, {"copies", "errfile"}, {"merge", "errfile"}]
OVERRIDDEN = [{"envnone", "envall"}, {"envall", "envlist"}, {"envnone", "envlist"}]


class Pairs(Case):
    def judge(self, *names):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(folder, " ".join(OPTIONS[name][0] for name in names).replace("{}", folder).split())
            if set(names) in REFUSED:
                self.assert_one_line(run.err, "exclude each other")
                self.assertEqual((run.result.code, run.out), (1, ""))
                return
            self.assertEqual(run.result.code, 0, run.err)
            self.assertTrue(run.has("rank [01] of 2"), run.all)
            for name in names[1:] if set(names) in OVERRIDDEN else names:
                self.assertTrue(OPTIONS[name][1](run), f"{name} has no effect:\n{run.all}")

    def test_each_alone(self):
        for name in OPTIONS:
            with self.subTest(name):
                self.judge(name)

    def test_each_beside_each(self):
        for turn, pair in enumerate(itertools.combinations(OPTIONS, 2)):
            with self.subTest(pair):
                self.judge(*pair[::-1] if turn % 2 else pair)


if __name__ == "__main__":
    main()
