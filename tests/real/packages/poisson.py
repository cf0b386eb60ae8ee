"""Laplace's equation on a square whose sides have 1, by DOLFINx: 1 everywhere."""
import numpy
from mpi4py import MPI
from petsc4py.PETSc import ScalarType
from dolfinx import fem, mesh
from dolfinx.fem.petsc import LinearProblem
from ufl import TestFunction, TrialFunction, dx, grad, inner

square = mesh.create_unit_square(MPI.COMM_WORLD, 16, 16)
space = getattr(fem, "functionspace", fem.FunctionSpace)(square, ("Lagrange", 1))  # its name since 0.8
sides = mesh.locate_entities_boundary(square, 1, lambda x: numpy.isclose(x[0], 0) | numpy.isclose(x[0], 1))
given = fem.dirichletbc(ScalarType(1), fem.locate_dofs_topological(space, 1, sides), space)
u, v = TrialFunction(space), TestFunction(space)
found = LinearProblem(inner(grad(u), grad(v)) * dx, inner(fem.Constant(square, ScalarType(0)), v) * dx, bcs=[given]).solve()
worst = MPI.COMM_WORLD.allreduce(float(numpy.max(numpy.abs(found.x.array - 1))), MPI.MAX)
assert worst < 1e-3, worst
if MPI.COMM_WORLD.rank == 0:
    print("dolfinx: all well")
