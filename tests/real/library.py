"""The MPI library that is tried: ours, or a peer that is installed, to compare with."""
import os
import pathlib
import shutil

NAMES = ("inkling", "mpich", "openmpi")
TOOLS = ("mpicc", "mpicxx", "mpifort", "mpiexec")


class Library:
    """Where the wrappers and the launcher of a library are."""

    def __init__(self, name, binaries):
        self.name = name
        self.environment = dict(os.environ)
        if name == "inkling":
            tools = [str(pathlib.Path(binaries).resolve() / tool) for tool in TOOLS]
        else:
            tools = [f"{tool}.{name}" for tool in TOOLS]
        self.mpicc, self.mpicxx, self.mpifort, self.mpiexec = tools
        if name == "openmpi":
            # As many ranks as the tests say, and as root, which our mpiexec and Hydra take without a word.
            self.environment |= {
                "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_plm_rsh_agent": "/bin/false",
                "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_btl_base_warn_component_unused": "0"}

    def missing(self):
        """The first of its tools that is not here, or None."""
        return next((tool for tool in (self.mpicc, self.mpicxx, self.mpiexec) if not shutil.which(tool)), None)
