#!/bin/bash
# Makes one generation of the network on a machine with a GPU: self-play on the GPU, records, a teacher,
# its labels, training.
#
#     trainer/gpu/generation.sh FOLDER NETWORK "SECONDS..." TRAINING_SECONDS [OPTION OF train.py]...
#
# The self-play of NETWORK is cut into parts of the given seconds. While the GPU plays one part, the CPU
# turns the one before into records; it also plays games with deep searches, for the validation. With
# TEACHER_SECONDS, a teacher learns from these records and labels them, and positions of faster games too,
# and the network learns from its labels. A short training beside the second part fills the caches of the
# compilers and shows mistakes early. The script writes rN.bin, labeled.bin, validation.bin, teacher.pt,
# network.nnue, checkpoint.pt and log.jsonl to FOLDER, and what each program printed to files in it. With
# --tree-nodes among the OPTIONS, positions from search trees go to rN.tree.bin, and the network learns from
# them too.
# Settings from the environment:
#
#     TRAINER            the program castellan-trainer; by default it is built here
#     SELFPLAY           the program selfplay of this folder; by default it is built here
#     PYTHON             a Python with PyTorch; by default python3
#     OPTIONS            options of selfplay; by default --nodes 400 --tree-nodes 400
#     LOOKAHEAD          option of records; by default 0
#     VALIDATION_NODES   nodes for each move of the validation games; by default 5000
#     SEED               seed of the first part; by default 1
#     TEACHER_SECONDS    seconds for the training of the teacher; by default 0, no teacher
#     TEACHER            options of teach.py for training
#     FAST_SECONDS       seconds of self-play for positions that only the teacher labels; by default 60
#     FAST_OPTIONS       options of this self-play; by default --nodes 60
#     LABEL_SECONDS      seconds for the teacher to label records; by default 300
#     RESULT_WEIGHT      weight of the result that the teacher expects in its labels; by default 0.2
set -euo pipefail

if [ $# -lt 4 ]; then
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "$0" >&2
    exit 2
fi
folder=$1 network=$2 parts=$3 training_seconds=$4
shift 4
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
seed=${SEED:-1}
teacher_seconds=${TEACHER_SECONDS:-0}
mkdir -p "$folder"

# Prints a line with the seconds since the start.
say() { echo "$SECONDS s: $*"; }

if [ -z "${TRAINER:-}" ]; then
    (cd "$here" && cargo build --release -p castellan-trainer)
    TRAINER=$here/../../target/release/castellan-trainer
fi
if [ -z "${SELFPLAY:-}" ]; then
    SELFPLAY=$folder/selfplay
    nvcc -std=c++17 -arch=native -O3 -o "$SELFPLAY" "$here/main.cu"
fi

# Plays validation games on the CPU. A third of the cores and of the time is left for the records.
validate() {
    local seconds=0 part
    for part in $parts; do seconds=$((seconds + part)); done
    "$TRAINER" selfplay --network "$network" --nodes "${VALIDATION_NODES:-5000}" --seed "$seed" \
        --seconds $((seconds * 2 / 3 + 1)) --threads $(($(nproc) * 2 / 3 + 1)) --out "$folder/validation.cg" &&
        "$TRAINER" records "$folder/validation.cg" --out "$folder/validation.bin"
}

# Plays games on the GPU for some seconds, with further options: play NAME SECONDS SEED OPTION...
play() {
    local name=$1 seconds=$2 seed=$3
    shift 3
    "$SELFPLAY" selfplay --net "$network" --seconds "$seconds" --seed "$seed" "$@" --out "$folder/$name" \
        >"$folder/$name.log" 2>&1
    say "$name: $(grep searches "$folder/$name.log" | tail -n 1)"
}

# Turns games into records: convert GAMES RECORDS.
convert() {
    "$TRAINER" records --lookahead "${LOOKAHEAD:-0}" "$folder/$1.games" --out "$folder/$2.bin" &&
        rm "$folder/$1.games" &&
        { [ ! -e "$folder/$1.tree.bin" ] || mv "$folder/$1.tree.bin" "$folder/$2.tree.bin"; }
}

# Trains on the first ten million records for a minute.
try_training() {
    head -c 320000000 "$folder/r1.bin" >"$folder/try.bin" &&
        "$python" "$here/../train.py" "$folder/try.bin" --out "$folder/try" "$@" --seconds 60
}

# Notes that a step in the background has failed, by the name of its log.
fail() { echo "$folder/$1.log" >>"$folder/failed"; }

# Stops if a step in the background has failed.
check() { [ ! -e "$folder/failed" ] || { say "a step failed; see $(tr "\n" " " <"$folder/failed")" >&2; exit 1; }; }

rm -f "$folder"/[rf][0-9]*.bin "$folder/validation.cg" "$folder/failed"
{ validate >"$folder/validation.log" 2>&1 || fail validation; } &
number=0
for part in $parts; do
    number=$((number + 1))
    # OPTIONS contains several words.
    # shellcheck disable=SC2086
    play "s$number" "$part" $((seed + number)) ${OPTIONS:---nodes 400 --tree-nodes 400}
    {
        convert "s$number" "r$number" >"$folder/r$number.log" 2>&1 || fail "r$number"
        [ "$number" != 1 ] || try_training "$@" >"$folder/try.log" 2>&1 || fail try
    } &
    check
done
if [ "$teacher_seconds" -gt 0 ]; then
    # shellcheck disable=SC2086
    play fast "${FAST_SECONDS:-60}" "$seed" ${FAST_OPTIONS:---nodes 60}
    { convert fast f1 >"$folder/f1.log" 2>&1 || fail f1; } &
fi
wait
check
say "$(stat -c %s "$folder"/[rf][0-9]*.bin | awk '{ sum += $1 / 32 } END { print sum }') records"
data=("$folder"/r[0-9]*.bin)
if [ "$teacher_seconds" -gt 0 ]; then
    # TEACHER contains several words.
    # shellcheck disable=SC2086
    "$python" "$here/../teach.py" train "${data[@]}" --base "$network" --validate "$folder/validation.bin" \
        --out "$folder/teacher.pt" --seconds "$teacher_seconds" --log "$folder/teacher.jsonl" ${TEACHER:-}
    say "the teacher is trained"
    "$python" "$here/../teach.py" label "$folder/f1.bin" "${data[@]}" --teacher "$folder/teacher.pt" \
        --out "$folder/labeled.bin" --seconds "${LABEL_SECONDS:-300}" --result-weight "${RESULT_WEIGHT:-0.2}" \
        --batch 16384
    data=("$folder/labeled.bin")
    say "$(($(stat -c %s "$folder/labeled.bin") / 32)) records are labeled"
fi
"$python" "$here/../train.py" "${data[@]}" --validate "$folder/validation.bin" --out "$folder" \
    "$@" --seconds "$training_seconds"
say "done"
