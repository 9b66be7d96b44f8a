"""The network behind `preprocess.compass`, for training; it runs there without torch."""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional


class Compass(nn.Module):
    """Three convolutions of stride 2 and two dense layers: a score and a bend for each patch."""

    def __init__(self, side: int, width: int = 32) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 5, stride=2, padding=2)
        self.conv2 = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.conv3 = nn.Conv2d(16, 24, 3, stride=2, padding=1)
        self.dense1 = nn.Linear(24 * (side // 8) ** 2, width)
        self.dense2 = nn.Linear(width, 2)

    def forward(self, patches: Float[Tensor, "n s s"]) -> Float[Tensor, "n 2"]:
        """Score and bend of every patch."""
        x = patches[:, None]  # n 1 s s
        for layer in (self.conv1, self.conv2, self.conv3):
            x = functional.relu(layer(x))  # halves s
        # Channels last, as the numpy twin flattens them.
        x = x.permute(0, 2, 3, 1).flatten(1)  # n (s/8)(s/8)24
        x = functional.dropout(functional.relu(self.dense1(x)), 0.1, self.training)
        return torch.as_tensor(self.dense2(x))

    def export(self) -> dict[str, np.ndarray]:
        """Weights as the numpy twin has them: convolutions ``k k in out``, dense layers ``in out``; half precision."""
        stored = {}
        for name, value in self.state_dict().items():
            array = value.detach().cpu().numpy()
            if array.ndim == 4:
                array = array.transpose(2, 3, 1, 0)
            elif array.ndim == 2:
                array = array.T
            stored[name] = np.ascontiguousarray(array).astype(np.float16)
        return stored
