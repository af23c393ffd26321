"""Grows random game trees with python-chess and writes them with digests.

Usage:

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install chess==1.11.2
    /tmp/venv/bin/python python_chess_trees.py grow
    /tmp/venv/bin/python python_chess_trees.py digest games.pgn > games.digests
    /tmp/venv/bin/python python_chess_trees.py describe games.pgn 17

The first writes python_chess_trees.pgn and python_chess_trees.digests beside
itself: games in the exporter's spelling, and for each the digest of its tree on
a line. The second writes the digests of any file, and tells on standard error
which games python-chess itself could not read to their end. The third shows what
the digest of one game, counted from 0, covers.

src/python_chess_trees.rs says what a digest covers. The games are about trees,
not about chess: variations within variations, comments before, between and
after moves, glyphs, null moves, starts from Chess960 and from positions in the
middle of a game. Of the generator only `random()` is used, whose numbers are the
same in every Python 3.
"""

import logging
import pathlib
import random
import sys

import chess
import chess.pgn

SEED = 1972
GAMES = 300
SHORTEST, LONGEST = 8, 56
DEEPEST = 4
COLUMNS = 80

FNV_OFFSET = 0xCBF29CE484222325
FNV_PRIME = 0x100000001B3

# Neither quotes nor backslashes: the exporter writes them as they are, also in tags.
WORDS = (
    "the|a|rook|knight|queen|pawn|wins|loses|holds|here|and|then|perhaps|White|Black|better|"
    "e4|Nf3|O-O|12.|1-0|(a (b) c)|;|$5|%|!?|é|žluťoučký|王|[%clk 1:02:03]|[%eval -0.35]|"
    "[%csl Ga4,Rb5]|[%cal Ge2e4]|[%emt 0:00:07]|[bracket]"
).split("|")
UNKNOWN = ("?", "????.??.??")


def below(rng, limit):
    return int(rng.random() * limit)


def pick(rng, items):
    return items[below(rng, len(items))]


def sentence(rng):
    return " ".join(pick(rng, WORDS) for _ in range(1 + below(rng, pick(rng, (3, 8, 30)))))


def grow(rng, node, board, plies, depth):
    """Plays on from a node, with variations on the way."""
    for _ in range(plies):
        # Sorted, so that the games do not depend on the order of generation.
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        if not moves:
            return
        move = pick(rng, moves)
        if depth > 0 and not board.is_check() and rng.random() < 0.02:
            move = chess.Move.null()
        main = node.add_variation(move)
        decorate(rng, main)
        while depth < DEEPEST and rng.random() < 0.09:
            branch(rng, node, board, moves, depth)
        board.push(move)
        node = main


def branch(rng, node, board, moves, depth):
    move = pick(rng, moves)
    twig = node.add_variation(move)
    decorate(rng, twig)
    if rng.random() < 0.25:
        twig.starting_comment = sentence(rng)
    twig_board = board.copy(stack=False)
    twig_board.push(move)
    grow(rng, twig, twig_board, below(rng, 9), depth + 1)


def decorate(rng, node):
    if rng.random() < 0.08:
        node.comment = sentence(rng)
    while rng.random() < 0.1:
        node.nags.add(1 + below(rng, pick(rng, (6, 20, 139))))


def start(rng, number):
    """The normal start, a Chess960 start, or a position after random moves."""
    kind = number % 4
    if kind == 2:
        return chess.Board.from_chess960_pos(below(rng, 960))
    board = chess.Board()
    if kind == 3:
        for _ in range(30 + below(rng, 60)):
            moves = sorted(board.legal_moves, key=chess.Move.uci)
            if not moves:
                return start(rng, number)
            board.push(pick(rng, moves))
        if board.is_game_over():
            return start(rng, number)
    return board.copy(stack=False)


def grow_game(rng, number):
    board = start(rng, number)
    game = chess.pgn.Game()
    if number % 4 >= 2:
        game.setup(board)
    game.headers["Event"] = f"Tree {number}"
    game.headers["White"] = pick(rng, ("Ash", "Birch, B.", "Čiernik", "Dorn"))
    game.headers["Black"] = pick(rng, ("Elm", "Fir", "Göttingen", "?"))
    game.headers["Result"] = pick(rng, ("1-0", "0-1", "1/2-1/2", "*"))
    if rng.random() < 0.3:
        game.headers["Annotator"] = sentence(rng)
    if rng.random() < 0.3:
        game.comment = sentence(rng)
    grow(rng, game, board, SHORTEST + below(rng, LONGEST - SHORTEST), 0)
    return game


def decode(text):
    """A text that is not UTF-8 as a whole is Latin-1 as a whole."""
    source = text.encode("utf-8", "surrogateescape")
    try:
        return source.decode("utf-8")
    except UnicodeDecodeError:
        return source.decode("latin-1")


def normal(text):
    """Any white space counts as one blank, at the ends as nothing."""
    return " ".join(decode(text).split())


def describe(game):
    """What the digest sees of a game, line by line."""
    for name, value in sorted(game.headers.items()):
        if name != "Result" and value not in UNKNOWN:
            yield f"{name}={decode(value)}\n"
    yield f"{game.headers.get('Result', '*')}\n"
    yield f"|{nags(game)}||{normal(game.comment)}\n"
    board = game.board()
    # Nodes yet to be described, the next one last; nothing takes the last move back.
    stack = [(node, 1, index) for index, node in enumerate(game.variations)][::-1]
    while stack:
        entry = stack.pop()
        if entry is None:
            board.pop()
            continue
        node, ply, index = entry
        move = board.uci(node.move, chess960=True)
        before, after = normal(node.starting_comment), normal(node.comment)
        yield f"{ply} {index} {move}|{nags(node)}|{before}|{after}\n"
        board.push(node.move)
        stack.append(None)
        children = [(child, ply + 1, index) for index, child in enumerate(node.variations)]
        stack.extend(children[::-1])


def nags(node):
    return ",".join(str(nag) for nag in sorted(node.nags))


def digest(game):
    value = FNV_OFFSET
    for line in describe(game):
        for byte in line.encode():
            value = (value ^ byte) * FNV_PRIME % 2**64
    return f"{value:016x}"


def write_trees():
    rng = random.Random(SEED)
    base = pathlib.Path(__file__).with_suffix("")
    texts, digests = [], []
    for number in range(GAMES):
        game = grow_game(rng, number)
        text = game.accept(chess.pgn.StringExporter(columns=COLUMNS))
        texts.append(text + "\n\n")
        digests.append(digest(game) + "\n")
    base.with_suffix(".pgn").write_text("".join(texts), encoding="utf-8")
    base.with_suffix(".digests").write_text("".join(digests), encoding="ascii")


def write_digests(path, shown):
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
    with open(path, encoding="utf-8-sig", errors="surrogateescape") as source:
        number = 0
        while (game := chess.pgn.read_game(source)) is not None:
            if shown == number:
                sys.stdout.writelines(describe(game))
            if shown is None:
                print(digest(game))
            if game.errors:
                print(f"game {number}: {game.errors}", file=sys.stderr)
            number += 1


def main():
    match sys.argv[1:]:
        case ["grow"]:
            write_trees()
        case ["digest", path]:
            write_digests(path, None)
        case ["describe", path, number]:
            write_digests(path, int(number))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
