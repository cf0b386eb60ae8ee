#!/usr/bin/env python3
"""Writes a program that calls each procedure of api/*.txt once for each of its pointers, with NULL there.

    nulls.py API GEN OUT.c

What must come of it follows from the kind of the parameter: an error class, or "any" where NULL is legal or the
library cannot see what it stands for. legal.txt has the exceptions, one by one. All other arguments are right, so
nothing but the NULL is to blame. nulls.h has them, and main.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# Right arguments by kind; those that a call may change are set anew before each.
VALUES = {
    "int": "1", "xint": "1", "count": "1", "unit": "1", "aint": "0", "extent": "4", "offset": "0", "count64": "1",
    "rank": "0", "dest": "MPI_PROC_NULL", "source": "MPI_PROC_NULL", "root": "0", "tag": "0", "anytag": "0",
    "str": "text", "weights": "ints", "listed_ranges": "ranges",
}
ARRAYS = {"int": "ints", "MPI_Aint": "aints", "MPI_Count": "counts", "MPI_Datatype": "types", "MPI_Info": "infos",
          "MPI_Request": "requests", "MPI_Status": "statuses", "void": "memory"}
HANDLES = {"comm": "comm", "group": "group", "type": "MPI_INT", "op": "MPI_SUM", "errhandler": "MPI_ERRORS_RETURN",
           "info": "info", "request": "grequest", "message": "MPI_MESSAGE_NO_PROC", "session": "session", "win": "win",
           "file": "file"}
HANDLE_CLASSES = {"comm": "MPI_ERR_COMM", "group": "MPI_ERR_GROUP", "type": "MPI_ERR_TYPE", "op": "MPI_ERR_OP",
                  "errhandler": "MPI_ERR_ERRHANDLER", "info": "MPI_ERR_INFO", "request": "MPI_ERR_REQUEST",
                  "message": "MPI_ERR_REQUEST", "session": "MPI_ERR_SESSION", "win": "MPI_ERR_WIN",
                  "file": "MPI_ERR_FILE"}
TOOL_HANDLES = ["MPI_T_" + name for name in ("enum", "cvar_handle", "pvar_handle", "pvar_session", "event_registration",
                                             "event_instance")]


def base_of(p):
    return re.sub(r"[*&~]$|\..*$", "", p.kind)


def expected(p, is_tool):
    """The class of the error of NULL as this parameter; None: it is no pointer; "any": NULL may be right."""
    if is_tool and (p.group == "handle" and not p.form or p.ctype[:-2] in TOOL_HANDLES and p.ctype.endswith(" @")):
        return "MPI_T_ERR_INVALID_SESSION" if "session" in p.ctype else "MPI_T_ERR_INVALID_HANDLE"
    if p.group == "handle":
        return ("MPI_T_ERR_INVALID" if is_tool else "MPI_ERR_ARG") if p.form else HANDLE_CLASSES[p.base]
    if "*" not in p.ctype and "[" not in p.ctype or p.group == "varargs":
        return None
    if p.group == "buffer" or p.kind.startswith("item"):
        return "MPI_ERR_BUFFER"
    if p.maybe_null or p.kind in ("ptr", "cptr", "status*", "statuses"):
        return "any"
    return "MPI_T_ERR_INVALID" if is_tool else "MPI_ERR_ARG"


def null_of(p):
    """gcc wants the type of functions."""
    return f"({p.ctype.replace('@', '').strip()})0" if p.kind.startswith("fn") else "NULL"


def value(p, number):
    """A right argument."""
    if p.group == "handle" and p.form:
        return f"&a_{p.base}"
    if p.group == "handle":
        return HANDLES[p.base]
    if base_of(p) in VALUES and "*" not in p.kind and "&" not in p.kind:
        return VALUES[base_of(p)]
    if p.group == "varargs":
        return "0"
    target = re.match(r"(?:const )?(\w+)", p.ctype).group(1)
    if p.ctype in ("MPI_Datatype @", "MPI_Info @"):
        return "MPI_INT" if target == "MPI_Datatype" else "MPI_INFO_NULL"
    if target.endswith(("_function", "_function_c")):
        return f"({target} *)nothing"
    if target.startswith("MPI_T_"):
        return f"&a_{target}" if "*" in p.ctype else f"a_{target}"
    if "[" not in p.ctype and "*" not in p.ctype:
        return "0"
    if target == "char":
        return {1: "text", 2: "texts", 3: "lists"}[p.ctype.count("*") + p.ctype.count("[")]
    # Each has memory of its own: 4 elements, 256 bytes.
    return f"{ARRAYS[target]} + {number * (256 if target == 'void' else 4)}" if target in ARRAYS else "(void *)memory"


class Exceptions:
    """legal.txt: PROCEDURE[.PARAMETER] WORD..., where PROCEDURE may have * in it; the last line that fits wins."""

    def __init__(self, path):
        self.rows = []
        for line in open(path, encoding="utf-8"):
            line = line.split("#")[0].strip()
            if line:
                name, _, rest = line.partition(" ")
                procedure, _, parameter = name.partition(".")
                self.rows.append((re.compile(procedure.replace("*", ".*") + "(_c)?"),
                                  re.compile(parameter.replace("*", ".*")), rest.strip()))

    def find(self, procedure, parameter, relation):
        found = None
        for pattern, name, rest in self.rows:
            if pattern.fullmatch(procedure.name[4:]) and name.fullmatch(parameter) and rest.startswith(relation):
                found = rest[len(relation):].strip()
        return found


def case(procedure, exceptions):
    """The function that makes the call, with NULL as the parameter of the number `null`, and its row of the table."""
    arguments, classes = [], []
    for number, p in enumerate(procedure.parameters):
        argument = exceptions.find(procedure, p.name, "=") or value(p, number)
        wanted = expected(p, procedure.is_tool())
        if wanted:
            wanted = exceptions.find(procedure, p.name, "gives") or wanted
            if not procedure.body and p.group == "handle":  # it is not built, and looks at nothing
                wanted = "MPI_ERR_UNSUPPORTED_OPERATION"
            classes.append(f'{{{number}, "{p.name}", {"ANY" if wanted == "any" else wanted}}}')
            argument = f"null == {number} ? {null_of(p)} : {argument}"
        arguments.append(argument)
    if not classes:
        return "", ""
    name = procedure.name
    function = f"static int call_{name}(int null)\n{{\n    (void)null;\n    return {name}({', '.join(arguments)});\n}}\n"
    return function, f'    {{"{name}", call_{name}, {{{", ".join(classes)}}}}},\n'


def main():
    api, gen, out = sys.argv[1:]
    sys.path.insert(0, gen)
    from standard import Standard
    exceptions = Exceptions(os.path.join(HERE, "legal.txt"))
    functions, rows = [], []
    for procedure in Standard(api).procedures():
        if procedure.returns == "int" and exceptions.find(procedure, "", "is not called") is None:
            function, row = case(procedure, exceptions)
            functions.append(function)
            rows.append(row)
    with open(out, "w", encoding="utf-8") as file:
        file.write('/* Made by tests/nulls/nulls.py from api. */\n#include "nulls.h"\n\n' + "".join(functions) +
                   "const struct case_of_null cases[] = {\n" + "".join(rows) + "    {0},\n};\n")


main()
