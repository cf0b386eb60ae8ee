#!/usr/bin/env python3
"""symbols.py SOURCE LIBRARY... [--update]: the soname of each library, and the names that it exports, are those that packages promise to
programs (packaging/debian/libinkling1.symbols). A name that is gone or new fails; a new one is added by --update with the version
that first has it. What a Fortran compiler adds to the modules is optional, since each compiler adds other names."""
import pathlib
import re
import subprocess
import sys

OPTIONAL = r"_MOD_"


def exported(library):
    listed = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {line.split()[2].split("@")[0] for line in listed.splitlines()}


def soname(library):
    listed = subprocess.run(["readelf", "-d", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.search(r"Library soname: \[(.*)\]", listed).group(1)


def promised(path):
    """By soname: the version that first had each name."""
    libraries = {}
    for line in path.read_text(encoding="ascii").splitlines() if path.exists() else []:
        if not line.startswith(" "):
            names = libraries.setdefault(line.split()[0], {})
        elif "(optional" not in line:
            name, version = line.split()
            names[name.removesuffix("@Base")] = version
    return libraries


def write(path, libraries):
    with open(path, "w", encoding="ascii") as file:
        for library, names in libraries.items():
            file.write(f"{library} libinkling1 #MINVER#\n")
            if "fort" in library:
                file.write(f' (optional|regex)"{OPTIONAL}" 1.0.0\n')
            for name in sorted(names):
                file.write(f" {name}@Base {names[name]}\n")


def main():
    update = "--update" in sys.argv
    source, *paths = [word for word in sys.argv[1:] if word != "--update"]
    path = pathlib.Path(source, "packaging/debian/libinkling1.symbols")
    version = re.search(r"project\(inkling VERSION ([0-9.]+)", pathlib.Path(source, "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    before, now, problems = promised(path), {}, []
    for library in paths:
        own = soname(library)
        names = {name for name in exported(library) if not re.search(OPTIONAL, name)}
        known = before.get(own)
        if known is None:
            problems.append(f"{own}: no package promises a library of this name; a new soname is a new package, libinkling2")
            known = {}
        problems += [f"{own}: {name} is gone, and programs that call it do not start: this takes a new soname" for name in sorted(set(known) - names)]
        problems += [f"{own}: {name} is new: symbols.py --update promises it from {version} on" for name in sorted(names - set(known))]
        now[own] = {name: known.get(name, version) for name in names}
    if update:
        write(path, {**before, **now})
        return 0
    print("\n".join(problems) or f"{', '.join(now)}: {sum(map(len, now.values()))} names, as promised")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
