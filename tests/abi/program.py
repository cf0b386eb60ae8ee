#!/usr/bin/env python3
"""program.py CHECK GENERATED_DIR: compiles programs with what gen/ makes, as users do.

CHECK is one of
  warnings   a program that uses every constant and every inline function compiles without a warning: C99 to C23, C++11
             to C++23, gcc and clang
  left_out   -DINKLING_NO_F2C leaves MPI_Fint and its functions out
  removed    what MPI-3.0 removed is an error that names -DINKLING_REMOVED, works with it, and leaves programs alone
             that have procedures or macros of such names
"""
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SKIPPED = 77

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wundef", "-Wcast-qual",
          "-Wredundant-decls", "-Werror", "-O1"]
STRICT_C = [*STRICT, "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wold-style-definition"]
STRICT_CXX = [*STRICT, "-Wold-style-cast", "-Wzero-as-null-pointer-constant", "-Wmissing-declarations"]
LANGUAGES = {"c": (("gcc", "clang"), ("c99", "c11", "c17", "c2x"), STRICT_C),
             "c++": (("g++", "clang++"), ("c++11", "c++14", "c++17", "c++20", "c++2b"), STRICT_CXX)}


def compile_text(generated, text, compiler, *options):
    """What the compiler complains about; nothing where it does not."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([compiler, *options, f"-I{generated}/include", "-c", "-o", os.path.join(folder, "x.o"), "-"],
                              input=text, capture_output=True, text=True, check=False)
    return done.stderr + f"exit code {done.returncode}" if done.returncode or done.stderr else ""


def compilers(language):
    found = [c for c in LANGUAGES[language][0] if shutil.which(c)]
    return found


def constants():
    with open(os.path.join(HERE, "golden", "constants.txt"), encoding="utf-8") as lines:
        return [line.split(" ", 2) for line in (l.strip() for l in lines) if not line.startswith("#")]


# The enumerations that are types.
TYPED = {"MPI_T_CB": "MPI_T_cb_safety", "MPI_T_SO": "MPI_T_source_order"}


def using_program(language, header):
    """Every constant where programs have them, and every inline function."""
    lines = ["#define MPI_INKLING_ALLOW_DEPRECATED", "#include <mpi.h>"]
    lines += ["#include <algorithm>"] if language == "c++" else []
    lines += ["int use(int rc, const void *address);", "int use(int rc, const void *address)", "{", "    int sum = 0;"]
    last = None
    for number, (name, _, ctype) in enumerate(constants()):
        if name.startswith(("MPI_T_CB_", "MPI_T_SOURCE_")):
            lines.append(f"    {{ {TYPED[name[:8]]} c{number} = {name}; sum += c{number} == {name}; }}")
        elif ctype == "int":
            lines.append(f"    sum += rc == {name} ? {name} : rc;")
            lines.append(f"    sum += rc < 0 ? {name} : {last or name};")
            lines += [f"    sum += std::max(rc, {name});"] if language == "c++" else []
            last = name
        else:
            lines.append(f"    {{ {ctype} c{number} = {name}; sum += c{number} == {name} || address == &c{number}; }}")
    lines.append("    switch (rc) {")
    lines += [f"    case {name}:" for name, _, _ in constants() if re.match(r"MPI(_T)?_ERR_|MPI_SUCCESS$", name)]
    lines += ["        return rc;", "    default:", "        return sum;", "    }", "}"]
    functions = re.findall(r"^MPI_INKLING_INLINE (.*?)(\bP?MPI_\w+(?:_f2c|_c2f|2c|2f|08))\((.*)\)$", header, re.M)
    for returns, name, parameters in functions:
        arguments = ", ".join(re.findall(r"(\w+)(?:,|$)", parameters))
        declaration = f"{returns}use_{name}({parameters})"
        lines += [f"{declaration};", f"{declaration} {{ return {name}({arguments}); }}"]
    return "\n".join(lines) + "\n", len(functions)


def check_warnings(generated):
    with open(os.path.join(generated, "include", "mpi.h"), encoding="utf-8") as file:
        header = file.read()
    problems = []
    for language, (_, standards, options) in LANGUAGES.items():
        text, functions = using_program(language, header)
        if functions != 2 * (2 * 11 + 6):
            problems.append(f"{functions} inline functions found")
        for compiler, standard in itertools.product(compilers(language), standards):
            said = compile_text(generated, text, compiler, "-x", language, f"-std={standard}", *options)
            if said:
                problems.append(f"{compiler} -std={standard}: {said[:1500]}")
    if not shutil.which("clang"):
        print("clang is not installed: gcc alone")
    return problems


def check_left_out(generated):
    text = "#include <mpi.h>\ntypedef long MPI_Fint;\nstatic const int MPI_Comm_c2f = 1;\nint x;\n" \
           "int f(void) { return MPI_Comm_c2f; }\n#ifdef MPI_F_STATUS_IGNORE\n#error there\n#endif\n"
    problems = []
    if compile_text(generated, text, "gcc", "-x", "c", "-DINKLING_NO_F2C"):
        problems.append("not left out: " + compile_text(generated, text, "gcc", "-x", "c", "-DINKLING_NO_F2C"))
    if not compile_text(generated, text, "gcc", "-x", "c"):
        problems.append("there is nothing to leave out")
    return problems


def removed_rows():
    """Name, parameters and replacement of each removed procedure."""
    with open(os.path.join(ROOT, "api", "removed.txt"), encoding="utf-8") as file:
        return re.findall(r"^int (\w+)\((.*?)\) use (\w+):", file.read(), re.M)


def arguments_of(parameters):
    return re.findall(r"(\w+)(?:\[\])?(?:,|$)", parameters)


def calls_of(rows):
    return "".join(f"int call_{name}({parameters});\nint call_{name}({parameters})\n"
                   f"{{\n    return {name}({', '.join(arguments_of(parameters))});\n}}\n" for name, parameters, _ in rows)


def own_of(rows, linkage):
    """Procedures of the program's by those names."""
    return "".join(f"{linkage} int {name}({parameters})\n{{"
                   + "".join(f" (void){a};" for a in arguments_of(parameters)) + " return 77; }\n"
                   for name, parameters, _ in rows)


def cases(language, rows):
    """(what, text, options, whether the compiler must name each procedure, its replacement and this word)"""
    include, calls = "#include <mpi.h>\n", calls_of(rows)
    asked = "".join(f"#ifdef {name}\n#error a macro\n#endif\n" for name, _, _ in rows)
    renamed = "".join(f"#define {name} own_{name}\n" for name, _, _ in rows)
    for level in ("-O0", "-O2"):
        yield f"calls, {level}", include + calls, [level], "-DINKLING_REMOVED"
        for linkage in ('extern "C"', "static", "") if language == "c++" else ("", "static"):
            yield f"{linkage} procedures of the program's, {level}", include + own_of(rows, linkage) + calls, [level], None
    yield "calls with -DINKLING_REMOVED", include + calls, ["-DINKLING_REMOVED"], "deprecated"
    yield "calls without a warning", include + calls, ["-DINKLING_REMOVED", "-DMPI_INKLING_ALLOW_DEPRECATED", *STRICT], None
    yield "no calls, and #ifdef", include + asked, STRICT, None
    yield "macros of the program's", renamed + include + own_of(rows, "") + calls, [], None
    yield "macros after mpi.h", include + renamed + own_of(rows, "") + calls, [], None


def check_removed(generated):
    problems, rows = [], removed_rows()
    if len(rows) != 10:
        problems.append(f"{len(rows)} procedures in api/removed.txt, and MPI-3.0 removed 10")
    for language in LANGUAGES:
        for compiler, (what, text, options, word) in itertools.product(compilers(language), cases(language, rows)):
            said = compile_text(generated, text, compiler, "-x", language, *options)
            lines = said.splitlines()
            missed = [row[0] for row in rows
                      if word and not any(row[0] in l and row[2] in l and word in l for l in lines)]
            if missed or (said and not word):
                problems.append(f"{compiler}, {what}: nothing said of {missed}: {said[:600] or 'compiles'}")
    return problems


def main():
    if len(sys.argv) < 3 or f"check_{sys.argv[1]}" not in globals():
        sys.exit(__doc__)
    problems = globals()[f"check_{sys.argv[1]}"](sys.argv[2])
    print("\n".join(problems[:20]))
    sys.exit(1 if problems else 0)


main()
