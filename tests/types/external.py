"""external32 worked out by hand: decodes what external.c had in memory, encodes it as the standard says (MPI-5.0
sections 14.5.2 and 19.1.9), and compares with what the library packed and unpacked."""
import struct
import subprocess
import sys

# Tables 13, 14 and 15: kind of value and bytes outside. i, u: integers with and without sign; b: bytes as they are;
# f: floating point; c: two of them.
SIZES = {
    "MPI_PACKED": "b1", "MPI_BYTE": "b1", "MPI_CHAR": "b1", "MPI_UNSIGNED_CHAR": "u1", "MPI_SIGNED_CHAR": "i1",
    "MPI_WCHAR": "u2", "MPI_SHORT": "i2", "MPI_UNSIGNED_SHORT": "u2", "MPI_INT": "i4", "MPI_LONG": "i4",
    "MPI_UNSIGNED": "u4", "MPI_UNSIGNED_LONG": "u4", "MPI_LONG_LONG_INT": "i8", "MPI_UNSIGNED_LONG_LONG": "u8",
    "MPI_FLOAT": "f4", "MPI_DOUBLE": "f8", "MPI_LONG_DOUBLE": "f16", "MPI_C_BOOL": "u1", "MPI_INT8_T": "i1",
    "MPI_INT16_T": "i2", "MPI_INT32_T": "i4", "MPI_INT64_T": "i8", "MPI_UINT8_T": "u1", "MPI_UINT16_T": "u2",
    "MPI_UINT32_T": "u4", "MPI_UINT64_T": "u8", "MPI_AINT": "i8", "MPI_COUNT": "i8", "MPI_OFFSET": "i8",
    "MPI_C_COMPLEX": "c4", "MPI_C_FLOAT_COMPLEX": "c4", "MPI_C_DOUBLE_COMPLEX": "c8",
    "MPI_C_LONG_DOUBLE_COMPLEX": "c16", "MPI_CHARACTER": "b1", "MPI_LOGICAL": "i4", "MPI_INTEGER": "i4",
    "MPI_REAL": "f4", "MPI_DOUBLE_PRECISION": "f8", "MPI_COMPLEX": "c4", "MPI_DOUBLE_COMPLEX": "c8",
    "MPI_CXX_BOOL": "u1", "MPI_CXX_FLOAT_COMPLEX": "c4", "MPI_CXX_DOUBLE_COMPLEX": "c8",
    "MPI_CXX_LONG_DOUBLE_COMPLEX": "c16"}
OPTIONAL = {
    "MPI_INTEGER1": "i1", "MPI_INTEGER2": "i2", "MPI_INTEGER4": "i4", "MPI_INTEGER8": "i8", "MPI_INTEGER16": "i16",
    "MPI_LOGICAL1": "i1", "MPI_LOGICAL2": "i2", "MPI_LOGICAL4": "i4", "MPI_LOGICAL8": "i8", "MPI_LOGICAL16": "i16",
    "MPI_REAL2": "f2", "MPI_REAL4": "f4", "MPI_REAL8": "f8", "MPI_REAL16": "f16", "MPI_COMPLEX4": "c2",
    "MPI_COMPLEX8": "c4", "MPI_COMPLEX16": "c8", "MPI_COMPLEX32": "c16"}
# Bytes in memory where they are not as many as outside.
NATIVE = {"MPI_WCHAR": 4, "MPI_LONG": 8, "MPI_UNSIGNED_LONG": 8}
LONG_DOUBLES = {"MPI_LONG_DOUBLE", "MPI_C_LONG_DOUBLE_COMPLEX", "MPI_CXX_LONG_DOUBLE_COMPLEX"}
# Of the pairs: their two types, and where the second lies and the next pair begins in memory.
PAIRS = {
    "MPI_FLOAT_INT": ("MPI_FLOAT", "MPI_INT", 4, 8), "MPI_DOUBLE_INT": ("MPI_DOUBLE", "MPI_INT", 8, 16),
    "MPI_LONG_INT": ("MPI_LONG", "MPI_INT", 8, 16), "MPI_2INT": ("MPI_INT", "MPI_INT", 4, 8),
    "MPI_SHORT_INT": ("MPI_SHORT", "MPI_INT", 4, 8), "MPI_LONG_DOUBLE_INT": ("MPI_LONG_DOUBLE", "MPI_INT", 16, 32),
    "MPI_2REAL": ("MPI_REAL", "MPI_REAL", 4, 8),
    "MPI_2DOUBLE_PRECISION": ("MPI_DOUBLE_PRECISION", "MPI_DOUBLE_PRECISION", 8, 16),
    "MPI_2INTEGER": ("MPI_INTEGER", "MPI_INTEGER", 4, 8)}
# The record of external.c: what it sends in what order, and from where in memory.
RECORD = [("MPI_LONG_DOUBLE", 16), ("MPI_CHAR", 0), ("MPI_LONG", 8), ("MPI_C_COMPLEX", 32), ("MPI_C_COMPLEX", 48),
          ("MPI_WCHAR", 56), ("MPI_INTEGER", 64)]
RECORD_BYTES = 80
F90 = {"f90_real:6:37", "f90_real:15:307", "f90_real:16:4931", "f90_real:18:308", "f90_real:33:4931", "f90_complex:6:37",
       "f90_complex:15:307", "f90_complex:16:4931", "f90_complex:18:308", "f90_complex:33:4931", "f90_integer:2", "f90_integer:4", "f90_integer:9", "f90_integer:18", "f90_integer:38"}
# Optional types that each C compiler has memory for.
ALWAYS = {"MPI_INTEGER1", "MPI_INTEGER2", "MPI_INTEGER4", "MPI_INTEGER8", "MPI_LOGICAL1", "MPI_LOGICAL2", "MPI_LOGICAL4",
          "MPI_LOGICAL8", "MPI_REAL4", "MPI_REAL8", "MPI_COMPLEX8", "MPI_COMPLEX16"}

long_double_digits = 0


def extended_to_quad(raw):
    """A value in x87's extended format, as big-endian binary128."""
    mantissa, top = int.from_bytes(raw[:8], "little"), int.from_bytes(raw[8:10], "little")
    sign, exponent = top >> 15, top & 0x7fff
    if exponent == 0x7fff:
        fraction = (mantissa & (1 << 63) - 1) << 49  # 0: infinity
    elif mantissa == 0:
        exponent = fraction = 0
    else:
        power = max(exponent, 1) - 16383 - 63  # the value is mantissa * 2^power
        exponent = power + mantissa.bit_length() - 1 + 16383
        if exponent > 0:
            fraction = (mantissa << 113 - mantissa.bit_length()) - (1 << 112)
        else:
            exponent, fraction = 0, mantissa << power + 16382 + 112
    return (sign << 127 | exponent << 112 | fraction).to_bytes(16, "big")


def real(raw, size, is_long_double):
    if is_long_double and long_double_digits == 64:
        return extended_to_quad(raw)
    if size == 16:
        return raw[::-1] if sys.byteorder == "little" else raw
    letter = {2: "e", 4: "f", 8: "d"}[size]
    return struct.pack(">" + letter, struct.unpack("=" + letter, raw)[0])


def encode(name, memory, at):
    """(what the value at `at` looks like outside, how many bytes it has here)"""
    code = {**SIZES, **OPTIONAL}[name]
    kind, size = code[0], int(code[1:])
    native = NATIVE.get(name, size)
    if kind == "b":
        return memory[at:at + 1], 1
    if kind in "iu":
        value = int.from_bytes(memory[at:at + native], sys.byteorder, signed=kind == "i")
        return (value % (1 << 8 * size)).to_bytes(size, "big"), native  # only the least significant bytes go out
    parts = [real(memory[i:i + native], size, name in LONG_DOUBLES)
             for i in range(at, at + native * (2 if kind == "c" else 1), native)]
    return b"".join(parts), native * len(parts)


def f90_type(name):
    """The type of the tables that has the size of section 20.1.9, and the compiler's format here."""
    kind, *numbers = name.split(":")
    numbers = list(map(int, numbers))
    if kind == "f90_integer":
        r = numbers[0]
        size = 16 if r > 18 else 8 if r > 9 else 4 if r > 4 else 2 if r > 2 else 1
        return f"MPI_INTEGER{size}"
    p, r = numbers
    if 15 < p <= 18 and long_double_digits == 64:
        return "MPI_LONG_DOUBLE" if kind == "f90_real" else "MPI_C_LONG_DOUBLE_COMPLEX"
    size = 16 if p > 15 or r > 307 else 8 if p > 6 or r > 37 else 4
    return f"MPI_REAL{size}" if kind == "f90_real" else f"MPI_COMPLEX{2 * size}"


def places(name, count):
    """The values of `count` items: (type, place in memory); None: all of one type, one behind the other."""
    if name in PAIRS:
        first, second, at, extent = PAIRS[name]
        return [place for i in range(count) for place in ((first, i * extent), (second, i * extent + at))]
    if name == "nested":
        return [(part, i * RECORD_BYTES + at) for i in range(count) for part, at in RECORD]
    return None


def expected(name, count, memory):
    found = places(name, count)
    if found:
        return b"".join(encode(part, memory, at)[0] for part, at in found)
    value = f90_type(name) if name.startswith("f90_") else name
    packed, at = b"", 0
    for _ in range(count):
        bytes_, used = encode(value, memory, at)
        packed, at = packed + bytes_, at + used
    return packed


def is_nan(value):
    """Of a big-endian number of 4, 8 or 16 bytes."""
    bits, exponent_bits = int.from_bytes(value, "big"), {4: 8, 8: 11, 16: 15}[len(value)]
    fraction_bits = 8 * len(value) - 1 - exponent_bits
    exponent = bits >> fraction_bits & (1 << exponent_bits) - 1
    return exponent == (1 << exponent_bits) - 1 and bits & (1 << fraction_bits) - 1 != 0


def same(name, ours, theirs):
    """NaNs are equal whatever their bits: the last value of the reals."""
    code = {**SIZES, **OPTIONAL}.get(name, "")
    if code[:1] != "f" or ours == theirs or len(ours) != len(theirs):
        return ours == theirs
    size = int(code[1:])
    return ours[:-size] == theirs[:-size] and is_nan(ours[-size:]) and is_nan(theirs[-size:])


def survives(name, memory, back, packed, count):
    """What came back is what was there, but for what does not fit outside: the library's own encoding again, which
    has been compared, tells."""
    if name in NATIVE:
        return expected(name, count, back) == packed
    if name.startswith("f90_") and f90_type(name) in LONG_DOUBLES:
        return expected(name, count, back) == packed
    if name in LONG_DOUBLES or name in ("nested", "MPI_LONG_DOUBLE_INT"):  # x87: bytes behind the tenth are unused
        return same("MPI_LONG_DOUBLE" if name in LONG_DOUBLES else name, expected(name, count, back), packed)
    code = {**SIZES, **OPTIONAL}.get(name, "")
    return back == memory or (code[:1] == "f" and same(name, expected(name, count, back), packed))


def main():
    global long_double_digits
    lines = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    seen, wrong = set(), []
    for name, *words in map(str.split, lines):
        seen.add(name)
        if name == "long-double":
            long_double_digits = int(words[0])
            continue
        if words == ["absent"]:
            if name not in OPTIONAL or name in ALWAYS:
                wrong.append(f"{name} is not optional")
            continue
        count, size = int(words[0]), int(words[4])
        memory, packed, back = map(bytes.fromhex, words[1:4])
        should = expected(name, count, memory)
        if not same(name, packed, should):
            wrong.append(f"{name}: {packed.hex()} should be {should.hex()}")
        if size != len(should):
            wrong.append(f"{name}: MPI_Pack_external_size says {size}, not {len(should)}")
        if not survives(name, memory, back, packed, count):
            wrong.append(f"{name}: {memory.hex()} came back as {back.hex()}")
    due = {*SIZES, *OPTIONAL, *PAIRS, *F90, "nested", "long-double"}
    wrong += [f"{name} is missing" for name in sorted(due - seen)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
