"""The seven objects of Strehl & Ghosh (2002), clustered four times."""

import numpy as np

LABELS = np.array(
    [
        [1, 1, 1, 2, 2, 3, 3],
        [2, 2, 2, 3, 3, 1, 1],
        [1, 1, 2, 2, 3, 3, 3],
        [1, 2, -1, 1, 2, -1, -1],
    ]
)
EXPECTED = [0, 0, 0, 1, 1, 2, 2]
