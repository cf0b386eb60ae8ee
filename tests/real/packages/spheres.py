"""Spheres of all ranks, which VTK brings to one."""
from mpi4py import MPI
from vtkmodules.vtkFiltersParallel import vtkCollectPolyData
from vtkmodules.vtkFiltersSources import vtkSphereSource
from vtkmodules.vtkParallelCore import vtkMultiProcessController
from vtkmodules.vtkParallelMPI import vtkMPIController

ranks = vtkMPIController()
ranks.Initialize()
vtkMultiProcessController.SetGlobalController(ranks)
sphere = vtkSphereSource()
sphere.SetCenter(ranks.GetLocalProcessId(), 0, 0)
sphere.Update()
all_of_them = vtkCollectPolyData()
all_of_them.SetInputData(sphere.GetOutput())
all_of_them.SetController(ranks)
all_of_them.Update()
if MPI.COMM_WORLD.rank == 0:
    assert all_of_them.GetOutput().GetNumberOfPoints() == MPI.COMM_WORLD.size * sphere.GetOutput().GetNumberOfPoints()
    print("vtk: all well")
ranks.Barrier()
ranks.Finalize()
