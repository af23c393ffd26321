#!/usr/bin/env python3
"""Trains the network on records that `castellan-trainer records` wrote.

All records are in GPU memory. A step samples records there, converts them to features there, and is
replayed as one CUDA graph. The folder given by --out receives the network (network.nnue), a
checkpoint to resume from (checkpoint.pt) and a log with one JSON object per line (log.jsonl).
Without a GPU it runs on the CPU, for tests.

    train.py DATA... --out FOLDER --hidden 512 --seconds 600
    train.py --selftest
    train.py --benchmark --hidden 512
"""

import argparse
import hashlib
import json
import math
import os
import sys
import threading
import time

import numpy as np
import torch

import first_layer
import network as net

# Seconds between two checks of the clock, which wait for the GPU.
CLOCK_INTERVAL = 0.2
# Share of the time after which training stops; the rest is for the last validation and the export.
TIME_USED = 0.98
# Factor for the loss before the gradients are computed, so that half-precision floats can represent
# them. AdamW divides it out again.
LOSS_SCALE = 2.0**20
# Scores up to which a position counts as balanced when the size of the values is measured.
BALANCED = 150


def main():
    args = parse_args()
    if args.selftest:
        import selftest

        return selftest.run()
    torch.manual_seed(args.seed)
    torch.set_float32_matmul_precision("high")
    device = torch.device(args.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    if args.benchmark:
        return benchmark(args, device)
    if not args.data:
        sys.exit("train.py: name at least one file of records")
    return Training(args, device).run()


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("data", nargs="*", help="files of training records")
    add("--out", default="run", help="folder for the network, the checkpoint and the log")
    add("--name", help="name of the run in the network file; by default the folder's name")
    add("--hidden", type=int, default=512, help="neurons for each side, a multiple of 64")
    add("--buckets", default="1", help="king buckets: 1, 2, 4, 8, 16, or 32 numbers (a1-d1 first)")
    add("--no-factorizer", action="store_true", help="do not share weights among king buckets")
    add("--seconds", type=float, help="total time, including loading")
    add("--steps", type=int, help="number of steps, instead of --seconds")
    add("--batch", type=int, default=16384)
    add("--lr", type=float, default=1e-3, help="maximum learning rate")
    add("--lr-end", type=float, default=1e-5, help="final learning rate")
    add("--schedule", choices=["cosine", "step"], default="cosine")
    add("--warmup", type=float, default=0.02, help="fraction of the training spent on warmup")
    add("--weight-decay", type=float, default=0.01)
    add("--bucket-decay", type=float, help="weight decay for what a king bucket adds to the shared "
        "weights; by default --weight-decay")
    add("--result-weight", default="0.3", help="weight of the result in the target: START[:END]")
    add("--endgame-result-weight", type=float,
        help="weight of the result in positions with at most nine pieces; in positions with more, it "
        "falls to --result-weight, which is reached at 26 pieces")
    add("--score-scale", type=float, default=154,
        help="centipawns of the scores per logistic unit of expected points; the smaller, the less differences "
        "between decided positions matter")
    add("--power", type=float, default=2.0, help="exponent of the error")
    add("--validation", type=float, default=0.01, help="fraction of each file for validation")
    add("--max-validation", type=int, default=1 << 20, help="maximum validation positions")
    add("--validate", help="file of records for validation, instead of a fraction of the data")
    add("--resume", help="checkpoint to start from")
    add("--from", dest="start", help="network file whose weights to start from")
    add("--keep-scale", action="store_true",
        help="scale the outputs so that values are as large as those of the network of --from")
    add("--rounded", type=float, default=0.0,
        help="fraction of the training, at its end, with weights rounded as in the network file")
    add("--seed", type=int, default=1)
    add("--device")
    add("--first-layer", choices=["auto", "dense", "bag", "tiled"], default="auto")
    add("--no-compile", action="store_true", help="do not use torch.compile")
    add("--no-graph", action="store_true", help="do not use CUDA graphs")
    add("--selftest", action="store_true", help="compare with slow references and exit")
    add("--benchmark", action="store_true", help="measure speed on random positions and exit")
    args = parser.parse_args()
    if args.hidden % 64 or not 64 <= args.hidden <= 2048:
        parser.error("--hidden must be a multiple of 64 from 64 to 2048")
    if args.keep_scale and not args.start:
        parser.error("--keep-scale needs --from")
    if not 0 <= args.rounded <= 1:
        parser.error("--rounded must be from 0 to 1")
    return args


class Log:
    """Writes JSON lines to a file, and to the terminal."""

    def __init__(self, path):
        self.file = open(path, "a") if path else None

    def write(self, event, **fields):
        text = json.dumps({"event": event, **fields})
        print(text, flush=True)
        if self.file:
            self.file.write(text + "\n")
            self.file.flush()


class Data:
    """Records in GPU memory, as four 64-bit words each: for training and for validation."""

    def __init__(self, args, device):
        sizes = [self.count_records(path) for path in args.data]
        most = args.max_validation / len(sizes)
        kept = [int(min(most, math.ceil(size * args.validation))) for size in sizes]
        if args.validate:
            kept = [0] * len(sizes)
        self.train = torch.empty(sum(sizes) - sum(kept), 4, dtype=torch.int64, device=device)
        self.validation = torch.empty(sum(kept), 4, dtype=torch.int64, device=device)
        self.files = []
        at, validation_at = 0, 0
        for path, size, count in zip(args.data, sizes, kept):
            with open(path, "rb") as file:
                self.fill(file, self.train[at : at + size - count])
                self.fill(file, self.validation[validation_at : validation_at + count])
            at += size - count
            validation_at += count
            self.files.append({"file": path, "records": size, "validation": count})
        if args.validate:
            count = min(self.count_records(args.validate), args.max_validation)
            self.validation = torch.empty(count, 4, dtype=torch.int64, device=device)
            with open(args.validate, "rb") as file:
                self.fill(file, self.validation)
            self.files.append({"file": args.validate, "records": 0, "validation": count})
        if not len(self.train):
            sys.exit("train.py: there are no records to train on")
        self.hashing = threading.Thread(target=self.hash_files, daemon=True)
        self.hashing.start()

    @staticmethod
    def count_records(path):
        size = os.path.getsize(path)
        if size % net.RECORD_BYTES or size == 0:
            sys.exit(f"{path}: {size} bytes are not a whole number of records")
        return size // net.RECORD_BYTES

    @staticmethod
    def fill(file, tensor, chunk=1 << 22):
        for start in range(0, len(tensor), chunk):
            part = tensor[start : start + chunk]
            words = np.fromfile(file, "<i8", part.numel())
            part.copy_(torch.from_numpy(words).view(-1, 4))

    def hash_files(self):
        for entry in self.files:
            with open(entry["file"], "rb") as file:
                entry["sha256"] = hashlib.file_digest(file, "sha256").hexdigest()


class Sampler:
    """Random batches without repetition: a new permutation for every pass over the data."""

    def __init__(self, count, batch, device):
        self.count, self.batch, self.device = count, batch, device
        self.at, self.passes, self.order = 0, -1, None

    def next_into(self, index):
        if self.order is None or self.at + self.batch > self.count:
            self.passes += 1
            self.at = 0
            if self.count >= self.batch:
                self.order = None
                self.order = torch.randperm(self.count, device=self.device)
            else:
                # Fewer records than one batch happen only in tests.
                self.order = torch.randint(self.count, (self.batch,), device=self.device)
        index.copy_(self.order[self.at : self.at + self.batch])
        self.at += self.batch


def choose_layer(args, device, log):
    """Picks the first layer. The kernels are used only if they agree with the slow layer here."""
    count = net.bucket_map(args.buckets)[1]
    name = args.first_layer
    if name == "auto":
        name = "dense" if count == 1 else "tiled" if device.type == "cuda" else "bag"
        if name == "tiled" and not tiled_agrees(args.hidden, count, device, log):
            name = "bag"
    log.write("first_layer", name=name)
    return getattr(first_layer, name)


def tiled_agrees(hidden, count, device, log):
    try:
        boards, bucket = random_boards(3000, count, device)
        weight = (torch.rand(count, 768, hidden, device=device) - 0.5).requires_grad_()
        slopes = torch.randn(2, 3000, hidden, device=device)
        results = []
        for layer in (first_layer.bag, first_layer.tiled):
            weight.grad = None
            sums = layer(boards, bucket, weight)
            (sums.float() * slopes).sum().backward()
            results.append((sums.detach().float(), weight.grad.clone()))
        errors = [
            ((one - other).norm() / one.norm()).item() for one, other in zip(results[0], results[1])
        ]
        log.write("tiled_check", errors=errors)
        return max(errors) < 0.01
    except Exception as error:  # After any failure of a compiler or driver, the slow layer still works.
        log.write("tiled_check", failed=repr(error)[:2000])
        return False


def random_boards(n, count, device):
    boards = torch.randint(0, 3 * first_layer.PIECES, (2, n, 64), device=device)
    boards = boards.clamp(max=first_layer.PIECES).to(torch.uint8)
    return boards, torch.randint(0, count, (2, n), device=device)


class Trainer:
    """One training step: the model, the optimizer, and their compiled and captured functions."""

    def __init__(self, args, device, log, words):
        self.args, self.device, self.log, self.words = args, device, log, words
        self.model = net.Network(args.hidden, args.buckets, not args.no_factorizer).to(device)
        self.layer = choose_layer(args, device, log)
        self.decode, self.head = net.decode, net.head
        self.index = torch.zeros(args.batch, dtype=torch.int64, device=device)
        self.lr = torch.tensor(0.0, device=device)
        self.result_weight = torch.tensor(0.0, device=device)
        # Factor for the scores of the records; see `Training.begin_rounding`.
        self.score_factor = torch.tensor(1.0, device=device)
        self.loss_sum = torch.zeros((), device=device, dtype=torch.float64)
        is_card = device.type == "cuda"
        self.optimizer = torch.optim.AdamW(
            self.parameter_groups(),
            lr=self.lr,
            eps=1e-8 * LOSS_SCALE,
            weight_decay=args.weight_decay,
            fused=is_card,
            capturable=is_card,
        )
        self.graph = None

    def parameter_groups(self):
        """Returns the parameters, those that differ among king buckets with their own decay."""
        model, args = self.model, self.args
        if model.shared is None or args.bucket_decay is None:
            return [{"params": list(model.parameters())}]
        others = [one for one in model.parameters() if one is not model.weight]
        decayed = {"params": [model.weight], "weight_decay": args.bucket_decay}
        return [decayed, {"params": others}]

    def errors(self, words):
        """Returns the distance of each output from its target and from its score alone, and the output
        buckets."""
        args = self.args
        boards, bucket, output_bucket, score, result = self.decode(words, self.model.buckets)
        outputs = self.model(boards, bucket, output_bucket, self.layer, self.head)
        # Positions from search trees have no result. In them the side to move is better off than it looks,
        # because the move before was often a mistake; the offset keeps that out of the weights.
        # Gathering from rows has a faster gradient than indexing with repeated numbers.
        offsets = self.model.tree_offset.expand(len(result), -1).gather(1, output_bucket.unsqueeze(1))
        outputs = outputs + (result > 1) * offsets.squeeze(1)
        score = score * self.score_factor
        weight = self.result_weight
        if args.endgame_result_weight is not None:
            share = net.endgame_share(output_bucket)
            weight = weight + (args.endgame_result_weight - weight) * share
        wanted = net.target(score, result, weight, args.score_scale)
        points = torch.sigmoid(outputs * (net.SCORE_SCALE / args.score_scale))
        from_score = points - torch.sigmoid(score / args.score_scale)
        return (points - wanted).abs(), from_score, output_bucket

    def loss(self, words):
        return self.errors(words)[0].pow(self.args.power).mean()

    def plain_step(self):
        loss = self.loss(self.words[self.index])
        self.optimizer.zero_grad(set_to_none=True)
        (loss * LOSS_SCALE).backward()
        self.optimizer.step()
        self.model.clip()
        self.loss_sum.add_(loss.detach())

    def prepare(self):
        """Compiles and captures the step, as far as this machine supports it."""
        if self.device.type != "cuda":
            return
        if not self.args.no_compile:
            self.try_compile()
        if not self.args.no_graph:
            self.try_capture()

    def try_compile(self):
        plain = self.decode, self.head
        try:
            self.decode = torch.compile(net.decode, dynamic=False)
            self.head = torch.compile(net.head, dynamic=False)
            self.plain_step()
            torch.cuda.synchronize()
        except Exception as error:  # After any failure of a compiler, the plain functions still work.
            self.log.write("compile", failed=repr(error)[:2000])
            self.decode, self.head = plain

    def try_capture(self):
        try:
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                for _ in range(3):
                    self.plain_step()
            torch.cuda.current_stream().wait_stream(stream)
            self.optimizer.zero_grad(set_to_none=True)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self.plain_step()
            self.graph = graph
        except Exception as error:  # A step that cannot be captured still runs.
            self.log.write("capture", failed=repr(error)[:2000])
            torch.cuda.synchronize()
            self.graph = None

    def step(self):
        if self.graph is None:
            self.plain_step()
        else:
            self.graph.replay()

    @torch.no_grad()
    def validate(self, words):
        """Returns the mean loss over records, by the same formula as in training, the root of the mean
        squared distance from the scores alone, and the root of the mean squared error for each output
        bucket, those with few pieces first."""
        total, from_scores = 0.0, 0.0
        squares, counts = (torch.zeros(net.OUTPUT_BUCKETS, device=self.device) for _ in range(2))
        plain = self.decode, self.head
        # The compiled functions work for one batch size only.
        self.decode, self.head = net.decode, net.head
        for part in words.split(self.args.batch):
            errors, from_score, output_bucket = self.errors(part)
            total += errors.pow(self.args.power).sum().item()
            from_scores += from_score.square().sum().item()
            squares.index_add_(0, output_bucket, errors.square().float())
            counts.index_add_(0, output_bucket, torch.ones_like(errors).float())
        self.decode, self.head = plain
        roots = (squares / counts.clamp(min=1)).sqrt()
        count = max(len(words), 1)
        rounded = [round(root, 4) for root in roots.tolist()]
        return total / count, math.sqrt(from_scores / count), rounded


class Training:
    """A training run: data, schedule, log, and the files that it writes at the end."""

    def __init__(self, args, device):
        self.start = time.monotonic()
        self.args, self.device = args, device
        os.makedirs(args.out, exist_ok=True)
        self.log = Log(os.path.join(args.out, "log.jsonl"))
        name = torch.cuda.get_device_name() if device.type == "cuda" else "cpu"
        self.log.write(
            "start", time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), device=name,
            torch=torch.__version__, config=vars(args),
        )
        if not args.seconds and not args.steps:
            sys.exit("train.py: give --seconds or --steps")
        weights = [float(part) for part in args.result_weight.split(":")]
        self.result_weights = (weights[0], weights[-1])
        self.data = Data(args, device)
        self.log.write(
            "data", train=len(self.data.train), validation=len(self.data.validation),
            seconds=self.elapsed(),
        )
        self.trainer = Trainer(args, device, self.log, self.data.train)
        self.sampler = Sampler(len(self.data.train), args.batch, device)
        self.steps = 0
        if args.resume:
            self.load(args.resume)
        if args.start:
            self.start_from(args.start)

    def elapsed(self):
        return round(time.monotonic() - self.start, 3)

    def load(self, path):
        state = torch.load(path, map_location=self.device, weights_only=True)
        self.trainer.model.load_state_dict(state["model"])
        self.trainer.optimizer.load_state_dict(state["optimizer"])
        is_card = self.device.type == "cuda"
        for group in self.trainer.optimizer.param_groups:
            group.update(lr=self.trainer.lr, fused=is_card, capturable=is_card)
        self.log.write("resume", checkpoint=path, steps=state["steps"])

    def start_from(self, path):
        self.trainer.model.start_from(net.IntegerNetwork.load(path))
        self.start_slope = self.slope()
        self.log.write("from", network=path, slope=self.start_slope)
        self.report_validation()

    @torch.no_grad()
    def slope(self):
        """Returns how large the values are compared with the scores, in balanced positions."""
        trainer, products, squares = self.trainer, 0.0, 0.0
        for words in self.data.validation.split(self.args.batch):
            boards, bucket, output_bucket, score, _ = net.decode(words, trainer.model.buckets)
            outputs = trainer.model(boards, bucket, output_bucket, trainer.layer, net.head)
            score = score * (score.abs() <= BALANCED)
            products += (outputs * net.SCALE * score).sum().item()
            squares += score.square().sum().item()
        return products / max(squares, 1.0)

    def run(self):
        trainer = self.trainer
        self.schedule(0.0)
        self.sampler.next_into(trainer.index)
        trainer.prepare()
        trainer.loss_sum.zero_()
        self.first = self.elapsed()
        self.log.write("prepared", seconds=self.first, graph=trainer.graph is not None)
        progress, next_report, next_validation, last = 0.0, 0.0, 0.05, (0, self.first)
        steps_per_look = 1
        is_rounding = False
        while progress < 1.0:
            if not is_rounding and progress >= 1.0 - self.args.rounded:
                is_rounding = True
                self.begin_rounding()
            steps, look = steps_per_look, self.elapsed()
            if self.args.steps:
                steps = min(steps, self.args.steps - self.steps)
            for _ in range(steps):
                self.sampler.next_into(trainer.index)
                trainer.step()
            self.steps += steps
            if self.device.type == "cuda":
                torch.cuda.synchronize()
            taken = max(self.elapsed() - look, 1e-3)
            steps_per_look = max(1, min(int(steps * CLOCK_INTERVAL / taken), 4 * steps_per_look))
            # The learning rate must not go back up, even if the estimated progress does.
            progress = max(progress, self.progress())
            if progress >= next_report or progress >= 1.0:
                next_report = progress + 0.01
                last = self.report(last, progress)
            if progress >= next_validation and progress < 1.0:
                next_validation = progress + 0.05
                self.report_validation()
            self.schedule(min(progress, 1.0))
        self.report_validation()
        return self.finish()

    def begin_rounding(self):
        """Continues with rounded weights. From now on the values must keep the scale they will have
        in the network file, so the labels are scaled with them."""
        factor = self.keep_scale()
        self.trainer.score_factor.fill_(factor)
        self.trainer.model.rounding.fill_(1.0)
        self.log.write("rounding", steps=self.steps, seconds=self.elapsed())

    def keep_scale(self):
        """With --keep-scale, scales the outputs as it says. Returns the factor."""
        slope = self.slope()
        factor = self.start_slope / slope if self.args.keep_scale else 1.0
        offsets = (self.trainer.model.tree_offset * net.SCORE_SCALE).tolist()
        self.log.write(
            "scale", slope=slope, factor=factor, tree_offset=[round(offset, 2) for offset in offsets]
        )
        self.trainer.model.scale_outputs(factor)
        return factor

    def progress(self):
        if self.args.steps:
            return self.steps / self.args.steps
        time_left = self.args.seconds * TIME_USED - self.first
        return (self.elapsed() - self.first) / max(time_left, 1e-3)

    def schedule(self, progress):
        args = self.args
        after = max(0.0, progress - args.warmup) / max(1e-9, 1 - args.warmup)
        if progress < args.warmup:
            # The rate is not zero, because the first steps run before the clock is checked.
            rate = args.lr * max(progress / args.warmup, 0.02)
        elif args.schedule == "cosine":
            rate = args.lr_end + (args.lr - args.lr_end) * 0.5 * (1 + math.cos(math.pi * after))
        else:
            # Five equal drops on a logarithmic scale.
            rate = args.lr * (args.lr_end / args.lr) ** (min(int(after * 6), 5) / 5)
        self.trainer.lr.fill_(rate)
        begin, end = self.result_weights
        self.trainer.result_weight.fill_(begin + (end - begin) * progress)

    def report(self, last, progress):
        loss = self.trainer.loss_sum.item() / max(self.steps - last[0], 1)
        self.trainer.loss_sum.zero_()
        now = self.elapsed()
        rate = (self.steps - last[0]) * self.args.batch / max(now - last[1], 1e-9)
        self.log.write(
            "progress", progress=round(progress, 4), steps=self.steps, seconds=now, loss=loss,
            lr=self.trainer.lr.item(), positions=self.steps * self.args.batch,
            passes=round(self.steps * self.args.batch / len(self.data.train), 2),
            positions_per_s=round(rate),
        )
        if not math.isfinite(loss):
            sys.exit("train.py: the loss is not a number; try a lower --lr")
        return self.steps, now

    def report_validation(self):
        # The final weight of the result is used throughout, so that losses can be compared.
        self.trainer.result_weight.fill_(self.result_weights[1])
        loss, from_scores, by_pieces = self.trainer.validate(self.data.validation)
        self.log.write(
            "validation", steps=self.steps, seconds=self.elapsed(), loss=loss,
            from_scores=from_scores, by_pieces=by_pieces,
        )

    def finish(self):
        args, model = self.args, self.trainer.model
        name = args.name or os.path.basename(os.path.abspath(args.out))
        path = os.path.join(args.out, "network.nnue")
        if args.rounded == 0:
            self.keep_scale()
        whole = net.IntegerNetwork(model)
        whole.save(path, name)
        state = {
            "model": model.state_dict(),
            "optimizer": self.trainer.optimizer.state_dict(),
            "steps": self.steps,
        }
        torch.save(state, os.path.join(args.out, "checkpoint.pt"))
        self.compare(net.IntegerNetwork.load(path), model)
        self.data.hashing.join()
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        self.log.write(
            "end", network=path, sha256=digest, steps=self.steps, seconds=self.elapsed(),
            files=self.data.files,
        )
        return 0

    def compare(self, whole, model):
        """Logs how far the integer network is from the float network on real positions."""
        words = self.data.validation[:500].cpu()
        model = model.cpu()
        boards, bucket, output_bucket, _, _ = net.decode(words, model.buckets)
        values = net.float_values(model, boards, bucket, output_bucket).double().numpy()
        errors = np.abs(whole.evaluate(boards, bucket, output_bucket) - values)
        self.log.write("quantized", mean_error=errors.mean(), max_error=errors.max(), unit="cp")


def benchmark(args, device):
    """Measures steps on random positions with every first layer that fits."""
    log = Log(None)
    words = torch.from_numpy(random_words(1 << 20)).to(device)
    layers = [args.first_layer] if args.first_layer != "auto" else ["dense", "tiled", "bag"]
    for name in layers:
        if name == "dense" and net.bucket_map(args.buckets)[1] != 1:
            continue
        if name == "tiled" and (device.type != "cuda" or not first_layer.triton):
            continue
        args.first_layer = name
        trainer = Trainer(args, device, log, words)
        sampler = Sampler(len(words), args.batch, device)
        trainer.lr.fill_(1e-4)
        trainer.result_weight.fill_(0.3)
        sampler.next_into(trainer.index)
        trainer.prepare()
        wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
        rates = []
        for _ in range(3):
            wait()
            start = time.monotonic()
            steps = 200 if device.type == "cuda" else 3
            for _ in range(steps):
                sampler.next_into(trainer.index)
                trainer.step()
            wait()
            rates.append(steps * args.batch / (time.monotonic() - start))
        log.write(
            "benchmark", first_layer=name, hidden=args.hidden, buckets=args.buckets,
            batch=args.batch, graph=trainer.graph is not None,
            positions_per_s=[round(rate) for rate in rates],
        )
        del trainer
    return 0


def random_words(count, seed=1):
    """Records of random positions, for measurements and tests."""
    random = np.random.default_rng(seed)
    boards = np.full((count, 64), net.EMPTY, np.int64)
    scattered = random.integers(0, 24, (count, 64))
    is_piece = (scattered < net.EMPTY) & (scattered % 6 != 5)
    # A position has at most 30 pieces besides the kings.
    is_piece &= np.cumsum(is_piece, 1) <= random.integers(0, 31, (count, 1))
    boards[is_piece] = scattered[is_piece]
    own = random.integers(0, 64, count)
    other = (own + random.integers(1, 64, count)) % 64
    rows = np.arange(count)
    boards[rows, own], boards[rows, other] = 5, 11
    is_set = boards != net.EMPTY
    number = np.cumsum(is_set, 1) - is_set
    codes = (boards % 6 + 8 * (boards // 6)).astype(np.uint64)
    shifts = ((number & 15) * 4).astype(np.uint64)
    words = np.zeros((count, 4), np.uint64)
    bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    words[:, 0] = (bits * is_set).sum(1)
    for word in range(2):
        is_here = is_set & (number // 16 == word)
        words[:, 1 + word] = ((codes << shifts) * is_here).sum(1)
    score = random.integers(-2000, 2001, count).astype(np.int16).view(np.uint16)
    result, pieces = random.integers(0, 3, count), is_set.sum(1)
    fields = [(score, 0), (result, 16), (own, 24), (other, 32), (pieces, 40)]
    for values, shift in fields:
        words[:, 3] |= values.astype(np.uint64) << np.uint64(shift)
    return words.view(np.int64)


if __name__ == "__main__":
    sys.exit(main())
