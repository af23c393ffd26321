#!/usr/bin/env python3
"""Compares networks by the moves they choose with a search of two plies.

A search compares positions that are a few moves apart, so a network needs to be right about their differences
rather than about who is ahead. For each of some positions from records, another engine searches every legal
move. With a network, ours chooses the move with the highest value after the best reply and a quiescence
search, and its loss is what that move is worth less than the best one, in points. The program also prints how
far apart the values of moves are that are worth about the same: the margins of the search have to fit that.

    choices.py records.bin --judge stockfish --nodes 4000 --networks one.nnue other.nnue
"""

import argparse
import math
import random
import re
import shlex
import statistics
import subprocess
import sys

RECORD_BYTES = 32
# Positions with a higher score are decided, and left out.
MAX_SCORE = 400
# Moves that lose at most this many points count as about the same.
SIMILAR = 0.1
# The value of a mate in centipawns, less one for each move until it.
MATE = 30000


def main():
    args = parse_args()
    positions = [(fen, moves) for fen in chosen_fens(args) if len(moves := legal_moves(args, fen)) > 1]
    if len(positions) < 2:
        sys.exit(f"{args.records}: {len(positions)} positions can be used, but an error needs at least two")
    judge = Engine(args.judge)
    truths = [
        {move: points(judge.value(fen, move, f"nodes {args.nodes}"), args.scale) for move in moves}
        for fen, moves in positions
    ]
    print(f"{len(positions)} positions; the error of a difference is its standard error")
    print(f"{'network':>24} {'loss':>8} {'difference':>20} {'spread':>7}")
    first = None
    for network in args.networks:
        engine = Engine(args.engine, network)
        losses, spreads = [], []
        for (fen, moves), truth in zip(positions, truths):
            values = {move: engine.value(fen, move, "depth 2") for move in moves}
            losses.append(max(truth.values()) - truth[max(values, key=values.get)])
            similar = [values[move] for move in moves if truth[move] >= max(truth.values()) - SIMILAR]
            spreads.append(statistics.pstdev(similar))
        first = first or losses
        differences = [loss - other for loss, other in zip(losses, first)]
        error = statistics.stdev(differences) / math.sqrt(len(differences))
        difference = f"{statistics.mean(differences):+.4f} +- {error:.4f}"
        print(
            f"{network[-24:]:>24} {statistics.mean(losses):8.4f} {difference:>20} "
            f"{statistics.median(spreads):7.1f}",
            flush=True,
        )


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("records", help="file of records to choose positions from")
    parser.add_argument("--judge", default="stockfish", help="command of the engine that knows better")
    parser.add_argument("--nodes", type=int, default=4000, help="nodes of its search of each move")
    parser.add_argument("--scale", type=float, default=250, help="its centipawns per logistic unit")
    parser.add_argument("--engine", default="castellan uci", help="command that loads the networks")
    parser.add_argument("--rules", default="castellan", help="program that lists the legal moves")
    parser.add_argument("--count", type=int, default=800, help="number of positions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--networks", nargs="+", required=True, help="network files, or none")
    return parser.parse_args()


def chosen_fens(args):
    """Returns the FENs of random positions from the records, with the side to move as White."""
    with open(args.records, "rb") as file:
        data = file.read()
    if not data or len(data) % RECORD_BYTES:
        sys.exit(f"{args.records}: {len(data)} bytes are not a whole number of records")
    starts = list(range(0, len(data), RECORD_BYTES))
    random.Random(args.seed).shuffle(starts)
    fens = []
    for start in starts:
        record = data[start : start + RECORD_BYTES]
        if abs(int.from_bytes(record[24:26], "little", signed=True)) <= MAX_SCORE:
            fens.append(fen_of(record))
        if len(fens) == args.count:
            break
    return fens


def fen_of(record):
    """Returns the FEN of a record, which does not say who may castle."""
    occupied = int.from_bytes(record[:8], "little")
    codes = int.from_bytes(record[8:24], "little")
    squares = ["1"] * 64
    for square in range(64):
        if occupied >> square & 1:
            squares[square] = "PNBRQK  pnbrqk"[codes & 15]
            codes >>= 4
    ranks = ["".join(squares[8 * rank : 8 * rank + 8]) for rank in reversed(range(8))]
    return re.sub("1+", lambda ones: str(len(ones[0])), "/".join(ranks)) + " w - - 0 1"


def legal_moves(args, fen):
    command = [*shlex.split(args.rules), "perft", "1", "--divide", "--fen", fen]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.findall(r"^([a-h][1-8][a-h][1-8][nbrq]?)\b", lines, re.MULTILINE)


def points(value, scale):
    return 1 / (1 + math.exp(-max(-20, min(20, value / scale))))


class Engine:
    """A UCI engine."""

    def __init__(self, command, network="none"):
        self.command = command
        self.process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        option = f"setoption name EvalFile value {network}\n" if network != "none" else ""
        self.ask(f"uci\n{option}setoption name Hash value 1\nisready\n", "readyok")

    def ask(self, commands, last):
        lines = []
        try:
            self.process.stdin.write(commands)
        except BrokenPipeError:
            self.stop()
        while not lines or not lines[-1].startswith(last):
            lines.append(self.process.stdout.readline() or self.stop())
        return "".join(lines)

    def stop(self):
        sys.exit(f"choices.py: the engine {self.command} has stopped")

    def value(self, fen, move, limit):
        """Returns the value of a move in centipawns, after a search with the given limit."""
        self.ask("ucinewgame\nisready\n", "readyok")
        text = self.ask(f"position fen {fen}\ngo {limit} searchmoves {move}\n", "bestmove")
        kind, number = re.findall(r"score (cp|mate) (-?\d+)", text)[-1]
        number = int(number)
        if kind == "cp":
            return number
        return MATE - number if number > 0 else -MATE - number


if __name__ == "__main__":
    main()
