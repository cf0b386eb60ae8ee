"""Bad input: one line with the thing, the value and the fix; an exit code; nothing started."""
import os
import tempfile

from launching import MPIEXEC, STEPS, Case, main, mpiexec, run


class BadInput(Case):
    def check(self, arguments, *words, **options):
        with tempfile.TemporaryDirectory() as folder:
            witness = os.path.join(folder, "started")
            result = mpiexec(*[a.replace("@", witness) for a in arguments], **options)
            self.assertNotEqual(result.code, 0)
            self.assertEqual(result.out, "")
            self.assert_one_line(result.err, "mpiexec: ", *words)
            self.assertFalse(os.path.exists(witness), "something was started")

    def test_numbers(self):
        for value in ("0", "-1", "abc", "3x", "", "1.5", "99999999999999999999"):
            self.check(["-n", value, "touch", "@"], "-n", value)

    def test_missing_program(self):
        self.check(["-n", "2"], "no program")
        self.check([], "no program")
        self.check(["touch", "@", ":"], "no program")

    def test_no_such_program(self):
        self.check(["-n", "2", "./nosuch"], "'./nosuch'")
        self.check(["touch", "@", ":", "nosuch-at-all"], "'nosuch-at-all'")
        self.check(["-n", "2", "/tmp"], "directory")
        with tempfile.NamedTemporaryFile() as text:
            self.check([text.name], "not executable", "chmod")

    def test_nearest_program(self):
        self.check([STEPS[:-1] + "z"], "did you mean " + STEPS)
        self.check(["touhc", "@"], "did you mean touch")

    def test_not_runnable(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "script")
            for text, word in (("echo hi\n", "no program for this machine"), ("#!/no/such/shell\n", "interpreter")):
                with open(path, "w", encoding="ascii") as script:
                    script.write(text)
                os.chmod(path, 0o755)
                self.check([path], word, path)

    def test_unknown_option(self):
        self.check(["--tiemout", "3", "touch", "@"], "--tiemout", "did you mean --timeout")
        self.check(["-wdri", "/", "touch", "@"], "did you mean --wdir")
        self.check(["--qqqqqq", "touch", "@"], "--qqqqqq", "--help")

    def test_lacking_value(self):
        self.check(["-n"], "lacks its value")
        self.check(["-env", "A"], "lacks its value")
        self.check(["--label=3", "touch", "@"], "takes no value")

    def test_label_and_direct_output(self):
        self.check(["--label", "--direct-output", "touch", "@"], "--direct-output", "exclude each other")

    def test_bad_values(self):
        self.check(["--bind-to", "cores", "touch", "@"], "did you mean core")
        self.check(["--bind-to", "xyzzy", "touch", "@"], "none, core, socket")
        self.check(["-initial-errhandler", "mpi_errors_retrun", "touch", "@"], "did you mean mpi_errors_return")
        self.check(["--launcher", "oruntern", "--hosts", "192.0.2.1", "touch", "@"], "oruntern", "srun, prterun")
        self.check(["--timeout", "soon", "touch", "@"], "soon", "seconds")
        self.check(["--timeout", "0", "touch", "@"], "above 0")
        self.check(["-wdir", "/no/such/place", "touch", "@"], "/no/such/place")
        self.check(["-arch", "pdp11", "touch", "@"], "pdp11", os.uname().machine)
        self.check(["-soft", "1:x", "touch", "@"], "1:x")
        self.check(["-n", "2", "-soft", "5", "touch", "@"], "allows no number")
        self.check(["-memory-alloc-kinds", "mpi,:x", "touch", "@"], "kind")

    def test_hosts(self):
        self.check(["-host", "elsewhere", "touch", "@"], "elsewhere", "localhost")
        self.check(["-host", "", "touch", "@"], "empty")
        for slots in ("99999999999", "4294967297", "99999999999999999999", "1000001"):
            self.check(["-host", f"localhost:{slots}", "touch", "@"], "localhost", "too many slots", "1000000")
        self.check(["-hostfile", "/no/such/list", "touch", "@"], "/no/such/list", "No such file")
        with tempfile.NamedTemporaryFile("w") as hosts:
            hosts.write("localhost\nelsewhere slots=4\n")
            hosts.flush()
            self.check(["-hostfile", hosts.name, "touch", "@"], "elsewhere")
        with tempfile.NamedTemporaryFile("w") as hosts:
            hosts.write("localhost slots=99999999999\n")
            hosts.flush()
            self.check(["-hostfile", hosts.name, "touch", "@"], "localhost", "too many slots")

    def test_configfile(self):
        self.check(["-configfile", "/no/such/file"], "/no/such/file")
        self.check(["-configfile", "/dev/null"], "names no program")
        self.check(["-configfile", "/dev/null", "touch", "@"], "leave 'touch' away")

    def test_settings(self):
        self.check(["touch", "@"], "INKLING_EAGR_LIMIT", "did you mean INKLING_EAGER_LIMIT", INKLING_EAGR_LIMIT="4")
        self.check(["touch", "@"], "INKLING_EAGER_LIMIT=abc", INKLING_EAGER_LIMIT="abc")
        self.check(["--set", "eager-limit=abc", "touch", "@"], "INKLING_EAGER_LIMIT=abc")
        self.check(["--set", "eager_limit", "touch", "@"], "NAME=VALUE")
        self.check(["-env", "INKLING_CMA", "perhaps", "touch", "@"], "INKLING_CMA=perhaps")
        self.check(["touch", "@"], "MPIEXEC_TIMEOUT", MPIEXEC_TIMEOUT="soon")

    def test_too_few_cores(self):
        many = str(4 * (os.cpu_count() or 1))
        self.check(["--bind-to", "core", "-n", many, "touch", "@"], many, "--bind-to none")

    def test_binary_noise(self):
        result = run([MPIEXEC, "-n", "\x01\x02", "--\x7f", "%s%n"])
        self.assertEqual(result.code, 1)
        self.assert_one_line(result.err, "mpiexec: ")


if __name__ == "__main__":
    main()
