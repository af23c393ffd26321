"""The first layer: three ways to add up the feature rows of the pieces on a board.

- `dense` multiplies a matrix of zeros and ones with the weights of the only bucket.
- `bag` adds rows one by one, for any number of buckets. It is the reference, and slow on a GPU.
- `tiled` uses Triton kernels. It groups the boards by bucket and multiplies tiles, whose zeros and
  ones it computes from the boards on the fly. The backward pass needs no atomic update per piece.

Each takes boards [2, n, 64] of piece numbers (12 for none), buckets [2, n] and weights
[buckets, 768, hidden], and returns sums [2, n, hidden].
"""

import torch
import torch.nn.functional as F

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

PIECES = 12


def dense(boards, bucket, weight):
    """Returns the sums for a network with one bucket, in half precision on a GPU."""
    if weight.shape[0] != 1:
        raise ValueError("the dense first layer has one bucket")
    return Dense.apply(boards, weight[0])


class Dense(torch.autograd.Function):
    """A matrix product that is precise forward and cannot overflow backward.

    Forward, half-precision floats have enough digits for weights that are rounded to the integers of
    the engine; bfloat16 has not. Backward, the gradient of a weight is a sum over the whole batch,
    which can exceed the range of half-precision floats, so it is computed in bfloat16.
    """

    @staticmethod
    def forward(ctx, boards, weight):
        ctx.save_for_backward(boards)
        kind = torch.float16 if boards.is_cuda else weight.dtype
        return one_hot(boards, kind) @ weight.to(kind)

    @staticmethod
    def backward(ctx, grad):
        (boards,) = ctx.saved_tensors
        kind = torch.bfloat16 if boards.is_cuda else grad.dtype
        inputs = one_hot(boards, kind).flatten(0, 1)
        slopes = inputs.t() @ grad.to(kind).flatten(0, 1)
        return None, slopes.float() if boards.is_cuda else slopes


def one_hot(boards, kind):
    pieces = torch.arange(PIECES, device=boards.device, dtype=torch.uint8)
    return (boards.unsqueeze(2) == pieces.view(-1, 1)).to(kind).flatten(2)


def bag(boards, bucket, weight):
    """Returns the sums for any number of buckets."""
    sides, n, _ = boards.shape
    hidden = weight.shape[2]
    rows = weight.shape[0] * 768
    squares = torch.arange(64, device=boards.device)
    index = bucket.unsqueeze(2) * 768 + boards.long() * 64 + squares
    index = torch.where(boards == PIECES, rows, index)
    table = torch.cat((weight.reshape(rows, hidden), weight.new_zeros(1, hidden)))
    sums = F.embedding_bag(index.view(sides * n, 64), table, mode="sum", padding_idx=rows)
    return sums.view(sides, n, hidden)


def tiled(boards, bucket, weight):
    """Returns the sums for any number of buckets, with Triton kernels and in half precision."""
    return Tiled.apply(boards, bucket, weight)


# Rows in a tile of the forward pass, and in a step of the backward pass.
TILE = 128
STEP = 64
# Inputs in a tile of the backward pass.
INPUTS = 128
# Rows that one program of the backward pass adds up before it updates shared memory.
CHUNK = 2048


def group(bucket, count, size):
    """Groups rows by bucket, and cuts the groups into pieces of at most `size` rows.

    Returns the order of the rows and, for each piece, where it begins and ends in that order, and
    its bucket. The number of pieces is always the maximum, so that shapes are constant; unused
    pieces are empty.
    """
    rows = bucket.numel()
    device = bucket.device
    bucket = bucket.reshape(-1)
    numbers = torch.arange(count, device=device)
    is_in = (bucket.unsqueeze(0) == numbers.unsqueeze(1)).to(torch.int32)
    rank = torch.cumsum(is_in, 1)
    sizes = rank[:, -1].long()
    ends = torch.cumsum(sizes, 0)
    starts = ends - sizes
    place = (starts.unsqueeze(1) + rank.long() - 1).gather(0, bucket.unsqueeze(0)).squeeze(0)
    order = torch.empty(rows, dtype=torch.int64, device=device)
    order.scatter_(0, place, torch.arange(rows, device=device))
    pieces = (sizes + size - 1) // size
    piece_ends = torch.cumsum(pieces, 0)
    number = torch.arange((rows + size - 1) // size + count - 1, device=device)
    of = torch.searchsorted(piece_ends, number, right=True).clamp(max=count - 1)
    first = starts[of] + (number - (piece_ends - pieces)[of]) * size
    last = torch.minimum(first + size, ends[of])
    return order, first, last, of


class Tiled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, boards, bucket, weight):
        sides, n, _ = boards.shape
        count, _, hidden = weight.shape
        kind = torch.float16 if boards.is_cuda else weight.dtype
        block = 128 if hidden % 128 == 0 else 64
        order, first, last, of = group(bucket, count, TILE)
        out = torch.empty(sides, n, hidden, dtype=kind, device=boards.device)
        half = weight.detach().to(kind)
        boards = boards.contiguous()
        forward_kernel[(first.numel(), hidden // block)](
            boards, order, first, last, of, half, out, hidden, TILE, block, num_warps=8
        )
        ctx.save_for_backward(boards, bucket)
        ctx.shape = weight.shape
        return out

    @staticmethod
    def backward(ctx, grad):
        boards, bucket = ctx.saved_tensors
        count, _, hidden = ctx.shape
        block = 128 if hidden % 128 == 0 else 64
        order, first, last, of = group(bucket, count, CHUNK)
        out = torch.zeros(ctx.shape, dtype=torch.float32, device=grad.device)
        # As in `Dense`, precise forward and with a large range backward.
        grad = grad.to(torch.bfloat16 if grad.is_cuda else grad.dtype).contiguous()
        backward_kernel[(first.numel(), 768 // INPUTS, hidden // block)](
            boards, order, first, last, of, grad, out,
            hidden, INPUTS, STEP, block, num_warps=8,
        )
        return None, None, out


if triton is not None:

    @triton.jit
    def forward_kernel(
        boards, order, first, last, of, weight, out,
        HIDDEN: tl.constexpr, TILE: tl.constexpr, BLOCK: tl.constexpr,
    ):
        tile = tl.program_id(0)
        start = tl.load(first + tile)
        end = tl.load(last + tile)
        if start < end:
            bucket = tl.load(of + tile)
            places = start + tl.arange(0, TILE)
            is_row = places < end
            rows = tl.load(order + places, mask=is_row, other=0)
            squares = tl.arange(0, 64)
            columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
            board = tl.load(
                boards + rows[:, None] * 64 + squares[None, :], mask=is_row[:, None], other=12
            ).to(tl.int32)
            sums = tl.zeros((TILE, BLOCK), tl.float32)
            for piece in range(12):
                inputs = (board == piece).to(weight.dtype.element_ty)
                row = (bucket * 768 + piece * 64 + squares[:, None]) * HIDDEN + columns[None, :]
                sums = tl.dot(inputs, tl.load(weight + row), sums)
            at = rows[:, None] * HIDDEN + columns[None, :]
            tl.store(out + at, sums.to(out.dtype.element_ty), mask=is_row[:, None])

    @triton.jit
    def backward_kernel(
        boards, order, first, last, of, grad, out,
        HIDDEN: tl.constexpr, INPUTS: tl.constexpr, STEP: tl.constexpr, BLOCK: tl.constexpr,
    ):
        chunk = tl.program_id(0)
        start = tl.load(first + chunk)
        end = tl.load(last + chunk)
        if start < end:
            bucket = tl.load(of + chunk)
            inputs = tl.program_id(1) * INPUTS + tl.arange(0, INPUTS)
            piece = inputs // 64
            square = inputs % 64
            columns = tl.program_id(2) * BLOCK + tl.arange(0, BLOCK)
            sums = tl.zeros((INPUTS, BLOCK), tl.float32)
            for step in range(start, end, STEP):
                places = step + tl.arange(0, STEP)
                is_row = places < end
                rows = tl.load(order + places, mask=is_row, other=0)
                board = tl.load(
                    boards + rows[None, :] * 64 + square[:, None], mask=is_row[None, :], other=12
                ).to(tl.int32)
                is_set = (board == piece[:, None]).to(grad.dtype.element_ty)
                slopes = tl.load(
                    grad + rows[:, None] * HIDDEN + columns[None, :], mask=is_row[:, None], other=0
                )
                sums = tl.dot(is_set, slopes, sums)
            at = (bucket * 768 + inputs[:, None]) * HIDDEN + columns[None, :]
            tl.atomic_add(out + at, sums, sem="relaxed")
