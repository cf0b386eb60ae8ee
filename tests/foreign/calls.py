"""calls.py GEN_FOLDER API_FOLDER FACTS_FOLDER OUTPUT: every procedure of each foreign ABI, called over a standard library of the test's own.

From api/ come a library with the standard ABI, mock.c, in which each MPI_X checks every argument and gives results, and for each foreign ABI
a program, which passes what the mock expects and checks what comes back. Both are compiled with the same tables, values.h: names of handles
and constants, which each side's mpi.h gives its own values. In the rounds of a call each argument takes each value of its table once. Which
table an argument has follows from its kind in api/ and, for integers, from the standard's words about it: NAMED, which is written here once
more, so that what gen/ forgets is found. Every second round calls the PMPI_ name, and has arrays too long for the stack. Each call is made
once more while the mock fails, with each error class: that has to come back, and results stay as they were. User functions are called by
the mock with values of the standard's, and check what they get.
"""

import os
import re
import sys

sys.path.insert(0, sys.argv[1])

from foreign_abi import HANDLES, Abi  # noqa: E402
from foreign_facts import Facts  # noqa: E402
from standard import Standard, write  # noqa: E402

ABIS = ("mpich", "openmpi")

# Tables of constants: words are names behind MPI_; a "*" ends a beginning; a number is itself.
TABLES = {
    "source": "5 ANY_SOURCE PROC_NULL 0", "dest": "5 PROC_NULL 0", "root": "5 ROOT PROC_NULL 0", "tag": "5 0", "anytag": "5 ANY_TAG 0",
    "undefined": "5 UNDEFINED 0", "rank": "5 PROC_NULL UNDEFINED 0", "neighbor": "5 PROC_NULL 0", "thread": "THREAD_*", "order": "ORDER_*",
    "distribution": "DISTRIBUTE_BLOCK DISTRIBUTE_CYCLIC DISTRIBUTE_NONE", "darg": "7 DISTRIBUTE_DFLT_DARG", "combiner": "COMBINER_*",
    "typeclass": "TYPECLASS_*", "comparison": "IDENT CONGRUENT SIMILAR UNEQUAL", "topology": "CART GRAPH DIST_GRAPH UNDEFINED",
    "split": "COMM_TYPE_* UNDEFINED", "lock": "LOCK_*", "seek": "SEEK_*", "verbosity": "T_VERBOSITY_*", "bind": "T_BIND_*", "scope": "T_SCOPE_*",
    "pvar_class": "T_PVAR_CLASS_*", "safety": "T_CB_REQUIRE_*", "ordering": "T_SOURCE_*", "displacement": "77 DISPLACEMENT_CURRENT",
    "keyval": "KEYVAL_INVALID TAG_UB IO HOST WTIME_IS_GLOBAL APPNUM LASTUSEDCODE UNIVERSE_SIZE WIN_BASE WIN_DISP_UNIT WIN_SIZE "
              "WIN_CREATE_FLAVOR WIN_MODEL",
    "error": "ERR_* T_ERR_* _ERR_*", "status_error": "SUCCESS ERR_* _ERR_*",
    "amode": "MODE_APPEND MODE_CREATE MODE_DELETE_ON_CLOSE MODE_EXCL MODE_RDONLY MODE_RDWR MODE_SEQUENTIAL MODE_UNIQUE_OPEN MODE_WRONLY",
    "assert": "0 MODE_NOCHECK MODE_NOPRECEDE MODE_NOPUT MODE_NOSTORE MODE_NOSUCCEED",
    "buffer": "65536 BOTTOM", "buffer_place": "65536 IN_PLACE BOTTOM", "weights": "65536 UNWEIGHTED WEIGHTS_EMPTY",
    "pvar_handle": "65536 T_PVAR_ALL_HANDLES", "flag": "0 1",
}
# Expressions beside the names: codes that were added at run time, and modes together.
MORE = {"error": ["MPI_ERR_LASTCODE + 3"], "amode": ["MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_EXCL"], "assert": ["MPI_MODE_NOSTORE | MPI_MODE_NOPUT"]}

# Integers, by PROCEDURE.NAME or NAME: the table. Others are plain numbers.
NAMED = {
    "order": "order", "typeclass": "typeclass", "split_type": "split", "color": "undefined", "required": "thread", "provided": "thread",
    "errorclass": "error", "errorcode": "error", "Abort.errorcode": None, "lock_type": "lock", "whence": "seek",
    "amode": "amode", "assert": "assert", "keyval": "keyval", "comm_keyval": "keyval", "type_keyval": "keyval", "win_keyval": "keyval",
    "var_class": "pvar_class", "cb_safety": "safety", "combiner": "combiner", "result": "comparison", "Topo_test.status": "topology",
    "rank_source": "neighbor", "rank_dest": "neighbor", "verbosity": "verbosity", "bind": "bind", "scope": "scope", "ordering": "ordering",
    "array_of_distribs": "distribution", "array_of_dargs": "darg", "ranks1": "neighbor", "ranks2": "rank", "Group_rank.rank": "undefined",
    "newrank": "undefined", "outcount": "undefined", "Get_count.count": "undefined", "Get_count_c.count": "undefined", "Get_elements.count": "undefined",
    "Status_set_source.source": "source", "Status_set_tag.tag": "anytag", "Status_set_error.error": "status_error", "Status_get_source.source": "source",
    "Status_get_tag.tag": "anytag", "Status_get_error.error": "status_error", "File_set_view.disp": "displacement", "target_rank": "dest",
    "Waitany.indx": "undefined", "Testany.indx": "undefined", "Precv_init.source": "source", "Precv_init.dest": "source", "p": "undefined", "r": "undefined",
}
KINDS = {"dest": "dest", "source": "source", "root": "root", "tag": "tag", "anytag": "anytag"}
COUNTS = set("count incount n ndims nnodes indegree outdegree maxdims maxindegree maxoutdegree maxindex maxedges maxneighbors length len argc".split())
LONG = {"Get_processor_name": "PROCESSOR_NAME", "Error_string": "ERROR_STRING", "Comm_get_name": "OBJECT_NAME", "Type_get_name": "OBJECT_NAME",
        "Win_get_name": "OBJECT_NAME", "Open_port": "PORT_NAME", "Lookup_name": "PORT_NAME", "File_get_view": "DATAREP_STRING",
        "Info_get_nthkey": "INFO_KEY"}
# What arguments mean depends on one another: tests beside this one.
LEFT_OUT = set("""Comm_get_attr Win_get_attr Attr_get Type_get_contents Type_get_contents_c Get_library_version Comm_spawn Comm_spawn_multiple
    T_event_set_dropped_handler T_event_get_info T_cvar_handle_alloc T_pvar_handle_alloc T_event_handle_alloc Pcontrol""".split())

# What the libraries ask about a communicator, as any procedure that is not the expected one.
HELP = {
    "Request_get_status": "last_request = request;",
    "Comm_test_inter": "*flag = round_ % 3 == 1;", "Comm_remote_size": "*size = count_();", "Comm_size": "*size = round_ % 3 == 1 ? 1 : count_();",
    "Comm_rank": "*rank = 0;", "Topo_test": "*status = round_ % 3 == 0 ? MPI_CART : round_ % 3 == 1 ? MPI_GRAPH : MPI_DIST_GRAPH;",
    "Cartdim_get": "*ndims = count_() / 2;", "Graph_neighbors_count": "*nneighbors = count_();",
    "Dist_graph_neighbors_count": "*indegree = count_(); *outdegree = fewer(); *weighted = 0;",
}

VALUES_TOP = """/* Made by calls.py: the same values on both sides, each by its own mpi.h. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    RUN_TIME = 3, /* handles of each kind that are made at run time */
    ROUNDS = @ROUNDS@
};

static int round_, failing, mistakes;
static const char *expected;

static int count_(void)
{
    return round_ % 2 ? 20 : 4;
}

static int fewer(void)
{
    return round_ % 3 == 2 ? count_() - 1 : count_();
}

static long long pick(const long long *table, size_t length, int place)
{
    return table[(size_t)(round_ + 3 * place) % length];
}
#define PICK(table, place) pick(table##_values, sizeof table##_values / sizeof *table##_values, place)
#define OUT(place) ((place) + 50)

static void same(const char *where, int place, long long got, long long wanted)
{
    static const char *last;
    static int last_place;

    if (got == wanted)
        return;
    if (last != expected || last_place != place) /* one line for all rounds */
        fprintf(stderr, "%s of %s, argument %d, round %d: %lld (0x%llx), not %lld (0x%llx)\\n", where, expected, place, round_, got, got, wanted, wanted);
    last = expected, last_place = place;
    mistakes++;
}

static void same_text(const char *where, int place, const char *got, const char *wanted)
{
    if (strcmp(got, wanted) != 0)
        same(where, place, (long long)strlen(got), (long long)strlen(wanted)), mistakes++;
}

/* What an ABI keeps in a status beside the named members: a number of bytes and a flag. */
static long long bytes_of(int place)
{
    return (round_ % 2 ? 1LL << 35 : 0) + 8 * place;
}
"""

MOCK_TOP = """/* Made by calls.py: a library with the standard ABI in which each procedure checks its arguments. */
#define MPI_INKLING_ALLOW_DEPRECATED
#include <mpi.h>
#include <stdlib.h>
#include "values.h"

static int calls, making = -1;

static long long run_time(int kind, int number)
{
    return 0x600000000000LL + 4096 * kind + 16 * number;
}

void mock_expect(const char *name, int round, int fails, int makes);
int mock_called(int *wrong);
long long mock_request(void);

static MPI_Request last_request;

/* What MPI_Request_get_status had when it was not the expected call. */
long long mock_request(void)
{
    return (long long)(intptr_t)last_request;
}

/* The next call is to be `name`; `makes`: its handles are this one of those made at run time. */
void mock_expect(const char *name, int round, int fails, int makes)
{
    fill();
    expected = name, round_ = round, failing = fails, making = makes, calls = 0;
}

int mock_called(int *wrong)
{
    *wrong = mistakes;
    return calls;
}

/* Run-time handles have bit 30. */
static int to_integer(long long handle)
{
    return handle < 4096 ? (int)handle : 1 << 30 | (int)(handle >> 4 & 0xfffff);
}

static long long from_integer(int integer)
{
    return integer < 4096 ? integer : 0x600000000000LL + 16LL * (integer & 0xfffff);
}

static void check_status(int place, const MPI_Status *status)
{
    long long bytes;

    memcpy(&bytes, status->MPI_internal, sizeof bytes);
    same("source in a status", place, status->MPI_SOURCE, PICK(source, place));
    same("tag in a status", place, status->MPI_TAG, PICK(anytag, place));
    same("error in a status", place, status->MPI_ERROR, PICK(status_error, place));
    same("bytes in a status", place, bytes, bytes_of(place));
    same("flag in a status", place, status->MPI_internal[2] != 0, round_ % 2);
}

/* In every fifth round nothing is written. */
static void write_status(int place, MPI_Status *status)
{
    long long bytes = bytes_of(place);

    if (round_ % 5 == 4)
        return;
    memset(status, 0, sizeof *status);
    memcpy(status->MPI_internal, &bytes, sizeof bytes);
    status->MPI_internal[2] = round_ % 2;
    status->MPI_SOURCE = (int)PICK(source, place);
    status->MPI_TAG = (int)PICK(anytag, place);
    status->MPI_ERROR = (int)PICK(status_error, place);
}
"""

PROGRAM_TOP = """/* Made by calls.py: calls each procedure of a foreign ABI over mock.c. */
#define _GNU_SOURCE
#include <mpi.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
#include "values.h"

static void (*mock_expect)(const char *, int, int, int);
static int (*mock_called)(int *);
static long long (*mock_request)(void);
static int calls, made = -1, state_place, called_back;

static void begin(const char *name)
{
    expected = name, called_back = 0;
    mock_expect(name, round_, failing, made);
}

/* A request may have several numbers, if it is handed out twice. */
static void same_request(const char *where, int place, long long got, long long wanted)
{
    long long below[2];
    int flag;

    if (got != wanted) {
        for (int i = 0; i < 2; i++) {
            MPI_Request_get_status((MPI_Request)(intptr_t)(i ? wanted : got), &flag, MPI_STATUS_IGNORE);
            below[i] = mock_request();
        }
        same(where, place, below[0], below[1]);
    }
}

static void end(void)
{
    static int before;
    int wrong;

    if (mock_called(&wrong) != 1) {
        fprintf(stderr, "%s does not reach the library below\\n", expected);
        mistakes++;
    }
    mistakes += wrong - before;
    before = wrong;
    calls++;
}

static void end_with(int error)
{
    end();
    if (made < 0)
        same("the error", 0, error, failing ? PICK(error, 77) : MPI_SUCCESS);
}

static void set_status(int place, MPI_Status *status)
{
    status->MPI_SOURCE = (int)PICK(source, place);
    status->MPI_TAG = (int)PICK(anytag, place);
    status->MPI_ERROR = (int)PICK(status_error, place);
    set_hidden(status, bytes_of(place), round_ % 2);
}

static void check_status(int place, const MPI_Status *status, const MPI_Status *before)
{
    if (failing || round_ % 5 == 4) {
        same("a status that nobody wrote", place, memcmp(status, before, sizeof *status), 0);
        return;
    }
    same("source in a status", place, status->MPI_SOURCE, PICK(source, place));
    same("tag in a status", place, status->MPI_TAG, PICK(anytag, place));
    same("error in a status", place, status->MPI_ERROR, PICK(status_error, place));
    check_hidden(place, status, bytes_of(place), round_ % 2);
}
"""

PROGRAM_END = """static const struct {
    void (*call)(void);
    int ends_requests;
} all[] = {
@TABLE@};

static void make_requests(void)
{
    int round = round_, fails = failing;

    failing = 0;
    for (made = 0; made < RUN_TIME; made++)
        call_Isend();
    made = -1, round_ = round, failing = fails;
}

int main(void)
{
    void *library = dlopen("libmpi_abi.so.1", RTLD_NOW | RTLD_NOLOAD);

    if (!library || !(mock_expect = (void (*)(const char *, int, int, int))dlsym(library, "mock_expect"))) {
        fprintf(stderr, "the library below is not the test's\\n");
        return 1;
    }
    mock_called = (int (*)(int *))dlsym(library, "mock_called");
    mock_request = (long long (*)(void))dlsym(library, "mock_request");
    fill();
    for (made = 0; made < RUN_TIME; made++) {
@MAKERS@    }
    made = -1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (round_ = 0; round_ < ROUNDS; round_++)
            for (failing = 0; failing < 2; failing++) {
                all[i].call();
                if (all[i].ends_requests)
                    make_requests();
            }
    round_trips();
    printf("%d calls of %zu procedures, %d mistakes\\n", calls, sizeof all / sizeof *all, mistakes);
    fflush(stdout);
    _exit(mistakes != 0); /* what the libraries keep for objects that are never freed here is no leak */
}
"""

HIDDEN = {
    "openmpi": """static void set_hidden(MPI_Status *status, long long bytes, int flag)
{
    status->_ucount = (size_t)bytes;
    status->_cancelled = flag;
}

static void check_hidden(int place, const MPI_Status *status, long long bytes, int flag)
{
    same("bytes in a status", place, (long long)status->_ucount, bytes);
    same("flag in a status", place, status->_cancelled != 0, flag);
}
""",
    "mpich": """static void set_hidden(MPI_Status *status, long long bytes, int flag)
{
    status->count_lo = (int)bytes;
    status->count_hi_and_cancelled = (int)(bytes >> 32 << 1) | flag;
}

static void check_hidden(int place, const MPI_Status *status, long long bytes, int flag)
{
    same("bytes in a status", place, (unsigned)status->count_lo | (long long)(status->count_hi_and_cancelled >> 1) << 32, bytes);
    same("flag in a status", place, status->count_hi_and_cancelled & 1, flag);
}
"""}

# How the program gets its handles of each kind: any procedure that makes one.
MAKERS = {"Comm": "Comm_dup", "Group": "Comm_group", "Datatype": "Type_dup", "Op": "Op_create", "Errhandler": "Comm_get_errhandler",
          "Info": "Info_create", "Request": "Isend", "Message": "Mprobe", "Session": "Session_init", "Win": "Win_create", "File": "File_open",
          "keyval": "Comm_create_keyval"}


class Tables:
    """The names that both ABIs have, each value once from each side."""

    def __init__(self, abi):
        self.abi = abi
        self.members = {table: (list(self._members(words)) or ["5"]) + MORE.get(table, []) for table, words in TABLES.items()}
        for kind in HANDLES:
            names = [n for n, ctype in abi.of_type.items() if ctype == f"MPI_{kind}"]
            self.members[kind.lower()] = ["0"] * 3 + self._once(names)
        self.members["keyval"] = ["0"] * 3 + self.members["keyval"]
        self.rounds = max(len(m) for m in self.members.values()) + 1

    def _members(self, words):
        for word in words.split():
            if word.isdigit():
                yield word
            elif word.endswith("*"):
                yield from self._once([n for n in self.abi.native if n.startswith("MPI_" + word[:-1]) and not n.endswith("LASTCODE")])
            else:
                yield from self._once(["MPI_" + word])

    def _once(self, names):
        return [n for n in names if self._first(n, names)]

    def _first(self, name, names):
        """Whether the ABI has it, and no name before it with the same value on either side."""
        value = self._foreign(name)
        if value is None:
            return False
        before = names[:names.index(name)]
        return not any(self._foreign(n) == value or self.abi.native[n] == self.abi.native[name] for n in before if self._foreign(n) is not None)

    def _foreign(self, name):
        facts = self.abi.facts
        if name[4:] in self.abi.variables():
            return name
        return facts.symbols.get(name, facts.values.get(name))

    def header(self):
        lines = [VALUES_TOP.replace("@ROUNDS@", str(self.rounds))]
        for table, members in self.members.items():
            lines.append(f"static long long {table}_values[{len(members)}];")
        lines += ["static void fill(void)", "{"]
        for table, members in self.members.items():
            first = 3 if table.title() in HANDLES or table == "keyval" else 0
            lines += [f"    {table}_values[{i}] = (long long)(intptr_t)({m});" for i, m in enumerate(members) if i >= first]
        return "\n".join(lines + ["}", ""])


class Call:
    """One procedure on both sides."""

    def __init__(self, abi, p):
        self.abi, self.p, self.short = abi, p, p.name[4:]
        self.variables, self.arguments, self.after = [], [], []  # of the program
        self.checks, self.writes, self.last = [], [], []  # of the mock
        self.ends_requests = False
        self.has_arrays = any("[" in q.ctype or q.kind in ("statuses", "weights", "weights*") for q in p.parameters)
        for place, q in enumerate(p.parameters, 1):
            self.arguments.append(self._argument(place, q))

    # The text of both.

    def program(self):
        lines = list(self.variables)
        name = f"(round_ % 2 ? P{self.p.name} : {self.p.name})"
        call = f"{name}({', '.join(self.arguments)})"
        lines.append(f'\nbegin("{self.p.name}");')
        if self.p.returns == "double":
            lines += [f"same(\"the result\", 0, (long long)({call} * 4), 13);", "end();"]
        elif self.p.returns != "int":
            lines += [f"same(\"the result\", 0, {call}, 1LL << 42);", "end();"]
        else:
            lines.append(f"end_with({call});")
        if self.after:
            lines += ["if (made < 0) {", *("    " + line for line in self.after), "}"]
        if self.short in MAKERS.values():
            lines += ["else {", f"    {self.maker}", "}"]
        return f"static void call_{self.short}(void)\n{{\n" + indented(lines) + "}\n"

    def mock(self):
        unused = [f"(void){q.name};" for q in self.p.parameters if q.group != "varargs"]
        help_ = HELP.get(self.short, 'fprintf(stderr, "%s calls ' + self.p.name + '\\n", expected);\n        mistakes++;')
        lines = unused + [f'if (!expected || strcmp(expected, "{self.p.name}") != 0) {{', f"    {help_}", f"    return {returned(self.p)};", "}", "calls++;"]
        if self.checks:
            lines += ["if (making < 0) {", *("    " + c for c in self.checks), "}"]
        if self.p.returns == "int":
            lines += ["if (failing)", "    return (int)PICK(error, 77);"]
        lines += self.writes + self.last
        lines.append(f"return {returned(self.p)};")
        return f"{self.p.prototype()}\n{{\n" + indented(lines) + "}\n"

    # Arguments: each method gives the C text that the program passes.

    def _argument(self, place, q):
        v, kind = f"v{place}", q.kind
        handle = re.match(r"(?:const )?MPI_(\w+)", q.ctype)
        if handle and handle[1] in HANDLES and kind not in ("requests", "requests*", "types", "types*", "infos"):
            return self._handle(place, q, v, handle[1])
        if q.group == "status" or kind in ("status", "status&"):
            return self._status(place, q, v)
        if kind == "statuses":
            return self._statuses(place, v, q)
        if kind in ("requests", "requests*", "types", "types*"):
            return self._handles(place, q, v)
        if is_callback(q):
            text = mock_callback(self.abi, place, q, [r.name for r in self.p.parameters])
            self.last = text if q.name == "free_fn" else self.last  # behind which there is no state
            self.writes += text if q.name != "free_fn" else []
            self.after.append("same(\"calls of user functions\", 0, called_back > 0, !failing);")
            return f"on_{callback_of(q)}"
        if q.name in ("extra_state", "user_data") and any(is_callback(r) for r in self.p.parameters):
            self.variables.append(f"\n    state_place = {place};")
            return f"(void *)(intptr_t)PICK(buffer, {place})"
        if "char" in q.ctype and not kind.startswith("="):
            return self._text(place, q, v)
        if kind.startswith("weights") or q.group == "buffer" or kind in ("cptr", "ptr", "item", "item*", "item_of_op"):
            return self._pointer(place, q)
        if kind.startswith("="):
            return self._opaque(place, q, v)
        if kind == "out_ptr":
            self.variables.append(f"void *{v} = NULL;")
            self.writes.append(f"*(intptr_t *){q.name} = {0x12340 + place};")
            self._result(place, f"(long long)(intptr_t){v}", "0", str(0x12340 + place))
            return f"&{v}"
        return self._integers(place, q, v) if "[" in q.ctype else self._integer(place, q, v)

    def _check(self, place, got, wanted):
        self.checks.append(f'same("what arrives", {place}, (long long)(intptr_t){got}, {wanted});')

    def _result(self, place, got, before, wanted):
        function = "same_request" if "PICK(request" in wanted else "same"
        self.after.append(f'{function}("what comes back", {place}, {got}, failing ? {before} : {wanted});')

    def _handle(self, place, q, v, kind):
        values, null = f"PICK({kind.lower()}, {place})", null_of(self.abi, kind)
        out = f"PICK({kind.lower()}, OUT({place}))"
        if "*" not in q.ctype:
            self._check(place, q.name, values)
            return f"(MPI_{kind})(intptr_t){values}"
        is_out = q.kind.endswith("*")
        before = f"(long long)(intptr_t){null}" if is_out else values
        self.variables.append(f"MPI_{kind} {v} = (MPI_{kind})(intptr_t){before};")
        if is_out:
            self.writes.append(f"*{q.name} = (MPI_{kind})(intptr_t)(making < 0 ? {out} : {kind.lower()}_values[making]);")
        else:
            self._check(place, f"*{q.name}", values)
            self.writes.append(f"*{q.name} = (MPI_{kind})(intptr_t)({'(long long)(intptr_t)' + null if q.kind.endswith('~') else out});")
        if q.kind.endswith("~"):
            out = f"(long long)(intptr_t){null}"
        if q.kind == "request&":  # which is over, or goes on
            out = f"(round_ % 2 ? (long long)(intptr_t){null} : {values})"
            self.writes[-1] = f"*{q.name} = (MPI_Request)(intptr_t){out};"
            self.ends_requests = True
        self._result(place, f"(long long)(intptr_t){v}", before, out)
        if is_out:
            self.maker = f"{kind.lower()}_values[made] = (long long)(intptr_t){v};"
        return f"&{v}"

    def _status(self, place, q, v):
        self.variables.append(f"MPI_Status {v}, before{place};")
        if q.group == "status":
            self.variables.append(f"memset(&{v}, 0x55, sizeof {v});")
            self.after.append(f"if (round_ % 7 != 6)\n            check_status({place}, &{v}, &before{place});")
            self.writes.append(f"if (round_ % 7 == 6)\n        same(\"a status that is ignored\", {place}, (long long)(intptr_t){q.name}, 0);\n    else\n"
                               f"        write_status({place}, {q.name});")
        else:
            self.variables += [f"memset(&{v}, 0, sizeof {v});", f"set_status({place}, &{v});"]
            self.checks.append(f"check_status({place}, {q.name});")
            if q.kind == "status&":
                self.writes.append(f"write_status({place} + 1, {q.name});")
                self.after.append(f"check_status(failing ? {place} : {place} + 1, &{v}, &before{place});")
        self.variables.append(f"before{place} = {v};")
        return f"round_ % 7 == 6 ? MPI_STATUS_IGNORE : &{v}" if q.group == "status" else f"&{v}"

    def _statuses(self, place, v, q):
        self.variables += [f"MPI_Status {v}[20], before{place}[20];", f"memset({v}, 0x55, sizeof {v});", f"memcpy(before{place}, {v}, sizeof {v});"]
        self.writes.append(f"if (round_ % 7 == 6)\n        same(\"statuses that are ignored\", {place}, (long long)(intptr_t){q.name}, 0);\n    else\n"
                           f"        for (int i = 0; i < count_(); i++)\n            write_status({place} + i, &{q.name}[i]);")
        self.after.append(f"for (int i = 0; i < count_() && round_ % 7 != 6; i++)\n            check_status({place} + i, &{v}[i], &before{place}[i]);")
        return f"round_ % 7 == 6 ? MPI_STATUSES_IGNORE : {v}"

    def _handles(self, place, q, v):
        kind = "Request" if q.kind.startswith("requests") else "Datatype"
        length = "fewer()" if q.name == "sendtypes" and "eighbor" in self.short else "count_()"
        at = f"PICK({kind.lower()}, {place} + i)"
        null = f"(long long)(intptr_t){null_of(self.abi, kind)}"
        self.variables += [f"MPI_{kind} {v}[20];", f"for (int i = 0; i < {length}; i++)\n        {v}[i] = (MPI_{kind})(intptr_t){at};"]
        in_place = "sendbuf != MPI_IN_PLACE && " if q.name == "sendtypes" else ""
        self.checks.append(f"for (int i = 0; {in_place}i < {length}; i++)\n            same(\"what arrives\", {place}, (long long)(intptr_t){q.name}[i], {at});")
        self.ends_requests |= q.kind == "requests*"
        if q.kind.endswith("*"):
            self.writes.append(f"for (int i = 0; i < {length}; i += 2)\n        {q.name}[i] = (MPI_{kind})(intptr_t){null};")
            self.after.append(f"for (int i = 0; i < {length}; i++)\n            same(\"what comes back\", {place}, (long long)(intptr_t){v}[i], "
                              f"i % 2 || failing ? {at} : {null});")
        return v

    def _text(self, place, q, v):
        if "const" in q.ctype:
            self.checks.append(f'same_text("what arrives", {place}, {q.name}, "text of {place}");')
            return f'"text of {place}"'
        self.variables.append(f'char {v}[9000] = "before";')
        limit = LONG.get(self.short)
        if limit:  # as long as the standard lets it be; the program has room for its ABI's length
            there, here = self.abi.facts.values["MPI_MAX_" + limit], self.abi.native["MPI_MAX_" + limit]
            self.writes.append(f"memset({q.name}, 'x', {here} - 1);\n    {q.name}[{here} - 1] = '\\0';")
            self._result(place, f"(long long)strlen({v})", "6", str(min(here, there) - 1))
        else:
            self.writes.append(f'strcpy({q.name}, "out {place}");')
            self.after.append(f'same_text("what comes back", {place}, {v}, failing ? "before" : "out {place}");')
        return v

    def _pointer(self, place, q):
        table = "weights" if q.kind.startswith("weights") else "buffer_place" if "place" in q.kind else "buffer"
        self._check(place, q.name, f"PICK({table}, {place})")
        return f"(void *)(intptr_t)PICK({table}, {place})"

    def _opaque(self, place, q, v):
        """What has the same representation everywhere, and constants of an enumeration."""
        ctype = q.ctype.replace("@", "").strip()
        table = NAMED.get(q.name)
        if ctype == "MPI_T_source_order *":
            self.variables.append(f"MPI_T_source_order {v} = -77;")
            self.writes.append(f"*{q.name} = (MPI_T_source_order)PICK({table}, {place});")
            self._result(place, v, "-77", f"PICK({table}, {place})")
            return f"&{v}"
        if table:
            self._check(place, q.name, f"PICK({table}, {place})")
            return f"(int)PICK({table}, {place})"
        if ctype == "MPI_T_pvar_handle":
            self._check(place, q.name, f"PICK(pvar_handle, {place})")
            return f"(MPI_T_pvar_handle)(intptr_t)PICK(pvar_handle, {place})"
        if ctype.startswith("MPI_T_") and ctype.endswith("*"):
            self.variables.append(f"{ctype[:-2]} {v} = ({ctype[:-2]})(intptr_t){0x50000 + place};")
            self.writes.append(f"*{q.name} = ({ctype[:-2]})(intptr_t){0x51000 + place};")
            self._result(place, f"(long long)(intptr_t){v}", str(0x50000 + place), str(0x51000 + place))
            return f"&{v}"
        self._check(place, q.name, str(0x60000 + place))
        return f"(void *)(intptr_t){0x60000 + place}"

    def _table(self, q):
        base = self.p.base[4:]
        for key in (f"{self.short}.{q.name}", f"{base}.{q.name}", q.name):
            if key in NAMED and (key != q.name or "int" in q.ctype or q.ctype.startswith("MPI_Count")):
                return NAMED[key]
        return KINDS.get(q.kind)

    def _integers(self, place, q, v):
        table, ctype = self._table(q), re.match(r"(?:const )?(\w+)", q.ctype)[1]
        length = "3 * count_()" if "[3]" in q.ctype else "count_()"
        if q.name == "degrees":
            value = out = "1"
        else:
            value = f"PICK({table}, {place} + i)" if table else f"{1000 + 10 * place} + i"
            out = f"PICK({table}, OUT({place}) + i)" if table else f"{2000 + 10 * place} + i"
        self.variables += [f"{ctype} {v}[60];", f"for (int i = 0; i < 60; i++)\n        {v}[i] = ({ctype})({value});"]
        element = f"((const int *){q.name})[i]" if "[3]" in q.ctype else f"{q.name}[i]"
        loop = f"for (int i = 0; i < {length}; i++)"
        if not q.kind.endswith("*"):
            self.checks.append(f'{loop}\n            same("what arrives", {place}, {element}, {value});')
        if q.kind.endswith(("*", "&")):
            self.writes.append(f"{loop}\n        {q.name}[i] = ({ctype})({out});")
            self.after.append(f'{loop}\n            same("what comes back", {place}, {v}[i], failing ? ({value}) : ({out}));')
        return f"(void *){v}" if "[3]" in q.ctype else v

    def _integer(self, place, q, v):
        table, ctype = self._table(q), re.match(r"(?:const )?(\w+)", q.ctype)[1]
        wide = 1 << 33 if ctype in ("MPI_Count", "MPI_Aint", "MPI_Offset") else 0
        value = f"PICK({table}, {place})" if table else f"{100 + 10 * place + wide} + round_"
        out = f"PICK({table}, OUT({place}))" if table else f"{300 + 10 * place + 2 * wide} + round_"
        if self.has_arrays and q.name in COUNTS and "*" not in q.ctype:
            value = "count_()"
        if "*" not in q.ctype:
            self._check(place, q.name, value)
            return f"({ctype})({value})"
        before = value if q.kind.endswith("&") else "-77"
        self.variables.append(f"{ctype} {v} = ({ctype})({before});")
        if q.kind.endswith("&"):
            self._check(place, f"*{q.name}", value)
        if table == "keyval" and q.kind == "int*":
            self.writes.append(f"*{q.name} = (int)(making < 0 ? {out} : keyval_values[making]);")
            self.maker = f"keyval_values[made] = {v};"
        else:
            self.writes.append(f"*{q.name} = ({ctype})({out});")
        if q.name == "resultlen" and self.short in LONG:
            return f"&{v}"
        self._result(place, v, before, out)
        return f"&{v}"


def indented(lines):
    return "".join(f"    {line}\n".replace("    \n", "\n", 1) if not line.startswith("\n") else f"\n    {line[1:]}\n" for line in lines)


def returned(p):
    return {"double": "3.25", "MPI_Aint": "1LL << 42"}.get(p.returns, "0")


def null_of(abi, kind):
    return next(n for n, ctype in abi.of_type.items() if ctype == f"MPI_{kind}")


# User functions: one of the program's for each type of them, which the mock calls.

def is_callback(q):
    return bool(re.match(r"MPI_\w+_(function|fn)(_c)?\b", q.ctype))


def callback_of(q):
    return re.match(r"MPI_(\w+)", q.ctype)[1]


def callback_parameters(abi, name):
    line = next(l for l in abi.standard.types if re.search(rf"\bMPI_{name}\(", l))
    returns, parameters = re.match(r"callback (\w+) \w+\((.*)\)", line).groups()
    return returns, parameters.split(", ")


def callback_value(place, parameter):
    """(table or None, value) of what the mock hands to a user function."""
    name = re.search(r"(\w+)$", parameter)[1] if parameter != "..." else ""
    handle = re.match(r"MPI_(\w+)", parameter)
    if handle and handle[1] in HANDLES:
        return handle[1].lower(), f"PICK({handle[1].lower()}, {place})"
    table = {"keyval": "keyval", "error_code": "error", "cb_safety": "safety"}.get(name)
    return table, f"PICK({table}, {place})" if table else f"{0x7000 + 16 * place}"


def mock_callback(abi, place, q, names):
    """Calls the function with handles and constants of the standard's; its error code is to be translated back."""
    name = callback_of(q)
    returns, parameters = callback_parameters(abi, name)
    before, passed, after = [], [], []
    for at, parameter in enumerate(parameters, 20):
        ctype = re.match(r"(?:const )?(\w+)", parameter)[1] if parameter != "..." else ""
        value = callback_value(at, parameter)[1]
        if parameter == "...":
            continue
        if "extra_state" in parameter or "user_data" in parameter:
            passed.append("extra_state" if "extra_state" in names else "user_data")
        elif ctype == "MPI_Status":
            before.append("MPI_Status status;\n        memset(&status, 0, sizeof status);")
            after.append(f"check_status({at}, &status);")
            passed.append("&status")
        elif ctype == "void":
            passed.append(f"(void *){value}")
        elif "*" in parameter:
            before.append(f"{ctype} c{at} = ({ctype})(intptr_t){value};")
            passed.append(f"&c{at}")
        else:
            passed.append(f"({ctype})(intptr_t){value}")
    call = f"{q.name}({', '.join(passed)})"
    body = before + ([f'same("the result of {name}", {place}, {call}, PICK(error, 33));'] if returns == "int" else [f"{call};"]) + after
    return ["if (making < 0) {", *("    " + b for b in body), "}"]


def program_callback(abi, name):
    returns, parameters = callback_parameters(abi, name)
    lines = []
    for at, parameter in enumerate(parameters, 20):
        if parameter == "...":
            continue
        argument = re.search(r"(\w+)$", parameter)[1]
        ctype = re.match(r"(?:const )?(\w+)", parameter)[1]
        value = callback_value(at, parameter)[1]
        if argument in ("extra_state", "user_data"):
            lines.append(f'same("the state of {name}", {at}, (long long)(intptr_t){argument}, PICK(buffer, state_place));')
        elif ctype == "MPI_Status":
            lines.append(f"set_status({at}, {argument});")
        elif "*" in parameter and ctype != "void":
            lines.append(f'same("what {name} gets", {at}, (long long)(intptr_t)*{argument}, {value});')
        else:
            lines.append(f'same("what {name} gets", {at}, (long long)(intptr_t){argument}, {value});')
    lines.append("called_back++;")
    if returns == "int":
        lines.append("return (int)PICK(error, 33);")
    return f"static {returns} on_{name}({', '.join(parameters)})\n{{\n" + indented(lines) + "}\n"


def mock_c(abi, tables, calls):
    parts = [MOCK_TOP.replace('#include "values.h"', tables.header())]
    runs = []
    for number, kind in enumerate([*HANDLES, "keyval"]):
        value = f"(1 << 30) + i" if kind == "keyval" else f"run_time({number}, i)"
        runs.append(f"        {kind.lower()}_values[i] = {value};")
    fill = "static void fill_run_time(void)\n{\n    for (int i = 0; i < RUN_TIME; i++) {\n" + "\n".join(runs) + "\n    }\n}\n"
    parts[0] = parts[0].replace("void mock_expect", fill + "\nvoid mock_expect", 1).replace("    fill();\n", "    fill();\n    fill_run_time();\n")
    for p in abi.standard.procedures():
        if p.name.endswith(("_toint", "_fromint")):
            name = p.parameters[0].name
            text = f"to_integer((long long)(intptr_t){name})" if p.name.endswith("_toint") else f"({p.returns})(intptr_t)from_integer({name})"
            parts.append(f"{p.prototype()}\n{{\n    return {text};\n}}\n")
        elif p.name[4:] in calls:
            parts.append(calls[p.name[4:]].mock())
        else:
            unused = "".join(f"    (void){q.name};\n" for q in p.parameters if q.group != "varargs")
            parts.append(f"{p.prototype()}\n{{\n{unused}    return {returned(p)};\n}}\n")
    return "\n".join(parts)


def program_c(abi, tables, calls):
    parts = [PROGRAM_TOP.replace('#include "values.h"', tables.header()).replace("static void set_status", HIDDEN[abi.name] + "\nstatic void set_status", 1)]
    callbacks = {callback_of(q) for c in calls.values() for q in c.p.parameters if is_callback(q)}
    parts += [program_callback(abi, name) for name in sorted(callbacks)]
    for call in calls.values():
        parts.append(call.program())
    parts.append("/* Fortran's integers. */\nstatic void round_trips(void)\n{\n" + "".join(round_trip(kind, part) for kind, part in HANDLES.items()) + "}\n")
    makers = "".join(f"        call_{name}();\n" for name in MAKERS.values())
    table = "".join(f"    {{call_{short}, {int(call.ends_requests)}}},\n" for short, call in calls.items())
    parts.append(PROGRAM_END.replace("@MAKERS@", makers).replace("@TABLE@", table))
    return "\n".join(parts)


def round_trip(kind, part):
    table = f"{kind.lower()}_values"
    return (f'    expected = "MPI_{part}_c2f";\n    for (size_t i = 0; i < sizeof {table} / sizeof *{table}; i++)\n'
            f"        same(\"there and back\", (int)i, (long long)(intptr_t)MPI_{part}_f2c(MPI_{part}_c2f((MPI_{kind})(intptr_t){table}[i])), {table}[i]);\n")


def main(api, facts, output):
    standard = Standard(api)
    for name in ABIS:
        abi = Abi(name, Facts(os.path.join(facts, name + ".txt")), standard)
        tables = Tables(abi)
        calls = {p.name[4:]: Call(abi, p) for p in standard.procedures()
                 if p.name[4:] not in LEFT_OUT and not p.name.endswith(("_toint", "_fromint")) and not p.name.startswith("MPI_Abi_")}
        write(os.path.join(output, name), "mock.c", mock_c(abi, tables, calls))
        write(os.path.join(output, name), "calls.c", program_c(abi, tables, calls))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[2:])
