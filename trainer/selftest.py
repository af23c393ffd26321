"""Compares decoding, the first layers and the integer network with slow reference code, on the CPU."""

import argparse
import math
import os
import tempfile

import numpy as np
import torch

import first_layer
import network as net
import teach
import teacher
import train


def reference_features(record, buckets):
    """Returns the features of both sides of one record, as docs/NETWORK.md describes them."""
    occupied = int.from_bytes(record[:8], "little")
    pieces, number = [], 0
    for square in range(64):
        if occupied >> square & 1:
            code = record[8 + number // 2] >> (4 * (number % 2)) & 15
            pieces.append((square, code & 7, code >> 3))
            number += 1
    sides = []
    for side in range(2):
        (king,) = [square for square, role, color in pieces if role == 5 and color == side]
        flip = 56 if side == 1 else 0
        mirror = 7 if (king ^ flip) % 8 >= 4 else 0
        bucket = buckets[king ^ flip ^ mirror]
        features = set()
        for square, role, color in pieces:
            theirs = 0 if color == side else 384
            features.add(bucket * 768 + theirs + role * 64 + (square ^ flip ^ mirror))
        sides.append(features)
    score = int.from_bytes(record[24:26], "little", signed=True)
    return sides, (len(pieces) - 2) // 4, score, record[26] / 2


def check_decoding(spec):
    words = train.random_words(2000, seed=3)
    buckets, count = net.bucket_map(spec)
    boards, bucket, output_bucket, score, result = net.decode(
        torch.from_numpy(words), torch.tensor(buckets)
    )
    assert 0 <= bucket.min() and bucket.max() == count - 1
    for row, record in enumerate(words.view(np.uint8).reshape(-1, 32)):
        sides, expected_output, expected_score, expected_result = reference_features(
            record.tobytes(), buckets
        )
        for side in range(2):
            board = boards[side, row]
            features = {
                int(bucket[side, row]) * 768 + int(board[square]) * 64 + square
                for square in range(64)
                if board[square] != net.EMPTY
            }
            assert features == sides[side], (spec, row, side)
        labels = (output_bucket[row].item(), score[row].item(), result[row].item())
        assert labels == (expected_output, expected_score, expected_result)


def check_layers(spec, hidden=64):
    """Checks that every first layer returns the sums and the gradient of plain additions."""
    count = net.bucket_map(spec)[1]
    boards, bucket = train.random_boards(300, count, "cpu")
    bucket[:, :150] = 0
    weight = torch.rand(count, 768, hidden) - 0.5
    slopes = torch.randn(2, 300, hidden)
    sums = torch.zeros(2, 300, hidden)
    gradient = torch.zeros_like(weight)
    for side, row, square in (boards != net.EMPTY).nonzero():
        index = int(boards[side, row, square]) * 64 + square
        sums[side, row] += weight[bucket[side, row], index]
        gradient[bucket[side, row], index] += slopes[side, row]
    layers = [first_layer.bag]
    if count == 1:
        layers.append(first_layer.dense)
    if os.environ.get("TRITON_INTERPRET") == "1" and first_layer.triton:
        layers.append(first_layer.tiled)
    for layer in layers:
        parameter = weight.clone().requires_grad_()
        result = layer(boards, bucket, parameter)
        (result * slopes).sum().backward()
        assert torch.allclose(result, sums, atol=1e-4), layer
        assert torch.allclose(parameter.grad, gradient, atol=1e-3), layer
    return [layer.__name__ for layer in layers]


def check_groups():
    """Checks that the groups contain every row once, by bucket, whatever the sizes."""
    for count in (1, 3, 16):
        for rows in (1, 127, 128, 1000):
            bucket = torch.randint(0, count, (rows,))
            order, first, last, of = first_layer.group(bucket, count, 128)
            seen = []
            for start, end, number in zip(first.tolist(), last.tolist(), of.tolist()):
                if start < end:
                    assert end - start <= 128
                    assert (bucket[order[start:end]] == number).all()
                    seen += order[start:end].tolist()
            assert sorted(seen) == list(range(rows)), (count, rows)


def check_quantization(spec):
    """Checks that a file restores the integer network, which stays close to the float network."""
    torch.manual_seed(5)
    network = net.Network(128, spec, True)
    with torch.no_grad():
        # After training, the bias and the differences between buckets are not zero.
        network.bias.uniform_(-0.3, 0.5)
        network.weight.add_(torch.randn_like(network.weight) * 0.02)
        network.output_bias.uniform_(-0.1, 0.1)
        network.output_weight.add_(torch.randn_like(network.output_weight) * 0.05)
    network.clip()
    words = torch.from_numpy(train.random_words(300, seed=7))
    boards, bucket, output_bucket, _, _ = net.decode(words, network.buckets)
    values = net.float_values(network, boards, bucket, output_bucket).double().numpy()
    whole = net.IntegerNetwork(network)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "network.nnue")
        whole.save(path, "a test")
        loaded = net.IntegerNetwork.load(path)
        with open(path, "r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"\x55")
        try:
            net.IntegerNetwork.load(path)
            raise AssertionError("a damaged file was accepted")
        except ValueError:
            pass
    for field in ("weight", "bias", "output_weight", "output_bias"):
        assert (getattr(whole, field) == getattr(loaded, field)).all()
    assert loaded.buckets == whole.buckets
    errors = np.abs(loaded.evaluate(boards, bucket, output_bucket) - values)
    assert np.abs(values).std() > 20 and errors.mean() < 6, (values.std(), errors.mean())
    return errors.mean()


def check_start():
    """Checks that training starts from a network file with its values, in every bucket."""
    torch.manual_seed(9)
    one = net.Network(128, "1", True)
    words = torch.from_numpy(train.random_words(300, seed=11))
    for spec in ("1", "4"):
        whole = net.IntegerNetwork(one)
        grown = net.Network(128, spec, True)
        grown.start_from(whole)
        boards, bucket, output_bucket, _, _ = net.decode(words, grown.buckets)
        values = net.float_values(grown, boards, bucket, output_bucket).double().numpy()
        expected = whole.evaluate(boards, torch.zeros_like(bucket), output_bucket)
        assert np.abs(values).std() > 20 and np.abs(expected - values).max() < 2, spec
        again = net.IntegerNetwork(grown)
        assert (again.weight.reshape(-1, 768, 128) == whole.weight.reshape(1, 768, 128)).all()
        grown.scale_outputs(0.5)
        halves = net.float_values(grown, boards, bucket, output_bucket).double().numpy()
        assert np.abs(halves * 2 - values).max() < 0.01


def check_rounding():
    """Checks that a network with rounding has the values of the integers, and still learns."""
    torch.manual_seed(13)
    network = net.Network(128, "1", True)
    words = torch.from_numpy(train.random_words(300, seed=17))
    boards, bucket, output_bucket, _, _ = net.decode(words, network.buckets)
    whole = net.IntegerNetwork(network).evaluate(boards, bucket, output_bucket)
    errors = []
    for rounding in (0.0, 1.0):
        network.rounding.fill_(rounding)
        values = net.float_values(network, boards, bucket, output_bucket).double().numpy()
        errors.append(np.abs(values - whole))
    # What is left are the two divisions of the integer network.
    assert errors[1].max() < 1.5 and errors[0].mean() > 2 * errors[1].mean(), errors
    network(boards, bucket, output_bucket, first_layer.dense, net.head).sum().backward()
    parts = [part for name, part in network.named_parameters() if name != "tree_offset"]
    assert all(part.grad.abs().sum() > 0 for part in parts)
    return errors[0].mean(), errors[1].mean()


def check_loss():
    """Checks the errors of the training against a slow reference, for games and for search trees."""
    torch.manual_seed(31)
    words = train.random_words(200, seed=37)
    # Every second position is from a search tree, which is result 3.
    words[::2, 3] = words[::2, 3] & ~0xFF0000 | 3 << 16
    words = torch.from_numpy(words)
    args = argparse.Namespace(
        hidden=64, buckets="1", no_factorizer=False, batch=16, weight_decay=0.0, bucket_decay=None,
        first_layer="dense", endgame_result_weight=0.4, score_scale=154.0, power=2.5,
    )
    trainer = train.Trainer(args, torch.device("cpu"), train.Log(None), words)
    trainer.model.tree_offset.data.uniform_(-0.5, 0.5)
    trainer.result_weight.fill_(0.1)
    found, from_score, _ = trainer.errors(words)
    boards, bucket, output_bucket, scores, results = net.decode(words, trainer.model.buckets)
    outputs = net.float_values(trainer.model, boards, bucket, output_bucket) / net.SCALE
    offsets, losses = trainer.model.tree_offset.tolist(), []
    for row, (output, score, result) in enumerate(zip(outputs.tolist(), scores.tolist(), results.tolist())):
        pieces, weight = output_bucket[row].item(), 0.0
        if row % 2:
            share = min(max((6 - pieces) / 5, 0), 1)
            weight = 0.1 + (0.4 - 0.1) * share
        else:
            output += offsets[pieces]
        points, expected = (1 / (1 + math.exp(-value / 154)) for value in (output * net.SCORE_SCALE, score))
        assert abs(from_score[row].item() - (points - expected)) < 1e-4, row
        error = abs(points - (weight * result + (1 - weight) * expected))
        assert abs(found[row].item() - error) < 1e-4, row
        losses.append(error**2.5)
    assert abs(trainer.loss(words).item() - sum(losses) / len(losses)) < 1e-4


def check_planes():
    """Checks the planes of the teacher against attacks that are found square by square."""
    random = np.random.default_rng(19)
    boards = torch.from_numpy(random.integers(0, 36, (200, 64)).clip(max=net.EMPTY).astype(np.uint8))
    boards[0] = net.EMPTY
    whole = teacher.planes(boards, torch.float32).flatten(2)
    assert whole[0].sum() == 0
    for board, found in zip(boards.tolist(), whole.tolist()):
        expected = [[0.0] * 64 for _ in range(24)]
        for square, piece in enumerate(board):
            if piece == net.EMPTY:
                continue
            expected[piece][square] = 1.0
            for end in reference_attacks(board, square, piece):
                expected[12 + piece][end] = 1.0
        assert found == expected


def reference_attacks(board, square, piece):
    lines = [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)]
    jumps = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
    up = 1 if piece < 6 else -1
    steps = [[(-1, up), (1, up)], jumps, lines[4:], lines[:4], lines, lines][piece % 6]
    for files, ranks in steps:
        file, rank = square % 8 + files, square // 8 + ranks
        while 0 <= file < 8 and 0 <= rank < 8:
            yield rank * 8 + file
            if piece % 6 not in (2, 3, 4) or board[rank * 8 + file] != net.EMPTY:
                break
            file, rank = file + files, rank + ranks


def check_teacher():
    """Checks that a teacher begins with the values of its base, learns from few records what they say,
    labels them with what it has learned, and changes nothing else."""
    torch.manual_seed(23)
    words = torch.from_numpy(train.random_words(256, seed=29))
    labels = words[:, 3]
    moves = torch.randint(0, 4096, (len(words),))
    labels |= moves << 48
    mirror = ((labels >> 24) & 4 != 0).long() * 7
    assert (teacher.played_moves(words) == ((moves & 63) ^ mirror) * 64 + (moves >> 6 ^ mirror)).all()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "base.nnue")
        net.IntegerNetwork(net.Network(64, "4", True)).save(path, "base")
        pupil = teacher.Teacher.above(path, 16, 2)
        boards, bucket, output_bucket, _, _ = net.decode(words, pupil.base.network.buckets)
        expected = net.IntegerNetwork.load(path).evaluate(boards, bucket, output_bucket)
        args = argparse.Namespace(
            device=torch.device("cpu"), no_compile=True, lr=3e-3, weight_decay=0.0, batch=256, result_weight=0.0
        )
        output, base, _ = teach.Labeler(pupil, args).run(words)
        assert np.abs(output.numpy() * net.SCALE - expected).max() < 2 and (output == base).all()
        lesson = teach.Lesson(pupil.train(), args)
        losses = torch.stack([lesson.step(words, args.lr) for _ in range(60)])
        assert (losses[-1] < 0.5 * losses[0]).all(), losses[[0, -1]]
        path = os.path.join(folder, "teacher.pt")
        pupil.save(path)
        labeler = teach.Labeler(teacher.Teacher.load(path), args)
        found = teach.relabeled(labeler, words)
        assert ((found ^ words)[:, :3] == 0).all() and ((found ^ words)[:, 3] & ~0xFFFF == 0).all()
        score = lambda records: torch.sigmoid(((records[:, 3] << 48) >> 48).double() / net.SCORE_SCALE)
        assert (score(found) - labeler.run(words)[2]).abs().max() < 1e-3
        assert (score(found) - score(words)).abs().mean() < 0.6 * (0.5 - score(words)).abs().mean()


def run():
    specs = ["1", "2", "4", "8", "16"]
    for spec in specs:
        check_decoding(spec)
    print("decoding equals the reference for", ", ".join(specs), "buckets")
    check_groups()
    layers = {name for spec in specs for name in check_layers(spec)}
    print("first layers equal plain additions:", ", ".join(sorted(layers)))
    errors = [check_quantization(spec) for spec in specs]
    check_start()
    check_loss()
    print("a network file is a start for training")
    print("the loss is the one of the reference, also for positions from search trees")
    check_planes()
    check_teacher()
    print("the teacher sees what pieces attack, learns, and labels")
    print("mean error of the integer network:", ", ".join(f"{e:.2f}" for e in errors), "cp")
    print("without and with rounded weights:", ", ".join(f"{e:.2f}" for e in check_rounding()), "cp")
    return 0
