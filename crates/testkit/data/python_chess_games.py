"""Plays random games with python-chess and writes them with digests.

Usage:

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install chess==1.11.2
    /tmp/venv/bin/python python_chess_games.py > python_chess_games.txt

Each line is `start FEN | UCI moves | digest`; src/python_chess.rs says what the
digest covers. The boards are all in Chess960 mode, so that castling is spelled
king takes rook in every game; every third game starts from a Chess960 position.

Moves are drawn by kind half of the time, because plain chance rarely castles,
promotes or captures en passant. Of the generator only `random()` is used, whose
numbers are the same in every Python 3. How often each kind was played is
reported on standard error.
"""

import collections
import random
import sys

import chess

SEED = 1851
GAMES = 1100
SHORTEST, LONGEST = 60, 140
SPICE = 0.5

FNV_OFFSET = 0xCBF29CE484222325
FNV_PRIME = 0x100000001B3


def offers_en_passant(board, move):
    """Whether the move is a double step that can be answered en passant."""
    if not board.piece_type_at(move.from_square) == chess.PAWN:
        return False
    board.push(move)
    offered = board.has_legal_en_passant()
    board.pop()
    return offered


KINDS = {
    "castling": lambda board, move: board.is_castling(move),
    "en passant": lambda board, move: board.is_en_passant(move),
    "en passant offer": offers_en_passant,
    "promotion": lambda board, move: move.promotion is not None,
    "check": lambda board, move: board.gives_check(move),
    "capture": lambda board, move: board.is_capture(move),
    "pawn": lambda board, move: board.piece_type_at(move.from_square) == chess.PAWN,
    "any": lambda board, move: True,
}


def pick(rng, items):
    return items[int(rng.random() * len(items))]


def pick_move(rng, board, moves):
    if rng.random() >= SPICE:
        return pick(rng, moves)
    kinds = [[move for move in moves if is_kind(board, move)] for is_kind in KINDS.values()]
    return pick(rng, pick(rng, [kind for kind in kinds if kind]))


def fnv1a(digest, text):
    for byte in text.encode():
        digest = (digest ^ byte) * FNV_PRIME % 2**64
    return digest


def describe(board, moves):
    """What the digest sees of a position."""
    fen = board.fen(shredder=False, en_passant="legal")
    legal = ",".join(sorted(move.uci() for move in moves))
    return f"{fen}|{legal}|{int(board.is_check())}\n"


def play(rng, board, tally):
    """Plays one game on the board; returns its moves and its digest."""
    limit = SHORTEST + int(rng.random() * (LONGEST - SHORTEST))
    played, digest = [], FNV_OFFSET
    while True:
        # Sorted, so that the games do not depend on the order of generation.
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        digest = fnv1a(digest, describe(board, moves))
        tally["positions"] += 1
        tally["in check"] += board.is_check()
        if not moves:
            tally["checkmate" if board.is_check() else "stalemate"] += 1
        if not moves or len(played) == limit or chess.popcount(board.occupied) == 2:
            return played, digest
        move = pick_move(rng, board, moves)
        for name, is_kind in KINDS.items():
            tally[name] += is_kind(board, move)
        played.append(move.uci())
        board.push(move)


def main():
    rng = random.Random(SEED)
    tally = collections.Counter()
    for number in range(GAMES):
        start = int(rng.random() * 960) if number % 3 == 2 else 518
        board = chess.Board.from_chess960_pos(start)
        fen = board.fen(shredder=False)
        played, digest = play(rng, board, tally)
        print(f"{fen} | {' '.join(played)} | {digest:016x}")
    print(dict(tally), file=sys.stderr)


if __name__ == "__main__":
    main()
