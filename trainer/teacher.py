"""The teacher: a convolutional network that is too slow for the engine, and labels positions for it.

It sees the board as planes, with the squares that each kind of piece attacks, and starts from what a
network of the engine knows: its outputs are corrections of that network's value. Besides the score of the
search it learns the result of the game and the move that was played, because what helps with these helps
with the value. `teach.py` trains it and labels records with it.
"""

import torch
import torch.nn.functional as F

import first_layer
import network as net

# Own pieces, the opponent's, and what each kind of them attacks.
PLANES = 24
# Channels of the heads for the value and for moves.
HEAD = 32
# Neurons of the layer before the outputs.
NEURONS = 256

KNIGHT_STEPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
ROOK_STEPS = [(0, 1), (1, 0), (0, -1), (-1, 0)]
BISHOP_STEPS = [(1, 1), (1, -1), (-1, -1), (-1, 1)]


def signed(bits):
    """Returns 64 bits as the signed integer that has them."""
    return bits - (1 << 64) if bits >> 63 else bits


def columns_left(step):
    """Returns the squares from which a step of so many files stays on the board, after the step."""
    column = sum(1 << (8 * rank) for rank in range(8))
    return signed(sum(column << file for file in range(8) if 0 <= file - step <= 7))


def stepped(sets, files, ranks):
    """Moves every square of the sets, which are 64-bit integers with a bit for each square."""
    distance = 8 * ranks + files
    if distance >= 0:
        moved = sets << distance
    else:
        # The shift copies the sign, so its copies are cleared.
        moved = (sets >> -distance) & ((1 << (64 + distance)) - 1)
    return moved & columns_left(files)


def slid(sets, empty, files, ranks):
    """Returns the squares that sliders reach in one direction, with the first piece on their way."""
    reached = sets
    for _ in range(6):
        reached = reached | (stepped(reached, files, ranks) & empty)
    return stepped(reached, files, ranks)


def attacks(pieces):
    """Returns what each kind of piece attacks, from sets of squares [12, n]: own pawn to own king, then
    the opponent's. Own pawns move up the board."""
    occupied = pieces[0]
    for kind in range(1, 12):
        occupied = occupied | pieces[kind]
    empty = ~occupied

    def joined(sets):
        whole = sets[0]
        for one in sets[1:]:
            whole = whole | one
        return whole

    found = []
    for side in (0, 6):
        up = 1 if side == 0 else -1
        lines = [[(files, ranks, slid) for files, ranks in steps] for steps in (BISHOP_STEPS, ROOK_STEPS)]
        found.append(joined([stepped(pieces[side], files, up) for files in (-1, 1)]))
        found.append(joined([stepped(pieces[side + 1], *step) for step in KNIGHT_STEPS]))
        for number, directions in ((2, lines[0]), (3, lines[1]), (4, lines[0] + lines[1])):
            sets = pieces[side + number]
            found.append(joined([slide(sets, empty, files, ranks) for files, ranks, slide in directions]))
        found.append(joined([stepped(pieces[side + 5], *step) for step in ROOK_STEPS + BISHOP_STEPS]))
    return torch.stack(found)


def planes(boards, kind):
    """Returns the planes [n, 24, 8, 8] of boards [n, 64] as seen by the side to move."""
    n = boards.shape[0]
    squares = torch.arange(64, device=boards.device)
    numbers = torch.arange(12, device=boards.device, dtype=torch.uint8)
    is_piece = boards.unsqueeze(2) == numbers
    sets = (is_piece.long() << squares.view(1, 64, 1)).sum(1).t()
    attacked = (attacks(sets).t().unsqueeze(1) >> squares.view(1, 64, 1)) & 1
    whole = torch.cat((is_piece.to(kind), attacked.to(kind)), 2)
    return whole.view(n, 8, 8, PLANES).permute(0, 3, 1, 2)


def played_moves(words):
    """Returns the move played in each record as 64 times the square it begins on plus the one it ends
    on, mirrored as the board is."""
    labels = words[:, 3]
    mirror = torch.where((labels >> 24) & 4 != 0, 7, 0)
    begin = (labels >> 48) & 63 ^ mirror
    end = (labels >> 54) & 63 ^ mirror
    return begin * 64 + end


class Base(torch.nn.Module):
    """A network of the engine, whose weights stay as they are."""

    def __init__(self, hidden, buckets):
        super().__init__()
        spec = ",".join(str(buckets[square // 4 * 8 + square % 4]) for square in range(32))
        self.network = net.Network(hidden, spec, False).requires_grad_(False)

    def forward(self, words):
        """Returns the boards of the side to move, the network's active neurons and its outputs, the
        scores and the results."""
        network = self.network
        boards, bucket, output_bucket, score, result = net.decode(words, network.buckets)
        if network.bucket_count == 1:
            kind = torch.float16 if words.is_cuda else torch.float32
            sums = first_layer.one_hot(boards, kind) @ network.weight[0].to(kind)
        elif words.is_cuda:
            sums = first_layer.tiled(boards, bucket, network.weight)
        else:
            sums = first_layer.bag(boards, bucket, network.weight)
        active = (sums.float() + network.bias).clamp(0, 1).square()
        outputs = net.head(sums, network.bias, network.output_weight, network.output_bias, output_bucket)
        kind = torch.bfloat16 if words.is_cuda else torch.float32
        return boards[0], active.permute(1, 0, 2).flatten(1).to(kind), outputs, score, result


class Block(torch.nn.Module):
    """Two convolutions, and gates for whole channels that depend on the whole board."""

    def __init__(self, channels):
        super().__init__()
        self.first = torch.nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.first_norm = torch.nn.BatchNorm2d(channels)
        self.second = torch.nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.second_norm = torch.nn.BatchNorm2d(channels)
        self.squeeze = torch.nn.Linear(channels, channels // 4)
        self.gates = torch.nn.Linear(channels // 4, 2 * channels)
        # A block begins as a small change.
        torch.nn.init.constant_(self.second_norm.weight, 0.2)

    def forward(self, x):
        y = F.relu(self.first_norm(self.first(x)))
        y = self.second_norm(self.second(y))
        scale, shift = self.gates(F.relu(self.squeeze(y.mean((2, 3))))).chunk(2, 1)
        y = y * torch.sigmoid(scale)[:, :, None, None] + shift[:, :, None, None]
        return F.relu(x + y)


class Trunk(torch.nn.Module):
    """The part of the teacher that learns."""

    def __init__(self, channels, blocks, base_neurons):
        super().__init__()
        self.first = torch.nn.Conv2d(PLANES, channels, 3, padding=1, bias=False)
        self.first_norm = torch.nn.BatchNorm2d(channels)
        self.blocks = torch.nn.ModuleList(Block(channels) for _ in range(blocks))
        self.value = torch.nn.Conv2d(channels, HEAD, 1, bias=False)
        self.value_norm = torch.nn.BatchNorm2d(HEAD)
        self.neurons = torch.nn.Linear(64 * HEAD + channels + base_neurons, NEURONS)
        self.outputs = torch.nn.Linear(NEURONS, 4)
        self.moves = torch.nn.Conv2d(channels, 2 * HEAD, 1)
        # The value begins as that of the base.
        torch.nn.init.zeros_(self.outputs.weight)
        torch.nn.init.zeros_(self.outputs.bias)

    def forward(self, boards, active, wants_moves):
        """Returns what is to be added to the output of the base, the logits of a loss, a draw and a win,
        and the logits of moves."""
        kind = torch.bfloat16 if boards.is_cuda else torch.float32
        x = F.relu(self.first_norm(self.first(planes(boards, kind))))
        for block in self.blocks:
            x = block(x)
        value = F.relu(self.value_norm(self.value(x)))
        parts = [value.permute(0, 2, 3, 1).flatten(1), x.mean((2, 3)), active]
        neurons = F.relu(self.neurons(torch.cat(parts, 1)))
        outputs = self.outputs(neurons).float()
        moves = None
        if wants_moves:
            begin, end = self.moves(x).permute(0, 2, 3, 1).flatten(1, 2).chunk(2, 2)
            moves = (begin @ end.transpose(1, 2)).flatten(1) * HEAD**-0.5
        return outputs[:, 0], outputs[:, 1:], moves


class Teacher(torch.nn.Module):
    def __init__(self, hidden, buckets, channels, blocks):
        super().__init__()
        self.config = {"hidden": hidden, "buckets": list(buckets), "channels": channels, "blocks": blocks}
        self.base = Base(hidden, buckets)
        self.trunk = Trunk(channels, blocks, 2 * hidden)

    @staticmethod
    def above(path, channels, blocks):
        """Returns a new teacher whose base is a network file."""
        whole = net.IntegerNetwork.load(path)
        teacher = Teacher(whole.hidden, whole.buckets, channels, blocks)
        teacher.base.network.start_from(whole)
        return teacher

    def save(self, path):
        """Writes the teacher with half the digits, which is precise enough for labels."""
        state = {
            name: tensor.half() if tensor.is_floating_point() and "running" not in name else tensor
            for name, tensor in self.state_dict().items()
        }
        torch.save({"config": self.config, "state": state}, path)

    @staticmethod
    def load(path):
        saved = torch.load(path, map_location="cpu", weights_only=True)
        teacher = Teacher(**saved["config"])
        teacher.load_state_dict(saved["state"])
        return teacher


def points(outputs, result_logits, result_weight):
    """Returns the expected points: of the search, and of the result in the given proportion."""
    chances = torch.softmax(result_logits, 1)
    return (1 - result_weight) * torch.sigmoid(outputs) + result_weight * (chances[:, 2] + chances[:, 1] / 2)
