"""The matrix of second differences, spread over the ranks: 2 on the diagonal, -1 beside it."""
from petsc4py import PETSc


def second_difference(n):
    matrix = PETSc.Mat().createAIJ([n, n], nnz=3)
    first, last = matrix.getOwnershipRange()
    for i in range(first, last):
        matrix[i, i] = 2
        if i > 0:
            matrix[i, i - 1] = -1
        if i < n - 1:
            matrix[i, i + 1] = -1
    matrix.assemble()
    return matrix
