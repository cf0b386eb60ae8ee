# Copyright 2026, The Inkling authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A recipe for Spack: copy it to var/spack/repos/.../packages/inkling/package.py of a repository of yours. `make dist`
# fills the version in. Spack installs from its archive: spack mirror add inkling file:///FOLDER, with FOLDER/inkling/inkling-VERSION.tar.xz.
from spack.package import *


class Inkling(CMakePackage):
    """An MPI-5.0 library with the standard ABI that takes hints about what a program will never do."""

    homepage = "file:///usr/share/doc/inkling"
    url = "file:///srv/mirror/inkling/inkling-@VERSION@.tar.xz"
    maintainers("inkling")
    license("BSD-3-Clause")

    # The checksum is that of build/inkling-VERSION.tar.xz.sha256, which `make dist` writes.
    version("@VERSION@")

    variant("fortran", default=True, description="mpif.h and the modules mpi and mpi_f08")
    variant("ofi", default=True, description="jobs on several hosts, over libfabric")
    variant("ucx", default=False, description="jobs on several hosts, over UCX")
    variant("pmix", default=False, description="jobs of PMIx launchers")
    variant("stacks", default=True, description="inkling where names calls and lines")

    provides("mpi@:5.0")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cxx", type="test")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.22:", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2.4:")
    depends_on("libfabric@1.17:", when="+ofi")
    depends_on("openssl@1.1:", when="+ofi", type="run")
    depends_on("ucx@1.13:", when="+ucx")
    depends_on("pmix@3.0:", when="+pmix")
    depends_on("elfutils@0.176:", when="+stacks")
    depends_on("ncurses@6.0:", when="+stacks")

    conflicts("%gcc@:10", msg="Inkling needs gcc 11 or later")
    conflicts("%clang@:13", msg="Inkling needs clang 14 or later")
    conflicts("platform=darwin", msg="Inkling is for Linux")

    def cmake_args(self):
        return [
            self.define("INKLING_TESTS", False),
            self.define("INKLING_FORTRAN", "ON" if self.spec.satisfies("+fortran") else "OFF"),
        ]

    def setup_dependent_package(self, module, dependent_spec):
        self.spec.mpicc = self.prefix.bin.mpicc
        self.spec.mpicxx = self.prefix.bin.mpicxx
        if self.spec.satisfies("+fortran"):
            self.spec.mpifc = self.prefix.bin.mpifort
            self.spec.mpif77 = self.prefix.bin.mpif77

    def setup_dependent_build_environment(self, env, dependent_spec):
        env.set("MPICC", self.prefix.bin.mpicc)
        env.set("MPICXX", self.prefix.bin.mpicxx)
        if self.spec.satisfies("+fortran"):
            env.set("MPIF77", self.prefix.bin.mpif77)
            env.set("MPIF90", self.prefix.bin.mpif90)
        env.set("INKLING_CC", spack_cc)
        env.set("INKLING_CXX", spack_cxx)
        env.set("INKLING_FC", spack_fc)
