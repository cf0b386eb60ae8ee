"""Makes functions of the C++ bindings of MPI-2: what class and method a symbol names, and the C procedure that it stands for, whose parameters are
those of the method, the object itself, and what the method returns."""

import re

BUILTIN = {"v": "void", "b": "bool", "c": "char", "i": "int", "l": "long", "x": "long long"}


class Strange(Exception):
    """A symbol that is nothing of this kind."""


class Symbol:
    """_ZN 3MPI CLASS METHOD E TYPES; without a class a function of the namespace."""

    def __init__(self, text):
        self.text, self.known = text, ["MPI"]
        match = re.match(r"_ZNK?3MPI", text)
        if not match:
            raise Strange(text)
        self.rest = text[match.end():]
        names = []
        while not self.rest.startswith("E"):
            names.append(self._name())
            if not self.rest.startswith("E"):
                self.known.append(names[0])
        self.owner, self.method = ("", *names)[-2:]
        self._take(1)
        self.types = []
        while self.rest:
            self.types.append(self._type())
        self.types = [] if self.types == ["void"] else self.types

    def _take(self, count):
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def _name(self):
        digits = re.match(r"\d+", self.rest)
        if not digits:
            raise Strange(self.text)
        self._take(digits.end())
        return self._take(int(digits[0]))

    def _keep(self, kind):
        self.known.append(kind)
        return kind

    def _type(self):
        """A C++ type, with its stars and ampersands behind it, as in "const Datatype &"."""
        letter = self._take(1)
        if letter in BUILTIN:
            return BUILTIN[letter]
        if letter == "K":
            return self._keep("const " + self._type())
        if letter in "PR":
            return self._keep(f"{self._type()} {'*' if letter == 'P' else '&'}".replace("* *", "**"))
        if letter == "A":
            count = self.rest.partition("_")[0]
            self._take(len(count) + 1)
            return self._keep(f"{self._type()} [{count}]")
        if letter == "S":
            number = self.rest.partition("_")[0]
            self._take(len(number) + 1)
            return self.known[int(number, 36) + 1 if number else 0]
        if letter == "N" and re.match(r"S_\d|3MPI", self.rest):
            self._take(2 if self.rest[0] == "S" else 4)
            name = self._keep(self._name())
            self._take(1)
            return name
        raise Strange(self.text)


COMMS = ("Comm", "Intracomm", "Intercomm", "Cartcomm", "Graphcomm", "Nullcomm")
HANDLES = {**{c: "Comm" for c in COMMS}, "Datatype": "Datatype", "Win": "Win", "File": "File", "Group": "Group", "Op": "Op", "Info": "Info",
           "Request": "Request", "Prequest": "Request", "Grequest": "Request", "Errhandler": "Errhandler"}
PREFIXES = {"Cartcomm": "Cart", "Graphcomm": "Graph", "Datatype": "Type", **{c: "Comm" for c in COMMS if c not in ("Cartcomm", "Graphcomm")}}
# Methods whose C procedure has another name.
NAMES = {"Comm::Get_topology": "Topo_test", "Comm::Is_inter": "Comm_test_inter", "Comm::Get_parent": "Comm_get_parent", "Comm::Abort": "Abort",
         "Cartcomm::Get_topo": "Cart_get", "Cartcomm::Get_dim": "Cartdim_get", "Cartcomm::Get_cart_rank": "Cart_rank", "Cartcomm::Get_coords": "Cart_coords",
         "Graphcomm::Get_dims": "Graphdims_get", "Graphcomm::Get_topo": "Graph_get", "Graphcomm::Get_neighbors": "Graph_neighbors",
         "Graphcomm::Get_neighbors_count": "Graph_neighbors_count", "Intracomm::Create_intercomm": "Intercomm_create", "Intracomm::Create_graph": "Graph_create",
         "Datatype::Get_size": "Type_size", "Status::Is_cancelled": "Test_cancelled", "Request::Get_status": "Request_get_status",
         "Op::Is_commutative": "Op_commutative", "::Is_initialized": "Initialized", "::Is_finalized": "Finalized", "::Compute_dims": "Dims_create",
         "::Attach_buffer": "Buffer_attach", "::Detach_buffer": "Buffer_detach", "::Get_error_class": "Error_class", "::Get_error_string": "Error_string"}
# Communicators that procedures make.
BY_HAND = {"Datatype::Unpack"}  # whose arguments are in another order
MADE = {"Intracomm::Create": "Intracomm", "Intracomm::Split": "Intracomm", "Intercomm::Merge": "Intracomm", "Intracomm::Create_cart": "Cartcomm",
        "Cartcomm::Sub": "Cartcomm", "Intracomm::Create_graph": "Graphcomm"}


def names_of(symbol):
    """The names that its C procedure may have, the likeliest first."""
    owner, method = symbol.owner, symbol.method
    if f"{owner}::{method}" in NAMES:
        yield NAMES[f"{owner}::{method}"]
    prefix, plain = PREFIXES.get(owner, owner), method.replace("Get_", "", 1)
    lower = method[0].lower() + method[1:]
    yield f"{prefix}_{lower}"
    yield f"{prefix}_{plain[0].lower() + plain[1:]}"
    yield f"{prefix}_{re.sub('^create_', '', lower)}"
    if owner in COMMS:  # of a communicator of any kind
        yield f"Comm_{lower}"
        yield f"Intercomm_{lower}"
        yield f"Comm_{plain[0].lower() + plain[1:]}"
    yield method


def is_own(symbol, p):
    """Whether the parameter is the object that the method is called of."""
    if symbol.owner == "Status":
        return p.ctype.replace("const ", "").startswith("MPI_Status")
    return symbol.owner in HANDLES and re.match(rf"MPI_{HANDLES[symbol.owner]}\b", p.ctype) is not None


class Function:
    """The C text of a method, of which the generator knows all that is needed."""

    def __init__(self, symbol, procedure, vtable, fails):
        self.symbol, self.procedure, self.vtable, self.fails = symbol, procedure, vtable, fails
        self.key = f"{symbol.owner}::{symbol.method}"
        self.before, self.after, self.arguments, self.parameters = [], [], [], []
        self.result, self.made = "", ""  # its type; the class of an object
        self._match()

    def _match(self):
        types, parameters = list(self.symbol.types), list(self.procedure.parameters)
        own = next((p for p in parameters if is_own(self.symbol, p)), None) if self.symbol.owner and not self._is_static() else None
        if own is None and self.symbol.owner and not self._is_static():
            raise Strange(self.symbol.text)
        status = next((p for p in parameters if p.ctype.startswith("MPI_Status *") and p is not own), None)
        needed = [p for p in parameters if p is not own]
        ignored = [p for p in needed if p is status and "Status &" not in types or p.name == "array_of_errcodes" and len(types) == len(needed) - 2]
        needed = [p for p in needed if p not in ignored]
        returned = None
        if len(needed) == len(types) + 1:
            returned = next((p for p in needed if p.name == "flag"), None) or next((p for p in needed if re.match(r"MPI_(Comm|Request) \*@", p.ctype)), needed[-1])
            if not re.search(r"^(int|MPI_\w+) \*@", returned.ctype):
                raise Strange(self.symbol.text)
            needed = [p for p in needed if p is not returned]
        if len(needed) != len(types):
            raise Strange(self.symbol.text)
        if own is not None or self.symbol.owner and not self._is_static():
            self.parameters.append(f"struct {self._record(self.symbol.owner)} *self")
        pairs = dict(zip(map(id, needed), types))
        for p in parameters:
            if p is own:
                self.arguments.append("&self->status" if self.symbol.owner == "Status" else "&self->handle" if "*" in p.ctype else "self->handle")
            elif p in ignored:
                self.arguments.append("MPI_STATUS_IGNORE" if p is status else "MPI_ERRCODES_IGNORE")
            elif p is returned:
                self._return(p)
            else:
                self._pass(p, pairs[id(p)])

    def _is_static(self):
        return self.symbol.text.startswith("_ZN3") and self.symbol.method in ("Get_parent", "Join")

    @staticmethod
    def _record(name):
        return "cxx_Status" if name == "Status" else f"cxx_{HANDLES[name]}"

    def _return(self, p):
        ctype = p.ctype.replace("*@", "").replace("@", "").strip()
        self.before.append(f"{ctype} result = {'{0}' if ctype.startswith('MPI_') and ctype[4:] in HANDLES.values() else '0'};")
        self.arguments.append("&result")
        handle = ctype.removeprefix("MPI_")
        if handle in HANDLES.values():
            self.made = MADE.get(self.key, "Intercomm") if handle == "Comm" else "Prequest" if self.symbol.method.endswith("_init") else handle
        else:
            self.result = "bool" if p.name in ("flag", "commute") else ctype

    def _pass(self, p, ctype):
        name = f"a{len(self.parameters)}"
        bare = ctype.replace("const ", "").replace(" &", "")
        if (ctype.endswith("&") or ctype == bare) and (bare in HANDLES or bare == "Status"):  # what is passed by value is a reference to a copy
            self.parameters.append(f"{'const ' if ctype.startswith('const') else ''}struct {self._record(bare)} *{name}")
            member = "status" if bare == "Status" else "handle"
            self.arguments.append(f"{'&' if bare == 'Status' or '*' in p.ctype else ''}{name}->{member}")
        elif "bool" in ctype and ctype != "bool" or "[" in ctype and "bool" in ctype or bare.split(" ")[0] in HANDLES:
            raise Strange(self.symbol.text)
        elif ctype.endswith(("&", "*")) or "[" in ctype:
            self.parameters.append(f"void *{name}")
            self.arguments.append(name)
        else:
            self.parameters.append(f"{ctype} {name}")
            self.arguments.append(name)

    def text(self):
        call = f"MPI_{self.procedure.name[4:]}({', '.join(self.arguments)})"
        result, parameters = self.result or "void", list(self.parameters)
        if self.made:
            record = self._record(self.made)
            result, parameters = f"struct {record} *", [f"struct {record} *out", *parameters]
        prototype = f"{result} {self.symbol.text}({', '.join(parameters) or 'void'})"
        lines = [f"    {line}" for line in self.before]
        if self.procedure.returns != "int":
            lines.append(f"    return {call};")
            prototype = prototype.replace("void", self.procedure.returns, 1)
        else:
            lines += [f"    int error = {call};", "", *(f"    {line}" for line in self.fails('' if self._is_static() else self.symbol.owner))]
        if self.made:
            lines += [f"    out->functions = {self.vtable(self.made)};", "    out->handle = result;", "    return out;"]
        elif self.result:
            lines.append("    return result != 0;" if self.result == "bool" else "    return result;")
        return f'EXPORTED {prototype} __attribute__((weak));\n{prototype}\n{{\n' + "\n".join(lines) + "\n}\n"


def function_of(text, procedures, vtable, fails):
    """The method that the symbol names; None: it has to be written by hand."""
    try:
        symbol = Symbol(text)
    except (Strange, IndexError):
        return None
    for name in names_of(symbol):
        if f"MPI_{name}" in procedures and f"{symbol.owner}::{symbol.method}" not in BY_HAND:
            try:
                return Function(symbol, procedures[f"MPI_{name}"], vtable, fails)
            except Strange:
                continue
    return None
