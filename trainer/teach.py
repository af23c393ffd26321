#!/usr/bin/env python3
"""Trains the teacher, and lets it label records.

The teacher (teacher.py) learns from records whose scores come from searches. Its labels replace these
scores in records of any number of positions, for a network of the engine to learn from.

    teach.py train RECORDS... --base NETWORK --validate RECORDS --out teacher.pt --seconds 400
    teach.py label RECORDS... --teacher teacher.pt --out labeled.bin
    teach.py speed --base NETWORK
"""

import argparse
import math
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

import network as net
from teacher import Teacher, played_moves, points
from train import Data, Log, Sampler, random_words

# Weights of what the teacher learns: the score, the result, and the move.
SCORE_WEIGHT, RESULT_WEIGHT, MOVE_WEIGHT = 8.0, 0.5, 0.15
# The exponent of the errors that are printed, as in train.py.
POWER = 2.0
# The largest label in centipawns.
MAX_LABEL = 3000
# Records that are read and labeled at a time.
CHUNK = 1 << 20


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = True
    args.device = torch.device(args.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    return {"train": train, "label": label, "speed": speed}[args.command](args)


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=["train", "label", "speed"])
    add = parser.add_argument
    add("data", nargs="*", help="files of records")
    add("--out", help="file for the teacher, or for the labeled records")
    add("--base", help="network file that the teacher starts from")
    add("--channels", type=int, default=128)
    add("--blocks", type=int, default=6)
    add("--start", help="teacher to continue from, instead of --base")
    add("--teacher", help="teacher that labels")
    add("--result-weight", type=float, default=0.2, help="weight of the expected result in a label")
    add("--validate", help="file of records for validation")
    add("--max-validation", type=int, default=1 << 18, help="maximum validation positions")
    add("--seconds", type=float,
        help="total time of the training, including loading; or time after which no more records are labeled")
    add("--steps", type=int, help="number of steps, instead of --seconds")
    add("--batch", type=int, default=4096)
    add("--lr", type=float, default=2e-3, help="maximum learning rate")
    add("--weight-decay", type=float, default=0.02)
    add("--log", help="file for the log, with one JSON object per line")
    add("--no-compile", action="store_true", help="do not use torch.compile")
    add("--seed", type=int, default=1)
    add("--device")
    args = parser.parse_intermixed_args()
    needs = {"train": ["data", "out"], "label": ["data", "out", "teacher"], "speed": ["base"]}
    for name in needs[args.command]:
        if not getattr(args, name):
            parser.error(f"{args.command} needs {name if name == 'data' else '--' + name}")
    if args.command == "train" and not (args.base or args.start):
        parser.error("train needs --base or --start")
    if args.command == "train" and not (args.seconds or args.steps):
        parser.error("train needs --seconds or --steps")
    return args


def compiled(function, args):
    is_wanted = args.device.type == "cuda" and not args.no_compile
    return torch.compile(function, dynamic=False) if is_wanted else function


class Lesson:
    """One training step of a teacher."""

    def __init__(self, teacher, args):
        self.args = args
        self.teacher = teacher.to(args.device)
        self.trunk = teacher.trunk.to(memory_format=torch.channels_last)
        groups = [[], []]
        for weight in self.trunk.parameters():
            groups[weight.dim() < 2].append(weight)
        is_card = args.device.type == "cuda"
        self.optimizer = torch.optim.AdamW(
            [{"params": groups[0]}, {"params": groups[1], "weight_decay": 0.0}],
            lr=args.lr, weight_decay=args.weight_decay, fused=is_card,
        )
        self.inputs = compiled(self.inputs, args)
        self.losses = compiled(self.losses, args)

    def inputs(self, words):
        return *self.teacher.base(words), played_moves(words)

    def losses(self, boards, active, base, score, result, move):
        added, result_logits, move_logits = self.trunk(boards, active, True)
        distance = torch.sigmoid(base + added) - torch.sigmoid(score / net.SCORE_SCALE)
        # The loss ignores unknown results, by this number.
        result_class = torch.where(result > 1, -100, (result * 2).long())
        return (
            distance.square().mean(),
            F.cross_entropy(result_logits, result_class),
            F.cross_entropy(move_logits.float(), move),
        )

    def step(self, words, lr):
        args = self.args
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        with torch.no_grad():
            inputs = self.inputs(words)
        with torch.autocast(args.device.type, torch.bfloat16, enabled=args.device.type == "cuda"):
            losses = self.losses(*inputs)
        score, result, move = losses
        self.optimizer.zero_grad(set_to_none=True)
        (SCORE_WEIGHT * score + RESULT_WEIGHT * result + MOVE_WEIGHT * move).backward()
        torch.nn.utils.clip_grad_norm_(self.trunk.parameters(), 1.0)
        self.optimizer.step()
        return torch.stack([loss.detach() for loss in losses])


class Labeler:
    """Computes labels with a teacher that does not learn anymore."""

    def __init__(self, teacher, args):
        self.args = args
        self.teacher = teacher.to(args.device).eval()
        self.teacher.trunk.to(memory_format=torch.channels_last)
        self.forward = compiled(self.forward, args)

    def forward(self, words):
        boards, active, base, _, _ = self.teacher.base(words)
        added, result_logits, _ = self.teacher.trunk(boards, active, False)
        output = base + added
        return output, base, points(output, result_logits, self.args.result_weight)

    @torch.no_grad()
    def run(self, words):
        """Returns for each record the teacher's score, that of its base, and the expected points."""
        args, found = self.args, []
        for part in words.split(args.batch):
            missing = args.batch - len(part)
            # Compiled functions work for one size only.
            whole = torch.cat((part, part[:1].expand(missing, 4))) if missing else part
            with torch.autocast(args.device.type, torch.bfloat16, enabled=args.device.type == "cuda"):
                values = self.forward(whole.to(args.device))
            found.append(torch.stack([value.float()[: len(part)] for value in values]))
        return torch.cat(found, 1)


def validate(teacher, words, args, labeler=None):
    """Returns the errors of the teacher and of its base, by the formulas of train.py."""
    labeler = labeler or Labeler(teacher, args)
    output, base, expected = labeler.run(words)
    labels = words[:, 3]
    score = ((labels << 48) >> 48).float() / net.SCORE_SCALE
    result = ((labels >> 16) & 255).float() / 2
    wanted = net.target(score, result, args.result_weight, 1)

    def roots(points):
        return round((points - torch.sigmoid(score)).square().mean().sqrt().item(), 5)

    def loss(points):
        return round((points - wanted).abs().pow(POWER).mean().item(), 6)

    return {
        "loss": loss(expected), "base_loss": loss(torch.sigmoid(base)),
        "from_scores": roots(torch.sigmoid(output)), "base_from_scores": roots(torch.sigmoid(base)),
    }


def train(args):
    begin = time.monotonic()
    log = Log(args.log)
    data_args = argparse.Namespace(**vars(args), validation=0.01)
    data = Data(data_args, args.device)
    log.write("start", config={k: str(v) for k, v in vars(args).items()}, records=len(data.train))
    if args.start:
        teacher = Teacher.load(args.start)
    else:
        teacher = Teacher.above(args.base, args.channels, args.blocks)
    lesson = Lesson(teacher, args)
    sampler = Sampler(len(data.train), args.batch, args.device)
    index = torch.zeros(args.batch, dtype=torch.int64, device=args.device)
    sums = torch.zeros(3, device=args.device)
    steps, last_steps, progress, next_report = 0, 0, 0.0, 0.0
    first = last = None
    while progress < 1.0:
        warm = min(1.0, 0.02 + progress / 0.03)
        lr = args.lr * max(warm * 0.5 * (1 + math.cos(math.pi * progress)), 1e-3)
        sampler.next_into(index)
        sums += lesson.step(data.train[index], lr)
        steps += 1
        if steps % 10 == 0 or args.steps:
            if args.device.type == "cuda":
                torch.cuda.synchronize()
            now = time.monotonic() - begin
            # The schedule begins when the functions are compiled.
            first = first or now
            if args.steps:
                progress = steps / args.steps
            else:
                progress = max(progress, (now - first) / max(args.seconds - first, 1e-3))
            if progress >= next_report or progress >= 1.0:
                losses = [round(part, 5) for part in (sums / (steps - last_steps)).tolist()]
                rate = round((steps - last_steps) * args.batch / max(now - (last or first), 1e-3))
                log.write(
                    "progress", progress=round(progress, 4), seconds=round(now, 1), steps=steps, losses=losses,
                    passes=round(steps * args.batch / len(data.train), 3), positions_per_s=rate,
                )
                if not all(math.isfinite(part) for part in losses):
                    sys.exit("teach.py: the loss is not a number; try a lower --lr")
                sums.zero_()
                last, last_steps, next_report = now, steps, progress + 0.02
    teacher.save(args.out)
    log.write("validation", **validate(teacher, data.validation, args))
    return 0


def label(args):
    labeler = Labeler(Teacher.load(args.teacher), args)
    begin, done = time.monotonic(), 0
    with open(args.out, "wb") as out:
        for path in args.data:
            count = Data.count_records(path)
            with open(path, "rb") as file:
                for start in range(0, count, CHUNK):
                    if args.seconds and time.monotonic() - begin > args.seconds:
                        print(f"{path}: stopped at record {start} of {count}", flush=True)
                        return 0
                    words = np.fromfile(file, "<i8", 4 * min(CHUNK, count - start)).reshape(-1, 4)
                    out.write(relabeled(labeler, torch.from_numpy(words)).numpy().tobytes())
                    done += len(words)
            seconds = time.monotonic() - begin
            print(f"{path}: {count} records; {done / seconds:.0f} a second", flush=True)
    return 0


def relabeled(labeler, words):
    """Returns records whose scores are the labels of the teacher."""
    expected = labeler.run(words)[2].double()
    centipawns = torch.logit(expected, 1e-9) * net.SCORE_SCALE
    labels = centipawns.clamp(-MAX_LABEL, MAX_LABEL).round().long().cpu() & 0xFFFF
    words = words.clone()
    words[:, 3] = (words[:, 3] & ~0xFFFF) | labels
    return words


def speed(args):
    """Measures how many positions a second a new teacher learns from and labels."""
    words = torch.from_numpy(random_words(1 << 18)).to(args.device)
    teacher = Teacher.above(args.base, args.channels, args.blocks)
    lesson = Lesson(teacher, args)
    wait = torch.cuda.synchronize if args.device.type == "cuda" else lambda: None
    batches = words.split(args.batch)
    begin = time.monotonic()
    lesson.step(batches[0], 1e-4)
    wait()
    compiling = time.monotonic() - begin
    begin = time.monotonic()
    for batch in batches:
        lesson.step(batch, 1e-4)
    wait()
    learned = time.monotonic() - begin
    labeler = Labeler(teacher, args)
    labeler.run(batches[0])
    wait()
    begin = time.monotonic()
    labeler.run(words)
    wait()
    labeled = time.monotonic() - begin
    print(
        f"{args.channels} channels, {args.blocks} blocks: compiled in {compiling:.1f} s, learns from "
        f"{len(words) / learned:.0f} and labels {len(words) / labeled:.0f} positions a second"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
