#!/usr/bin/env python3
"""Averages the weights of networks.

The networks must have the same inputs and neurons, and be trained from one another, because the neurons of
networks that were trained from scratch do not correspond.

    average.py FIRST.nnue SECOND.nnue... --out MEAN.nnue
"""

import argparse
import os
import sys

import numpy as np

import network as net


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("networks", nargs="+", help="network files")
    parser.add_argument("--out", required=True, help="network file to write")
    args = parser.parse_args()
    try:
        whole = [net.IntegerNetwork.load(path) for path in args.networks]
    except (OSError, ValueError) as error:
        sys.exit(f"average.py: {error}")
    mean = whole[0]
    for path, other in zip(args.networks, whole):
        if (other.hidden, other.buckets) != (mean.hidden, mean.buckets):
            sys.exit(f"average.py: {path}: its neurons or king buckets differ from those of {args.networks[0]}")
    for field in ("weight", "bias", "output_weight", "output_bias"):
        parts = [getattr(one, field) for one in whole]
        setattr(mean, field, np.rint(np.mean(parts, 0)).astype(parts[0].dtype))
    mean.save(args.out, os.path.splitext(os.path.basename(args.out))[0])


if __name__ == "__main__":
    main()
