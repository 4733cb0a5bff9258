#!/usr/bin/env bash
# All that is worth knowing of a machine with an NVIDIA GPU, within given minutes, as one small file.
#
#   bench/gpu.sh [--target cuda] [--minutes 60] [--out gpu-result] [--checkpoint pacm.safetensors] [--only STEP]… [--plan]
#
# Doctor, outputs of all candidates checked, quality of the draft, search strategies on kernels and networks, end to end
# latency. Called again it goes on: a step that is done is kept, one that failed or was stopped is tried again. The folder
# gets result.json: each step, whether it is done, failed or skipped, why, and its figures. `--target auto` tries it on
# the CPU; under 15 minutes every step is a short look. `--plan` prints the commands and runs none.
# Without --checkpoint a cost model is first trained on this machine's CPU, the other platform of moa-pruner.
# Works offline, from any folder, wherever `python3 -m pruner_engine.cli` runs; PYTHON names another interpreter.
set -euo pipefail
target=cuda minutes=60 out=gpu-result checkpoint= plan= only=()
usage() { sed -n "2,12s/^# \{0,1\}//p" "$0"; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in --plan) plan=1; shift; continue ;; esac
  [ $# -gt 1 ] || usage
  case $1 in
    --target) target=$2 ;; --minutes) minutes=$2 ;; --out) out=$2 ;; --checkpoint) checkpoint=$2 ;; --only) only+=("$2") ;;
    *) usage ;;
  esac
  shift 2
done
root=$(cd "$(dirname "$0")/.." && pwd)
export PYTHONPATH="$root/engine${PYTHONPATH:+:$PYTHONPATH}"
python=${PYTHON:-python3}
cli=("$python" -m pruner_engine.cli)
seconds=$(awk "BEGIN { print int($minutes * 60) }")
few=$((seconds < 900))
states=$out/steps.tsv
if [ -z "$plan" ]; then
  mkdir -p "$out"
  exec 9> "$out/lock"  # the steps inherit it: what a killed call has left running holds it, too
  flock -n 9 || { echo "Another call is still at work in $out: wait for it, or end it." >&2; exit 1; }
  touch "$states"
  trap 'exit 130' INT  # a step stops in good order by ^C, which it gets, too
  trap '"$python" "$root/bench/gpu_result.py" "$out" "$target" "$minutes"' EXIT
fi

note() { printf "%s\t%s\t%s\t%s\n" "$1" "$2" "$3" "${4//$'\t'/ }" >> "$states"; }
is_done() { [ -n "$plan" ] || awk -F "\t" -v name="$1" '$1 == name { last = $2 } END { exit last != "done" }' "$states"; }
is_wanted() { [ ${#only[@]} = 0 ] || [[ " ${only[*]} " = *" $1 "* ]]; }
skip() { if [ -z "$plan" ] && is_wanted "$1" && ! is_done "$1"; then note "$1" skipped 0 "$2"; echo "== $1: skipped, $2" >&2; fi; }

# seconds that a step may take: SHARE percent of all, and no more than is left; a short look takes what is left
limit_of() {
  local left=$((seconds - SECONDS)) share=$((few ? seconds : seconds * $1 / 100))
  echo $((left < share ? left : share))
}

# step NAME SHARE COMMAND…: what it prints goes to NAME.json, what it tells to NAME.log
step() {
  local name=$1 limit status=0 began=$SECONDS state why; limit=$(limit_of "$2"); shift 2
  if ! is_wanted "$name"; then return 0; fi
  if [ -n "$plan" ]; then printf "%s:" "$name"; printf " %q" "$@"; printf "\n"; return 0; fi
  if is_done "$name"; then echo "== $name: kept" >&2; return 0; fi
  if [ "$limit" -le 0 ]; then skip "$name" "no time was left"; return 0; fi
  echo "== $name: at most $limit s" >&2
  note "$name" stopped 0 "the call ended while it ran"
  timeout --foreground --signal=INT --kill-after=60 "$limit" "$@" > "$out/$name.tmp" 2> "$out/$name.log" || status=$?
  # the doctor and a failed run print their object, too
  if [ -s "$out/$name.tmp" ]; then mv "$out/$name.tmp" "$out/$name.json"; else rm -f "$out/$name.tmp"; fi
  case $status in
    0) note "$name" done $((SECONDS - began)) ""; return 0 ;;
    3 | 124 | 137) why="not finished within $limit s" state=stopped ;;
    *) why="exit $status: $(tail -n 1 "$out/$name.log" | cut -c -300)" state=failed ;;
  esac
  note "$name" "$state" $((SECONDS - began)) "$why"
  echo "== $name: $state, $why" >&2
}

step doctor 100 "${cli[@]}" doctor --json

kernels=(matmul:256,256,256 conv2d:1,64,28,28,64,3,layout=NHWC matmul:256,256,256,float16 matmul:256,256,256,bfloat16)
if [ $few = 1 ]; then kernels=(matmul:64,64,64); fi
for kernel in "${kernels[@]}"; do
  step "correct-${kernel//[:,=]/_}" 10 "${cli[@]}" tune "$kernel" --target "$target" --set check=all --strategy random \
    --trials $((few ? 4 : 64)) --project "$out/correct.pruner" --json
done

operators=() quality=512
if [ $few = 1 ]; then operators=(--operator matmul:64,64,64) quality=32; fi
step draft 20 "${cli[@]}" bench draft --quality --target "$target" --candidates $quality "${operators[@]}" \
  --keep "$out/draft-measured.json" --json

if [ -z "$checkpoint" ]; then
  checkpoint=$out/cpu.safetensors
  lists=(--workloads "$root/bench/training.txt") each=32
  if [ $few = 1 ]; then lists=(matmul:64,64,64 matmul:32,64,64) each=8; fi
  step collect 20 "${cli[@]}" collect "${lists[@]}" --trials-per-task $each --project "$out/cpu.pruner" \
    --out "$out/cpu-data.safetensors" --json
  if is_done collect; then
    step train 10 "${cli[@]}" train "$out/cpu-data.safetensors" --out "$checkpoint" --hold 0 --json
  else skip train "collect is not done"; fi
fi
strategies=pruner,metaschedule
if [ -s "$checkpoint" ]; then strategies="pruner,moa-pruner:checkpoint=$(realpath "$checkpoint"),metaschedule"; fi

# search NAME SHARE ARGUMENTS…: finished runs are kept, others go on; stopped, it sums up what is finished
search() {
  local name=$1 share=$2; shift 2
  step "$name" "$share" "${cli[@]}" bench search "$@" --strategies "$strategies" --seeds 0 --target "$target" \
    --out "$out/$name" --json
  if is_wanted "$name" && ! is_done "$name" && [ -d "$out/$name" ]; then
    "${cli[@]}" bench search --out "$out/$name" --no-run --json > "$out/$name.tmp" 2>> "$out/$name.log" || true
    mv "$out/$name.tmp" "$out/$name.json"
  fi
}
if [ $few = 1 ]; then search kernels 30 matmul:64,64,64 --trials 8
else search kernels 30 --workloads "$root/bench/gpu.txt" --trials 512; fi

# networks with random weights: written by torch where it is there, else the small sample
models=("$root/resources/models/small-cnn.onnx")
if [ $few = 0 ]; then
  step models 10 "$python" "$root/bench/torch_models.py" "$out/models" resnet-50 bert-small
  if is_done models; then models=("$out/models/resnet-50.pt2" "$out/models/bert-small.pt2"); fi
fi
dtypes=(float32)
if [ "$target" != auto ]; then dtypes+=(float16); fi
for dtype in "${dtypes[@]}"; do
  search "networks-$dtype" 20 "${models[@]}" --trials $((few ? 6 : 2000)) --set "dtype=$dtype"
  for model in "${models[@]}"; do
    network=$(basename "${model%.*}") name=e2e-$dtype-$(basename "${model%.*}")
    project=$out/networks-$dtype/$network.pruner
    if [ -z "$plan" ] && [ ! -e "$project" ]; then skip "$name" "networks-$dtype has not begun with it"; continue; fi
    step "$name" 10 "${cli[@]}" bench e2e "$project" --rounds $((few ? 1 : 5)) --json
    # of a search that goes on next time the figures are measured again
    if is_done "$name" && ! is_done "networks-$dtype"; then note "$name" partial 0 "networks-$dtype is not done"; fi
  done
done
