"""Makes abi.h and data.c of a foreign ABI: its types, its constants, and the conversions of handles, which foreign/ uses."""

import re

# Handles: the C type without MPI_, and the part of MPI_X_toint.
HANDLES = {"Comm": "Comm", "Group": "Group", "Datatype": "Type", "Op": "Op", "Errhandler": "Errhandler", "Info": "Info", "Request": "Request",
           "Message": "Message", "Session": "Session", "Win": "Win", "File": "File"}
FAST = ("Comm", "Datatype", "Request")  # those that a message has

# Constants that arguments take one of: the family, and the names in it.
FAMILIES = {
    "rank": "ANY_SOURCE PROC_NULL ROOT UNDEFINED", "tag": "ANY_TAG UNDEFINED", "thread": "THREAD_*", "order": "ORDER_*",
    "distribution": "DISTRIBUTE_BLOCK DISTRIBUTE_CYCLIC DISTRIBUTE_NONE", "combiner": "COMBINER_*", "typeclass": "TYPECLASS_*",
    "comparison": "IDENT CONGRUENT SIMILAR UNEQUAL", "topology": "CART GRAPH DIST_GRAPH UNDEFINED", "split": "COMM_TYPE_* UNDEFINED",
    "lock": "LOCK_*", "flavor": "WIN_FLAVOR_*", "model": "WIN_UNIFIED WIN_SEPARATE", "seek": "SEEK_*", "verbosity": "T_VERBOSITY_*",
    "bind": "T_BIND_*", "scope": "T_SCOPE_*", "pvar_class": "T_PVAR_CLASS_*", "safety": "T_CB_REQUIRE_*", "source_order": "T_SOURCE_*",
    "darg": "DISTRIBUTE_DFLT_DARG", "keyval": "KEYVAL_INVALID TAG_UB IO HOST WTIME_IS_GLOBAL APPNUM LASTUSEDCODE UNIVERSE_SIZE WIN_BASE "
    "WIN_DISP_UNIT WIN_SIZE WIN_CREATE_FLAVOR WIN_MODEL _FT",
    "error": "SUCCESS ERR_* T_ERR_* _ERR_*",  # and MPIX_ERR_*
}
# Those that are bits.
MODES = {"amode": "APPEND CREATE DELETE_ON_CLOSE EXCL RDONLY RDWR SEQUENTIAL UNIQUE_OPEN WRONLY",
         "assert": "NOCHECK NOPRECEDE NOPUT NOSTORE NOSUCCEED"}
VARIABLES = ("UNWEIGHTED", "WEIGHTS_EMPTY", "T_PVAR_ALL_HANDLES")
# MPI::ERRORS_THROW_EXCEPTIONS of the C++ bindings: a symbol that the library has; a number, of which mpi.h says nothing. Inkling's is HANDLER_THROWS of foreign.h.
THROWS = {"openmpi": "ompi_mpi_errors_throw_exceptions", "mpich": 0x54000002}
LENGTHS = ("DATAREP_STRING ERROR_STRING INFO_KEY INFO_VAL LIBRARY_VERSION_STRING OBJECT_NAME PORT_NAME PROCESSOR_NAME").split()

TOP = """/* Made by gen/ from foreign/facts/{name}.txt and api/: the ABI of {name} {versions}. */
#ifndef FOREIGN_ABI_H
#define FOREIGN_ABI_H

#include "foreign/standard.h"

#include "real.h"

#define FOREIGN_NAME "{title}"
#define FOREIGN_WORD "{name}" /* of mpiexec --abi */
#define FOREIGN_VERSIONS "{versions}"
{flags}
"""

POINTERS = """/* A predefined handle is the address of a symbol whose first word is Inkling's handle; the program may have a copy of it. Others are
 * Inkling's, which have no top bit, with that bit set. */
#define FOREIGN_RUN_TIME (1ull << 63)
extern const void *const foreign_predefined[{limit}];
static inline void *handle_in(const void *handle)
{{
    if ((intptr_t)handle < 0)
        return (void *)((uintptr_t)handle & ~FOREIGN_RUN_TIME);
    return (uintptr_t)handle < 4096 ? (void *)(uintptr_t)4095 : *(void *const *)handle;
}}
static inline void *handle_out(const void *handle)
{{
    if ((uintptr_t)handle < {limit})
        return (void *)(uintptr_t)foreign_predefined[(uintptr_t)handle];
    return (void *)((uintptr_t)handle | FOREIGN_RUN_TIME);
}}
"""

INTEGERS = """/* A predefined handle is looked up; others are what MPI_X_toint gives, in which bit 30 is set, with bit 31 set as well. A request is,
 * where there is room, a number of foreign/known.c with bit 30 alone, since each message may have one. */
struct foreign_row {{
    int foreign, native;
}};
extern const struct foreign_row foreign_rows[{rows}];
extern const int foreign_predefined[{limit}];
static inline bool handle_is_run_time(int handle)
{{
    return (unsigned)handle >> 30 == 3;
}}
static inline void *handle_predefined(int handle)
{{
    const struct foreign_row *row = &foreign_rows[(unsigned)handle * {multiplier}u >> {shift}];

    return (void *)(intptr_t)(row->foreign == handle ? row->native : 4095);
}}

enum known_kind {{
    {kinds},
    KNOWN_KINDS
}};
#include "foreign/known.h"
"""

# Inlined where calls are fast: a third of what a message costs more.
OF_INTEGER = """static inline {always}MPI_{c} {l}_in(int handle)
{{
    MPI_{c} known;

    if (!handle_is_run_time(handle))
        return handle_predefined(handle);
    known = known_find(KNOWN_{c}, handle);
    return known ? known : real.{part}_fromint(handle & INT32_MAX);
}}
static inline int {l}_out(MPI_{c} handle)
{{
    return (uintptr_t)handle < {limit} ? foreign_predefined[(uintptr_t)handle]
                                       : known_add(KNOWN_{c}, real.{part}_toint(handle) | INT32_MIN, handle);
}}
static inline void {l}_drop(int handle)
{{
    known_drop(KNOWN_{c}, handle);
}}
"""

OF_REQUEST = """static inline {always}MPI_Request request_in(int handle)
{{
    if (handle_is_numbered(handle))
        return numbered_find(handle);
    return handle_is_run_time(handle) ? real.Request_fromint(handle & INT32_MAX) : handle_predefined(handle);
}}
static inline {always}int request_out(MPI_Request handle)
{{
    int number;

    if ((uintptr_t)handle < {limit})
        return foreign_predefined[(uintptr_t)handle];
    number = numbered_add(handle);
    return number ? number : real.Request_toint(handle) | INT32_MIN;
}}
static inline void request_drop(int handle)
{{
    if (handle_is_numbered(handle))
        numbered_drop(handle);
}}
/* One that the program may complete after it has freed it: no row, which the free would give up. */
static inline int grequest_out(MPI_Request handle)
{{
    return (uintptr_t)handle < {limit} ? foreign_predefined[(uintptr_t)handle] : real.Request_toint(handle) | INT32_MIN;
}}
"""

NO_DROP = """static inline void {l}_drop(F_{c} handle)
{{
    (void)handle;
}}
"""

OF_MESSAGE = """static inline MPI_Message message_in(int handle)
{{
    return handle_is_run_time(handle) ? real.Message_fromint(handle & INT32_MAX) : (MPI_Message)(intptr_t)message_constant_in(handle);
}}
static inline int message_out(MPI_Message handle)
{{
    return (uintptr_t)handle < {limit} ? message_constant_out((int)(intptr_t)handle) : real.Message_toint(handle) | INT32_MIN;
}}
"""

OF_POINTER = """static inline MPI_{c} {l}_in(F_{c} handle)
{{
    return handle_in(handle);
}}
static inline F_{c} {l}_out(MPI_{c} handle)
{{
    return handle_out(handle);
}}
"""

# A file is a pointer, and the null handle is NULL, where other handles are int.
OF_FILE = """static inline MPI_File file_in(F_File handle)
{{
    return handle ? (MPI_File)handle : MPI_FILE_NULL;
}}
static inline F_File file_out(MPI_File handle)
{{
    return handle == MPI_FILE_NULL ? NULL : (F_File)handle;
}}
"""

STATUS = {
    True: """/* What Inkling keeps in a status is the number of bytes in MPI_internal[0] and [1] and the cancelled flag in [2]
 * (src/request/status.c): programs see neither. */
static inline void status_words_out(const MPI_Status *status, F_Status *out)
{
    memcpy(&out->_ucount, status->MPI_internal, sizeof out->_ucount);
    out->_cancelled = status->MPI_internal[2];
}
static inline void status_words_in(const F_Status *status, MPI_Status *in)
{
    memcpy(in->MPI_internal, &status->_ucount, sizeof status->_ucount);
    in->MPI_internal[2] = status->_cancelled;
}
""",
    False: """/* What Inkling keeps in a status is the number of bytes in MPI_internal[0] and [1] and the cancelled flag in [2]
 * (src/request/status.c): programs see neither. */
static inline void status_words_out(const MPI_Status *status, F_Status *out)
{
    out->count_lo = status->MPI_internal[0];
    out->count_hi_and_cancelled = (int)((unsigned)status->MPI_internal[1] << 1) | (status->MPI_internal[2] != 0);
}
static inline void status_words_in(const F_Status *status, MPI_Status *in)
{
    in->MPI_internal[0] = status->count_lo;
    in->MPI_internal[1] = status->count_hi_and_cancelled >> 1;
    in->MPI_internal[2] = status->count_hi_and_cancelled & 1;
}
"""}


def family_names(pattern, values):
    for word in pattern.split():
        names = [n for n in values if n[4:] == word or word.endswith("*") and n[4:].startswith(word[:-1])]
        yield from (n for n in names if not n.endswith("LASTCODE"))


class Abi:
    """One foreign ABI beside the standard's."""

    def __init__(self, name, facts, standard):
        self.name, self.facts, self.standard = name, facts, standard
        self.title = {"openmpi": "Open MPI", "mpich": "MPICH"}[name]
        self.native, self.of_type = {}, {}
        for _, ctype, constant, value in standard.constants.all():
            self.of_type[constant] = ctype
            self.native[constant] = self.native[value] if value.startswith("MPI_") else int(value, 0)
            if constant.startswith("MPIX_") and "MPI_" + constant[5:] in facts.values:  # Open MPI's extensions have names for those
                facts.values.setdefault(constant, facts.values["MPI_" + constant[5:]])
        self.limit = 1024

    def handles(self):
        """(constant, native value, foreign value or symbol) of the predefined handles, each foreign one once."""
        seen, null = {}, {}
        for constant, ctype in self.of_type.items():
            if not ctype.startswith("MPI_") or ctype[4:] not in HANDLES:
                continue
            there = self.facts.symbols.get(constant, self.facts.values.get(constant))
            null.setdefault(ctype, there)
            if there is None or there in seen or there == null[ctype] and "NULL" not in constant:
                continue
            if not self.facts.has_pointers() and ctype in ("MPI_File", "MPI_Message"):  # a message is as a request there
                continue
            seen[there] = True
            yield constant, self.native[constant], there
        yield "ERRORS_THROW_EXCEPTIONS", 1, THROWS[self.name]

    # abi.h

    def header(self):
        facts = self.facts
        flags = "#define FOREIGN_HAS_POINTERS\n" if facts.has_pointers() else ""
        parts = [TOP.format(name=self.name, title=self.title, versions=", ".join(facts.versions), flags=flags)]
        parts += list(self._types())
        parts.append(self._handle_conversions())
        parts.append(STATUS[facts.has_pointers()])
        parts.append(self._constants())
        return "\n".join(parts + ["#endif\n"])

    def _types(self):
        for ctype in HANDLES:
            pointer = self.facts.sizes.get(f"MPI_{ctype}", self.facts.sizes["MPI_Comm"]) == 8
            yield f"typedef struct foreign_{ctype.lower()} *F_{ctype};" if pointer else f"typedef int F_{ctype};"
        members = sorted((offset, size, name) for name, (offset, size) in self.facts.status.items())
        fields = "".join(f"    {'int' if size == 4 else 'size_t'} {name};\n" for _, size, name in members)
        yield f"typedef struct F_Status {{\n{fields}}} F_Status;"
        checks = [f"offsetof(F_Status, {name}) == {offset}" for offset, _, name in members]
        yield f"_Static_assert(sizeof(F_Status) == {self.facts.sizes['MPI_Status']} && {' && '.join(checks)}, \"layout\");"
        for line in self.standard.types:
            if line.startswith("callback "):
                yield f"typedef {foreign_types(line[9:])};"
        yield ""

    def _handle_conversions(self):
        if self.facts.has_pointers():
            text = POINTERS.format(limit=self.limit)
            text += "".join((OF_POINTER + NO_DROP).format(c=c, l=c.lower()) for c in HANDLES)
            return text + "#define grequest_out request_out\n"
        multiplier, bits = self.hash()
        kinds = ", ".join(f"KNOWN_{c}" for c in HANDLES if c not in ("File", "Message", "Request"))
        text = INTEGERS.format(kinds=kinds, limit=self.limit, rows=1 << bits, multiplier=multiplier, shift=32 - bits)
        for c, part in HANDLES.items():
            if c == "Message":
                pairs = [(self.native[n], self.facts.values[n]) for n, t in self.of_type.items() if t == "MPI_Message"]
                text += switch("message_constant_out", pairs, "value") + switch("message_constant_in", [(f, n) for n, f in pairs], "4095")
            template = {"File": OF_FILE + NO_DROP, "Message": OF_MESSAGE + NO_DROP, "Request": OF_REQUEST}.get(c, OF_INTEGER)
            always = "__attribute__((always_inline)) " if c in FAST else ""
            text += template.format(always=always, c=c, l=c.lower(), part=part, limit=self.limit)
        return text

    def fortran_c(self):
        """MPI_X_c2f and MPI_X_f2c, and the same of statuses."""
        parts = []
        for c, part in HANDLES.items():
            if not self.facts.has_pointers() and c != "File":
                to, back, helpers = "handle", "handle", ""
            else:
                pairs = [(self.native[n], self.facts.fortran[n]) for n, t in self.of_type.items() if t == f"MPI_{c}" and n in self.facts.fortran]
                null = next(v for n, v in self.native.items() if self.of_type[n] == f"MPI_{c}")
                helpers = switch(f"{c.lower()}_integer_out", pairs, "INT32_MIN") + "\n"
                helpers += switch(f"{c.lower()}_integer_in", [(f, n) for n, f in pairs], null) + "\n"
                l = c.lower()
                to = f"(uintptr_t){l}_in(handle) < {self.limit} ? {l}_integer_out((int)(intptr_t){l}_in(handle)) : real.{part}_toint({l}_in(handle))"
                back = f"{l}_out(handle >> 30 == 1 ? real.{part}_fromint(handle) : (MPI_{c})(intptr_t){l}_integer_in(handle))"
            for prototype, name, value in ((f"int foreign_{part}_c2f(F_{c} handle)", f"MPI_{part}_c2f", to),
                                           (f"F_{c} foreign_{part}_f2c(int handle)", f"MPI_{part}_f2c", back)):
                parts.append(f'{helpers}FOREIGN_EXPORTED {prototype} __asm__("P{name}");\n{prototype}\n{{\n    return {value};\n}}\n'
                             f'FOREIGN_EXPORTED {prototype.replace("foreign_", "weak_")} __asm__("{name}") __attribute__((weak, alias("P{name}")));')
                helpers = ""
        for way in ("c2f", "f2c", "c2f08", "f082c", "f082f", "f2f08"):  # the same bytes in each language
            prototype = f"int foreign_Status_{way}(const void *from, void *to)"
            parts.append(f'FOREIGN_EXPORTED {prototype} __asm__("PMPI_Status_{way}");\n{prototype}\n{{\n'
                         f"    if (!from || !to)\n        return error_out(MPI_ERR_ARG);\n    memcpy(to, from, sizeof(F_Status));\n    return 0;\n}}\n"
                         f'FOREIGN_EXPORTED {prototype.replace("foreign_", "weak_")} __asm__("MPI_Status_{way}") __attribute__((weak, alias("PMPI_Status_{way}")));')
        return parts

    def hash(self):
        """A multiplier that gives each predefined handle a row of its own."""
        keys = [there & 0xffffffff for _, _, there in self.handles()]
        for bits in (8, 9, 10):
            for multiplier in range(0x9e3779b1, 0x9e3779b1 + 200000, 2):
                if len({(k * multiplier & 0xffffffff) >> (32 - bits) for k in keys}) == len(keys):
                    return multiplier, bits
        raise SystemExit("no multiplier for the table of predefined handles")

    def pairs(self, pattern):
        """(native, foreign) of the constants that the ABI has, each once from each side."""
        return [(self.native[n], self.facts.values[n]) for n in family_names(pattern, self.native) if n in self.facts.values]

    def _constants(self):
        lines = ["/* Constants. What is in neither table stays as it is. */"]
        for family, pattern in FAMILIES.items():
            pairs = self.pairs(pattern)
            if family == "error":  # a class that the ABI lacks
                other = self.facts.values["MPI_ERR_OTHER"]
                pairs += [(self.native[n], other) for n in family_names(pattern, self.native) if n not in self.facts.values]
            there = [(f, n) for n, f in pairs]
            if family in ("rank", "tag"):  # any other that is none of the standard's is passed on, so that errors name it
                there += [(self.native[n], "INT32_MIN") for n in family_names(pattern, self.native)]
            if family == "keyval":  # Fortran has other numbers for some
                there += [(self.facts.fortran[n], self.native[n]) for n in family_names(pattern, self.native) if n in self.facts.fortran]
            for way, rows in (("in", there), ("out", pairs)):
                lines.append(switch(f"{family}_constant_{way}", rows, self._default(family, way)))
        for family, names in MODES.items():
            pairs = self.pairs(" ".join("MODE_" + n for n in names.split()))
            for way, rows in (("in", [(f, n) for n, f in pairs]), ("out", pairs)):
                lines.append(bits_function(f"{family}_{way}", rows))
        lines += [f"#define FOREIGN_MAX_{length} {self.facts.values['MPI_MAX_' + length]}" for length in LENGTHS]
        lines += [f"#define FOREIGN_{n} {self.facts.values['MPI_' + n]}" for n in ("ERR_LASTCODE", "DISPLACEMENT_CURRENT", "ANY_SOURCE")]
        lines += [f"#define FOREIGN_{n} {self._pointer(n)}" for n in ("STATUS_IGNORE", "IN_PLACE", *VARIABLES)]
        lines += [f'extern FOREIGN_EXPORTED void *const foreign_{n.lower()} __asm__("MPI_{n}");' for n in self.variables()]
        return "\n".join(lines) + "\n"

    @staticmethod
    def _default(family, way):
        """What a value becomes that is no constant of the family: for arguments nothing that the standard has."""
        if way == "out" or family in ("keyval", "darg", "rank", "tag") or family.startswith(("bind", "scope", "pvar", "verb", "safety", "source")):
            return "value"
        if family == "error":
            return "MPI_ERR_UNKNOWN"
        return "INT32_MIN"

    def _pointer(self, name):
        if "MPI_" + name in self.facts.values:
            return f"((void *)(intptr_t){self.facts.values['MPI_' + name]})"
        return f"foreign_{name.lower()}"

    def variables(self):
        """Pointer constants that are variables of the library."""
        return [n for n in VARIABLES if "MPI_" + n not in self.facts.values]

    # data.c

    def data_c(self):
        parts = [f"/* Made by gen/ from foreign/facts/{self.name}.txt: the predefined handles of {self.title}. */\n"
                 '#include "foreign/foreign.h"\n']
        if self.variables():
            parts.append(f"static int variable[{len(self.variables())}];")
        parts += [f"void *const foreign_{n.lower()} = &variable[{i}];" for i, n in enumerate(self.variables())]
        parts += list(self._fortran_sentinels())
        if not self.facts.has_pointers():
            return "\n".join(parts + [self._rows()])
        library = self.facts.data["libmpi.so.40"]
        natives = {there: native for _, native, there in self.handles()}
        table = []
        for symbol in sorted({*self.facts.symbols.values(), THROWS[self.name]} & set(library)):
            if not symbol.startswith("ompi_"):
                continue
            size, native = library[symbol], natives.get(symbol, 4095)
            parts.append(f"FOREIGN_EXPORTED struct {{\n    uint64_t native;\n    char room[{size - 8}];\n}} {symbol} = {{{native}, {{0}}}};")
            if symbol in natives:
                table.append(f"    [{native}] = &{symbol},")
        parts.append(f"\nconst void *const foreign_predefined[{self.limit}] = {{\n" + "\n".join(table + self._aliases()) + "\n};\n")
        return "\n".join(parts)

    def _fortran_sentinels(self):
        """MPI_F_STATUS_IGNORE and its like are variables that point to what Fortran programs have as constants."""
        library = self.facts.data["libmpi.so.40" if self.facts.has_pointers() else "libmpich.so.12"]
        for symbol, size in sorted(library.items()):
            if symbol.startswith(("mpi_fortran_", "MPIR_F08_")):
                yield f"FOREIGN_EXPORTED char {symbol}[{size}] __attribute__((aligned(8)));"
        for name in ("F_STATUS_IGNORE", "F_STATUSES_IGNORE", "F08_STATUS_IGNORE", "F08_STATUSES_IGNORE"):
            plural = "es" if "STATUSES" in name else ""
            target = f"mpi_fortran_status{plural}_ignore_" if self.facts.has_pointers() else f"MPIR_F08_MPI_{name[4:]}_OBJ" if "F08" in name else "NULL"
            yield f'FOREIGN_EXPORTED void *foreign_{name.lower()} __asm__("MPI_{name}") = {target};'

    def _aliases(self):
        """Native handles that have no foreign one of their own, but one of the same kind of data."""
        have = {native for _, native, _ in self.handles()}
        return [f"    [{self.native[n]}] = &{self.facts.symbols[n]}," for n in self.of_type
                if n in self.facts.symbols and self.of_type[n][4:] in HANDLES and self.native[n] not in have]

    def _rows(self):
        multiplier, bits = self.hash()
        rows = [(((there & 0xffffffff) * multiplier & 0xffffffff) >> (32 - bits), there, native) for _, native, there in self.handles()]
        text = f"const struct foreign_row foreign_rows[{1 << bits}] = {{\n"
        text += "\n".join(f"    [{row}] = {{{there}, {native}}}," for row, there, native in sorted(rows))
        text += f"\n}};\n\nconst int foreign_predefined[{self.limit}] = {{\n"
        named = {native: there for _, native, there in self.handles()}
        for constant, ctype in self.of_type.items():
            if ctype[4:] in HANDLES and ctype not in ("MPI_File", "MPI_Message") and constant in self.facts.values:
                named.setdefault(self.native[constant], self.facts.values[constant])
        return text + "\n".join(f"    [{native}] = {there}," for native, there in sorted(named.items())) + "\n};\n"


def switch(name, rows, default):
    """A function that maps the keys."""
    unique = {}
    for key, value in rows:
        unique.setdefault(key, value)
    rows = [(k, v) for k, v in unique.items()]
    cases = "".join(f"    case {k}:\n        return {v};\n" for k, v in rows if k != v or default != "value")
    body = f"    switch (value) {{\n{cases}    default:\n        return {default};\n    }}\n" if cases else f"    return {default};\n"
    return f"static inline int {name}(int value)\n{{\n{body}}}\n"


def bits_function(name, rows):
    terms = " | ".join(f"(value & {k} ? {v} : 0)" for k, v in rows)
    known = " | ".join(str(k) for k, _ in rows)
    return f"static inline int {name}(int value)\n{{\n    return ({terms}) | (value & ~({known}) ? 1 << 30 : 0);\n}}"


def foreign_types(text):
    """A declaration with the foreign types in place of the standard's."""
    text = re.sub(r"\bMPI_(" + "|".join(HANDLES) + r"|Status)\b", r"F_\1", text)
    return re.sub(r"\bMPI_(\w+_(?:function|fn)(?:_c)?)\b", r"F_\1", text)
