"""Options, settings and variables of other launchers: what each does here, and what is said of the rest."""
import os
import re
import tempfile

from launching import BIN, STEPS, Case, main, mpiexec, run

SETTING = STEPS, "show", "INKLING_EAGER_LIMIT"


class Peers(Case):
    def assert_said(self, result, *words):
        self.assertEqual(result.code, 0, result.err)
        self.assert_one_line(result.err, "mpiexec: ", *words)

    def refused(self, *arguments, says):
        result = mpiexec(*arguments, "echo", "x")
        self.assertEqual((result.code, result.out), (1, ""))
        self.assert_one_line(result.err, says)

    # output and input

    def test_timestamp(self):
        out = mpiexec("-n", 2, "--timestamp-output", "--tag-output", STEPS, "say", "x").lines
        for rank, line in enumerate(sorted(out, key=lambda line: line[24:])):
            self.assertRegex(line, rf"^\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{{3}} \[{rank}\] x$")
        self.assertRegex(mpiexec("--output", "timestamp", "echo", "y").out, r"^\d{4}-.*\d{3} y\n$")

    def test_prepend_pattern(self):
        self.assertEqual(mpiexec("-n", 2, "-prepend-pattern", "<%r of %h> 100%% ", "echo", "x").lines,
                         [f"<{rank} of {os.uname().nodename}> 100% x" for rank in range(2)])

    def test_merge(self):
        for words in (["--merge-stderr-to-stdout"], ["--output", "merge"]):
            result = mpiexec("-n", 2, *words, "sh", "-c", "echo a; echo b >&2")
            self.assertEqual((result.lines, result.err), (["a", "a", "b", "b"], ""))

    def test_output_filename(self):
        script = "sh", "-c", "echo out $PMI_RANK; echo err >&2"
        for name, copied in (("a/b", True), ("c:nocopy", False)):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, name)
                result = mpiexec("-n", 11, "--output-filename", path, *script)
                self.assertEqual(len(result.lines), 11 if copied else 0, result.err)
                for rank in range(11):
                    for stream, text in (("stdout", f"out {rank}\n"), ("stderr", "err\n")):
                        file = os.path.join(folder, name.split(":")[0], "1", f"rank.{rank:02}", stream)
                        with open(file, encoding="ascii") as written:
                            self.assertEqual(written.read(), text)

    def test_output_filename_without_job(self):
        for name, copied in (("a:nojobid", True), ("b:nojobid,nocopy", False), ("c:d", True)):
            with tempfile.TemporaryDirectory() as folder:
                result = mpiexec("--output-filename", os.path.join(folder, name), "echo", "x")
                self.assertEqual((result.code, result.out), (0, "x\n" if copied else ""), result.err)
                inner = [name.split(":")[0]] if "nojobid" in name else [name, "1"]
                self.assertTrue(os.path.exists(os.path.join(folder, *inner, "rank.0", "stdout")), name)

    def test_file_patterns(self):
        with tempfile.TemporaryDirectory() as folder:
            result = mpiexec("-n", 2, "-outfile-pattern", folder + "/o.%r", "-errfile-pattern", folder + "/e.%h",
                             "sh", "-c", "echo $PMI_RANK; echo err >&2")
            self.assertEqual((result.code, result.out, result.err), (0, "", ""))
            for name, text in (("o.0", "0\n"), ("o.1", "1\n"), (f"e.{os.uname().nodename}", "err\nerr\n")):
                with open(os.path.join(folder, name), encoding="ascii") as written:
                    self.assertEqual(written.read(), text)
        self.assert_one_line(mpiexec("-outfile-pattern", "/proc/no/%r", "echo", "x").err, "/proc/no")

    def test_stdin(self):
        text = "".join(f"{i}\n" for i in range(40000))  # more than pipes hold
        count = "sh", "-c", "echo $PMI_RANK $(wc -l)"
        self.assertEqual(mpiexec("-n", 3, "--stdin", "all", *count, stdin=text).lines, ["0 40000", "1 40000", "2 40000"])
        self.assertEqual(mpiexec("-n", 3, "-s", "2", *count, stdin=text).lines, ["0 0", "1 0", "2 40000"])
        self.assertEqual(mpiexec("-n", 2, "--stdin", "none", *count, stdin=text).lines, ["0 0", "1 0"])
        early = mpiexec("-n", 2, "--stdin=all", "sh", "-c", "test $PMI_RANK = 0 || wc -l", stdin=text)
        self.assertEqual((early.code, early.lines), (0, ["40000"]))  # rank 0 does not read
        self.refused("-n", 2, "--stdin", "2", says="the last one is 1")
        self.refused("--stdin", "some", says="a rank, all or none")

    def test_exit_codes(self):
        result = mpiexec("-n", 3, "-print-all-exitcodes", STEPS, "init", "finalize", "@1", "exit", "3")
        self.assertIn("mpiexec: exit codes: 0 3 0\n", result.err)
        killed = mpiexec("-print-all-exitcodes", "sh", "-c", "kill -KILL $$")
        self.assertIn("exit codes: 137 (SIGKILL)\n", killed.err)

    # environment

    def test_inherited_environment(self):
        show = STEPS, "show", "A", "show", "B", "show", "C", "show", "INKLING_LANES"
        given = {"A": "1", "B": "2", "INKLING_LANES": "3"}
        kept = "INKLING_LANES=3"
        for words, a, b in ((["-envall"], "1", "2"), (["-genvall"], "1", "2"), (["-envnone"], "(none)", "(none)"),
                            (["-genvnone"], "(none)", "(none)"), (["-envlist", "B,X"], "(none)", "2"), (["-genvlist", "A"], "1", "(none)"),
                            (["-genvnone", "-envlist", "A,B"], "1", "2"), (["-genvlist", "A", "-envall"], "1", "2")):
            result = mpiexec(*words, "-env", "C", "9", *show, **given)
            self.assertEqual(result.out.split(), ["0", f"A={a}", "0", f"B={b}", "0", "C=9", "0", kept], words)

    def test_variables_of_other_launchers(self):
        """Scripts choose a device by them. Those of a launcher around mpiexec are not passed on."""
        each = "PMI_RANK", "MPI_LOCALRANKID", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_NODE_RANK", \
            "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK"
        sizes = "PMI_SIZE", "MPI_LOCALNRANKS", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE"
        shown = [word for name in each + sizes for word in ("show", name)]
        result = mpiexec("-n", 2, STEPS, *shown, OMPI_COMM_WORLD_NODE_RANK="7", MV2_COMM_WORLD_SIZE="9")
        self.assertEqual(result.lines, sorted(f"{rank} {name}={value}" for rank in range(2)
                                              for names, value in ((each, rank), (sizes, 2)) for name in names))

    def test_missing_variable(self):
        self.assert_said(mpiexec("-x", "NO_SUCH_VARIABLE", "echo", "x"), "ignored: -x NO_SUCH_VARIABLE")

    def test_prefix(self):
        self.assert_said(mpiexec("--prefix", "/usr", "echo", "x"), "ignored: --prefix /usr")
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "lib"))
            with open(os.path.join(folder, "lib", "libmpi_abi.so.1"), "w", encoding="ascii"):
                pass
            result = mpiexec("--prefix", folder, "sh", "-c", "echo $PATH; echo $LD_LIBRARY_PATH")
            self.assertEqual(result.out.splitlines()[0], f"{folder}/bin:{os.environ['PATH']}")
            self.assertEqual(result.out.splitlines()[1].split(":")[0], f"{folder}/lib")

    # places

    def cores(self, *words):
        return [line.split()[3] for line in mpiexec(*words, STEPS, "cores").lines]

    def test_counts_of_places(self):
        for words, ranks in ((["-N", 3], 3), (["--npernode", 2], 2), (["--pernode"], 1), (["--map-by", "ppr:4:node"], 4), (["--ppr", "4:node"], 4), (["-rr", "-n", 3], 3),
                             (["-N", 3, "-n", 2], 2), (["-ppn", 2, "-n", 5], 5), (["-ppn", 2], 1)):
            self.assertEqual(mpiexec(*words, "echo", "x").out, "x\n" * ranks, words)
        for words in (["-N", 3, "-n", 4], ["--map-by", "ppr:3:node", "-n", 4]):
            self.refused(*words, says="4 ranks, but --map-by ppr:3:node has room for 3 on this host")
        self.refused("--map-by", "ppr:3", says="ppr:N:OBJECT")
        self.refused("--map-by", "cores", says="did you mean core")
        self.refused("--map-by", "dist:auto:eth0", says="it is one of core, socket")
        self.refused("--bind-to", "user:0,1", says="it is one of none, core")
        self.refused("--map-by", "pe-list=x", says="such as 0,4-7")
        self.refused("--map-by", "core:XX=2", says="'xx=2' is no modifier")
        self.refused("--nolocal", says="this host is the only one")
        self.refused("-n", 2 * os.cpu_count() + 1, "--nooversubscribe", says="--nooversubscribe: ")

    def test_slots_are_the_count(self):
        """Without -n, as many start as the hosts that are named have slots."""
        own = os.uname().nodename
        for words, ranks in ((["--host", f"{own}:3"], 3), (["-H", "localhost,localhost"], 2), (["-hosts", f"{own}:2,localhost"], 3),
                             (["-host", own], 1), (["-host", f"{own}:3", "-n", 2], 2), (["-host", f"{own}:3", "-N", 2], 2)):
            self.assertEqual(mpiexec(*words, "echo", "x").out, "x\n" * ranks, words)
        with tempfile.NamedTemporaryFile("w") as hosts:
            hosts.write("localhost slots=2\n127.0.0.1:3\n")
            hosts.flush()
            for words, variables, ranks in ((["-hostfile", hosts.name], {}, 5), ([], {"HYDRA_HOST_FILE": hosts.name}, 5),
                                            ([], {"I_MPI_HYDRA_HOST_FILE": hosts.name}, 5), (["-machine", hosts.name, "-c", 1], {}, 1),
                                            (["-host", own], {"HYDRA_HOST_FILE": hosts.name}, 1)):
                self.assertEqual(mpiexec(*words, "echo", "x", **variables).out, "x\n" * ranks, (words, variables))
        self.assertEqual(mpiexec("--host", f"{own}:3", "echo", "a", ":", "echo", "b").lines, ["a", "b"])
        self.assert_one_line(mpiexec("echo", "x", HYDRA_HOST_FILE="/no/such").err, "/no/such")

    def test_binding(self):
        usable = sorted(os.sched_getaffinity(0))
        one = str(usable[0])
        self.assertEqual(self.cores("--cpu-set", one), [one])
        self.assertEqual(self.cores("-n", 3, "--cpu-list", one, "--bind-to", "core:overload-allowed"), [one] * 3)
        self.refused("-n", 2, "--cpu-set", one, "--bind-to", "core", says="need 2 cores and there are 1")
        self.assertEqual(self.cores("--slot-list", one), [one])
        self.assertEqual(self.cores("-n", 1, "--map-by", f"pe-list={one}:ordered", "--bind-to", "core"), [one])
        self.refused("--cpu-set", "x", says="such as 0,4-7")
        everywhere = run([STEPS, "cores"]).out.split()[3]
        for words in (["--bind-to", "machine"], ["--map-by", "slot", "--bind-to", "none"], ["-bind-to-none"]):
            self.assertEqual(self.cores("-n", 2, *words), [everywhere] * 2)
        if len(usable) > 1:
            for words in (["--map-by", "core"], ["-bycore", "-bind-to-core"], ["--map-by", "ppr:2:node:PE=1", "--bind-to", "core"],
                          ["--bind-to", "hwthread"], ["-use-hwthread-cpus", "-bind-to", "core"], ["--cpus-per-proc", 1]):
                found = self.cores("-n", 2, *words)
                self.assertEqual(len(set(found)), 2, words)

    def test_ranks_by_places(self):
        """Two processes on each of two cores: their ranks go round the cores, or from one to the next."""
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one core")
        one, other = map(str, sorted(os.sched_getaffinity(0))[:2])
        words = "-n", 4, "--cpu-set", f"{one},{other}", "--map-by", "ppr:2:core", "--bind-to", "core:overload-allowed"
        for option, cores in (((), [one, one, other, other]), (("--rank-by", "core"), [one, other, one, other]), (("--rank-by", "slot"), [one, one, other, other]),
                              (("--rank-by", "fill"), [one, one, other, other]), (("--rank-by", "span"), [one, other, one, other])):
            self.assertEqual(self.cores(*words, *option), cores, option)
        self.assertEqual(len(self.cores("-n", 2, "--npersocket", 2)), 2)

    def pretended_hydra(self, *words):
        """What a launcher that reaches other hosts would be given."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mpiexec.hydra")
            with open(path, "w", encoding="ascii") as file:
                file.write('#!/bin/sh\nprintf "%s\\n" "$@"\n')
            os.chmod(path, 0o755)
            hosts = os.path.join(folder, "hosts")
            with open(hosts, "w", encoding="ascii") as file:
                file.write("localhost slots=2\n127.0.0.2:3\n127.0.0.3 slots=1 max_slots=4\n")
            result = mpiexec("--launcher", "mpiexec.hydra", "-hostfile", hosts, *words, PATH=f"{folder}:{os.environ['PATH']}")
            self.assertEqual(result.code, 0, result.err)
            return result.out.splitlines()

    def test_other_hosts(self):
        """What has a meaning only where there are several hosts."""
        for words, slots in (((), (2, 3, 1)), (("-ppn", 2), (2, 2, 2)), (("--npernode", 3), (3, 3, 3)), (("--map-by", "node"), (1, 1, 1))):
            line = self.pretended_hydra("-n", 6, *words, "true")
            self.assertEqual([word.split(":")[-1] for word in line[line.index("-hosts") + 1].split(",")], [str(n) for n in slots], words)
        line = self.pretended_hydra("-n", 6, "-iface", "eth7", "true")
        self.assertIn("INKLING_OFI_INTERFACE=eth7", line)
        self.assertEqual(len(self.pretended_hydra("-n", 4, "--nolocal", "true")[1].split(",")), 2)

    def test_recovery(self):
        """The words of others for a job that outlives a rank."""
        for words in (["--with-ft", "ulfm"], ["--enable-recovery"], ["-disable-auto-cleanup"]):
            result = mpiexec(*words, STEPS, "show", "INKLING_SURVIVE")
            self.assertEqual((result.out, result.err), ("0 INKLING_SURVIVE=true\n", ""), words)
        self.assertEqual(mpiexec("--with-ft", "no", STEPS, "show", "INKLING_SURVIVE").out, "0 INKLING_SURVIVE=(none)\n")
        self.refused("--with-ft", "ulmf", says="did you mean ulfm")

    def test_reports(self):
        result = mpiexec("-n", 2, "--report-bindings", "--bind-to", "none", "echo", "x")
        host = os.uname().nodename
        self.assertEqual(result.err, "".join(f"mpiexec: rank {rank} on host {host}: cores any\n" for rank in range(2)))
        one = str(min(os.sched_getaffinity(0)))
        for words in (["--display-map"], ["--display", "map"]):
            self.assertEqual(mpiexec(*words, "--cpu-set", one, "echo", "x").err, f"mpiexec: rank 0 on host {host}: cores {one}, echo\n")
        started = mpiexec("-n", 2, "--do-not-launch", "echo", "x")
        self.assertEqual((started.code, started.out, started.err.count("\n")), (0, "", 2))

    def test_max_slots(self):
        with tempfile.NamedTemporaryFile("w") as hosts:
            hosts.write("localhost slots=2 max_slots=3\n")
            hosts.flush()
            self.assertEqual(mpiexec("-machinefile", hosts.name, "-n", 3, "echo", "x").out, "x\n" * 3)
            self.refused("-hostfile", hosts.name, "-n", 4, says="the max_slots of")

    def test_app_file(self):
        with tempfile.NamedTemporaryFile("w") as parts:
            parts.write("# Open MPI's\n-np 1 echo a\n-np 2 echo b\n")
            parts.flush()
            self.assertEqual(mpiexec("--app", parts.name).lines, ["a", "b", "b"])

    # what is ignored, and what is taken over

    def test_ignored(self):
        words = ["--allow-run-as-root", "--mca", "btl", "^openib", "-bootstrap", "ssh", "-rmk", "slurm", "-iface", "lo"]
        result = mpiexec("-n", 2, *words, "echo", "x")
        self.assert_said(result, "ignored: ", "--allow-run-as-root", "--mca btl ^openib", "-bootstrap ssh", "--rmk slurm", "-iface lo", "--quiet")
        self.assertEqual(result.out, "x\nx\n")
        for quiet in ("--quiet", "-q"):
            self.assertEqual(mpiexec(quiet, *words, "echo", "x").err, "")

    def test_ignored_with_their_values(self):
        """What site scripts have for Open MPI, MPICH and Intel MPI; a value is not taken for the program."""
        alone = "display-topo hetero-nodes do-not-resolve index-argv-by-rank wait-for-server set-cwd-to-session-dir set-sid stop-on-exec " \
            "stop-in-init parsable trace aps gdb rdma PSM2 silent-abort localonly trace-collectives dynamic_tracing prot validate".split()
        with_value = "preload-files debugger max-restarts runtime-options stream-buffering forward-signals pset add-host branch-count " \
            "use-app-topology gtool gtoolfile umask ckpoint-interval ckpointlib gpu-subdevs-per-proc gpus-per-proc rankfile".split()
        for words in ([f"--{name}"] for name in alone):
            self.assert_said(mpiexec(*words, "true"), "ignored: ", words[0])
        for words in ([f"-{name}", "value"] for name in with_value):
            self.assert_said(mpiexec(*words, "true"), "ignored: ", words[0] + " value")
        for words in (["-omca", "pml", "ob1"], ["--gprtemca", "plm", "ssh"], ["--gpmixmca", "gds", "hash"]):
            self.assert_said(mpiexec(*words, "true"), "ignored: ", " ".join(words[1:]))

    def test_information(self):
        for word in "-info", "-build-info", "-V":
            self.assertRegex(mpiexec(word).out, r"^mpiexec \(Inkling\) \d")
        self.assertIn("inkling check: ", mpiexec("-check_mpi", STEPS, "init", "finalize").err)
        universe = STEPS, "init", "app", "finalize"
        self.assertEqual(mpiexec("-usize", "SYSTEM", *universe).out, mpiexec(*universe).out)
        self.assertIn(str(2**31 - 1), mpiexec("-usize", "infinite", *universe).out)

    def test_parameters_taken_over(self):
        for words, variables in ((["--mca", "btl_vader_eager_limit", "8192"], {}), (["-x", "OMPI_MCA_btl_vader_eager_limit=8192"], {}),
                                 ([], {"OMPI_MCA_btl_vader_eager_limit": "8192"}), ([], {"MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE": "8192"}),
                                 (["-genv", "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", "8192"], {})):
            result = mpiexec(*words, *SETTING, **variables)
            self.assertEqual(result.out, "0 INKLING_EAGER_LIMIT=8192\n")
            self.assert_said(result, "taken over: ", "is --set EAGER_LIMIT=8192")
        for words, ours in ((["--mca", "coll_tuned_allreduce_algorithm", "3"], "ALLREDUCE=doubling"),
                            (["--mca", "coll_tuned_bcast_algorithm", "binomial"], "BCAST=tree"),
                            (["-genv", "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "brucks"], "ALLGATHER=bruck"),
                            (["-genv", "I_MPI_ADJUST_ALLREDUCE", "2"], "ALLREDUCE=pieces"), (["-env", "MV2_SMP_EAGERSIZE", "8K"], "EAGER_LIMIT=8K"),
                            (["-x", "I_MPI_ASYNC_PROGRESS=on"], "PROGRESS_THREAD=true")):
            result = mpiexec(*words, STEPS, "show", "INKLING_" + ours.split("=", maxsplit=1)[0])
            self.assertEqual(result.out, f"0 INKLING_{ours}\n")
            self.assert_said(result, "is --set " + ours)

    def test_own_settings_go_first(self):
        words = "--mca", "btl_vader_eager_limit", "8192"
        for result in (mpiexec("--set", "eager-limit=2K", *words, *SETTING), mpiexec(*words, *SETTING, INKLING_EAGER_LIMIT="2K")):
            self.assertEqual(result.out, "0 INKLING_EAGER_LIMIT=2K\n")
        beyond = mpiexec("--mca", "btl_vader_eager_limit", "99999999", *SETTING)
        self.assert_said(beyond, "ignored: --mca btl_vader_eager_limit 99999999")
        self.assertEqual(beyond.out, "0 INKLING_EAGER_LIMIT=(none)\n")
        self.assertEqual(mpiexec("-x", "OMPI_MCA_MV2_SMP_EAGERSIZE=8K", *SETTING).out, "0 INKLING_EAGER_LIMIT=(none)\n")
        self.assert_said(mpiexec("--mca", "coll_tuned_bcast_algorithm", "5", *SETTING), "ignored: --mca coll_tuned_bcast_algorithm 5")

    def test_all_translations_are_settings(self):
        """Each word of ours in the table is one that the library takes."""
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../cmd/mpiexec/command_line/translation.c")
        with open(source, encoding="ascii") as text:
            table = re.search(r"translations\[\] = \{(.*?)\n\};", text.read(), re.S).group(1)
        rows = re.findall(r'\{"(\w+)",\s*"(\w+)",\s*((?:"[^"]*"\s*|NULL))\}', re.sub(r'"\s+"', "", table))
        self.assertGreater(len(rows), 25)
        self.assertEqual(len(rows), table.count("{"))
        pairs = sorted({(ours, pair.split("=")[1]) for _, ours, values in rows for pair in values.strip('" ').split() if "=" in pair})
        words = [word for ours, value in pairs for word in ("--set", f"{ours}={value}")]
        self.assertEqual(mpiexec(*words, "echo", "x").err, "")

    def test_explain(self):
        def explained(*words, **more):
            return run([os.path.join(BIN, "inkling"), "explain", *map(str, words)], **more)

        options = "-np", 4, "--map-by", "socket", "--mca", "btl_vader_eager_limit", 8192, "--mca", "btl", "self", "-rmk", "pbs"
        for launcher in ([], ["mpirun"], ["/usr/bin/mpiexec.hydra"]):
            result = explained(*launcher, *options, STEPS, "touch", "-n")
            self.assertEqual((result.code, result.err), (0, ""))
            rows = dict(re.split("  +", line, maxsplit=1) for line in result.out.splitlines())
            self.assertIn("start N processes", rows["-np 4"])
            self.assertEqual(rows["--mca btl_vader_eager_limit 8192"], "taken over: --set EAGER_LIMIT=8192")
            self.assertTrue(rows["--mca btl self"].startswith("ignored: "))
            self.assertTrue(rows["--rmk pbs"].startswith("ignored: "))
            self.assertEqual(rows[f"{STEPS} touch -n"], f"the program, 4 times: {STEPS}")
        unknown = explained("mpirun", "--no-such-option", "x")
        self.assertEqual(unknown.code, 1)
        self.assert_one_line(unknown.err, "--no-such-option")


if __name__ == "__main__":
    main()
