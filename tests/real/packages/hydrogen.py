"""The energy of a molecule of hydrogen on a coarse grid, by GPAW."""
from ase.build import molecule
from gpaw import GPAW
from gpaw.mpi import world

atoms = molecule("H2")
atoms.center(vacuum=2.0)
atoms.calc = GPAW(mode="fd", setups={"H": "ae"}, h=0.3, txt=None, convergence={"energy": 1e-2, "density": 1e-2, "eigenstates": 1e-2})
energy = atoms.get_potential_energy()
if world.rank == 0:
    print(f"energy {energy:.3f}")
