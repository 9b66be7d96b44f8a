"""All cases by name, in the order in which the docs draw them."""

from cases import detection, identity, orientation
from cases.building import Case

CASES: dict[str, Case] = {
    case.name: case for module in (detection, identity, orientation) for case in (build() for build in module.BUILDERS)
}
