"""Laplace's equation in one dimension, by conjugate gradients, with PETSc."""
from petsc4py import PETSc

n = 400
matrix = PETSc.Mat().createAIJ([n, n], nnz=3)
first, last = matrix.getOwnershipRange()
for i in range(first, last):
    matrix[i, i] = 2
    if i > 0:
        matrix[i, i - 1] = -1
    if i < n - 1:
        matrix[i, i + 1] = -1
matrix.assemble()
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
