"""The mistakes of newcomers: `inkling doctor` finds each, or the command that was mistyped says so, with the mending in the line below or behind.

What docs/USER.md has in its table of mendings; the numbers are its rows."""
import json
import os
import shlex
import shutil
import subprocess
import tempfile

from launching import BIN, MPIEXEC, STEPS, Case, main, mpiexec, run

DOCTOR = [os.path.join(BIN, "inkling"), "doctor"]
OWN = f"{BIN}:{os.environ['PATH']}"


def isolated(command, *options):
    """A shell command in namespaces of its own, as root of them; None: they are refused."""
    for user in ([], ["--user", "--map-root-user"]):
        words = ["unshare", *user, *options, "sh", "-c"]
        if shutil.which("unshare") and run([*words, "true"]).code == 0:
            return run([*words, command], PATH=OWN)
    return None


class Mistakes(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def finding(self, result, what):
        """Its mark, what was found, and the mending below it."""
        lines = result.out.splitlines()
        at = next(i for i, line in enumerate(lines) if line[4:28].strip() == what)
        return lines[at][:2], lines[at][28:].strip(), (lines + [""])[at + 1].strip()

    def test_all_is_well(self):
        result = run(DOCTOR, PATH=OWN, LD_LIBRARY_PATH="")
        for what in "command mpicc", "command mpiexec", "LD_LIBRARY_PATH":
            self.assertEqual(self.finding(result, what)[0], "ok", result.out)

    def test_1_mpicc_of_another_mpi(self):
        self.write("mpicc", "#!/bin/sh\n", 0o755)
        found = self.finding(run(DOCTOR, PATH=f"{self.folder}:{OWN}"), "command mpicc")
        self.assertEqual(found, ("--", f"the first in PATH is {self.folder}/mpicc, of another MPI", f"export PATH={BIN}:$PATH"))

    def test_2_two_mpis_mixed(self):
        self.write("mpiexec", "#!/bin/sh\n", 0o755)
        result = run(DOCTOR, PATH=f"{self.folder}:{OWN}")
        self.assertEqual(self.finding(result, "command mpicc")[0], "ok")
        self.assertEqual(self.finding(result, "command mpiexec")[:2], ("--", f"the first in PATH is {self.folder}/mpiexec, of another MPI"))
        self.assertEqual(self.finding(run(DOCTOR, PATH="/nowhere"), "command mpiexec")[1], "not in PATH")

    def test_3_program_of_another_mpi(self):
        self.write("other.c", "int other(void) { return 0; }\n")
        self.write("program.c", "int other(void);\nint main(void) { return other(); }\n")
        for command in ("cc -shared -fPIC -Wl,-soname,libmpi.so.40 -o libmpi.so.40 other.c", "cc -o program program.c libmpi.so.40 -Wl,-rpath,."):
            subprocess.run(command.split(), cwd=self.folder, check=True)
        result = run([DOCTOR[0], "can-run", f"{self.folder}/program"], cwd=self.folder)
        self.assertIn("libmpi.so.40", result.out + result.err)
        self.assertRegex(run([DOCTOR[0], "can-run", f"{self.folder}/none"]).err, "there is no program '.*none'")
        mark, found, _ = self.finding(run([*DOCTOR, "mpiexec", "-n", "2", "./program"], cwd=self.folder), "program ./program")
        self.assertRegex(found, "libmpi.so.40")
        self.assertIn(mark, ("ok", "NO"))  # by whether this build has that library
        result = run([*DOCTOR, "mpiexec", "-n", "2", "./none"], cwd=self.folder)
        self.assertEqual(self.finding(result, "command line")[:2], ("NO", "there is no program './none'; check its name, or use its full path"))
        self.assertEqual((result.code, result.out.splitlines()[-1]), (1, "This command line cannot run: see NO above."))

    def test_4_without_n(self):
        """Whoever types it at a terminal is told; the others are not."""
        words = [STEPS, "init", "say", "alone", "finalize"]
        quiet = mpiexec(*words)
        self.assertEqual((quiet.lines, quiet.err), (["alone"], ""))
        if not shutil.which("script"):
            self.skipTest("no script here (Debian: bsdutils)")
        told = "mpiexec: one rank, since there is no -n; for four: mpiexec -n 4 " + " ".join(words)
        for options, wanted in {(): [told, "alone"], ("-n", "1"): ["alone"], ("--quiet",): ["alone"]}.items():
            said = run(["script", "-qec", shlex.join([MPIEXEC, *options, *words]), "/dev/null"])
            self.assertEqual((said.code, said.out.splitlines()), (0, wanted))
        for line, wanted in {"mpiexec cat -": ("--", "one, since there is no -n", "mpiexec -n 4 cat -"), "mpirun -n 3 cat": ("ok", "3")}.items():
            result = run([*DOCTOR, *line.split()])
            self.assertEqual((self.finding(result, "ranks")[:len(wanted)], result.code), (wanted, 0))

    def test_5_no_permission_for_ptrace(self):
        if os.environ.get("SANITIZER"):
            self.skipTest("a sanitizer's library must come before any other")
        refusing = self.write("refusing.c", "#include <errno.h>\nlong process_vm_readv(void) { errno = EPERM; return -1; }\n")
        library = f"{self.folder}/refusing.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, refusing], check=True)
        mark, found, fix = self.finding(run(DOCTOR, LD_PRELOAD=library), "process_vm_readv")
        self.assertEqual((mark, found.split(":")[0]), ("--", "refused"))
        self.assertIn("--cap-add=SYS_PTRACE", fix)

    def test_6_no_room_for_shared_memory(self):
        result = run(["sh", "-c", f"ulimit -f 100; exec '{DOCTOR[0]}' doctor"])
        mark, _, fix = self.finding(result, "size of files")
        self.assertEqual((mark, fix), ("NO", "raise it: ulimit -f unlimited"))
        self.assertEqual(result.code, 1)

    def test_6_shared_memory_is_full(self):
        """Nothing of it is used where there are memfds; without, doctor says so, and there is another folder."""
        full = "mount -t tmpfs -o size=64k none /dev/shm && (head -c 1M /dev/zero >/dev/shm/full; true) 2>/dev/null && "
        job = "mpiexec -n 2 " + shlex.join([STEPS, "init", "say", "here", "finalize"])
        result = isolated(full + job, "--mount")
        if result is None or "mount:" in result.err:
            self.skipTest("a folder may not be mounted here")
        self.assertEqual((result.code, result.lines), (0, ["here", "here"]), result.err)
        if os.environ.get("SANITIZER"):
            return
        refusing = self.write("refusing.c", "#include <errno.h>\nint memfd_create(void) { errno = ENOSYS; return -1; }\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", f"{self.folder}/refusing.so", refusing], check=True)
        result = isolated(f"{full} export LD_PRELOAD={self.folder}/refusing.so && {job} && inkling doctor", "--mount")
        self.assertEqual((result.code, result.lines.count("here")), (0, 2), result.err)
        self.assertEqual(self.finding(result, "shared memory"),
                         ("--", "an unlinked file; memfd_create is refused", "allow memfd_create in the container's seccomp profile"))

    def test_7_ports_that_are_not_reached(self):
        if not shutil.which("ip"):
            self.skipTest("there is no ip (Debian: iproute2)")
        result = isolated("ip link add d0 type veth peer name d1 && ip addr add 10.9.8.7/24 dev d0 && ip link set d0 up && inkling doctor", "--net")
        if result is None or result.code:
            self.skipTest("namespaces with a network are refused here")
        self.assertEqual(self.finding(result, "ports")[:2], ("--", "a port of 10.9.8.7 is not reached even from here"))
        self.assertIn("ip link set lo up", self.finding(result, "ports")[2])

    def test_8_host_name_that_does_not_resolve(self):
        result = isolated("echo no-such-host.invalid >/proc/sys/kernel/hostname && inkling doctor", "--uts")
        if result is None or result.code or "no-such-host.invalid resolves" in result.out:
            self.skipTest("the host may not be renamed, or every name of it resolves")
        mark, found, fix = self.finding(result, "host name")
        self.assertEqual((mark, fix), ("--", "add a line to /etc/hosts: ADDRESS no-such-host.invalid"))
        self.assertIn("no-such-host.invalid does not resolve: ", found)
        mark, found, _ = self.finding(run([*DOCTOR, "mpiexec", "-n", "2", "--hosts", "no-such-host.invalid", "cat"]), "command line")
        self.assertEqual(mark, "NO")
        self.assertIn("'no-such-host.invalid' is not the name of a host", found)

    def test_command_lines_as_json(self):
        result = run([*DOCTOR, "--json", "mpiexec", "cat"])
        said = json.loads(result.out)
        self.assertEqual([one["what"] for one in said["findings"]][-4:], ["command line", "ranks", "standard input", "program cat"])
        self.assertEqual((said["runs"], said["findings"][-3]["fix"]), (True, "mpiexec -n 4 cat"))
        self.assertIs(json.loads(run([*DOCTOR, "--json", "mpiexec", "./none"]).out)["runs"], False)

    def test_9_library_of_another_version(self):
        other = self.write("libmpi_abi.so.1", "another version\n")
        mark, found, fix = self.finding(run(DOCTOR, LD_LIBRARY_PATH=f"/nowhere:{self.folder}"), "LD_LIBRARY_PATH")
        self.assertEqual((mark, found), ("--", f"programs take {other}, another version or another MPI"))
        self.assertTrue(fix.startswith("unset it, or export LD_LIBRARY_PATH="))

    def test_10_stdin(self):
        count = "sh", "-c", "echo $PMI_RANK $(wc -l)"
        self.assertEqual(mpiexec("-n", 2, *count, stdin="a\nb\n").lines, ["0 2", "1 0"])
        self.assertEqual(mpiexec("-n", 2, "--stdin", "all", *count, stdin="a\nb\n").lines, ["0 2", "1 2"])
        alone = ("--", "rank 0 alone gets what comes in here; the others find its end at once", "mpiexec --stdin all gives it to every rank")
        for line, wanted in {"-n 2": alone, "-n 1": ("ok", "rank 0 gets it"), "-n 2 --stdin 1": ("ok", "rank 1 gets it"),
                             "-n 2 --stdin all": ("ok", "every rank gets it"), "-n 2 --stdin none": ("ok", "no rank gets it")}.items():
            result = run([*DOCTOR, "mpiexec", *line.split(), "cat"], stdin="a\n")
            self.assertEqual(self.finding(result, "standard input")[:len(wanted)], wanted)


if __name__ == "__main__":
    main()
