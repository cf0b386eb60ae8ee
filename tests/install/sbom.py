#!/usr/bin/env python3
"""sbom.py SOURCE BUILD CMAKE: the bill of materials (packaging/sbom) of an installed tree has each file of it with its right checksums, the
libraries that it is linked with, and the form of SPDX 2.3."""
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

SOURCE, BUILD, CMAKE = sys.argv[1:4]
FIELDS = {"packages": {"name", "SPDXID", "downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText", "versionInfo", "filesAnalyzed"},
          "files": {"fileName", "SPDXID", "checksums", "licenseConcluded", "licenseInfoInFiles", "copyrightText"},
          "relationships": {"spdxElementId", "relationshipType", "relatedSpdxElement"}}


def bill(tree):
    words = [sys.executable, "-B", f"{SOURCE}/packaging/sbom", BUILD, str(tree)]
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


def check_form(document):
    assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0", "version and licence of the document"
    for kind, fields in FIELDS.items():
        for entry in document[kind]:
            assert fields <= set(entry), f"{kind}: {entry} lacks {fields - set(entry)}"
    ids = [entry["SPDXID"] for kind in ("packages", "files") for entry in document[kind]] + [document["SPDXID"]]
    assert len(ids) == len(set(ids)), "an identifier is given twice"
    for relation in document["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= set(ids), f"{relation} names what is not there"


def check_files(document, tree):
    there = {"./" + path.relative_to(tree).as_posix(): path for path in tree.rglob("*") if path.is_file() and not path.is_symlink()}
    listed = {entry["fileName"]: entry for entry in document["files"]}
    assert set(there) == set(listed), f"files differ: {set(there) ^ set(listed)}"
    assert len(listed) > 500, f"only {len(listed)} files"
    for name, path in there.items():
        sums = {each["algorithm"]: each["checksumValue"] for each in listed[name]["checksums"]}
        assert sums["SHA256"] == hashlib.sha256(path.read_bytes()).hexdigest(), f"{name}: another checksum"


def check_packages(document):
    packages = {entry["name"]: entry for entry in document["packages"]}
    assert packages["inkling"]["licenseDeclared"] == "BSD-3-Clause", "the licence of Inkling"
    assert packages["libhwloc.so.15"]["versionInfo"][0].isdigit(), "the version of hwloc"
    assert not [name for name in packages if "mpi_abi" in name], "the tree's own libraries are no other package's"


def main():
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder, "tree")
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", str(tree)], stdout=subprocess.DEVNULL, check=True)
        text = bill(tree)
        document = json.loads(text)
        check_form(document)
        check_files(document, tree)
        check_packages(document)
        assert bill(tree) == text, "it is another one when made again"
        (tree / "bin/more").write_text("more", encoding="ascii")
        assert bill(tree) != text, "it does not see a new file"
        print(f"{len(document['files'])} files, {len(document['packages'])} packages")


main()
