"""Reads foreign/facts/*.txt: what is known of another library's ABI. foreign/facts/merge.py describes the format."""


class Facts:
    """One table."""

    def __init__(self, path):
        self.versions, self.sizes, self.status, self.values, self.symbols, self.fortran = [], {}, {}, {}, {}, {}
        self.common = {}  # name: (symbol, offset)
        self.slots = {}  # by table of virtual functions: number: function
        self.functions, self.data = {}, {}  # by soname: a list, and a dictionary of sizes
        library = None
        with open(path, encoding="utf-8") as lines:
            for words in (line.split() for line in lines if line.strip() and not line.startswith("#")):
                if words[0] == "version":
                    self.versions.append(words[2])
                elif words[0] == "size":
                    self.sizes[words[1]] = int(words[2])
                elif words[0] == "status":
                    self.status[words[1]] = (int(words[2]), int(words[3]))
                elif words[0] == "value":
                    self.values[words[1]] = int(words[2])
                elif words[0] == "symbol":
                    self.symbols[words[1]] = words[2]
                elif words[0] == "fortran":
                    self.fortran[words[1]] = int(words[2])
                elif words[0] == "common":
                    self.common[words[1]] = (words[2], int(words[3]))
                elif words[0] == "library":
                    library = words[1]
                    self.functions[library], self.data[library] = [], {}
                elif words[0] == "function":
                    self.functions[library].append(words[1])
                elif words[0] == "slot":
                    self.slots.setdefault(words[1], {})[int(words[2])] = words[3]
                elif words[0] == "data":
                    self.data[library][words[1]] = int(words[2])
                else:
                    raise SystemExit(f"{path}: unknown line: {' '.join(words)}")

    def has_pointers(self):
        """Whether handles are pointers; else they are int."""
        return self.sizes["MPI_Comm"] == 8
