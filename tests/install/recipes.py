#!/usr/bin/env python3
"""recipes.py SOURCE: the recipes of packaging/, and the files for services that host projects, are of one version and well formed: Spack's and
EasyBuild's as Python, workflows as YAML with the keys that the services want, module files run by an interpreter where there is one."""
import ast
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    yaml = None

SOURCE = pathlib.Path(sys.argv[1]).resolve()
TCL = """proc module-whatis {args} {}
proc conflict {args} {}
proc note {kind name value} { puts "$kind $name $value" }
proc setenv {name value} { note set $name $value }
proc prepend-path {name value} { note path $name $value }
source [lindex $argv 0]
"""
LUA = """function help() end whatis = help family = help
function pathJoin(...) return table.concat({...}, "/") end
function setenv(name, value) print("set " .. name .. " " .. value) end
function prepend_path(name, value) print("path " .. name .. " " .. value) end
dofile(arg[1])
"""


def text(name):
    return (SOURCE / name).read_text(encoding="utf-8")


def variables(name):
    """What a file of Python assigns at its top: literals by name."""
    return {node.targets[0].id: ast.literal_eval(node.value) for node in ast.parse(text(name)).body if isinstance(node, ast.Assign)}


class Recipes(unittest.TestCase):
    def setUp(self):
        self.version = re.search(r"project\(inkling VERSION ([0-9.]+)", text("CMakeLists.txt")).group(1)

    def test_one_version(self):
        """The line of CMakeLists.txt, which `make dist` puts into the recipes of its archive; an unpacked archive has them filled in."""
        filled = not (SOURCE / ".git").exists()
        for name, pattern in {"packaging/debian/changelog": r"\Ainkling \(([0-9.]+|@VERSION@)-\d+\)", "packaging/inkling.spec": r"(?m)^Version: +(\S+)$",
                              "packaging/spack/package.py": r'    version\("(.*?)"', "packaging/inkling.eb": r"(?m)^version = '(.*)'$"}.items():
            with self.subTest(name):
                self.assertEqual(re.search(pattern, text(name)).group(1), self.version if filled else "@VERSION@")
                self.assertTrue(filled or self.version not in text(name), "a second place would have to be changed for a release")
        self.assertNotIn(self.version, text("CITATION.cff"))

    def test_spack(self):
        tree = ast.parse(text("packaging/spack/package.py"))
        recipe = next(node for node in tree.body if isinstance(node, ast.ClassDef))
        self.assertEqual((recipe.name, recipe.bases[0].id), ("Inkling", "CMakePackage"))
        calls = [node.value for node in recipe.body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
        variants = {call.args[0].value for call in calls if call.func.id == "variant"}
        conditions = {word.value.value for call in calls for word in call.keywords if word.arg == "when"}
        self.assertEqual({condition.lstrip("+") for condition in conditions}, variants, "each variant changes something")
        self.assertIn("mpi@:5.0", [call.args[0].value for call in calls if call.func.id == "provides"])

    def test_easybuild(self):
        recipe = variables("packaging/inkling.eb")
        self.assertLessEqual({"easyblock", "name", "version", "homepage", "description", "toolchain", "sources", "moduleclass"}, set(recipe))
        self.assertEqual(recipe["moduleclass"], "mpi")
        self.assertTrue(all(len(each) == 2 for each in recipe["builddependencies"] + recipe["dependencies"]))

    def test_what_debian_needs_is_what_provide_needs(self):
        """tests/provide names what a build takes, and from which version on; so do the recipes."""
        wanted = re.findall(r"^    (?:need|want) (lib\S+-dev) (\d[\d.]*) ", text("tests/provide").split("need_check()")[0], re.M)
        self.assertGreaterEqual(len(wanted), 5)
        for package, version in wanted:
            version = "" if package == "libncurses-dev" else rf" \(>= {version}\)"
            self.assertRegex(text("packaging/debian/control"), rf"(?m)^ +{package}{version}")

    def module(self, name, interpreter, harness):
        """What the module sets: (kind, name, value) of each line."""
        with tempfile.TemporaryDirectory() as folder:
            script, module = pathlib.Path(folder, "script"), pathlib.Path(folder, "module")
            script.write_text(harness, encoding="ascii")
            module.write_text(text(name).replace("@PREFIX@", "/opt/inkling").replace("@VERSION@", self.version), encoding="ascii")
            done = subprocess.run([interpreter, script, module], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return sorted(done.stdout.splitlines())

    def test_modules(self):
        lua = next(filter(None, map(shutil.which, ("lua5.4", "lua5.3", "lua5.1", "lua"))), None)
        said = [self.module(f"packaging/modules/inkling.{kind}", interpreter, harness)
                for kind, interpreter, harness in (("tcl", shutil.which("tclsh"), TCL), ("lua", lua, LUA)) if interpreter]
        for lines in said:
            self.assertIn("path PATH /opt/inkling/bin", lines)
            self.assertIn("set MPI_HOME /opt/inkling", lines)
        self.assertTrue(len(said) < 2 or said[0] == said[1], f"{said}: the module files differ")
        named = [sorted(re.findall(r"(?:setenv|prepend[-_]path)\W+(\w+)", text(f"packaging/modules/inkling.{kind}"))) for kind in ("tcl", "lua")]
        self.assertEqual(named[0], named[1], "both set the same variables")

    def test_images(self):
        words = [line.split()[0] for line in re.sub(r"\\\n", " ", text("packaging/Dockerfile")).splitlines() if line and line[0] not in "# "]
        self.assertEqual(words[0], "FROM")
        self.assertLessEqual(set(words), {"FROM", "COPY", "RUN", "USER", "WORKDIR", "CMD"})
        definition = text("packaging/inkling.def")
        self.assertRegex(definition, r"(?m)^Bootstrap: docker\nFrom: debian:12")
        self.assertLessEqual(set(re.findall(r"(?m)^%(\w+)", definition)), {"setup", "post", "test", "runscript"})
        packages = {line.split()[0] for line in text("Makefile").splitlines() if line.startswith("deb:")}
        self.assertEqual(packages, {"deb:"}, "both are made of what `make deb` writes")

    @unittest.skipUnless(yaml, "Python has no yaml (Debian: python3-yaml)")
    def test_workflows(self):
        flow = yaml.safe_load(text(".github/workflows/ci.yml"))
        self.assertEqual(set(flow), {"name", True, "permissions", "jobs"})  # YAML 1.1 takes `on` for a truth value
        for job in flow["jobs"].values():
            self.assertIn("runs-on", job)
            self.assertTrue(all(("uses" in step) != ("run" in step) for step in job["steps"]), "a step uses an action or runs a command")
            self.assertRegex(" ".join(step.get("run", "") for step in job["steps"]), r"\.ci/run|make check-packages")
            for step in job["steps"]:
                self.assertEqual(subprocess.run(["bash", "-n"], input=step.get("run", ""), text=True, check=False).returncode, 0, step)
        lab = yaml.safe_load(text(".gitlab-ci.yml"))
        self.assertIn(".ci/run", lab["run"]["script"])
        self.assertIn("make check-packages", lab["packages"]["script"])
        for job in lab.values():
            self.assertEqual(subprocess.run(["bash", "-n"], input="\n".join(job["script"]), text=True, check=False).returncode, 0)
            self.assertLessEqual(set(job), {"image", "tags", "timeout", "variables", "rules", "script"})
        for path in (SOURCE / ".github/ISSUE_TEMPLATE").glob("*.yml"):
            form = yaml.safe_load(path.read_text(encoding="utf-8"))
            if path.stem != "config":
                self.assertEqual(set(form), {"name", "description", "body"})
                self.assertTrue(all(each["attributes"]["label"] for each in form["body"]))
        citation = yaml.safe_load(text("CITATION.cff"))
        self.assertLessEqual({"cff-version", "message", "title", "authors"}, set(citation))

    def test_licences(self):
        self.assertEqual(text("LICENSES/BSD-3-Clause.txt"), text("LICENSE"))
        for name in ("packaging/debian/copyright", "packaging/inkling.spec", "CITATION.cff", ".reuse/dep5", "packaging/spack/package.py"):
            self.assertIn("BSD-3-Clause", text(name))
        if shutil.which("reuse") and (SOURCE / ".git").exists():
            done = subprocess.run(["reuse", "lint"], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
