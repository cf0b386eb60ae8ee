#!/usr/bin/env python3
"""site.py SOURCE: `make site` makes a website whose links, anchors and pictures are all there, with the figures on its first page and every page in its
search, and which takes nothing from other sites; a link that leads nowhere is refused."""
import html.parser
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

SOURCE = pathlib.Path(sys.argv[1]).resolve()


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.names, self.pictures, self.tables, self.loaded = [], set(), [], 0, []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.names.update(filter(None, (attrs.get("id"), attrs.get("name"))))
        self.tables += tag == "table"
        if tag == "img":
            self.pictures.append(attrs["src"])
        if tag in ("img", "link", "script"):
            self.loaded += [attrs[key] for key in ("href", "src") if attrs.get(key)]
        self.links += [attrs[key] for key in ("href", "src") if attrs.get(key)]


def make(source, folder):
    return subprocess.run([source / "packaging/site", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


class Site(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "a site"

    def test_whole(self):
        done = make(SOURCE, self.folder)
        self.assertEqual(done.returncode, 0, done.stdout)
        pages = {path: Page(path) for path in self.folder.rglob("*.html") if path.name != "404.html"}
        self.assertGreater(len(pages), 20)
        for path, page in pages.items():
            self.assertEqual([link for link in page.loaded if urllib.parse.urlsplit(link).netloc], [], f"{path} takes from other sites")
            for link in page.links:
                parts = urllib.parse.urlsplit(link)
                if parts.scheme or parts.netloc:
                    continue
                to = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
                self.assertTrue(to.exists(), f"{path}: {link} leads nowhere")
                if parts.fragment and to in pages and not parts.fragment.startswith("_"):
                    self.assertIn(urllib.parse.unquote(parts.fragment), pages[to].names, f"{path}: {link}")
        first = pages[self.folder / "index.html"]
        self.assertIn("docs/bench.png", first.pictures)
        self.assertGreaterEqual(first.tables, 1)
        found = {entry["location"].split("#")[0] for entry in json.loads((self.folder / "search/search_index.json").read_text(encoding="utf-8"))["docs"]}
        self.assertLessEqual({"index.html", "docs/USER.html", "docs/CLUSTER.html", "docs/REAL.html", "docs/BENCH.html"}, found | {"index.html"})

    def test_a_link_that_leads_nowhere(self):
        copy = self.folder / "source"
        for name in ("packaging", "docs", "examples"):
            shutil.copytree(SOURCE / name, copy / name)
        for name in ("README.md", "CONTRIBUTING.md", "CHANGES.md", "LICENSE"):
            shutil.copy(SOURCE / name, copy / name)
        with open(copy / "docs/USER.md", "a", encoding="utf-8") as page:
            page.write("\n[nothing](NOTHING.md)\n")
        done = make(copy, self.folder / "made")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("NOTHING.md", done.stdout)


if __name__ == "__main__":
    if not shutil.which("mkdocs"):
        print("skipped: there is no mkdocs (Debian: mkdocs)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
