"""What the options do."""
import os
import re
import shutil
import tempfile
import unittest
from shlex import quote

from launching import BIN, MPIEXEC, STEPS, Case, main, mpiexec, run

COMPLETION = os.path.join(os.path.dirname(__file__), "../../cmd/completion.bash")

HAS_INSIGHT = os.path.exists(os.path.join(os.path.dirname(BIN), "lib", "libinkling_insight.so"))  # not in the preset library


class Options(Case):
    def test_hello(self):
        for ranks in (1, 2, 4):
            result = mpiexec("-n", ranks, STEPS, "init", "who", "barrier", "finalize")
            self.assertEqual(result.lines, [f"rank {r} of {ranks}" for r in range(ranks)])
            self.assertEqual((result.code, result.err), (0, ""))

    def test_names_of_one_option(self):
        for option in (["-n", "2"], ["-np", "2"], ["--np=2"], ["--n", "2"]):
            self.assertEqual(mpiexec(*option, STEPS, "say", "x").lines, ["x", "x"])
        self.assertEqual(mpiexec(STEPS, "say", "x").lines, ["x"])

    def test_mpirun_is_mpiexec(self):
        self.assertEqual(run([os.path.join(BIN, "mpirun"), "-n", "2", "echo", "x"]).lines, ["x", "x"])

    def test_64_ranks(self):
        result = mpiexec("-n", 64, STEPS, "init", "who", "barrier", "finalize")
        self.assertEqual(sorted(result.lines), sorted(f"rank {r} of 64" for r in range(64)))
        self.assertEqual((result.code, result.err), (0, ""))

    def test_parts(self):
        result = mpiexec("-n", 1, STEPS, "init", "who", "app", "finalize", ":", "-n", 2, "-universe-size", 7, STEPS,
                         "init", "app", "finalize")
        self.assertEqual(result.lines, ["appnum 0 universe 7", "appnum 1 universe 7", "appnum 1 universe 7",
                                        "rank 0 of 3"])

    def test_arguments_reach_the_program(self):
        odd = ["a b", "", "'", "-n", "$HOME", "é"]
        self.assertEqual(mpiexec("-n", 1, "printf", "<%s>", *odd).out, "".join(f"<{o}>" for o in odd))

    def test_double_dash_ends_options(self):
        self.assertEqual(mpiexec("--", "echo", "-n").out, run(["/bin/echo", "-n"]).out)

    def test_wdir(self):
        with tempfile.TemporaryDirectory() as folder:
            real = os.path.realpath(folder)
            self.assertEqual(mpiexec("-wdir", real, STEPS, "where").out, real + "\n")
            os.symlink(STEPS, os.path.join(real, "here"))
            self.assertEqual(mpiexec("-wdir", real, "./here", "say", "x").out, "x\n")
            os.mkdir(os.path.join(real, "below"))
            result = mpiexec("-wdir", "below", "../here", "where", "show", "INKLING_JOB_WDIR", cwd=real)
            self.assertEqual(result.out, f"{real}/below\n0 INKLING_JOB_WDIR={real}/below\n")

    def test_path(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(STEPS, os.path.join(folder, "ls"))
            self.assertEqual(mpiexec("-path", f"/nowhere:{folder}", "ls", "say", "ours").out, "ours\n")

    def test_environment(self):
        result = mpiexec("-n", 1, "-env", "A", "1", "-x", "B=2=3", "-x", "C", "-genv", "D", "4", STEPS, "show", "A",
                         "show", "B", "show", "C", "show", "D", ":", "-n", 1, STEPS, "show", "A", "show", "D", C="5")
        self.assertEqual(result.lines, ["0 A=1", "0 B=2=3", "0 C=5", "0 D=4", "1 A=(none)", "1 D=4"])

    def test_settings(self):
        result = mpiexec("--set", "eager-limit=8K", STEPS, "show", "INKLING_EAGER_LIMIT", INKLING_EAGER_LIMIT="1K")
        self.assertEqual(result.out, "0 INKLING_EAGER_LIMIT=8K\n")

    def test_a_former_name_of_a_value_is_told_once(self):
        for words in ({"INKLING_BARRIER": "slots"}, {}):
            result = mpiexec(*([] if words else ["--set", "barrier=slots"]), "-n", 3, STEPS, "init", "barrier", "finalize", **words)
            self.assertEqual(result.code, 0, result.err)
            self.assertEqual(result.err.count('"slots" of "inkling_barrier" is taken for its new name; write "mailbox"'), 1, result.err)

    @unittest.skipUnless(HAS_INSIGHT, "this build has no insight library")
    def test_check_by_a_setting(self):
        words = "-n", 2, STEPS, "init", "finalize"
        clean = "inkling check: nothing was found\n"
        self.assertEqual(mpiexec(*words, INKLING_CHECK="1").err, clean)
        self.assertEqual(mpiexec("--set", "CHECK=text", *words).err, clean)
        self.assertEqual(mpiexec(*words, INKLING_CHECK="0").err, "")
        self.assertEqual(mpiexec("--check", *words, INKLING_CHECK="0").err, clean)
        refused = mpiexec(*words, INKLING_CHECK="yes")
        self.assertEqual(refused.code, 1)
        self.assertIn("INKLING_CHECK=yes: text, json:FILE, sarif:FILE or suppress:FILE is needed", refused.err)

    def stats(self, *words, **more):
        """What --stats tells: its first line, and the numbers of each row with the rank of the most."""
        said = mpiexec(*words, **more).err
        lines = said[said.index("inkling stats: "):].splitlines()
        self.assertEqual(lines[1].split(), ["total", "least", "average", "most"])
        rows = [re.split("  +", line.strip()) for line in lines[2:] if re.search(r"  \(rank \d+\)$", line)]
        return lines[0], {row[0]: row[1:] for row in rows}

    def test_stats(self):
        barriers = ["init", *["barrier"] * 20, "finalize"]
        title, rows = self.stats("--stats", "-n", 3, STEPS, *barriers)
        self.assertRegex(title, r"inkling stats: 3 of 3 ranks have ended MPI, after \d+\.\d+ s at most")
        ways = [row for name, row in rows.items() if name.startswith("collectives")]
        self.assertEqual(sum(int(row[0]) for row in ways), 60, rows)
        self.assertEqual(sum(int(row[1]) for row in ways), 20, rows)
        title, rows = self.stats("-n", 1, STEPS, *barriers, ":", "-n", 1, STEPS, "init", "barrier", "abort", "3", INKLING_STATS="true")
        self.assertRegex(title, "of 2 ranks")
        title, rows = self.stats("--stats", "-n", 2, STEPS, "init", "barrier", "@1", "wrong", "barrier")
        self.assertRegex(title, "inkling stats: 1 of 2 ranks")
        self.assertEqual(mpiexec("-n", 2, STEPS, *barriers).err, "")

    def test_info_env_variables(self):
        shown = [word for name in ("COMMAND", "ARGV", "MAXPROCS", "SOFT", "HOST", "ARCH", "MEMORY_KINDS", "ERRHANDLER")
                 for word in ("show", "INKLING_JOB_" + name)]
        machine = os.uname().machine
        result = mpiexec("-n", 4, "-soft", "1:2", "-host", "localhost:8", "-arch", machine, "-memory-alloc-kinds",
                         "mpi,system", "-initial-errhandler", "mpi_errors_return", STEPS, *shown)
        self.assertEqual([line for line in result.lines if line.startswith("1")], sorted([
            f"1 INKLING_JOB_COMMAND={STEPS}", "1 INKLING_JOB_ARGV=" + " ".join(shown), "1 INKLING_JOB_MAXPROCS=4",
            "1 INKLING_JOB_SOFT=1:2", "1 INKLING_JOB_HOST=localhost:8", f"1 INKLING_JOB_ARCH={machine}",
            "1 INKLING_JOB_MEMORY_KINDS=mpi,system", "1 INKLING_JOB_ERRHANDLER=mpi_errors_return"]))
        self.assertEqual(len(result.lines), 16)

    def test_thread_level(self):
        self.assertEqual(mpiexec(STEPS, "init", "level", "finalize").out, "none asked, less given\n")
        self.assertEqual(mpiexec("-thread-level", "MPI_THREAD_MULTIPLE", STEPS, "init", "level", "finalize", ":",
                                 "--thread-level", "MPI_THREAD_SINGLE", STEPS, "init", "level", "finalize").lines,
                         ["MPI_THREAD_MULTIPLE asked, MPI_THREAD_MULTIPLE given", "MPI_THREAD_SINGLE asked, less given"])
        self.assertIn("did you mean MPI_THREAD_SINGLE", mpiexec("-thread-level", "MPI_THREAD_SINGEL", STEPS).err)

    def test_soft(self):
        for soft, ranks in (("2", 2), ("1:3", 3), ("1:9:2", 5), ("0,4", 4), ("9,3", 3), ("8:2:-3", 5), ("1:100", 5),
                            ("5", 5), ("5:9", 5), ("9:5:-1", 5), ("5:5", 5), ("0:5:5", 5)):
            self.assertEqual(mpiexec("-n", 5, "-soft", soft, "echo", "x").out.count("x"), ranks, soft)

    def test_hosts(self):
        with tempfile.NamedTemporaryFile("w") as hosts:
            hosts.write(f"# ours\nlocalhost slots=2\n{os.uname().nodename}:4\n127.0.0.1\n")
            hosts.flush()
            self.assertEqual(mpiexec("-hostfile", hosts.name, "-n", 3, "echo", "x").out, "x\n" * 3)
        self.assertEqual(mpiexec("-host", "localhost,localhost", "-n", 2, "echo", "x").out, "x\n" * 2)

    def test_configfile(self):
        with tempfile.NamedTemporaryFile("w") as parts:
            parts.write(f"# two parts\n-n 1 {quote(STEPS)} say 'a : b'\n\n-n 2 \\\n  {quote(STEPS)} say \"c \\\"d\"\n")
            parts.flush()
            self.assertEqual(mpiexec("--label", "-configfile", parts.name).lines,
                             ["[0] a : b", '[1] c "d', '[2] c "d'])

    def test_file(self):
        with tempfile.NamedTemporaryFile("w") as options:
            options.write("-n 2\n-env A 'x y'\n")
            options.flush()
            self.assertEqual(mpiexec("-file", options.name, STEPS, "show", "A").lines, ["0 A=x y", "1 A=x y"])

    def test_files_of_options(self):
        """Any number of them; how deep they name each other is limited."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [f"{folder}/{i}" for i in range(12)]
            for i, path in enumerate(paths):
                with open(path, "w", encoding="ascii") as file:
                    file.write(f"-env V{i} {i}\n")
            result = mpiexec(*(word for path in paths for word in ("-file", path)), STEPS, "show", "V11")
            self.assertEqual((result.code, result.lines), (0, ["0 V11=11"]), result.err)
            for i, path in enumerate(paths[1:]):
                with open(path, "w", encoding="ascii") as file:
                    file.write(f"-file {quote(paths[i])}\n")
            self.assertEqual(mpiexec("-file", paths[7], STEPS, "show", "V0").lines, ["0 V0=0"])
            self.assertIn("more than 8 deep", mpiexec("-file", paths[8], STEPS, "show", "V0").err)

    def test_a_dash_is_a_program(self):
        for words in (["-"], ["--", "-"]):
            result = mpiexec("-n", 1, *words)
            self.assertEqual((result.code, result.out), (1, ""))
            self.assert_one_line(result.err, "mpiexec: there is no program '-'")
            self.assertNotIn("did you mean", result.err)

    def test_bind_to_core(self):
        cores = len(os.sched_getaffinity(0))
        if cores < 2:
            self.skipTest("one core only")
        result = mpiexec("-n", 2, "--bind-to", "core", STEPS, "cores")
        places = [line.split()[3] for line in result.lines]
        self.assertEqual(len(set(places)), 2, result.out)

    def test_bind_to_none_and_crowd(self):
        everywhere = run([STEPS, "cores"]).out.split()[3]
        crowd = 2 * os.cpu_count() + 1
        for ranks, *options in ((2, "--bind-to", "none"), (crowd,), (1,)):
            lines = mpiexec("-n", ranks, *options, STEPS, "cores").lines
            self.assertEqual([line.split()[3] for line in lines], [everywhere] * ranks)

    def test_nested(self):
        result = mpiexec("-n", 2, MPIEXEC, "-n", 3, STEPS, "init", "who", "barrier", "finalize")
        self.assertEqual(result.lines, sorted([f"rank {r} of 3" for r in range(3)] * 2))
        self.assertEqual((result.code, result.err), (0, ""))

    def test_behind_a_shell(self):
        result = mpiexec("-n", 3, "sh", "-c", f"{quote(STEPS)} init who barrier finalize; exit 0")
        self.assertEqual(result.lines, [f"rank {r} of 3" for r in range(3)])
        self.assertEqual((result.code, result.err), (0, ""))

    def test_program_of_a_rank_is_a_job_of_its_own(self):
        result = mpiexec("-n", 2, STEPS, "init", "finalize", "say", "x")
        self.assertEqual((result.code, result.lines), (0, ["x", "x"]))

    def test_help_and_version(self):
        for option in ("--help", "-h"):
            result = mpiexec(option)
            self.assertEqual((result.code, result.err), (0, ""))
            for word in ("-n, -np", "--label", "--timeout", "--bind-to", "--configfile", "MPIEXEC_TIMEOUT"):
                self.assertIn(word, result.out)
        self.assertRegex(mpiexec("--version").out, r"^mpiexec \(Inkling\) \d+\.\d+\.\d+, MPI 5\.0\n$")

    def test_man_page(self):
        """The options of the manual page are those of the help."""
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "man", "mpiexec.1")
        with open(page, encoding="ascii") as text:
            flags = [name for line in re.findall(r"^\.It (Fl .*)$", text.read(), re.M) for name in re.findall(r"Fl -?([\w-]+)", line)]
        names = [name for line in mpiexec("--help").out.splitlines() if line.startswith("  -")
                 for name in re.findall(r"(?:^|, )-+([\w-]+)", line.strip())]
        self.assertGreater(len(names), 30)
        self.assertEqual(sorted(names), sorted(flags))

    @unittest.skipUnless(shutil.which("bash"), "no bash here")
    def test_completion(self):
        """In bash, each option, key, setting and verb."""
        def offered(function, *words):
            script = (f"source {quote(COMPLETION)}; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
                      f"{function} \"$1\" \"${{@: -1}}\" \"${{@: -2:1}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
            return set(run(["bash", "-c", script, "bash", *words]).lines)

        inkling = os.path.join(BIN, "inkling")
        names = [re.findall(r"-[\w-]+", re.match(r"  (-[\w-]+(, -[\w-]+)*)", line)[1]) for line in mpiexec("--help").lines
                 if line.startswith("  -")]
        firsts = {row[0] for row in names}
        self.assertLess({"-n", "--soft", "--check", "--hints-report", "--version"}, firsts)
        self.assertEqual(offered("_mpiexec", MPIEXEC, "-"), firsts)
        others = [name for row in names for name in row[1:] if not any(first.startswith(name) for first in firsts)]
        self.assertLess({"-np", "--check_mpi"}, set(others))
        for name in others:
            self.assertIn(name, offered("_mpiexec", MPIEXEC, name))
        self.assertEqual(offered("_mpiexec", MPIEXEC, "--no-such"), {""})
        keys = {line.split()[0] for line in run([inkling, "hints"]).lines if line.startswith("  ")}
        settings = {key for key in keys if key.startswith("INKLING_")}
        self.assertEqual(offered("_mpiexec", MPIEXEC, "--hint", ""), {key + "=" for key in keys - settings})
        self.assertEqual(offered("_mpiexec", MPIEXEC, "-set", "EA"), {"EAGER_LIMIT="})
        self.assertEqual(offered("_mpiexec", MPIEXEC, "-n", "2", "--bind-to", "c"), {"core"})
        self.assertEqual(offered("_inkling", inkling, "hints", ""), keys)
        self.assertIn("doctor", offered("_inkling", inkling, ""))
        self.assertIn("inkling_cma", offered("_inkling", inkling, "vars", "inkling_c"))
        self.assertEqual(offered("_inkling", inkling, "hints", "--"), {"--json", "--help"})

    def test_without_host_name(self):
        """No name resolution is needed: in a name space of its own without network, where that is allowed."""
        result = run(["unshare", "-rnu", "sh", "-c",
                      f"hostname nowhere.invalid; exec {quote(MPIEXEC)} -n 2 {quote(STEPS)} init barrier finalize say x"])
        if "unshare" in result.err:
            self.skipTest(result.err.strip())
        self.assertEqual((result.code, result.lines), (0, ["x", "x"]))


if __name__ == "__main__":
    main()
