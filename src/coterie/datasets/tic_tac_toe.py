"""The tic-tac-toe end-game table, generated from the rules of the game."""

from collections.abc import Iterator
from itertools import product

LINES = (
    *((0, 1, 2), (3, 4, 5), (6, 7, 8)),
    *((0, 3, 6), (1, 4, 7), (2, 5, 8)),
    *((0, 4, 8), (2, 4, 6)),
)
NAMES = tuple(
    f"{row}_{column}"
    for row in ("top", "middle", "bottom")
    for column in ("left", "centre", "right")
)


def has_line(board: tuple[str, ...], player: str) -> bool:
    """Whether the player holds three squares in a row."""
    return any(all(board[square] == player for square in line) for line in LINES)


def is_final(board: tuple[str, ...]) -> bool:
    """Whether a game in which x moves first can end on this board.

    Either x has just won, or o has just won, or the board is full and nobody has.
    """
    x, o = board.count("x"), board.count("o")
    lines = has_line(board, "x"), has_line(board, "o")
    return (lines, x - o) in (((True, False), 1), ((False, True), 0)) or (
        lines == (False, False) and (x, o) == (5, 4)
    )


def end_games() -> Iterator[tuple[str, ...]]:
    """All 958 final boards, row by row from the top left, each followed by its label.

    A square holds ``x``, ``o`` or ``b`` (blank); the label is ``positive`` when x
    has won. Positive boards come first, then in the order x < o < b of squares.
    """
    boards = [board for board in product("xob", repeat=9) if is_final(board)]
    for won, label in ((True, "positive"), (False, "negative")):
        for board in boards:
            if has_line(board, "x") is won:
                yield (*board, label)
