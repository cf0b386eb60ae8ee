"""Makes the inline functions of mpi.h: what programs call that the ABI leaves out. The library exports none of them."""

import re

ROW = re.compile(r"^(?P<returns>\w+) (?P<name>\w+)\((?P<parameters>.*?)\) use (?P<use>\w+): (?P<body>.+)$")

F2C_TOP = """/* 20.3.4. Fortran's integers for handles and statuses. The ABI leaves these out, as MPI_Fint depends on the Fortran
 * compiler. Here it is int. -DINKLING_NO_F2C leaves them out as well. */
#ifndef INKLING_NO_F2C
typedef int MPI_Fint;
typedef MPI_Status MPI_F08_status; /* the same eight integers */

/* What no status of a Fortran program is: its own sentinels are known to its Fortran library alone. */
#define MPI_F_STATUS_IGNORE MPI_INKLING_CAST(static, MPI_Fint *, MPI_INKLING_NULL)
#define MPI_F_STATUSES_IGNORE MPI_INKLING_CAST(static, MPI_Fint *, MPI_INKLING_NULL)
#define MPI_F08_STATUS_IGNORE MPI_INKLING_CAST(static, MPI_F08_status *, MPI_INKLING_NULL)
#define MPI_F08_STATUSES_IGNORE MPI_INKLING_CAST(static, MPI_F08_status *, MPI_INKLING_NULL)
"""

# A status is the same eight integers in each form.
MEMBERS = ["MPI_SOURCE", "MPI_TAG", "MPI_ERROR", *(f"MPI_internal[{i}]" for i in range(5))]
TO_FORTRAN = [f"f_status[{i}] = {{0}}_status->{member};" for i, member in enumerate(MEMBERS)]
TO_C = [f"{{0}}_status->{member} = f_status[{i}];" for i, member in enumerate(MEMBERS)]
STATUS_FUNCTIONS = [
    ("Status_c2f(const MPI_Status *c_status, MPI_Fint *f_status)", TO_FORTRAN, "c"),
    ("Status_f2c(const MPI_Fint *f_status, MPI_Status *c_status)", TO_C, "c"),
    ("Status_f082f(const MPI_F08_status *f08_status, MPI_Fint *f_status)", TO_FORTRAN, "f08"),
    ("Status_f2f08(const MPI_Fint *f_status, MPI_F08_status *f08_status)", TO_C, "f08"),
    ("Status_c2f08(const MPI_Status *c_status, MPI_F08_status *f08_status)", ["*f08_status = *c_status;"], ""),
    ("Status_f082c(const MPI_F08_status *f08_status, MPI_Status *c_status)", ["*c_status = *f08_status;"], ""),
]

ERROR_TOP = """#elif defined(__has_attribute)
#if __has_attribute(error)
/* A call of what was removed does not compile, and the error names the macro. A program that has a procedure of such a
 * name keeps it: C lets any definition replace an extern gnu_inline one, and C++ takes any overload before (...).
 * Nothing is a macro, so #ifdef says the truth, and a macro of the program's comes first. */
#ifdef __cplusplus
}
#endif
#define MPI_INKLING_ERROR(text) __attribute__((error(text ", or compile with -DINKLING_REMOVED")))"""

ERROR_BOTTOM = """#undef MPI_INKLING_ERROR
#ifdef __cplusplus
extern "C" {
#endif
#endif
#endif
"""


def handle_functions(procedures):
    """(declaration with a place for P, statement) of MPI_X_c2f and MPI_X_f2c over MPI_X_toint and MPI_X_fromint."""
    for procedure in procedures:
        name, kind = procedure.name.rpartition("_")[::2]
        if kind not in ("toint", "fromint"):
            continue
        argument = procedure.parameters[0]
        statement = f"return {{0}}{procedure.name}({argument.name});"
        if kind == "toint":
            yield f"MPI_Fint {{0}}{name}_c2f({argument.declaration()})", statement
        else:
            yield f"{procedure.returns} {{0}}{name}_f2c(MPI_Fint {argument.name})", statement


def handle_lines(procedures):
    for declaration, statement in handle_functions(procedures):
        for prefix in ("", "P"):
            yield f"MPI_INKLING_INLINE {declaration.format(prefix)}"
            yield f"{{\n    {statement.format(prefix)}\n}}"


def status_lines():
    for declaration, statements, form in STATUS_FUNCTIONS:
        for prefix in ("", "P"):
            yield f"MPI_INKLING_INLINE int {prefix}MPI_{declaration}\n{{"
            missing = " || ".join("!" + name for name in re.findall(r"\*(\w+)", declaration))
            yield f"    if ({missing})\n        return MPI_ERR_ARG;"
            yield from ("    " + statement.format(form) for statement in statements)
            yield "    return MPI_SUCCESS;\n}"


def declarations(procedures):
    """Of the inline functions that the standard has."""
    yield from (declaration.format("") for declaration, _ in handle_functions(procedures))
    yield from (f"int MPI_{declaration}" for declaration, _, _ in STATUS_FUNCTIONS)


def f2c_lines(procedures):
    yield F2C_TOP
    yield from handle_lines(procedures)
    yield from status_lines()
    yield "#endif\n"


def next_lines(standard):
    """The names without X of extensions that the next version of the standard has. A macro of the program's comes first."""
    procedures = {p.name: p for p in standard.procedures()}
    yield "/* What the next version of the standard has. */"
    for name in standard.next():
        procedure = procedures.get("MPIX_" + name)
        yield f"#ifndef MPI_{name}"
        if not procedure:
            yield f"#define MPI_{name} MPIX_{name}"
        for prefix in ("", "P") if procedure else ():
            arguments = ", ".join(p.name for p in procedure.parameters)
            yield "MPI_INKLING_INLINE " + procedure.prototype(prefix).replace("MPIX_", "MPI_", 1)
            yield f"{{\n    return {prefix}MPIX_{name}({arguments});\n}}"
        yield "#endif"
    yield ""


def removed_lines(removed):
    """What api/removed.txt lists: as inline functions where the program asks for them, else as errors."""
    rows = [ROW.match(line) for line in removed if not line.startswith("alias ")]
    yield "/* 18. What MPI-3.0 removed, for programs compiled with -DINKLING_REMOVED. */"
    yield "#ifdef INKLING_REMOVED"
    for name, _, ctype in (line.split()[1:] for line in removed if line.startswith("alias ")):
        yield f"typedef {ctype} {name};"
    for row in rows:
        yield from unless_macro(row, working_lines(row))
    yield ERROR_TOP
    for row in rows:
        yield from unless_macro(row, error_lines(row))
    yield ERROR_BOTTOM


def unless_macro(row, lines):
    yield f"#ifndef {row['name']}"
    yield from lines
    yield "#endif"


def working_lines(row):
    declaration = f"MPI_INKLING_INLINE {row['returns']} {row['name']}({row['parameters']})"
    yield f"{declaration} MPI_INKLING_DEPRECATED(\"{row['use']}\");"
    yield f"{declaration}\n{{"
    yield from (f"    {statement.strip()};" for statement in row["body"].rstrip(";").split(";"))
    yield "}"


def error_lines(row):
    name, needs = row["name"], f"{row['name']}_needs_INKLING_REMOVED"
    error = f'MPI_INKLING_ERROR("{name} was removed in MPI-3.0: call {row["use"]}");'
    yield "#ifdef __cplusplus"
    yield f"int {name}(...) {error}"
    yield "#else"
    yield f"int {needs}(void) {error}"
    yield f"extern __inline__ __attribute__((__gnu_inline__, __always_inline__)) int {name}({row['parameters']})\n{{"
    names = re.findall(r"(\w+)(?:\[\])?(?:,|$)", row["parameters"])
    yield from (f"    (void){parameter};" for parameter in names)
    yield f"    return {needs}();\n}}"
    yield "#endif"
