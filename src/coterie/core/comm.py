"""What those who each hold some of the rows tell each other."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value")


class Communicator(Protocol):
    """Puts together what every holder of rows has; all of them get the same answer."""

    def sum(self, array: NDArray[Any]) -> NDArray[Any]:
        """Add up everybody's arrays, entry by entry."""
        ...

    def max(self, array: NDArray[Any]) -> NDArray[Any]:
        """Take the largest of everybody's arrays, entry by entry."""
        ...

    def gather(self, value: Value) -> list[Value]:
        """List everybody's values, in the order of the rows they hold."""
        ...


class Alone:
    """One holder of all rows: there is nobody to ask."""

    def sum(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the array as it is."""
        return np.asarray(array)

    def max(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the array as it is."""
        return np.asarray(array)

    def gather(self, value: Value) -> list[Value]:
        """Return a list of the one value."""
        return [value]
