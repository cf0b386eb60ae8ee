"""Debian's source packages, fetched by apt-get from the machine's own archives, in an apt folder of our own.

The machine's lists and settings stay as they are: its sources are read, `deb` becomes `deb-src` in a copy, and the lists
of that copy lie in our store. apt-get checks signatures and sums; dpkg-source checks the sums once more when it unpacks.
What is in the store is never fetched again. Where no archive of the machine has a source, a user puts it into the store:
the whole source package, or upstream's archive alone, named NAME_VERSION.orig.tar.gz as in a source package.
"""
import hashlib
import pathlib
import re
import shutil
import subprocess
import tarfile

LISTS = pathlib.Path("/etc/apt")


class Absent(Exception):
    """The source cannot be had here; the text says why."""


def source_entries(text, deb822):
    """The text of one of apt's files of sources, asking for sources instead of packages."""
    if not deb822:
        return "".join(
            re.sub(r"^\s*deb\b", "deb-src", line) + "\n" for line in text.splitlines() if re.match(r"\s*deb\s", line))
    stanzas = re.split(r"\n[ \t]*\n", text)
    kept = [re.sub(r"(?mi)^Types:.*$", "Types: deb-src", stanza) for stanza in stanzas
            if re.search(r"(?mi)^Types:.*\bdeb\b", stanza) and not re.search(r"(?mi)^Enabled:\s*(no|false)\b", stanza)]
    return "\n\n".join(stanza.strip("\n") for stanza in kept) + "\n"


def copy_entries(into):
    """Writes the machine's sources to the folder `into`, as sources of source packages."""
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    found = [LISTS / "sources.list", *sorted((LISTS / "sources.list.d").glob("*.*"))]
    for path in found:
        if path.is_file() and path.suffix in (".list", ".sources"):
            text = path.read_text(encoding="utf-8")
            (into / path.name).write_text(source_entries(text, path.suffix == ".sources"), encoding="utf-8")


def unpack_package(dsc, into):
    done = subprocess.run(["dpkg-source", "--skip-patches", "-x", dsc, into], cwd=dsc.parent, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise Absent(f"dpkg-source cannot unpack {dsc.name}: {done.stdout.splitlines()[-1:]}")


def unpack_upstream(archive, into):
    """What an archive has in its only folder, as dpkg-source unpacks it."""
    unpacked = into.with_name(into.name + ".archive")
    shutil.rmtree(unpacked, ignore_errors=True)
    try:
        with tarfile.open(archive) as tar:
            tar.extractall(unpacked)
    except (tarfile.TarError, OSError, EOFError) as why:
        raise Absent(f"{archive.name} cannot be unpacked: {why}") from None
    tops = list(unpacked.iterdir())
    (tops[0] if len(tops) == 1 and tops[0].is_dir() else unpacked).rename(into)
    shutil.rmtree(unpacked, ignore_errors=True)


class Store:
    """A folder with source packages, as fetched and as unpacked."""

    def __init__(self, folder):
        self.folder = folder
        self.updated = False

    def apt(self, command, *words):
        state = self.folder / "apt"
        options = {
            "Dir::Etc::sourcelist": "/dev/null", "Dir::Etc::sourceparts": state / "sources",
            "Dir::State::lists": state / "lists", "Dir::Cache": state / "cache", "APT::Sandbox::User": "",
            "Acquire::Languages": "none", "Acquire::Retries": "2"}
        settings = [f"-o{key}={value}" for key, value in options.items()]
        return subprocess.run([command, *settings, *words], cwd=self.folder, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def update(self):
        if self.updated:
            return
        for folder in ("lists/partial", "cache/archives/partial"):
            (self.folder / "apt" / folder).mkdir(parents=True, exist_ok=True)
        copy_entries(self.folder / "apt" / "sources")
        # An archive that has no sources fails here; whether that matters shows when the package is asked for.
        self.apt("apt-get", "update")
        self.updated = True

    def listed(self, package):
        """Yields each description of the package here, with the SHA-256 of each file that it names."""
        for dsc in sorted(self.folder.glob(f"{package}_*.dsc")):
            listed = re.search(r"(?m)^Checksums-Sha256:\n((?: .*\n)+)", dsc.read_text(encoding="utf-8"))
            yield dsc, {line.split()[2]: line.split()[0] for line in listed.group(1).splitlines()}

    def fetched(self, package):
        """The description of the package that is here whole, or None."""
        return next((dsc for dsc, sums in self.listed(package) if all((self.folder / name).is_file() for name in sums)), None)

    def upstream(self, package):
        """Upstream's newest archive of the package that a user put here, or None; not what apt-get left of a download."""
        sums = {name: expected for _, each in self.listed(package) for name, expected in each.items()}
        archives = [path for path in sorted(self.folder.glob(f"{package}_*.orig.tar.*")) if path.suffix != ".asc"
                    and sums.get(path.name) in (None, hashlib.sha256(path.read_bytes()).hexdigest())]
        return archives[-1] if archives else None

    def fetch(self, package):
        """The package's description (.dsc), with the files that it names beside it."""
        dsc = self.fetched(package)
        if dsc:
            return dsc
        for tool in ("apt-get", "dpkg-source"):
            if not shutil.which(tool):
                raise Absent(f"there is no {tool} to fetch it with")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.update()
        done = self.apt("apt-get", "source", "--download-only", "--only-source", package)
        dsc = self.fetched(package)
        if done.returncode or not dsc:
            said = [line for line in done.stdout.splitlines() if line.startswith("E:")] or ["apt-get said nothing"]
            raise Absent(f"apt-get cannot fetch the source package {package} ({said[0]}); put it, or upstream's archive as "
                         f"{package}_VERSION.orig.tar.gz, into {self.folder}")
        return dsc

    def unpack(self, package):
        """(version, folder) of the upstream sources, without Debian's patches."""
        archive = None if self.fetched(package) else self.upstream(package)
        source = archive or self.fetch(package)
        version = re.sub(r"\.orig\.tar\..*|\.dsc$", "", source.name).split("_", 1)[1]
        tree = self.folder / f"{package}-{version}"
        if not tree.is_dir():
            partial = tree.with_name(tree.name + ".partial")
            shutil.rmtree(partial, ignore_errors=True)
            (unpack_upstream if archive else unpack_package)(source, partial)
            partial.rename(tree)
        return version, tree
