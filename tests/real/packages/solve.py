"""Laplace's equation in one dimension, by conjugate gradients, with PETSc."""
from petsc4py import PETSc
from second_difference import second_difference

n = 400
matrix = second_difference(n)
x, b = matrix.createVecs()
b.set(1)
solver = PETSc.KSP().create()
solver.setOperators(matrix)
solver.setType("cg")
solver.getPC().setType("bjacobi")
solver.setTolerances(rtol=1e-10, max_it=1000)
solver.solve(b, x)
rest = b - matrix * x
assert solver.getConvergedReason() > 0 and rest.norm() < 1e-6 * b.norm()
PETSc.Sys.Print("petsc: all well")
