"""The network: training records, features, the float model, the integer model and its file.

docs/NETWORK.md describes the formats. The features and the integer arithmetic match
those of the engine; `train.py --selftest` compares them with slow reference code.
"""

import hashlib
import math
import struct

import numpy as np
import torch

import first_layer

RECORD_BYTES = 32
OUTPUT_BUCKETS = 8
QA = 255
QB = 64
# Centipawns of the network for an output of 1.
SCALE = 400
# Centipawns of the engine for an output of 1: it multiplies the network's values by about 0.7. The scores in
# records are in these.
SCORE_SCALE = 280
# The largest float weight; as integers, 505 for feature weights and 127 for output weights.
CLIP = 1.98
EMPTY = 12
MAGIC = b"CASTNNUE"
VERSION = 1


def bucket_map(spec):
    """Returns the input bucket of each of the 64 king squares, and the number of buckets.

    `spec` is the number of buckets of a predefined map, or 32 numbers for a1 to d1, a2 to d2 and so
    on. Kings on the files e to h are mirrored, so their entries copy those of the other half.
    """
    if "," in spec:
        halves = [int(number) for number in spec.split(",")]
        if len(halves) != 32 or min(halves) < 0 or set(halves) != set(range(max(halves) + 1)):
            raise ValueError("a bucket map needs 32 numbers, counting from 0 without gaps")
    else:
        rules = {
            1: lambda rank, file: 0,
            2: lambda rank, file: min(rank, 1),
            4: lambda rank, file: [file // 2, 2, 3][min(rank, 2)],
            8: lambda rank, file: [file, 4 + file // 2, 6, 6, 7, 7, 7, 7][rank],
            16: lambda rank, file: [file, 4 + file, 8, 10, 12, 12, 14, 14][rank]
            + (file // 2 if rank >= 2 else 0),
        }
        if int(spec) not in rules:
            raise ValueError(f"no map for {spec} buckets; available: {sorted(rules)}")
        halves = [rules[int(spec)](rank, file) for rank in range(8) for file in range(4)]
    full = [halves[square // 8 * 4 + min(square % 8, 7 - square % 8)] for square in range(64)]
    return full, max(full) + 1


def decode(words, buckets):
    """Converts records, as rows of four 64-bit words, to the inputs of the network.

    Returns the boards of both perspectives as one tensor [2, n, 64] of piece numbers (own pieces
    0 to 5, the opponent's 6 to 11, 12 for none), the input bucket of each, and for each position
    the output bucket, the score and the result from 0 to 1, or 1.5 if it is unknown. Everything is
    arithmetic on whole tensors, so it runs on the GPU without a data loader.
    """
    n = words.shape[0]
    squares = torch.arange(64, device=words.device)
    occupied = (words[:, 0:1] >> squares) & 1
    number = torch.cumsum(occupied, 1) - occupied
    codes = torch.where(number < 16, words[:, 1:2], words[:, 2:3])
    code = (codes >> ((number & 15) * 4)) & 15
    piece = (code & 7) + 6 * (code >> 3)
    board = torch.where(occupied == 1, piece, EMPTY).to(torch.uint8).view(n, 8, 8)
    swapped = torch.where(board < 6, board + 6, torch.where(board < 12, board - 6, EMPTY))
    labels = words[:, 3]
    own_king = (labels >> 24) & 63
    other_king = ((labels >> 32) & 63) ^ 56
    views = []
    for view, king in ((board, own_king), (swapped.to(torch.uint8).flip(1), other_king)):
        is_mirrored = ((king & 4) != 0).view(n, 1, 1)
        views.append(torch.where(is_mirrored, view.flip(2), view).reshape(n, 64))
    # The map is symmetric, so the square need not be mirrored.
    bucket = buckets[torch.stack((own_king, other_king))]
    # Sign-extend the low sixteen bits.
    score = (labels << 48) >> 48
    result = (labels >> 16) & 255
    output_bucket = (((labels >> 40) & 63) - 2) // 4
    return torch.stack(views), bucket, output_bucket, score.float(), result.float() / 2


class Network(torch.nn.Module):
    """The float model. Its output times 400 is in centipawns for the side to move."""

    def __init__(self, hidden, buckets, is_factorized):
        super().__init__()
        self.hidden = hidden
        self.bucket_list, self.bucket_count = bucket_map(buckets)
        self.register_buffer("buckets", torch.tensor(self.bucket_list))
        # Whether the outputs are computed with rounded weights: 0 or 1.
        self.register_buffer("rounding", torch.tensor(0.0), persistent=False)
        self.weight = torch.nn.Parameter(torch.empty(self.bucket_count, 768, hidden))
        # About 30 of the 768 inputs are set, so the sums are about as large as the activation.
        torch.nn.init.uniform_(self.weight, -0.1, 0.1)
        self.shared = None
        if is_factorized and self.bucket_count > 1:
            # Every bucket starts as the shared block and learns how it differs.
            self.shared = torch.nn.Parameter(self.weight[0].detach().clone())
            torch.nn.init.zeros_(self.weight)
        self.bias = torch.nn.Parameter(torch.zeros(hidden))
        self.output_weight = torch.nn.Parameter(torch.empty(OUTPUT_BUCKETS, 2 * hidden))
        torch.nn.init.normal_(self.output_weight, std=1 / math.sqrt(2 * hidden))
        # All output buckets start with the same weights.
        self.output_weight.data[:] = self.output_weight.data[0].clone()
        self.output_bias = torch.nn.Parameter(torch.zeros(OUTPUT_BUCKETS))
        # What is added to the output for positions from search trees, in training only; see `errors` in
        # train.py.
        self.tree_offset = torch.nn.Parameter(torch.zeros(OUTPUT_BUCKETS))

    def feature_weight(self):
        """Returns the weights of all buckets with the shared block added."""
        return self.weight if self.shared is None else self.weight + self.shared

    @torch.no_grad()
    def start_from(self, whole):
        """Copies the weights of an integer network with as many neurons.

        A network with one king bucket becomes the start of every bucket.
        """
        if whole.hidden != self.hidden:
            raise ValueError(f"{whole.hidden} neurons cannot become {self.hidden}")
        if whole.bucket_count != 1 and whole.buckets != self.bucket_list:
            raise ValueError("the king buckets differ")

        def floats(array, scale):
            return torch.from_numpy(array.astype(np.float32) / scale)

        rows = floats(whole.weight, QA).view(-1, 768, self.hidden)
        if self.shared is None:
            self.weight.copy_(rows)
        else:
            self.shared.copy_(rows.mean(0))
            self.weight.copy_(rows - rows.mean(0))
        self.bias.copy_(floats(whole.bias, QA))
        self.output_weight.copy_(floats(whole.output_weight, QB))
        self.output_bias.copy_(floats(whole.output_bias, QA * QB))

    @torch.no_grad()
    def scale_outputs(self, factor):
        """Multiplies every value of the network by a factor."""
        self.output_weight.mul_(factor)
        self.output_bias.mul_(factor)

    def forward(self, boards, bucket, output_bucket, layer, head):
        sums = layer(boards, bucket, self.rounded(self.feature_weight(), QA))
        bias, output_bias = self.rounded(self.bias, QA), self.rounded(self.output_bias, QA * QB)
        return head(sums, bias, self.rounded(self.output_weight, QB), output_bias, output_bucket)

    def rounded(self, weight, scale):
        """Rounds weights as the integer network does, if `rounding` is 1.

        The gradient is that of the weights before rounding. Otherwise it would be zero, and nothing
        could be learned (straight-through estimator).
        """
        return weight + self.rounding * (torch.round(weight * scale) / scale - weight).detach()

    @torch.no_grad()
    def clip(self):
        """Clips the weights to the range that the integers can represent."""
        if self.shared is not None:
            self.shared.clamp_(-CLIP, CLIP)
            self.weight.add_(self.shared).clamp_(-CLIP, CLIP).sub_(self.shared)
        else:
            self.weight.clamp_(-CLIP, CLIP)
        self.bias.clamp_(-CLIP, CLIP)
        self.output_weight.clamp_(-CLIP, CLIP)


def head(sums, bias, output_weight, output_bias, output_bucket):
    """Computes outputs from the sums of feature rows [2, n, hidden]."""
    active = (sums.float() + bias).clamp(0, 1).square()
    hidden = bias.shape[0]
    own = active[0] @ output_weight[:, :hidden].t()
    other = active[1] @ output_weight[:, hidden:].t()
    outputs = own + other + output_bias
    return outputs.gather(1, output_bucket.unsqueeze(1)).squeeze(1)


def target(score, result, result_weight, score_scale):
    """Returns the training target: a blend of the score and the result, or the score alone if the result is
    unknown."""
    weight = result_weight * (result <= 1)
    return weight * result + (1 - weight) * torch.sigmoid(score / score_scale)


def endgame_share(output_bucket):
    """Returns how far a position is in the endgame: 1 for at most nine pieces, 0 from 26 on."""
    return ((6 - output_bucket).float() / 5).clamp(0, 1)


class IntegerNetwork:
    """The quantized network, with the arithmetic of the engine."""

    def __init__(self, network):
        def whole(tensor, scale, limit, kind):
            scaled = tensor.detach().double().cpu().numpy() * scale
            return np.clip(np.rint(scaled), -limit, limit).astype(kind)

        self.hidden = network.hidden
        self.buckets = network.bucket_list
        self.bucket_count = network.bucket_count
        weight = network.feature_weight().reshape(-1, self.hidden)
        self.weight = whole(weight, QA, 505, "<i2")
        self.bias = whole(network.bias, QA, 505, "<i2")
        self.output_weight = whole(network.output_weight, QB, 127, "<i2")
        self.output_bias = whole(network.output_bias, QA * QB, 2**31 - 1, "<i4")

    def evaluate(self, boards, bucket, output_bucket):
        """Returns centipawns for inputs from `decode`, on the CPU."""
        boards, bucket = boards.numpy(), bucket.numpy()
        n = boards.shape[1]
        total = np.zeros(n, np.int64)
        weights = self.output_weight[output_bucket.numpy()].astype(np.int64)
        for side in range(2):
            sums = np.tile(self.bias.astype(np.int64), (n, 1))
            for row, square in zip(*np.nonzero(boards[side] != EMPTY)):
                index = bucket[side, row] * 768 + int(boards[side, row, square]) * 64 + square
                sums[row] += self.weight[index]
            assert np.abs(sums).max(initial=0) <= 32767, "an accumulator overflows"
            active = np.clip(sums, 0, QA)
            part = weights[:, side * self.hidden : (side + 1) * self.hidden]
            total += (active * active * part).sum(1)
        assert np.abs(total).max(initial=0) < 2**31, "a sum overflows"
        biases = self.output_bias[output_bucket.numpy()].astype(np.int64)
        scaled = (truncated(total, QA) + biases) * SCALE
        return truncated(scaled, QA * QB)

    def save(self, path, name):
        """Writes the network file."""
        payload = b"".join(
            part.tobytes()
            for part in (self.weight, self.bias, self.output_weight, self.output_bias)
        )
        text = name.encode()
        head = MAGIC + struct.pack(
            "<IIII4H", VERSION, self.hidden, self.bucket_count, OUTPUT_BUCKETS, QA, QB, SCALE, 0
        )
        head += bytes(self.buckets) + struct.pack("<H", len(text)) + text
        with open(path, "wb") as file:
            file.write(head + hashlib.sha256(payload).digest() + payload)

    @staticmethod
    def load(path):
        """Reads a network file. Raises an error for a file that `save` would not have written."""
        with open(path, "rb") as file:
            data = file.read()
        if data[:8] != MAGIC:
            raise ValueError(f"{path}: byte 0: not a network file")
        fields = struct.unpack_from("<IIII4H", data, 8)
        version, hidden, count, outputs = fields[:4]
        if version != VERSION or outputs != OUTPUT_BUCKETS or fields[4:] != (QA, QB, SCALE, 0):
            raise ValueError(f"{path}: byte 8: unknown version or scales {fields}")
        at = 32 + 64
        (length,) = struct.unpack_from("<H", data, at)
        at += 2 + length
        digest, payload = data[at : at + 32], data[at + 32 :]
        if hashlib.sha256(payload).digest() != digest:
            raise ValueError(f"{path}: byte {at}: the digest does not match")
        net = IntegerNetwork.__new__(IntegerNetwork)
        net.hidden, net.bucket_count, net.buckets = hidden, count, list(data[32:96])
        shapes = [
            ("weight", "<i2", (count * 768, hidden)),
            ("bias", "<i2", (hidden,)),
            ("output_weight", "<i2", (outputs, 2 * hidden)),
            ("output_bias", "<i4", (outputs,)),
        ]
        at = 0
        for field, kind, shape in shapes:
            size = math.prod(shape)
            setattr(net, field, np.frombuffer(payload, kind, size, at).reshape(shape))
            at += size * int(kind[2])
        if at != len(payload):
            raise ValueError(f"{path}: {len(payload) - at} bytes follow the network")
        return net


def truncated(numbers, divisor):
    """Divides integers and rounds toward zero."""
    return np.sign(numbers) * (np.abs(numbers) // divisor)


def float_values(network, boards, bucket, output_bucket):
    """Returns the float network's centipawns, in single precision."""
    with torch.no_grad():
        layer = first_layer.dense if network.bucket_count == 1 else first_layer.bag
        return network(boards, bucket, output_bucket, layer, head) * SCALE
