#!/usr/bin/env python3
"""abi.py CHECK GENERATED_DIR [LIBRARY]: holds what gen/ makes against the MPI-5.0 standard ABI.

CHECK is one of
  facts      golden/*.txt says what the facts beside the clone (../shared/facts) say; skipped where there are none
  header     every constant (a macro too), type, struct layout and prototype of mpi.h, in C and in C++
  soname     the library is libmpi_abi.so.1, and programs linked to .so.0, .so.1 or both load it once
  symbols    the library exports exactly the standard's procedures, those of golden/extension_prototypes.txt, and their PMPI twins
  extensions mpi.h has no other constants than the standard's and those of golden/extension_constants.txt, whose values no
             error class of the standard has
  entries    a few entry points look as in golden/entries.txt (--update rewrites it)
  pages      PROCEDURES.md and STATUS.md say where each body is and count what works, and `inkling status` says the same; the functions
             that docs/TOUR.md and other pages for developers name are there
  sweep      every procedure, called with zeroes, null handles and garbage handles, before, between and after init and
             finalize, returns an error and does not crash
  fatal      a fatal error prints the call, the class, the place and the program's own lines, and ends the program
  size       the library is no larger than its budget
"""
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FACTS = os.path.join(os.path.dirname(ROOT), "shared", "facts")
SKIPPED = 77

# Bytes of code and constants, with room for 2 % more. gcc 14 makes the most; a quarter of it are entry points with their checks.
BUDGET = {".text": 1_100_000, ".rodata": 200_000}

SAMPLE = ["MPI_Send", "MPI_Irecv_c", "MPI_Gather", "MPI_Reduce", "MPI_Comm_free", "MPI_Waitall", "MPI_Get_count",
          "MPI_Type_commit", "MPI_Info_dup", "MPI_Comm_fromint", "MPI_Win_fence", "MPI_T_cvar_read"]

LAYOUT = """
    EXPECT(sizeof(MPI_Status) == 32 && offsetof(MPI_Status, MPI_SOURCE) == 0);
    EXPECT(offsetof(MPI_Status, MPI_TAG) == 4 && offsetof(MPI_Status, MPI_ERROR) == 8);
    EXPECT(offsetof(MPI_Status, MPI_internal) == 12 && ALIGNMENT(MPI_Status) == ALIGNMENT(int));
    EXPECT(sizeof(MPI_Aint) == sizeof(void *) && (MPI_Aint)-1 < 0);
    EXPECT(sizeof(MPI_Count) == 8 && (MPI_Count)-1 < 0);
    EXPECT(sizeof(MPI_Offset) == 8 && (MPI_Offset)-1 < 0);
    EXPECT(sizeof(MPI_T_cb_safety) == sizeof(int) && sizeof(MPI_T_source_order) == sizeof(int));
"""

HANDLES = ["Op", "Comm", "Group", "Win", "File", "Session", "Message", "Info", "Errhandler", "Request", "Datatype",
           "T_enum", "T_cvar_handle", "T_pvar_handle", "T_pvar_session", "T_event_registration", "T_event_instance"]

# What the compiler must find to be the same function type.
CALLBACKS = """
void MPI_User_function(void *, void *, int *, MPI_Datatype *)
void MPI_User_function_c(void *, void *, MPI_Count *, MPI_Datatype *)
int MPI_Grequest_query_function(void *, MPI_Status *)
int MPI_Grequest_free_function(void *)
int MPI_Grequest_cancel_function(void *, int)
int MPI_Copy_function(MPI_Comm, int, void *, void *, void *, int *)
int MPI_Delete_function(MPI_Comm, int, void *, void *)
int MPI_Comm_copy_attr_function(MPI_Comm, int, void *, void *, void *, int *)
int MPI_Comm_delete_attr_function(MPI_Comm, int, void *, void *)
int MPI_Type_copy_attr_function(MPI_Datatype, int, void *, void *, void *, int *)
int MPI_Type_delete_attr_function(MPI_Datatype, int, void *, void *)
int MPI_Win_copy_attr_function(MPI_Win, int, void *, void *, void *, int *)
int MPI_Win_delete_attr_function(MPI_Win, int, void *, void *)
int MPI_Datarep_extent_function(MPI_Datatype, MPI_Aint *, void *)
int MPI_Datarep_conversion_function(void *, MPI_Datatype, int, void *, MPI_Offset, void *)
int MPI_Datarep_conversion_function_c(void *, MPI_Datatype, MPI_Count, void *, MPI_Offset, void *)
void MPI_Comm_errhandler_function(MPI_Comm *, int *, ...)
void MPI_File_errhandler_function(MPI_File *, int *, ...)
void MPI_Win_errhandler_function(MPI_Win *, int *, ...)
void MPI_Session_errhandler_function(MPI_Session *, int *, ...)
void MPI_Comm_errhandler_fn(MPI_Comm *, int *, ...)
void MPI_File_errhandler_fn(MPI_File *, int *, ...)
void MPI_Win_errhandler_fn(MPI_Win *, int *, ...)
void MPI_Session_errhandler_fn(MPI_Session *, int *, ...)
void MPI_T_event_cb_function(MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, void *)
void MPI_T_event_free_cb_function(MPI_T_event_registration, MPI_T_cb_safety, void *)
void MPI_T_event_dropped_cb_function(MPI_Count, MPI_T_event_registration, int, MPI_T_cb_safety, void *)
"""


def golden(name):
    with open(os.path.join(HERE, "golden", name), encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines if not line.startswith("#")]


def name_of(prototype):
    return re.search(r"(\w+)\(", prototype).group(1)


def plain(ctype):
    ctype = re.sub(r" ?\* ?", "*", re.sub(r"\s+", " ", ctype))
    return re.sub(r" ?\[", " [", ctype).replace("] [", "][").replace("* [", "*[")


def check_facts(_generated, _library):
    if not os.path.exists(os.path.join(FACTS, "api.json")):
        print("skipped: there are no facts beside the clone")
        sys.exit(SKIPPED)
    with open(os.path.join(FACTS, "api.json"), encoding="utf-8") as file:
        procedures = json.load(file)["procedures"]
    with open(os.path.join(FACTS, "abi_constants.json"), encoding="utf-8") as file:
        constants = json.load(file)["constants"]
    prototypes = [f"{p['return_type']} {p['name']}({', '.join(plain(q['c_type']) for q in p['params']) or 'void'})"
                  for p in procedures]
    values = [f"{c['name']} {c['value']} {c['c_type'].replace(' (enum)', '')}" for c in constants]
    return [f"not as in the facts: {line}"
            for ours, theirs in ((golden("prototypes.txt"), prototypes), (golden("constants.txt"), values))
            for line in sorted(set(ours) ^ set(theirs))]


def header_program():
    """A program that does not compile, or does not run to 0, where mpi.h departs from the standard."""
    lines = ["#define MPI_INKLING_ALLOW_DEPRECATED", "#include <mpi.h>", "#include <stddef.h>", "#include <stdio.h>",
             "#ifdef __cplusplus", "#define ALIGNMENT(t) alignof(t)", 'extern "C" {', "#else",
             "#define ALIGNMENT(t) _Alignof(t)", "#endif",
             '#define EXPECT(e) do { if (!(e)) { printf("line %d: not so: %s\\n", __LINE__, #e); bad = 1; } } while (0)']
    for prototype in golden("prototypes.txt"):
        name = name_of(prototype)
        lines += [prototype + ";", prototype.replace(name + "(", "P" + name + "(") + ";"]
    for number, callback in enumerate(CALLBACKS.strip().splitlines()):
        lines += [callback.replace(name_of(callback), f"function{number}") + ";",
                  f"extern {name_of(callback)} function{number};"]
    lines += ["#ifdef __cplusplus", "}", "#endif", "int main(void)", "{", "    int bad = 0;", LAYOUT]
    for handle in HANDLES:
        lines += [f"    {{ struct MPI_ABI_{handle} *h = 0; MPI_{handle} *p = &h; "
                  f"EXPECT(sizeof *p == sizeof(void *)); }}"]
    for constant in golden("constants.txt"):
        name, value, ctype = constant.split(" ", 2)
        lines += [f"#ifndef {name}", f"#error {name} is not a macro", "#endif"]
        lines.append(f"    EXPECT((long long)(intptr_t){name} == {value});")
        if ctype != "int" and "fn" not in name:
            lines.append(f"    {{ {ctype} c = {name}; EXPECT(c == {name}); }}")
    return "\n".join(lines + ["    return bad;", "}"]) + "\n"


def check_header(generated, _library):
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for compiler, suffix in (("gcc", "c"), ("g++", "cc")):
            source, program = os.path.join(folder, "abi." + suffix), os.path.join(folder, "abi")
            with open(source, "w", encoding="utf-8") as file:
                file.write(header_program())
            build = [compiler, "-w", "-pedantic-errors", f"-I{generated}/include", source, "-o", program]
            for command in (build, [program]):
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    problems.append(f"{compiler}: {done.stdout}{done.stderr}")
                    break
    return problems


def check_symbols(_generated, library):
    prototypes = golden("prototypes.txt") + golden("extension_prototypes.txt")
    wanted = {prefix + name_of(p) for p in prototypes for prefix in ("", "P")}
    listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    found = {line.split()[-1].split("@")[0] for line in listing.stdout.splitlines()}
    return ([f"not exported: {name}" for name in sorted(wanted - found)]
            + [f"exported, but not the standard's: {name}" for name in sorted(found - wanted)])


def values_of(name):
    return {line.split()[0]: int(line.split()[1], 0) for line in golden(name)}


def check_extensions(generated, _library):
    standard, ours = values_of("constants.txt"), values_of("extension_constants.txt")
    taken = {value for name, value in standard.items() if "_ERR_" in name}
    with open(os.path.join(generated, "include", "mpi.h"), encoding="utf-8") as file:
        macros = set(re.findall(r"^#define (MPIX?_[A-Z]\w*)\b(?!\()", file.read(), re.M))
    strangers = {name for name in macros - set(standard) - set(ours) if not name.startswith(("MPI_INKLING_", "MPI_F_", "MPI_F08_"))}  # made inline
    return ([f"mpi.h has {name}, which is neither the standard's nor in golden/extension_constants.txt" for name in sorted(strangers)]
            + [f"{name} has the value {value} of an error class of the standard, or none that a class may have"
               for name, value in ours.items() if value in taken or value >= standard["MPI_ERR_LASTCODE"]]
            + [f"mpi.h lacks {name}" for name in sorted(set(ours) - macros)])


def link_to(soname, folder, generated, library, source, output, *options):
    """Links to the library by that soname. The linker reads the soname of a stub, as another MPI's; what runs is ours."""
    stub = os.path.join(folder, soname)
    gcc = ["gcc", *os.environ.get("ABI_CFLAGS", "").split(), "-g"]
    calls = "".join(f"int MPI_{name}(void) {{ return 0; }}" for name in ("Comm_rank", "Init", "Initialized", "Finalize"))
    subprocess.run([*gcc, "-shared", "-fPIC", "-x", "c", "-", f"-Wl,-soname,{soname}", "-o", stub], input=calls,
                   text=True, check=True)
    subprocess.run([*gcc, f"-I{generated}/include", source, *options, "-Wl,--no-as-needed", stub, "-ldl",
                    f"-Wl,-rpath,{os.path.dirname(os.path.abspath(library))}:$ORIGIN/halves", "-o", output], check=True)


def check_soname(generated, library):
    listing = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    problems = [] if "soname: [libmpi_abi.so.1]" in listing else ["the soname is not libmpi_abi.so.1"]
    source = os.path.join(HERE, "one_library.c")
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "halves"))
        half, program = os.path.join(folder, "halves", "libhalf.so"), os.path.join(folder, "program")
        names = ("libmpi_abi.so.0", "libmpi_abi.so.1")
        for ours, theirs, opened in itertools.product(names, repeat=3):
            link_to(theirs, folder, generated, library, source, half, "-DLIBRARY_HALF", "-shared", "-fPIC",
                    "-Wl,-soname,libhalf.so")
            link_to(ours, folder, generated, library, source, program, half)
            done = subprocess.run([program, opened], capture_output=True, text=True, check=False)
            if done.returncode:
                problems.append(f"program to {ours}, its library to {theirs}, dlopen of {opened}: exit code "
                                f"{done.returncode}\n{done.stdout}{done.stderr}")
    return problems


def sample(generated):
    """The generated text of the procedures of SAMPLE."""
    text = ""
    for file in sorted(os.listdir(generated)):
        if file.startswith("entry_"):
            with open(os.path.join(generated, file), encoding="utf-8") as entries:
                text += entries.read()
    blocks = []
    for name in SAMPLE:
        found = re.search(r"(static const char call_%s\[\].*\n)?.* P%s\((?:.*\n)*?.* %s\(.*alias.*\n"
                          % (name[4:], name, name), text)
        blocks.append(found.group(0) if found else f"/* {name}: not found */\n")
    return "\n".join(blocks)


def check_entries(generated, _library):
    path = os.path.join(HERE, "golden", "entries.txt")
    text = "/* A few entry points as gen/ makes them; see tests/abi/abi.py. */\n" + sample(generated)
    if "--update" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    with open(path, encoding="utf-8") as file:
        if file.read() == text:
            return []
    return [f"the generator's output changed; look at it with: python3 {sys.argv[0]} entries {generated} --update; "
            "git diff"]


def page(generated, name):
    with open(os.path.join(generated, name), encoding="utf-8") as file:
        return file.read()


def body_is_elsewhere(function, path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return not re.search(rf"^\w[\w *]*\b{function}\(", file.read(), re.M)


def status_says(library, *name):
    inkling = os.path.join(os.path.dirname(library), "..", "bin", "inkling")
    return subprocess.run([inkling, "status", *name], capture_output=True, text=True, check=False).stdout


def status_differs(library, name, function, path):
    return f"its body is {function} in {path}\n" not in status_says(library, name)


def words_that_are_gone():
    """Names in the pages for developers that no file of the library has any more."""
    pages = {page: re.findall(r"`([a-z][a-z0-9]*_[a-z0-9_]+)`", open(os.path.join(ROOT, "docs", page), encoding="utf-8").read())
             for page in ("TOUR.md", "DESIGN.md", "NEW-HINT.md", "NEW-TRANSPORT.md")}
    words = set()
    for folder in "src", "plain", "cmd", "api", "gen", "fortran":
        for path, _, files in os.walk(os.path.join(ROOT, folder)):
            for name in files:
                with open(os.path.join(path, name), encoding="utf-8", errors="replace") as file:
                    words.update(re.findall(r"\w+", file.read()))
    return [f"docs/{page} speaks of {word}, which is nowhere in src" for page, names in pages.items()
            for word in sorted(set(names) - words)]


def check_pages(generated, library):
    problems = words_that_are_gone()
    rows = re.findall(r"^\| (MPI_\w+) \| `(\w+)` \| `([^`]+)`", page(generated, "PROCEDURES.md"), re.M)
    if len(rows) < 300:
        problems.append(f"PROCEDURES.md has {len(rows)} rows only")
    problems += [f"{name}: {function} is not in {path}" for name, function, path in rows
                 if body_is_elsewhere(function, path)]
    counts = re.search(r"^(\d+) of (\d+) procedures work", page(generated, "STATUS.md"), re.M)
    if library and not re.search(rf"^all +{counts[1]} +{counts[2]} ", status_says(library), re.M):
        problems.append(f"STATUS.md counts {counts[0]}, inkling status says otherwise")
    return problems + [f"inkling status {row[0]} says otherwise" for row in rows[::40]
                       if library and status_differs(library, *row)]


def build(generated, library, source, program):
    subprocess.run(["gcc", *os.environ.get("ABI_CFLAGS", "").split(), "-w", "-g", f"-I{generated}/include", source,
                    library, f"-Wl,-rpath,{os.path.dirname(os.path.abspath(library))}", "-o", program], check=True)


# With nothing but zeroes these are right to succeed.
HARMLESS = ["MPI_Buffer_attach", "MPI_File_call_errhandler", "MPI_Free_mem", "MPI_Pcontrol", "MPI_Startall", "MPI_Waitall",
            # row 0, of which nothing is asked: each of their results may be left out
            "MPI_T_category_get_categories", "MPI_T_category_get_cvars", "MPI_T_category_get_events", "MPI_T_category_get_info",
            "MPI_T_category_get_num_events", "MPI_T_category_get_pvars", "MPI_T_cvar_get_info", "MPI_T_event_get_info",
            "MPI_T_init_thread", "MPI_T_pvar_get_info", "MPI_T_source_get_info"]
LEFT_OUT = ["MPI_Init", "MPI_Init_thread", "MPI_Finalize"]

SWEEP_MAIN = """
static int bad;
static void sweep(const char *when, int round)
{
    for (int i = 0; entries[i].name; i++) {
        fprintf(stdout, "%s %d %s\\n", when, round, entries[i].name);
        fflush(stdout);
        long code = entries[i].call[round]();
        if (code == MPI_SUCCESS && entries[i].must_fail) {
            fprintf(stderr, "%s, round %d: %s succeeded\\n", when, round, entries[i].name);
            bad = 1;
        }
    }
}
int main(int argc, char **argv)
{
    int round = argv[1][0] - '0';
    (void)argc;
    sweep("before", round);
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    sweep("between", round);
    MPI_Finalize();
    sweep("after", round);
    return bad;
}
"""


def sweep_program():
    """Each procedure in three rounds: handles are zero, null, garbage; all else is zero."""
    handles = dict(re.findall(r"^(\w+_NULL) \d+ (MPI_\w+)$", "\n".join(golden("constants.txt")), re.M))
    nulls = {ctype: name for name, ctype in handles.items() if not ctype.startswith("MPI_T_")}
    lines = ["#define MPI_INKLING_ALLOW_DEPRECATED", "#include <mpi.h>", "#include <stdio.h>"]
    rows = []
    for prototype in golden("prototypes.txt") + golden("extension_prototypes.txt"):
        name, parameters = name_of(prototype), prototype.split("(", 1)[1][:-1].split(", ")
        if name in LEFT_OUT or parameters == ["void"] and name != "MPI_Wtime":
            continue
        for number, value in enumerate(("0", "{null}", "({type})0x0123456789abcdef")):
            arguments = [value.format(null=nulls[p], type=p) if p in nulls else "0"
                         for p in parameters if p not in ("...", "void")]
            lines.append(f"static long {name}_{number}(void) {{ return (long){name}({', '.join(arguments)}); }}")
        fails = prototype.startswith("int ") and not name.endswith("toint") and name not in HARMLESS
        rows.append(f'    {{"{name}", {{{name}_0, {name}_1, {name}_2}}, {int(fails)}}},')
    table = ["static const struct { const char *name; long (*call[3])(void); int must_fail; } entries[] = {", *rows,
             "    {NULL, {NULL, NULL, NULL}, 0},", "};", SWEEP_MAIN]
    return "\n".join(lines + table)


def check_sweep(generated, library):
    problems = []
    environment = dict(os.environ, INKLING_JOB_ERRHANDLER="mpi_errors_return")
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "sweep.c"), os.path.join(folder, "sweep")
        with open(source, "w", encoding="utf-8") as file:
            file.write(sweep_program())
        build(generated, library, source, program)
        for number in "012":
            done = subprocess.run([program, number], capture_output=True, text=True, check=False, env=environment)
            if done.returncode:
                last = done.stdout.strip().splitlines()[-1:]
                problems += [f"exit code {done.returncode}, last called: {last}", done.stderr[-3000:]]
    return problems


def check_fatal(generated, library):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "fatal")
        build(generated, library, os.path.join(HERE, "fatal.c"), program)
        done = subprocess.run([program], capture_output=True, text=True, check=False)
        found = subprocess.run(["fatal"], capture_output=True, text=True, check=False, env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"})
        waited, cast, received = (subprocess.run([program, word], capture_output=True, text=True, check=False)
                                  for word in ("wait", "bcast", "recv"))
    wanted = [r"^inkling: fatal error in MPI_Send\(buf=0x[0-9a-f]+, count=-1, datatype=MPI_DOUBLE, dest=MPI_PROC_NULL, "
              r"tag=5, comm=MPI_COMM_WORLD\)$", "MPI_ERR_COUNT: .*count -1 is negative", "rank 0 of 1 on ",
              "communicator MPI_COMM_WORLD", r"^    at misuse at .*fatal\.c:7$", r"^    at main at .*fatal\.c:28$"]
    problems = [f"no line matches {w}" for said in (done, found) for w in wanted if not re.search(w, said.stderr, re.M)]
    if not re.search(r"MPI_Wait\(request=0x[0-9a-f]+, status=NULL\)", waited.stderr):
        problems.append("the request that MPI_Wait was called with is not told")
    if "root=MPI_ROOT" not in cast.stderr or "source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG" not in received.stderr:
        problems.append(f"ranks and tags have no names: {cast.stderr}{received.stderr}")
    if 0 in (done.returncode, waited.returncode, cast.returncode, received.returncode):
        problems.append("the program went on to its end")
    return problems and problems + [done.stderr, found.stderr, waited.stderr]


def check_size(_generated, library):
    listing = subprocess.run(["size", "-A", library], capture_output=True, text=True, check=True).stdout
    size = {line.split()[0]: int(line.split()[1]) for line in listing.splitlines() if line.startswith(".")}
    print(", ".join(f"{section} {size[section]}" for section in BUDGET))
    return [f"{section} has {size[section]} bytes, more than its budget of {budget}"
            for section, budget in BUDGET.items() if size[section] > budget]


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(arguments) < 2 or f"check_{arguments[0]}" not in globals():
        sys.exit(__doc__)
    problems = globals()[f"check_{arguments[0]}"](arguments[1], (arguments + [None])[2])
    print("\n".join(problems[:40]))
    sys.exit(1 if problems else 0)


main()
