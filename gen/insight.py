"""insight.py API_FOLDER CHECKS OUTPUT_FOLDER: makes what libinkling_insight.so wraps. See gen/README.md.

Every MPI_ and PMPI_ name becomes a function that puts its arguments into an array, tells insight/wrap/wrap.h before
and after, and calls the next function of that name: of an MPI_ name that may be the one of a tool that lies below. A
call's descriptor says where the arguments of each role are, so that one check serves the int and the _c form and all
procedures of a family.
"""

import fnmatch
import sys

from standard import Standard, write

# Roles by parameter name; a handle's role comes from its kind, a buffer's from its order.
NAMED = {
    "dest": "DEST", "source": "SOURCE", "root": "ROOT", "sendtag": "TAG", "recvtag": "RECVTAG", "op": "OP",
    "status": "STATUS", "array_of_statuses": "STATUSES", "array_of_requests": "REQUESTS", "flag": "FLAG",
    "indx": "INDEX", "outcount": "OUTCOUNT", "array_of_indices": "INDICES", "sendcounts": "COUNTS", "recvcounts": "COUNTS2",
    "sendtypes": "TYPES", "recvtypes": "TYPES2", "target_rank": "TARGET", "rank": "TARGET", "target_disp": "DISP",
    "target_count": "TARGET_COUNT", "target_datatype": "TARGET_TYPE", "lock_type": "LOCK_TYPE", "assert": "ASSERT",
    "size": "SIZE", "disp_unit": "DISP_UNIT", "base": "BASE", "baseptr": "BASE_OUT", "stringtag": "STRINGTAG",
    "partition": "PARTITION", "partitions": "PARTITIONS", "required": "REQUIRED", "provided": "PROVIDED",
    "comm_keyval": "KEYVAL", "type_keyval": "KEYVAL", "win_keyval": "KEYVAL", "sdispls": "DISPLS", "rdispls": "DISPLS2",
    "displs": "DISPLS2", "compare_addr": "COMPARE", "result_addr": "RESULT", "result_count": "RESULT_COUNT",
    "result_datatype": "RESULT_TYPE", "amode": "AMODE", "offset": "OFFSET", "color": "COLOR", "comm_name": "NAME_TEXT",
    "win_name": "NAME_TEXT", "type_name": "NAME_TEXT",
}
HANDLE_ROLES = {"comm": "COMM", "win": "WIN", "file": "FILE", "request": "REQUEST", "message": "MESSAGE", "group": "GROUP",
                "errhandler": "ERRHANDLER", "info": "INFO", "session": "SESSION", "op": "OP", "type": "TYPE"}
ROLES = (sorted(set(NAMED.values()) - {"OP"}) + sorted(HANDLE_ROLES.values())
         + ["NEW", "NEW_REQUEST", "BUF", "COUNT", "BUF2", "COUNT2", "TYPE2", "TAG", "TOTAL"])
ROLES = list(dict.fromkeys(ROLES))

HEADER = """/* Made by gen/insight.py from api/ and insight/wrap/checks.txt. */
#ifndef INSIGHT_PROCEDURES_H
#define INSIGHT_PROCEDURES_H

#define MPI_INKLING_ALLOW_DEPRECATED
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

enum family {{
    FAMILY_NONE,
    {families},
    FAMILIES
}};

/* What an argument is for: procedure->at[role] is its place, -1: there is none. */
enum role {{
    {roles},
    ROLES
}};

enum procedure_number {{
    {numbers},
    PROCEDURES
}};

/* The procedures below: `real` by their PMPI_ names, which the checks call; `below` by their MPI_ names, which a tool of the
 * program may have. */
struct real {{
{pointers}
}};
extern struct real real, below;
#endif
"""


CHECKS = """/* Made by gen/insight.py from insight/wrap/checks.txt: what is called before and after calls of MPI. */
#ifndef INSIGHT_CHECKS_H
#define INSIGHT_CHECKS_H

#include "insight/call/intercept.h"

{prototypes}

#endif
"""

TABLE = """/* Made by gen/insight.py from insight/wrap/checks.txt, for insight/wrap/wrap.c. */
#include <insight/checks.h>

{functions}
static const struct check {{
    void (*before)(struct intercept *call);
    void (*after)(struct intercept *call, int error);
    void (*always_before)(struct intercept *call);
    void (*always_success)(struct intercept *call);
    bool is_seen_inside;
}} checks[FAMILIES] = {{
{rows}
}};

static void every_before(struct intercept *call)
{{
{before}
}}

static void every_after(struct intercept *call, int error)
{{
{after}
}}
"""


def place_roles(procedure):
    """role -> index"""
    at = {}
    buffers = [p for p in procedure.parameters if p.group == "buffer"]
    for index, p in enumerate(procedure.parameters):
        if p.group == "handle" and p.base != "type":
            role = HANDLE_ROLES[p.base]
            if p.form == "*":
                role = "NEW_REQUEST" if p.base == "request" else "NEW"
            at.setdefault(role, index)
        elif p.group == "handle":
            at.setdefault("NEW" if p.form == "*" else "TYPE", index)
        if p.name in NAMED and p.group != "handle" and not (p.name == "flag" and not p.kind.endswith("*")):
            at.setdefault(NAMED[p.name], index)
        if p.name == "target_datatype":
            at["TARGET_TYPE"] = index
        if p.name == "result_datatype":
            at["RESULT_TYPE"] = index
        if p.name == "tag" and "source" not in [q.name for q in procedure.parameters]:
            at["TAG"] = index
        elif p.name == "tag":
            at["RECVTAG"] = index
        if p.name in ("count", "incount") and not buffers:
            at.setdefault("TOTAL" if "requests" in [q.kind.rstrip("*&") for q in procedure.parameters] else "COUNT", index)
    names = [p.name for p in procedure.parameters]
    for buffer, letter in zip(buffers, ("", "2")):
        at["BUF" + letter] = names.index(buffer.name)
        after = list(enumerate(procedure.parameters))[names.index(buffer.name) + 1:]
        for index, p in after:
            if p.kind in ("count", "xint"):
                at["COUNT" + letter] = index
            if p.kind in ("count", "xint") or p.group == "array":
                break
        for index, p in after:
            if p.group == "handle" and p.base == "type" and not p.form:
                at["TYPE" + letter] = index
                break
    if procedure.base in ("MPI_Get_accumulate", "MPI_Rget_accumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap"):
        at["BUF"] = 0
        at["TYPE"] = names.index("origin_datatype" if "origin_datatype" in names else "datatype")
        at.pop("COUNT", None)
        if "origin_count" in names:
            at["COUNT"] = names.index("origin_count")
    return at


def short(name):
    """Without MPI_; of an extension X_NAME, as in api/extension.txt."""
    return name.removeprefix("MPI").removeprefix("_")


def is_wrapped(procedure):
    return (procedure.returns == "int" and not procedure.is_tool()
            and not any(p.group in ("varargs", "word") for p in procedure.parameters)
            and not procedure.name.endswith("_fromint"))


class Step:
    """A function that is called for a family of calls, or for all."""

    def __init__(self, kind, word, condition):
        self.kind, self.condition = kind, condition
        self.name, self.has_arguments, arguments = word.partition("(")
        self.arguments = self.has_arguments + arguments or ("(call, error)" if kind == "after" else "(call)")

    def prototype(self):
        return f"void {self.name}(struct intercept *call{', int error' if self.kind == 'after' else ''});"

    def statement(self):
        condition = " && ".join(c for c in ("!error" if self.kind == "success" else "", self.condition) if c)
        return f"    if ({condition})\n        {self.name}{self.arguments};" if condition else f"    {self.name}{self.arguments};"


def condition_of(line):
    """The words of a line of steps before its condition, and the condition in C; "": none."""
    line, _, families = line.partition(" except ")
    words, _, condition = line.partition(" if ")
    parts = ([condition.strip()] if condition else []) + [f"call->procedure->family != FAMILY_{f}" for f in families.split()]
    return words.split(), " && ".join(parts)


KINDS = ("before", "after", "success", "hit", "inside", "always before", "always success")


def read_checks(path):
    """[(family, patterns)], {family: steps}"""
    rows, steps = [], {"EVERY": []}
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.split("#")[0].rstrip()
        words, condition = condition_of(line)
        if not words:
            continue
        if not line.startswith(" "):
            family, *patterns = words
            steps.setdefault(family, [])
            if family != "EVERY":
                rows.append((family, patterns))
            continue
        kind = " ".join(words[:2]) if words[0] == "always" else words[0]
        if kind not in KINDS:
            raise SystemExit(f"{path}:{number}: {kind} is not one of: {', '.join(KINDS)}")
        steps[family] += [Step(kind, word, condition) for word in words[len(kind.split()):] or ([""] if kind == "inside" else [])]
    return rows, steps


def write_checks(output, steps):
    """The prototypes of what a family's calls have, and the table of them, which is wrap.c's."""
    every = steps.pop("EVERY")
    prototypes = sorted({s.prototype() for found in steps.values() for s in found if s.name}, key=lambda p: p.split("(")[0])
    write(output, "insight/checks.h", CHECKS.format(prototypes="\n".join(prototypes)))
    functions, rows = [], []
    for family, found in steps.items():
        fields = []
        for field, kinds, arguments in (("before", ("before",), "struct intercept *call"),
                                        ("after", ("after", "success"), "struct intercept *call, int error"),
                                        ("always_before", ("always before",), "struct intercept *call"),
                                        ("always_success", ("always success",), "struct intercept *call")):
            those = [s for s in found if s.kind in kinds]
            name = those[0].name if those else "NULL"
            if len(those) > 1 or any(s.kind == "success" for s in those):
                name = f"{field}_{family.lower()}"
                body = "\n".join(s.statement() for s in those)
                functions.append(f"static void {name}({arguments})\n{{\n{body}\n}}\n")
            if those:
                fields.append(f".{field} = {name}")
        if any(s.kind == "inside" for s in found):
            fields.append(".is_seen_inside = true")
        if fields:
            rows.append(f"    [FAMILY_{family}] = {{{', '.join(fields)}}},")
    before = [s.statement() for s in every if s.kind == "before"]
    hits = ["    " + s.statement() for s in every if s.kind == "hit"]
    first = next(i for i, s in enumerate(every) if s.kind == "hit")
    before[first:first] = ["    if (watchpoint_was_hit) {", "        watchpoint_was_hit = false;", *hits, "    }"]
    after = [s.statement() for s in every if s.kind in ("after", "success")]
    write(output, "insight/check_table.h", TABLE.format(functions="\n".join(functions), rows="\n".join(rows),
                                                        before="\n".join(before), after="\n".join(after)))


def family_of(procedure, rows):
    name = short(procedure.base)
    return next((family for family, patterns in rows if any(fnmatch.fnmatchcase(name, p) for p in patterns)), "NONE")


def form_of(name):
    """The call without what makes it nonblocking, persistent or of large counts: what must be the same on all ranks."""
    return short(name).removesuffix("_c")


MESSAGES = {"SEND": "DEST TAG", "ISEND": "DEST TAG", "SEND_INIT": "DEST TAG", "RECV": "SOURCE RECVTAG", "IRECV": "SOURCE RECVTAG",
            "RECV_INIT": "SOURCE RECVTAG"}


def check_order(procedure, family, at):
    """intercept_message of insight/call/intercept.h counts on it."""
    wanted = ["BUF", "COUNT", "TYPE", *MESSAGES[family].split(), "COMM"] if family in MESSAGES else []
    wanted += ["NEW_REQUEST"] if family in ("ISEND", "IRECV") else []
    if [at.get(role) for role in wanted] != list(range(len(wanted))):
        raise SystemExit(f"{procedure.name}: the arguments of family {family} are not in the order {' '.join(wanted)}")


def descriptor(procedure, rows):
    at = place_roles(procedure)
    check_order(procedure, family_of(procedure, rows), at)
    places = ", ".join(str(at.get(role, -1)) for role in ROLES)
    letters = "".join(p.letter for p in procedure.parameters).replace('"', '\\"')
    names = ",".join(p.name for p in procedure.parameters)
    fields = [f'"{procedure.name}"', f'"{letters}"', f'"{names}"', f"FAMILY_{family_of(procedure, rows)}",
              str(int(procedure.large)), str(int(procedure.any_time)), str(int(procedure.deprecated is not None)),
              *(str(int(word in procedure.name.lower())) for word in ("ssend", "bsend")), "{" + places + "}"]
    return "    {" + ", ".join(fields) + "},"


def cast_of(parameter):
    """The type of a parameter, as a cast from the array of arguments."""
    if parameter.ctype.endswith("@[][3]"):
        return "int (*)[3]"
    ctype = parameter.ctype.replace("@[]", "*").replace("@", "").strip()
    return ctype + ")(intptr_t" if "*" in ctype or ctype.startswith("MPI_") else ctype


def wrapper(procedure, prefix, table):
    name = short(procedure.name)
    parameters = [p.name for p in procedure.parameters]
    words = ", ".join(f"(int64_t)(intptr_t){n}" for n in parameters) or "0"
    seen = ", ".join(f"({cast_of(p)})argument[{i}]" for i, p in enumerate(procedure.parameters))
    absent = f"    if (!{table}.{name}) /* not every library has it */\n        return MPI_ERR_UNSUPPORTED_OPERATION;\n" if procedure.is_extension() else ""
    return f"""{procedure.prototype(prefix)}
{{
    int64_t argument[] = {{{words}}};
    struct intercept call;

    call.procedure = &procedures[PROCEDURE_{name}];
    call.argument = argument;
    call.site = __builtin_return_address(0);
    call.is_profiling = {int(prefix == "P")};
{absent}    if (!wrap_begin(&call))
        return {table}.{name}({", ".join(parameters)});
    return wrap_end(&call, {table}.{name}({seen}));
}}
"""


def main(api, checks, output):
    standard = Standard(api)
    rows, steps = read_checks(checks)
    write_checks(output, steps)
    wrapped = [p for p in standard.procedures() if is_wrapped(p)]
    others = [p for p in standard.procedures() if not is_wrapped(p) and "MPI_T_" not in p.name
              and not any(q.group == "varargs" for q in p.parameters)]
    known = {short(p.base) for p in wrapped}
    for family, patterns in rows:
        for pattern in patterns:
            if not fnmatch.filter(known, pattern):
                raise SystemExit(f"{checks}: {family} names {pattern}, which no table in {api} has")
    pointers = "\n".join("    " + p.prototype().replace(p.name + "(", f"(*{short(p.name)})(", 1) + ";" for p in wrapped + others)
    write(output, "insight/procedures.h", HEADER.format(
        families=",\n    ".join("FAMILY_" + f for f, _ in rows), roles=",\n    ".join("AT_" + r for r in ROLES),
        numbers=",\n    ".join("PROCEDURE_" + short(p.name) for p in wrapped), pointers=pointers))
    names = "\n".join(f'    {{"P{p.name}", offsetof(struct real, {short(p.name)})}},' for p in wrapped + others)
    constants = "\n".join(f'    {{{value}, "{name}"}},' for form, ctype, name, value in standard.constants.all()
                          if form == "handle" and not ctype.startswith("MPI_T_") and not value.startswith("MPI_"))
    write(output, "insight/procedures.c", '/* Made by gen/insight.py. */\n#include "insight/call/intercept.h"\n\n#include <stddef.h>\n\n'
          "const struct procedure procedures[PROCEDURES] = {\n" + "\n".join(descriptor(p, rows) for p in wrapped) + "\n};\n\n"
          "struct real real, below;\n\nconst struct real_name real_names[] = {\n" + names + "\n    {NULL, 0},\n};\n")
    write(output, "insight/constants.c", '/* Made by gen/insight.py. */\n#include "insight/call/type_signature.h"\n\n'
          "const struct constant_name constant_names[] = {\n" + constants + "\n    {0, NULL},\n};\n")
    write(output, "insight/wrappers.c", '/* Made by gen/insight.py. */\n#include "insight/wrap/wrap.h"\n\n'
          + "\n".join(wrapper(p, *way) for p in wrapped for way in (("", "below"), ("P", "real"))))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
