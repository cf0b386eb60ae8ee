"""The largest eigenvalue of the same matrix, which is known, with SLEPc."""
import math

from petsc4py import PETSc
from slepc4py import SLEPc

n = 60
matrix = PETSc.Mat().createAIJ([n, n], nnz=3)
first, last = matrix.getOwnershipRange()
for i in range(first, last):
    matrix[i, i] = 2
    if i > 0:
        matrix[i, i - 1] = -1
    if i < n - 1:
        matrix[i, i + 1] = -1
matrix.assemble()
solver = SLEPc.EPS().create()
solver.setOperators(matrix)
solver.setProblemType(SLEPc.EPS.ProblemType.HEP)
solver.solve()
assert solver.getConverged() > 0
wanted = 2 - 2 * math.cos(n * math.pi / (n + 1))
assert abs(solver.getEigenvalue(0).real - wanted) < 1e-6
PETSc.Sys.Print("slepc: all well")
