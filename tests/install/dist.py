#!/usr/bin/env python3
"""dist.py SOURCE: the source archive (packaging/dist) is the same, byte for byte, however and wherever it is made; it holds the files of
the commit; what was unpacked from it configures, makes the entry points, and builds a command. `make check-packages` builds the rest."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()


def run(*words, **more):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode:
        raise AssertionError(f"{words} ends with {done.returncode}: {done.stdout}")
    return done.stdout


def skip_reason():
    for tool in "git", "xz":
        if not shutil.which(tool):
            return f"there is no {tool}"
    top = subprocess.run(["git", "rev-parse", "--show-toplevel"], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if top.stdout.strip() != str(SOURCE):
        return "this is no clone, so there is no commit to make an archive of"
    return None


class Dist(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.top = pathlib.Path(folder.name)
        cls.archive = cls.make(SOURCE, "first", "022")
        cls.name = cls.archive.name.removesuffix(".tar.xz")

    @classmethod
    def make(cls, source, folder, umask, **environment):
        run("sh", "-c", f"umask {umask} && packaging/dist \"$1\"", "sh", cls.top / folder, cwd=source, env={**os.environ, **environment})
        return next((cls.top / folder).glob("inkling-*.tar.xz"))

    def test_the_same_bytes_again(self):
        run("git", "clone", "-q", SOURCE, self.top / "another clone")
        again = self.make(self.top / "another clone", "second", "077", TZ="Asia/Tokyo", LC_ALL="C", XZ_OPT="-9 -T0", TAR_OPTIONS="--mtime=now")
        self.assertEqual(again.read_bytes(), self.archive.read_bytes())
        self.assertEqual(run("sha256sum", "-c", again.name + ".sha256", cwd=again.parent), f"{again.name}: OK\n")

    def test_the_files_of_the_commit(self):
        names = run("git", "ls-tree", "-r", "-z", "--name-only", "HEAD", cwd=SOURCE).split("\0")[:-1]
        time = int(run("git", "log", "-1", "--format=%ct", cwd=SOURCE))
        with tarfile.open(self.archive) as archive:
            members = archive.getmembers()
        self.assertEqual([each.name for each in members if not each.isdir()], [f"{self.name}/{name}" for name in names])
        self.assertEqual({(each.mtime, each.uname, each.gname) for each in members}, {(time, "root", "root")})
        self.assertLessEqual({each.mode for each in members if each.isfile()}, {0o644, 0o755})

    def test_the_version_is_filled_in(self):
        version = self.name.removeprefix("inkling-")
        with tarfile.open(self.archive) as archive:
            def text(name):
                return archive.extractfile(f"{self.name}/packaging/{name}").read().decode()
            log = text("debian/changelog")
            for name, line in {"inkling.spec": f"Version:        {version}", "inkling.eb": f"version = '{version}'",
                               "spack/package.py": f'    version("{version}")'}.items():
                self.assertIn(line, text(name).splitlines())
        date = run("git", "log", "-1", "--format=%cD", cwd=SOURCE).strip()
        dated = re.search(rf"(?m)^## {re.escape(version)}, \d", (SOURCE / "CHANGES.md").read_text(encoding="utf-8"))
        self.assertTrue(log.startswith(f"inkling ({version}-1) {'unstable' if dated else 'UNRELEASED'}; urgency="), log)
        self.assertIn(f">  {date}\n", log)

    def test_the_next_version_is_one_line(self):
        """A clone whose version and section of CHANGES.md are changed has packages of that release."""
        clone = self.top / "released"
        run("git", "clone", "-q", SOURCE, clone)
        for name, pattern, instead in (("CMakeLists.txt", r"(?m)^project\(inkling VERSION \S+", "project(inkling VERSION 7.8.9"),
                                       ("CHANGES.md", r"(?m)^## .*", "## 7.8.9, 2030-01-02")):
            changed = re.sub(pattern, instead, (clone / name).read_text(encoding="utf-8"), count=1)
            (clone / name).write_text(changed, encoding="utf-8")
        run("git", "-c", "user.name=a", "-c", "user.email=a", "commit", "-qam", "Release", cwd=clone)
        archive = self.make(clone, "third", "022")
        self.assertEqual(archive.name, "inkling-7.8.9.tar.xz")
        self.assertTrue(run("tar", "-xOf", archive, "inkling-7.8.9/packaging/debian/changelog").startswith("inkling (7.8.9-1) unstable; "))

    def test_what_is_unpacked_builds(self):
        run("tar", "-xf", self.archive, "-C", self.top)
        unpacked = self.top / self.name
        run("cmake", "--preset", "release", "-DINKLING_TESTS=OFF", "-DINKLING_FORTRAN=OFF", cwd=unpacked)
        run("cmake", "--build", "build/release", "-j2", "--target", "generated", "mpicc", cwd=unpacked)
        wrapper = unpacked / "build/release/bin/mpicxx"
        said = subprocess.run([wrapper, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
        self.assertEqual(said, f"mpicxx: there is no libmpi_abi.so in {unpacked}/build/release/lib or no mpi.h in "
                               f"{unpacked}/build/release/generated/include; build or install Inkling first\n")


if __name__ == "__main__":
    reason = skip_reason()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
