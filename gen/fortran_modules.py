"""Makes mpif.h and the source of the modules mpi_abi_types, mpi and mpi_f08: constants, types and interfaces only.

No line of them is executable: the library is in C, and any compiler's modules go with it.
"""

from fortran import HANDLES
from standard import named

# Lengths of strings are one less than in C, where they count the NUL (20.3.9).
STRING_LENGTHS = ("MPI_MAX_",)

# Constants of mpi.h that Fortran does not have: of the tool interface, and of C's statuses.
C_ONLY = ("MPI_T_", "MPI_F_", "MPIX_TYPECLASS_")

# Constant addresses: name, type in mpif.h and mpi, dimension, type in mpi_f08.
ADDRESSES = [
    ("MPI_BOTTOM", "INTEGER", "", None),
    ("MPI_IN_PLACE", "INTEGER", "", None),
    ("MPI_BUFFER_AUTOMATIC", "INTEGER", "", None),
    ("MPI_STATUS_IGNORE", "INTEGER", "(MPI_STATUS_SIZE)", ("TYPE(MPI_Status)", "")),
    ("MPI_STATUSES_IGNORE", "INTEGER", "(MPI_STATUS_SIZE,1)", ("TYPE(MPI_Status)", "(1)")),
    ("MPI_ERRCODES_IGNORE", "INTEGER", "(1)", None),
    ("MPI_UNWEIGHTED", "INTEGER", "(1)", None),
    ("MPI_WEIGHTS_EMPTY", "INTEGER", "(1)", None),
    ("MPI_ARGV_NULL", "CHARACTER(LEN=1)", "(1)", None),
    ("MPI_ARGVS_NULL", "CHARACTER(LEN=1)", "(1,1)", None),
]

# Where C and Fortran count from 0 and from 1.
STATUS = [("MPI_STATUS_SIZE", 8), ("MPI_SOURCE", 1), ("MPI_TAG", 2), ("MPI_ERROR", 3)]

# The kinds are those of the ABI; 8 is the kind of eight bytes for every compiler that mpif.h knows.
KINDS = [("MPI_ADDRESS_KIND", 8), ("MPI_COUNT_KIND", 8), ("MPI_OFFSET_KIND", 8), ("MPI_INTEGER_KIND", 4)]

# MPI_Sizeof: type, kind, bytes. The standard has only numeric types; programs ask for characters too, each of which is one.
SIZEOF = [(t, k, k) for t in ("integer", "logical") for k in (1, 2, 4, 8)] + [
    (t, k, k * n) for t, n in (("real", 1), ("complex", 2)) for k in (4, 8)] + [("character", 1, 1)]

# The old names of predefined user functions.
OLD_PREDEFINED = ("MPI_DUP_FN", "MPI_NULL_COPY_FN", "MPI_NULL_DELETE_FN")

# Those that ask which kind of REAL the compiler chooses: a compiler that has kinds below single precision gets others (fortran/kinds.c).
KIND_CHOICES = ("Type_create_f90_real", "Type_create_f90_complex")
NO_SMALL_KIND = "selected_real_kind(1)==selected_real_kind(6)"

IGNORE_TYPE = "!GCC$ ATTRIBUTES NO_ARG_CHECK :: {0}\n!DIR$ IGNORE_TKR {0}\n!DEC$ ATTRIBUTES NO_ARG_CHECK :: {0}"


def integer_constants(constants):
    """(name, value, kind) of all that are INTEGER in each interface."""
    values = dict((name, value) for _, _, name, value in constants.all())
    for form, ctype, name, value in constants.all():
        if name.startswith(C_ONLY) or form in ("handle", "pointer", "callback") or "*" in ctype:
            continue
        while value in values:
            value = values[value]
        number = int(value, 0) - (1 if name.startswith(STRING_LENGTHS) else 0)
        yield name, number, "MPI_OFFSET_KIND" if ctype == "MPI_Offset" else None


def next_constants(standard):
    """The integer constants of extensions that the next version of the standard has, by its names."""
    names = {"MPIX_" + name: "MPI_" + name for name in standard.next()}
    return [(names[name], value, kind) for name, value, kind in integer_constants(standard.constants) if name in names]


def next_forms(standard, forms):
    return [form for form in forms.procedures if form.name.replace("X_", "", 1) in standard.next() and form.name.startswith("X_")]


def next_interfaces(standard, forms, f08):
    """The procedures of these, by both names: generic interfaces with the one procedure."""
    for form in next_forms(standard, forms):
        for prefix in ("", "P"):
            specific = prefix + (form.specific() if f08 else named("MPI_", form.name))
            yield f"  interface {prefix}{form.generic().replace('MPIX_', 'MPI_')}"
            yield f"    procedure {specific}"
            yield "  end interface"


def handle_constants(constants):
    """(name, value, C type) of the predefined handles."""
    values = dict((name, value) for _, _, name, value in constants.all())
    for form, ctype, name, value in constants.all():
        if form == "handle" and not name.startswith("MPI_T_"):
            while value in values:
                value = values[value]
            yield name, int(value, 0), ctype


def common(name):
    """The name of a constant address's common block: mpi_fortran_bottom, which C sees as mpi_fortran_bottom_."""
    return name.replace("MPI_", "mpi_fortran_", 1).lower()


def wrap(text, width=120):
    """Free source form: a long line goes on behind &."""
    lines = []
    while len(text) > width:
        at = text.rindex(",", 0, width) + 1
        lines.append(text[:at] + " &")
        text = "      " + text[at:].lstrip()
    return "\n".join(lines + [text])


# mpif.h: valid in fixed and in free form, so no line is continued and none is longer than 72 characters.

def mpif_h(standard, forms):
    lines = ["! mpif.h: MPI-5.0 with the standard ABI. Made from api/ by gen/.",
             "! Ambiguous where a default INTEGER has 8 bytes:", "      INTERFACE MPI_NEEDS_INTEGER_OF_4_BYTES"]
    for name, kind in (("MPI_NEEDS_INTEGER", ""), ("MPI_NEEDS_NO_WIDE_INTEGER", "(KIND=8)")):
        lines += [f"      SUBROUTINE {name}(I)", f"      INTEGER{kind} I", "      END SUBROUTINE"]
    lines.append("      END INTERFACE")
    lines += parameters([(name, value, None) for name, value in KINDS + STATUS])
    lines += parameters([*integer_constants(standard.constants), *next_constants(standard)])
    lines += parameters((name, value, None) for name, value, _ in handle_constants(standard.constants))
    lines += subarray_lines("      ", False)
    for name, ctype, dims, _ in ADDRESSES:
        lines += [f"      {ctype.replace('(LEN=1)', '*1')} {name}{dims}", f"      COMMON /{common(name)}/ {name}"]
    for prefix in ("MPI_", "PMPI_"):
        for form in forms.procedures:
            if form.returns:
                kind = "DOUBLE PRECISION" if form.returns == "double" else "INTEGER(KIND=MPI_ADDRESS_KIND)"
                lines += [f"      {kind} {named(prefix, form.name)}", f"      EXTERNAL {named(prefix, form.name)}"]
    lines += kind_choice_lines()
    lines += unchecked_lines(forms)
    names = ["MPI_" + name for name, _ in forms.predefined if not name.endswith("_C")] + list(OLD_PREDEFINED)
    lines += [f"      EXTERNAL {name}" for name in names]
    return "\n".join(lines) + "\n"


def kind_choice_lines():
    """Short names, so that the lines fit."""
    yield "      INTERFACE"
    yield "      SUBROUTINE MPI_K(P,R,NEWTYPE,IERROR)BIND(C)"
    yield "      USE,INTRINSIC::ISO_C_BINDING,ONLY:C_INT"
    yield "      INTEGER(C_INT) P,R,NEWTYPE,IERROR"
    yield "      END SUBROUTINE"
    yield "      END INTERFACE"
    yield "      LOGICAL MPI_S"
    yield f"      PARAMETER (MPI_S={NO_SMALL_KIND})"
    yield "      CHARACTER(LEN=7) MPI_K_END"
    yield "      PARAMETER (MPI_K_END=MERGE('_      ','_small_',MPI_S))"
    for number, name in enumerate(prefix + name for prefix in ("MPI_", "PMPI_") for name in KIND_CHOICES):
        yield f"      CHARACTER(LEN=40) MPI_{number}"
        yield f"      PARAMETER (MPI_{number}='{name.lower()}'//MPI_K_END)"
        yield f"      PROCEDURE(MPI_K),BIND(C,NAME=MPI_{number})::{name.upper()}"


def unchecked_lines(forms):
    """Interfaces that keep compilers from comparing the choice buffers of one call with those of another. They check no
    argument but strings, nor how many there are, as programs in Fortran 77 expect of EXTERNAL procedures. Names are short, so
    that the lines are."""
    yield "      INTERFACE"
    for form in forms.procedures:
        if form.has_choice() and not form.large:
            types = [a.type for a in form.arguments] + ["int"] * form.has_ierror
            names = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", types))
            others = [name for name, of in names.items() if of != "string"]
            for prefix in ("MPI_", "PMPI_"):
                yield f"      SUBROUTINE {named(prefix, form.name)}({','.join(names)})"
                yield from (f"      CHARACTER*(*) {name}" for name in names if name not in others)
                yield from (f"      INTEGER {name}(*)" for name in others)
                yield f"      OPTIONAL {','.join(names)}"
                yield from (f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}" for name in others)
                yield f"!DIR$ IGNORE_TKR {','.join(others)}"
                yield "      END SUBROUTINE"
    yield from removed_lines()
    yield "      END INTERFACE"


def removed_lines():
    """MPI_ADDRESS takes variables of any type as well. It is linked only where a program asks for it (fortran/removed)."""
    yield from ("      SUBROUTINE MPI_ADDRESS(A,B,C)", "      INTEGER A(*),B,C", "      OPTIONAL A,B,C", "!GCC$ ATTRIBUTES NO_ARG_CHECK :: A", "!DIR$ IGNORE_TKR A",
                "      END SUBROUTINE")


def parameters(constants):
    for name, value, kind in constants:
        yield f"      INTEGER{f'(KIND={kind})' if kind else ''} {name}"
        yield f"      PARAMETER ({name}={value})"


def subarray_lines(indent, supported):
    for name in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"):
        yield f"{indent}LOGICAL {name}"
        yield f"{indent}PARAMETER ({name}=.{'TRUE' if supported else 'FALSE'}.)"


# The modules.

def types_module(standard):
    """mpi_abi_types: what mpi and mpi_f08 share."""
    lines = ["! Made by gen/: what the modules mpi and mpi_f08 share.", "module mpi_abi_types",
             "  use, intrinsic :: iso_c_binding, only: c_intptr_t, c_int64_t, c_int", "  implicit none", "  public",
             "  private :: c_intptr_t, c_int64_t, c_int",
             "  ! A default INTEGER of another size than C's int stops the compiler here.",
             "  integer, parameter :: mpi_needs_integer_of_4_bytes = 1 / merge(1, 0, kind(0) == c_int)",
             "  integer, parameter :: MPI_ADDRESS_KIND = c_intptr_t", "  integer, parameter :: MPI_COUNT_KIND = c_int64_t",
             "  integer, parameter :: MPI_OFFSET_KIND = c_int64_t", "  integer, parameter :: MPI_INTEGER_KIND = c_int"]
    for name, value in STATUS:
        lines.append(f"  integer, parameter :: {name} = {value}")
    for name, value, kind in [*integer_constants(standard.constants), *next_constants(standard)]:
        lines.append(f"  integer{f'({kind})' if kind else ''}, parameter :: {name} = {value}")
    lines += ["  type, bind(c) :: MPI_Status", "    integer(c_int) :: MPI_SOURCE, MPI_TAG, MPI_ERROR, MPI_INTERNAL(5)", "  end type"]
    for name, _ in HANDLES.values():
        lines += [f"  type, bind(c) :: {name}", "    integer(c_int) :: MPI_VAL", "  end type"]
    for operator, word in ((".eq.", "eq"), (".ne.", "ne")):
        lines.append(f"  interface operator({operator})")
        for name, _ in HANDLES.values():
            lines += [f"    pure logical function {name}_{word}(a, b)", f"      import :: {name}",
                      f"      type({name}), intent(in) :: a, b", "    end function"]
        lines.append("  end interface")
    return "\n".join(lines + ["end module"]) + "\n"


def address_lines(f08):
    for name, ctype, dims, type08 in ADDRESSES:
        if f08 and type08:
            ctype, dims = type08
        yield f"  {ctype} :: {name}{dims}"
        yield f"  common /{common(name)}/ {name}"


def callback_lines(forms):
    yield "  abstract interface"
    for form in forms.callbacks.values():
        names = [a.name for a in form.arguments] + (["ierror"] if form.has_ierror else [])
        yield wrap(f"    subroutine {named('MPI_', form.name)}({', '.join(names)})")
        yield "      import"
        yield from (f"      {a.f08()} :: {a.name}" for a in form.arguments)
        if form.has_ierror:
            yield "      INTEGER :: ierror"
        yield "    end subroutine"
    yield "  end interface"


def predefined_lines(forms, f08):
    """The interfaces of the predefined user functions: in mpi_f08 those of the user's."""
    yield "  interface"
    for name, interface in forms.predefined:
        form = forms.callbacks[interface]
        if form.large and not f08:
            continue
        yield wrap(f"    subroutine MPI_{name}({', '.join([a.name for a in form.arguments] + ['ierror'])})")
        yield "      import"
        for a in form.arguments:
            yield from argument_lines(a, f08, False)
        yield "      INTEGER :: ierror"
        yield "    end subroutine"
    yield "  end interface"
    for name in OLD_PREDEFINED:
        yield f"  external :: {name}"


def sizeof_lines():
    for prefix in ("MPI_", "PMPI_"):
        yield f"  interface {prefix}Sizeof"
        for ctype, kind, _ in SIZEOF:
            yield f"    subroutine {prefix}Sizeof_{ctype}{kind}(x, size, ierror)"
            yield f"      {ctype}({'len=*, kind=' if ctype == 'character' else ''}{kind}), dimension(..) :: x"
            yield "      integer, intent(out) :: size"
            yield "      integer, optional, intent(out) :: ierror"
            yield "    end subroutine"
        yield "  end interface"


def body_lines(form, name, f08, c_pointer=False):
    """The interface body of one specific procedure."""
    names = [a.name for a in form.arguments] + (["ierror"] if form.has_ierror else [])
    what = "function" if form.returns else "subroutine"
    head = f"    {what} {name}({', '.join(names)})"
    if form.name in KIND_CHOICES:
        yield wrap(f"{head} bind(c, name={kind_label(name.lower())})")
    else:
        yield wrap(head + (f' bind(c, name="{name.lower()}_")' if f08 and form.has_choice() else ""))
    yield "      import"
    if form.returns:
        yield f"      {'double precision' if form.returns == 'double' else 'integer(MPI_ADDRESS_KIND)'} :: {name}"
    default = "INTEGER(KIND=MPI_INTEGER_KIND)" if form.name in KIND_CHOICES else "INTEGER"  # compilers warn of others in BIND(C)
    for a in form.arguments:
        yield from (line.replace("INTEGER ::", f"{default} ::") for line in argument_lines(a, f08, c_pointer))
    if form.has_ierror:
        yield "      INTEGER(KIND=MPI_INTEGER_KIND), OPTIONAL, INTENT(OUT) :: ierror" if f08 else f"      {default} :: ierror"
    yield f"    end {what}"


def kind_label(name):
    """The binding label of one of KIND_CHOICES, as a constant expression. Blanks at its end do not count."""
    return f"merge('{name}_      ', '{name}_small_', {NO_SMALL_KIND})"


def argument_lines(a, f08, c_pointer):
    dims = a.dims if f08 else a.f90_dims()
    declaration = a.f08() if f08 else "TYPE(C_PTR)" if c_pointer and a.type == "c_ptr" else a.f90()
    yield f"      {declaration} :: {a.name}" + (f"({dims})" if dims else "")
    if a.ignores_type() and not f08:
        yield from IGNORE_TYPE.format(a.name).split("\n")


def f08_module(standard, forms):
    lines = ["! Made by gen/: the interfaces of MPI-5.0's module mpi_f08.", "module mpi_f08", "  use mpi_abi_types",
             "  use, intrinsic :: iso_c_binding, only: c_char, c_ptr", "  implicit none", "  public", "  private :: c_char, c_ptr"]
    lines += subarray_lines("  ", True)
    lines += [f"  type({ctype}), parameter :: {name} = {ctype}({value})"
              for name, value, ctype in handle_constants(standard.constants)]
    lines += [*address_lines(True), *callback_lines(forms), *predefined_lines(forms, True), *sizeof_lines()]
    generics = {}
    for form in forms.procedures:
        generics.setdefault(form.generic(), []).append(form)
    for generic, specifics in generics.items():
        for prefix in ("", "P"):
            lines.append(f"  interface {prefix}{generic}")
            for form in specifics:
                lines += body_lines(form, prefix + form.specific(), True) if not form.old else \
                    body_lines(form, prefix + generic, False)
            lines.append("  end interface")
    lines += next_interfaces(standard, forms, True)
    return "\n".join(lines + ["end module"]) + "\n"


def f90_module(standard, forms):
    lines = ["! Made by gen/: the interfaces of MPI-5.0's module mpi.", "module mpi", "  use mpi_abi_types",
             "  use, intrinsic :: iso_c_binding, only: c_ptr", "  implicit none", "  public", "  private :: c_ptr"]
    lines += subarray_lines("  ", False)
    lines += [f"  integer, parameter :: {name} = {value}" for name, value, _ in handle_constants(standard.constants)]
    lines += [*address_lines(False), *predefined_lines(forms, False), *sizeof_lines()]
    for form in forms.procedures:
        if form.large:
            continue
        for prefix in ("MPI_", "PMPI_"):
            lines.append(f"  interface {named(prefix, form.name)}")
            lines += body_lines(form, named(prefix, form.name), False)
            if form.is_memory():
                lines += body_lines(form, f"{named(prefix, form.name)}_cptr", False, True)
            lines.append("  end interface")
    lines += next_interfaces(standard, forms, False)
    return "\n".join(lines + ["end module"]) + "\n"
