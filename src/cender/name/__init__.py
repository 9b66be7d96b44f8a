"""Cell names: the neurons of an animal in, names such as AVAL out, each with its probability."""

from cender.name.check import check_names
from cender.name.model import Naming, NamingModel, name_cells

__all__ = ["Naming", "NamingModel", "check_names", "name_cells"]
