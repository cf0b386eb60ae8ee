#!/usr/bin/env python3
"""pages.py CHECK SOURCE GENERATED: the manual pages in GENERATED/man3, all of them at once.

forms    each procedure of mpi.h and of Fortran has one page, which shows its C prototypes as mpi.h has them, and its Fortran forms
unbuilt  a procedure without a body says so
lint     mandoc has nothing to say
names    lexgrog, by which apropos and whatis know pages, finds each name
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FORTRAN_ONLY = {"MPI_Sizeof", "MPI_F_sync_reg"}


def fail(text):
    sys.exit(f"FAILED: {text}")


def header_prototypes(generated):
    """name -> prototype, of what mpi.h declares and of its inline functions; what MPI-3.0 removed has no page."""
    header = (generated / "include/mpi.h").read_text().partition("/* 18. ")[0]
    found = re.findall(r"^(?:MPI_INKLING_INLINE )?((?!typedef)\w+ (MPIX?_\w+)\(.*?\))(?: MPI_INKLING_DEPRECATED.*)?;?$", header, re.M)
    return {name: text for text, name in found}


def page_prototypes(text):
    """name -> prototype, from the synopsis."""
    found = re.findall(r"^\.Ft (.+)\n\.Fo (\w+)\n((?:\.Fa .*\n)+)\.Fc", text, re.M)
    return {name: f"{returns} {name}({', '.join(re.findall('^.Fa .(.*).$', arguments, re.M))})" for returns, name, arguments in found}


def check_prototypes(page, text, expected):
    names, shown = re.findall(r"^\.Nm (\w+)", text, re.M), page_prototypes(text)
    if page.stem not in names or names[0] != page.resolve().stem:
        fail(f"{page.name} is about {names}")
    for name in names:
        if shown.get(name) != expected.get(name):
            fail(f"{page.name} has '{shown.get(name)}', mpi.h has '{expected.get(name)}'")
        if f"P{name}" not in text:
            fail(f"{page.name} does not name P{name}")


def check_fortran(page, text, form):
    """mpi_f08 has the form; mpi has it, too, but for large counts. An argument has a type in each."""
    blocks = dict(re.findall(r"^\.Ss (Fortran[^\n]*)\n\.Bd -literal\n(.*?)\.Ed", text, re.M | re.S))
    names = [a.name for a in form.arguments] + ["ierror"] * form.has_ierror
    for module, wanted in (("mpi_f08", names), ("mpi", [n.upper() for n in names])):
        if module == "mpi" and form.large:
            continue
        block = next((b for title, b in blocks.items() if re.search(rf"\b{module}\b", title)), "")
        calls = re.findall(rf"^{form.generic()}\((.*?)\)", block, re.M | re.S | re.I)
        if wanted not in [re.findall(r"\w+", c) for c in calls]:
            fail(f"{page.name}: {module} is not shown to have {form.generic()}({', '.join(wanted)})")
        untyped = [n for n in wanted if not re.search(rf"^ .*\b{n}\b", block, re.M)]
        if untyped:
            fail(f"{page.name}: {form.generic()} of {module} shows no type of {untyped}")


def check_references(page, text, source, stems):
    for name, section in re.findall(r"^\.Xr (\S+) (\d)", text, re.M):
        if not (name in stems if section == "3" else (source / f"docs/man/{name}.{section}").exists()):
            fail(f"{page.name} refers to {name}({section}), which is no page")


def check_forms(source, generated, pages):
    sys.path.insert(0, str(source / "gen"))
    from fortran import Forms  # pylint: disable=import-outside-toplevel
    from standard import named  # pylint: disable=import-outside-toplevel
    forms = {named("MPI_", form.name): form for form in Forms(source / "api").procedures}
    expected = header_prototypes(generated)
    stems, wanted = {page.stem for page in pages}, set(expected) | FORTRAN_ONLY
    if len(expected) < 660 or stems != wanted:
        fail(f"{len(expected)} procedures; pages are missing or too many: {sorted(stems ^ wanted)}")
    for page in pages:
        text = page.read_text()
        check_prototypes(page, text, expected)
        check_references(page, text, source, stems)
        if page.stem in forms:
            check_fortran(page, text, forms[page.stem])
    print(f"{len(expected)} C prototypes and {len(forms)} Fortran forms are shown")


def check_unbuilt(source, generated, _):
    sys.path.insert(0, str(source / "gen"))
    from standard import Standard  # pylint: disable=import-outside-toplevel
    with tempfile.TemporaryDirectory() as folder:
        api, output = pathlib.Path(folder) / "api", pathlib.Path(folder) / "man3"
        shutil.copytree(source / "api", api)
        unbuilt = {procedure.name for procedure in Standard(api).procedures() if not procedure.body}
        table = api / "pt2pt.txt"
        table.write_text(re.sub(r"^(Bsend\(.*) -> .*", r"\1", table.read_text(), flags=re.M))
        subprocess.run([sys.executable, "-B", source / "gen/man.py", api, generated / "HINTS.md", output, "0"], check=True)
        said = {page.stem for page in output.iterdir() if "not built yet" in page.read_text()}
        if said != unbuilt | {"MPI_Bsend", "MPI_Bsend_c"}:
            fail(f"these say that they are not built: {sorted(said)}; {sorted(unbuilt)} are not")


def read_by(tool, options, pages):
    """What a tool says of the pages."""
    if not shutil.which(tool):
        print(f"skipped: there is no {tool}")
        sys.exit(77)
    return subprocess.run([tool, *options, *pages], capture_output=True, text=True, check=False).stdout


def check_lint(_, __, pages):
    said = read_by("mandoc", ["-T", "lint", "-W", "warning"], [page for page in pages if not page.is_symlink()])
    if said:
        fail(f"mandoc says:\n{said[:4000]}")


def check_names(_, __, pages):
    said = read_by("lexgrog", [], [page for page in pages if not page.is_symlink()])
    found = re.findall(r'^.*/(\w+)\.3: "(\w+) - \w', said, re.M)
    if sorted(name for _, name in found) != [page.stem for page in pages]:
        fail(f"lexgrog finds {len(found)} names on {len(pages)} pages: {said[:4000]}")


if __name__ == "__main__":
    root, made = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    globals()["check_" + sys.argv[1]](root, made, sorted((made / "man3").iterdir(), key=lambda page: page.stem))
