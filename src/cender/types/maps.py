"""What a dense network says about the frames of a volume."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32, Int

CELL = 2
"""Side of the square of map pixels that one pixel of the network's last layer speaks for."""


@dataclass(frozen=True, slots=True)
class Maps:
    """Maps of every frame, at half the lateral size of the frames, kept as the network gives them.

    ``packed`` holds ``m a b z y x``: pixel ``(z, 2y + a, 2x + b)`` of map ``m``. Unpacking all would take longer than
    finding the peaks of two of them.
    """

    packed: Float32[np.ndarray, "m 2 2 z y x"]

    @classmethod
    def pack(cls, whole: Float32[np.ndarray, "z m yh xh"]) -> "Maps":
        """The same maps from whole ones."""
        frames, count, rows, columns = whole.shape
        cells = whole.reshape(frames, count, rows // CELL, CELL, columns // CELL, CELL)
        return cls(np.ascontiguousarray(cells.transpose(1, 3, 5, 0, 2, 4)))

    def unpack(self, number: int) -> Float32[np.ndarray, "z yh xh"]:
        """One map, all of it."""
        frames, rows, columns = self.packed.shape[3:]
        whole = np.empty((frames, rows, CELL, columns, CELL), np.float32)
        for down in range(CELL):
            for right in range(CELL):
                whole[:, :, down, :, right] = self.packed[number, down, right]
        return whole.reshape(frames, CELL * rows, CELL * columns)

    def read(
        self, z: Int[np.ndarray, " n"], y: Int[np.ndarray, " n"], x: Int[np.ndarray, " n"]
    ) -> Float32[np.ndarray, "n m"]:
        """What all maps say at these places."""
        return self.packed[:, y % CELL, x % CELL, z, y // CELL, x // CELL].T
