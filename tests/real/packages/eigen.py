"""The largest eigenvalue of the same matrix, which is known, with SLEPc."""
import math

from petsc4py import PETSc
from slepc4py import SLEPc
from second_difference import second_difference

n = 60
matrix = second_difference(n)
solver = SLEPc.EPS().create()
solver.setOperators(matrix)
solver.setProblemType(SLEPc.EPS.ProblemType.HEP)
solver.solve()
assert solver.getConverged() > 0
wanted = 2 - 2 * math.cos(n * math.pi / (n + 1))
assert abs(solver.getEigenvalue(0).real - wanted) < 1e-6
PETSc.Sys.Print("slepc: all well")
