"""refused.py WRAPPER LIBRARY MODULES...: what the compiler refuses, that it warns of none of the modules, and that the library needs nothing but the ABI."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

WRAPPER, LIBRARY, *MODULES = sys.argv[1:]
CALL = {
    "mpif.h": "program p\n  implicit none\n  include 'mpif.h'\n  integer ierror\n  call MPI_Init(ierror)\nend program\n",
    "mpi": "program p\n  use mpi\n  implicit none\n  integer ierror\n  call MPI_Init(ierror)\nend program\n",
    "mpi_f08": "program p\n  use mpi_f08\n  implicit none\n  integer ierror\n  call MPI_Init(ierror)\nend program\n",
}
BODY = "program p\n  use mpi_f08\n  implicit none\n  type(MPI_Comm) :: c\n  type(MPI_Datatype) :: d\n  integer :: x(4)\n{}\nend program\n"


class Refused(unittest.TestCase):
    def compile(self, text, *flags):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "p.f90").write_text(text, encoding="ascii")
            done = subprocess.run([WRAPPER, *flags, "-c", "p.f90"], cwd=folder, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
            return done.returncode, done.stdout

    def test_default_integers_of_eight_bytes(self):
        for interface, text in CALL.items():
            with self.subTest(interface):
                self.assertEqual(self.compile(text)[0], 0)
                code, said = self.compile(text, "-fdefault-integer-8")
                self.assertNotEqual(code, 0)
                self.assertRegex(said, "(?i)mpi_needs_integer_of_4_bytes|INTEGER\\(8\\) to INTEGER\\(4\\)|no specific subroutine")
                self.assertIn("mpifort: note: with -fdefault-integer-8 an INTEGER has 8 bytes; MPI's procedures take", said)

    def test_integers_of_a_kind_beside_default_ones_of_eight_bytes(self):
        for interface in ("mpi", "mpi_f08"):
            with self.subTest(interface):
                code, said = self.compile(CALL[interface].replace("integer ierror", "integer(4) ierror"), "-fdefault-integer-8")
                self.assertEqual(code, 0, said)

    def test_wrong_arguments_of_mpi_f08(self):
        right = "  call MPI_Send(x, 4, MPI_INTEGER, 0, 0, MPI_COMM_WORLD)"
        for right in (right, "  call MPI_Comm_rank(c, x(1))", "  if (c == c .and. d /= d) x = 1"):
            with self.subTest(right):
                self.assertEqual(self.compile(BODY.format(right)), (0, ""))
        for wrong in ("  call MPI_Send(x, 4, MPI_COMM_WORLD, 0, 0, MPI_INTEGER)", "  call MPI_Send(x, 4, 537, 0, 0, 257)",
                      "  call MPI_Send(x, 4., MPI_INTEGER, 0, 0, MPI_COMM_WORLD)", "  call MPI_Comm_rank(d, x(1))",
                      "  if (c == d) x = 1"):
            with self.subTest(wrong):
                self.assertNotEqual(self.compile(BODY.format(wrong))[0], 0)

    def test_mpif_h_in_fixed_and_free_form(self):
        fixed = "      program p\n      include 'mpif.h'\n      integer i\n      real x\n" \
                "      call MPI_SEND(i,1,MPI_INTEGER,0,0,MPI_COMM_SELF,i)\n      call MPI_SEND(x,1,MPI_REAL,0,0,MPI_COMM_SELF,i)\n      end\n"
        for flag in ("-ffixed-form", "-ffree-form", "-ffixed-line-length-132"):
            with self.subTest(flag):
                flags = [flag, "-ffixed-form"] if "length" in flag else [flag]
                self.assertEqual(self.compile(fixed, *flags), (0, ""))

    def test_mpif_h_takes_what_external_procedures_would(self):
        """No argument, as configure scripts call procedures to see whether they link, and buffers of different types."""
        calls = ["MPI_ALLREDUCE()", "PMPI_SEND()", "MPI_INIT()", "MPI_BCAST(I,1,MPI_INTEGER,0,MPI_COMM_SELF,I)", "MPI_BCAST(X,1,MPI_REAL,0,MPI_COMM_SELF,I)",
                 "PMPI_BCAST(I,1,MPI_INTEGER,0,MPI_COMM_SELF,I)", "PMPI_BCAST(X,1,MPI_REAL,0,MPI_COMM_SELF,I)",
                 "MPI_PACK_EXTERNAL('external32',I,1,MPI_INTEGER,X,N,N,I)", "MPI_PACK_EXTERNAL('external32',X,1,MPI_REAL,I,N,N,I)"]
        text = "      program p\n      include 'mpif.h'\n      integer i\n      integer(kind=MPI_ADDRESS_KIND) n\n      real x\n" \
            + "".join(f"      call {call}\n" for call in calls) + "      end\n"
        for flag in ("-ffixed-form", "-ffree-form"):
            with self.subTest(flag):
                self.assertEqual(self.compile(text, flag), (0, ""))

    def test_no_warnings_of_the_modules(self):
        self.assertEqual(len(MODULES), 3)
        with tempfile.TemporaryDirectory() as folder:
            for module in MODULES:
                done = subprocess.run([WRAPPER, "-Wall", "-Wextra", f"-J{folder}", "-c", module, "-o", f"{folder}/module.o"], text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
                self.assertEqual((done.returncode, done.stdout[:2000]), (0, ""), module)

    def symbols(self, *options):
        said = subprocess.run(["nm", "-D", *options, LIBRARY], text=True, stdout=subprocess.PIPE, check=True).stdout
        found = [line.split()[-1].split("@")[0] for line in said.splitlines()]
        self.assertIn("MPI_Send" if "--undefined-only" in options else "mpi_send_", found)
        return found

    def test_needs_only_the_abi_and_libc(self):
        foreign = [s for s in self.symbols("--undefined-only") if not re.match(r"P?MPIX?_[A-Z]", s)]
        allowed = re.compile(r"_ITM_|__gmon|__cxa_|__asan|__ubsan|__tsan|__stack_chk_fail|(malloc|free|mem\w+|str\w+|pthread_mutex_\w+|dl_iterate_phdr|\w+_chk)$")
        self.assertEqual([s for s in foreign if not allowed.match(s)], [])
        header = subprocess.run([WRAPPER.replace("mpifort", "mpicc"), "-E", "-x", "c", "-"], input="#include <mpi.h>\n", text=True,
                                stdout=subprocess.PIPE, check=True).stdout
        declared = set(re.findall(r"\b(P?MPIX?_\w+)\s*\(", header))
        self.assertEqual([s for s in self.symbols("--undefined-only") if re.match(r"P?MPIX?_", s) and s not in declared], [])

    def test_exports_only_names_of_fortran(self):
        ours = re.compile(r"p?mpix?_\w+_$|__mpi(_abi_types|_f08)?_MOD_")
        self.assertEqual([s for s in self.symbols("--defined-only") if not ours.match(s)], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
