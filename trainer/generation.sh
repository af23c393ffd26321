#!/bin/sh
# Makes one generation of the network on one machine: self-play on all cores, records, training.
#
#     trainer/generation.sh FOLDER SELFPLAY_SECONDS TRAINING_SECONDS [OPTION OF train.py]...
#
# The script writes games.cg, records.bin, network.nnue, checkpoint.pt, log.jsonl and selfplay.log to
# FOLDER. If FOLDER exists, new games are appended, and with RESUME=1 training starts from its
# checkpoint. Settings from the environment:
#
#     TRAINER   the program castellan-trainer; by default it is built here
#     PYTHON    a Python with PyTorch; by default python3
#     NODES     nodes for each move of selfplay; by default 1500
#     THREADS   threads of selfplay; by default one for each core
#     SEED      seed of selfplay; by default from the clock
#     GAMES     more games files to learn from, separated by spaces
#     SELFPLAY  more options of selfplay
set -eu

if [ $# -lt 3 ]; then
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "$0" >&2
    exit 2
fi
folder=$1 selfplay_seconds=$2 training_seconds=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
if [ -z "${TRAINER:-}" ]; then
    (cd "$here" && cargo build --release -p castellan-trainer)
    TRAINER=$here/../target/release/castellan-trainer
fi
mkdir -p "$folder"

if [ "$selfplay_seconds" -gt 0 ]; then
    # SELFPLAY contains several words.
    # shellcheck disable=SC2086
    "$TRAINER" selfplay --seconds "$selfplay_seconds" --nodes "${NODES:-1500}" \
        ${THREADS:+--threads "$THREADS"} ${SEED:+--seed "$SEED"} ${SELFPLAY:-} \
        --out "$folder/games.cg" | tee "$folder/selfplay.log"
fi
set -- "$@" --out "$folder" --seconds "$training_seconds"
if [ "${RESUME:-0}" = 1 ]; then
    set -- "$@" --resume "$folder/checkpoint.pt"
fi
own=
[ -e "$folder/games.cg" ] && own=$folder/games.cg
# GAMES contains several files.
# shellcheck disable=SC2086
"$TRAINER" records ${GAMES:-} ${own:+"$own"} --out "$folder/records.bin"
exec "$python" "$here/train.py" "$folder/records.bin" "$@"
