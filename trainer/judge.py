#!/usr/bin/env python3
"""Compares the static values of networks with the searches of a UCI engine.

Chooses positions at random from records, lets the engine search each with many nodes, and prints how far
the values of each network are from these scores and from the results of the games: roots of the mean squared
difference in points, after scaling the values of each network to fit best. It takes plain network files.

    judge.py records.bin --engine "castellan uci" --nodes 300000 --networks one.nnue other.nnue
"""

import argparse
import re
import shlex
import subprocess
import sys

import numpy as np
import torch

import network as net
from train import Data

# Positions with a higher score are decided, and left out.
MAX_SCORE = 1500
PIECE_GROUPS = [(2, 9), (10, 15), (16, 21), (22, 26), (27, 32)]


def main():
    args = parse_args()
    count = Data.count_records(args.records)
    words = np.fromfile(args.records, "<i8").reshape(count, 4)
    chosen = np.random.default_rng(args.seed).permutation(count)[: args.count]
    words = torch.from_numpy(words[np.sort(chosen)])
    boards, _, _, _, results = net.decode(words, torch.zeros(64, dtype=torch.int64))
    kings = words[:, 3] >> 24 & 63
    scores = search(args, [fen(board, king) for board, king in zip(boards[0], kings)])
    kept = np.array([score is not None and abs(score) <= MAX_SCORE for score in scores])
    scores = np.array([score for score, is_kept in zip(scores, kept) if is_kept], float)
    words, results = words[kept], results[kept].numpy()
    pieces = (words[:, 3] >> 40 & 63).numpy()
    wanted = points(scores, best_scale(scores, results))
    print(f"{len(scores)} positions; the search is {distance(wanted, results):.4f} from the results")
    groups = [(pieces >= low) & (pieces <= high) for low, high in PIECE_GROUPS]
    names = " ".join(f"{low:>3}-{high:<2}" for low, high in PIECE_GROUPS)
    print(f"{'network':>20} search results | search by pieces: {names}")
    for path in args.networks:
        whole = net.IntegerNetwork.load(path)
        views, bucket, output_bucket, _, _ = net.decode(words, torch.tensor(whole.buckets))
        values = np.asarray(whole.evaluate(views, bucket, output_bucket), float)
        found = points(values, best_scale(values, wanted))
        from_results = distance(points(values, best_scale(values, results)), results)
        parts = " ".join(
            f"{distance(found[group], wanted[group]):.4f}" if group.any() else "     -" for group in groups
        )
        print(f"{path[-20:]:>20} {distance(found, wanted):.4f} {from_results:.4f}  | {'':18}{parts}")


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("records", help="file of records to choose positions from")
    parser.add_argument("--engine", default="castellan uci", help="command of the UCI engine")
    parser.add_argument("--nodes", type=int, default=300000, help="nodes of each search")
    parser.add_argument("--count", type=int, default=1400, help="number of positions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--networks", nargs="+", required=True, help="network files")
    return parser.parse_args()


def fen(board, king):
    """Returns the FEN of a board seen from the side to move, which becomes White.

    Records do not say who may castle. Their boards are mirrored if the king is on the files e to h, which
    is undone here.
    """
    rows = board.view(8, 8)
    rows = rows.flip(1) if int(king) & 4 else rows
    texts = []
    for row in rows.flip(0).tolist():
        text = "".join("PNBRQKpnbrqk1"[piece] for piece in row)
        texts.append(re.sub("1+", lambda ones: str(len(ones[0])), text))
    return "/".join(texts) + " w - - 0 1"


def search(args, fens):
    """Returns the engine's score of each position in centipawns, or None for a mate."""
    engine = subprocess.Popen(
        shlex.split(args.engine), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )

    def ask(commands, last):
        lines = []
        try:
            engine.stdin.write(commands)
        except BrokenPipeError:
            stop()
        while not lines or not lines[-1].startswith(last):
            lines.append(engine.stdout.readline() or stop())
        return lines

    def stop():
        sys.exit(f"judge.py: the engine {args.engine} has stopped")

    ask("uci\n", "uciok")
    scores = []
    for text in fens:
        ask("ucinewgame\nisready\n", "readyok")
        lines = ask(f"position fen {text}\ngo nodes {args.nodes}\n", "bestmove")
        found = re.findall(r"score (cp|mate) (-?\d+)", "".join(lines))
        kind, score = found[-1] if found else ("mate", "0")
        scores.append(int(score) if kind == "cp" else None)
    engine.stdin.write("quit\n")
    return scores


def points(values, scale):
    return 1 / (1 + np.exp(-values * scale))


def distance(one, other):
    return np.sqrt(np.mean((one - other) ** 2))


def best_scale(values, wanted):
    scales = np.geomspace(1 / 3000, 1 / 50, 200)
    return min(scales, key=lambda scale: distance(points(values, scale), wanted))


if __name__ == "__main__":
    main()
