#!/usr/bin/env bash
# All that is worth knowing of a machine with an NVIDIA GPU, within given minutes, as one small file.
#
#   bench/gpu.sh [--target cuda] [--minutes 60] [--out gpu-result] [--checkpoint pacm.safetensors] [--train]
#                [--only STEP]… [--plan]
#
# Doctor, measured profile, outputs of all candidates checked, quality of the draft, search strategies on kernels and
# networks, end to end latency; float32 and Tensor Cores in turn. How many candidates and trials there are follows from
# the minutes. Called again it goes on: a step that is done is kept, one that failed or was stopped is tried again, so
# that several calls of `--minutes 9` do as well where a command may last ten. The folder gets result.json, written anew
# after every step: each step, whether it is done, failed or skipped, why, and its figures. `--target auto` under 15
# minutes is a short look at every step on the CPU. `--plan` prints the commands and runs none.
# Networks are searched by all three strategies from two hours on; in less, by moa-pruner alone.
# moa-pruner starts from the cost model that comes with this project, or --checkpoint, or what --train trains here first.
# Works offline, from any folder, wherever `python3 -m pruner_engine.cli` runs; PYTHON names another interpreter.
set -euo pipefail
target=cuda minutes=60 out=gpu-result checkpoint= train= plan= only=()
usage() { sed -n "2,15s/^# \{0,1\}//p" "$0"; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in --plan) plan=1; shift; continue ;; --train) train=1; shift; continue ;; esac
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
on_gpu=1 few=0
case $target in auto | cpu) on_gpu=0 few=$((seconds < 900)) ;; esac
states=$out/steps.tsv
write_result() { "$python" "$root/bench/gpu_result.py" "$out" "$target" "$minutes"; }
if [ -z "$plan" ]; then
  mkdir -p "$out"
  exec 9> "$out/lock"  # the steps inherit it: what a killed call has left running holds it, too
  flock -n 9 || { echo "Another call is still at work in $out: wait for it, or end it." >&2; exit 1; }
  touch "$states"
  trap 'exit 130' INT  # a step stops in good order by ^C, which it gets, too
  trap write_result EXIT
fi

# so many a budget of so many seconds each allows, within bounds
count() { local n=$((seconds / $1)); n=$((n < $2 ? $2 : n)); echo $((n > $3 ? $3 : n)); }
checked=$(count 60 16 64) candidates=$(count 40 32 96) trials=$(count 28 64 512) network_trials=$(count 12 100 2000)
if [ $few = 1 ]; then checked=4 candidates=32 trials=8 network_trials=6; fi

# written at once, since this call may be killed at any moment
note() {
  local why=${4//[$'\t\n']/ }
  printf "%s\t%s\t%s\t%s\n" "$1" "$2" "$3" "$why" >> "$states"
  write_result > /dev/null
}
is_done() { [ -n "$plan" ] || awk -F "\t" -v name="$1" '$1 == name { last = $2 } END { exit last != "done" }' "$states"; }
is_wanted() {
  local name
  for name in "${only[@]}"; do if [[ $1 = "$name" || $1 = "$name"-* ]]; then return 0; fi; done
  [ ${#only[@]} = 0 ]
}
skip() { if [ -z "$plan" ] && is_wanted "$1" && ! is_done "$1"; then note "$1" skipped 0 "$2"; echo "== $1: skipped, $2" >&2; fi; }
plain() { echo "${1//[:,=]/_}"; }

# phase PERCENT [STEPS]: the steps that follow have so much of the minutes between them, and what earlier ones have left.
# A short look, and --only, set no bounds but the end.
until=0 parts=1 shares=0 whole=$((100 + (${train:-0} * 30)))
phase() {
  shares=$((shares + $1)) parts=${2:-1} until=$((seconds * shares / whole))
  if [ -n "$plan" ]; then echo "== until second $until" >&2; fi
  if [ $few = 1 ] || [ ${#only[@]} -gt 0 ]; then until=$seconds; fi
}

# in the background of a shell ^C is ignored, and a step that inherits that could not be stopped in good order
hearing=()
if env --default-signal=INT true 2> /dev/null; then hearing=(env --default-signal=INT); fi

least=90  # seconds that a step gets once it has begun, if so many are left: importing and compiling alone take twenty
# step NAME COMMAND…: what it prints goes to NAME.json, what it tells to NAME.log
step() {
  local name=$1 left=$((until - SECONDS)) limit status=0 began=$SECONDS state why; shift
  limit=$((left / parts)) parts=$((parts > 1 ? parts - 1 : 1))
  if ! is_wanted "$name"; then return 0; fi
  if [ -n "$plan" ]; then printf "%s:" "$name"; printf " %q" "$@"; printf "\n"; return 0; fi
  if is_done "$name"; then echo "== $name: kept" >&2; return 0; fi
  if [ "$left" -le 0 ]; then skip "$name" "no time was left"; return 0; fi
  limit=$((limit < least ? least : limit)) left=$((seconds - SECONDS))
  limit=$((limit < left ? limit : left))
  echo "== $name: at most $limit s" >&2
  note "$name" stopped 0 "the call ended while it ran"
  timeout --foreground --signal=INT --kill-after=$((seconds < 900 ? 25 : 60)) "$limit" "${hearing[@]}" "$@" \
    > "$out/$name.tmp" 2> "$out/$name.log" || status=$?
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

phase 8
step doctor "${cli[@]}" doctor --json
if [ -z "$plan" ] && [ $on_gpu = 1 ] && is_wanted doctor; then
  if ! why=$("$python" "$root/bench/gpu_works.py" "$out/doctor.json"); then
    note doctor failed 0 "$why"
    echo "Nothing else was tried: $why" >&2
    exit 1
  fi
fi
phase 6
step profile "$python" "$root/bench/gpu_profile.py" "$target"

kernels=(matmul:256,256,256 matmul:256,256,256,float16 conv2d:1,64,28,28,64,3,layout=NHWC matmul:256,256,256,bfloat16)
kernels+=(matmul:128,512,2048)  # whose sum is shared out among blocks
mapfile -t searched < <(sed "s/#.*//" "$root/bench/gpu.txt" | awk "NF { print \$1 }")
if [ $few = 1 ]; then kernels=(matmul:64,64,64) searched=(matmul:64,64,64); fi
phase 10 ${#kernels[@]}
for kernel in "${kernels[@]}"; do
  step "correct-$(plain "$kernel")" "${cli[@]}" tune "$kernel" --target "$target" --set check=all --strategy random \
    --trials "$checked" --project "$out/correct.pruner" --json
done

phase 12 ${#searched[@]}
for kernel in "${searched[@]}"; do
  step "draft-$(plain "$kernel")" "${cli[@]}" bench draft --quality --target "$target" --candidates "$candidates" \
    --operator "$kernel" --keep "$out/draft-measured.json" --json
done

if [ -n "$train" ]; then
  checkpoint=$out/cpu.safetensors
  lists=(--workloads "$root/bench/training.txt") each=32
  if [ $few = 1 ]; then lists=(matmul:64,64,64 matmul:32,64,64) each=8; fi
  phase 20
  step collect "${cli[@]}" collect "${lists[@]}" --trials-per-task $each --project "$out/cpu.pruner" \
    --out "$out/cpu-data.safetensors" --json
  phase 10
  if is_done collect; then
    step train "${cli[@]}" train "$out/cpu-data.safetensors" --out "$checkpoint" --hold 0 --json
  else skip train "collect is not done"; fi
fi
if [ -z "$checkpoint" ]; then checkpoint=$root/resources/checkpoints/pacm-draft-256.safetensors; fi
ours=pruner
if [ -s "$checkpoint" ]; then ours=moa-pruner:checkpoint=$(realpath "$checkpoint"); fi

# search NAME FOLDER STRATEGIES ARGUMENTS…: finished runs are kept, others go on; stopped, it sums up what is finished.
# What several steps leave in one folder is told once, by the folder's name.
search() {
  local name=$1 folder=$2 strategies=$3; shift 3
  step "$name" "${cli[@]}" bench search "$@" --strategies "$strategies" --seeds 0 --target "$target" \
    --out "$out/$folder" --json
  if [ -n "$plan" ] || ! is_wanted "$name"; then return 0; fi
  if ! is_done "$name" && [ -d "$out/$folder" ]; then
    timeout $((seconds < 900 ? 20 : 60)) "${cli[@]}" bench search --out "$out/$folder" --no-run --json \
      > "$out/$name.tmp" 2>> "$out/$name.log" || true
    mv "$out/$name.tmp" "$out/$name.json"
  fi
  if [ "$name" != "$folder" ] && [ -e "$out/$name.json" ]; then
    mv "$out/$name.json" "$out/$folder.json"
    note "$folder" partial 0 "more kernels to come"
  fi
}
# all_done FOLDER SUBJECT…: nothing is left of a step of each
all_done() {
  local folder=$1 subject; shift
  if [ -n "$plan" ] || ! is_wanted "$folder"; then return 0; fi
  for subject in "$@"; do is_done "$folder-$(plain "$(network "$subject")")" || return 0; done
  note "$folder" done 0 ""
}
network() { basename "${1%.*}"; }
compared=pruner,metaschedule
if [ "$ours" != pruner ]; then compared=pruner,$ours,metaschedule; fi
if [ $few = 1 ]; then
  phase 30
  search kernels kernels "$compared" "${searched[@]}" --trials "$trials"
else
  phase 30 ${#searched[@]}
  for kernel in "${searched[@]}"; do
    search "kernels-$(plain "$kernel")" kernels "$compared" "$kernel" --trials "$trials"
  done
  all_done kernels "${searched[@]}"
fi

# networks with random weights: written by torch where it is there, else the small sample
models=("$root/resources/models/small-cnn.onnx")
phase 2
if [ $few = 0 ]; then
  step models "$python" "$root/bench/torch_models.py" "$out/models" resnet-50 bert-small
  if is_done models; then models=("$out/models/resnet-50.pt2" "$out/models/bert-small.pt2"); fi
fi
dtypes=(float32)
if [ $on_gpu = 1 ]; then dtypes+=(float16); fi
if [ $few = 1 ] || [ $seconds -ge 7200 ]; then ours=$compared; fi
for dtype in "${dtypes[@]}"; do
  phase 8 ${#models[@]}
  for model in "${models[@]}"; do
    search "networks-$dtype-$(network "$model")" "networks-$dtype" "$ours" "$model" --trials "$network_trials" \
      --set "dtype=$dtype"
  done
  all_done "networks-$dtype" "${models[@]}"
  phase 8 ${#models[@]}
  for model in "${models[@]}"; do
    tuned=networks-$dtype-$(network "$model") name=e2e-$dtype-$(network "$model")
    project=$out/networks-$dtype/$(network "$model").pruner
    if [ -z "$plan" ] && [ ! -e "$project" ]; then skip "$name" "$tuned has not begun"; continue; fi
    step "$name" "${cli[@]}" bench e2e "$project" --rounds $((seconds < 3600 ? 1 : 3)) --json
    # of a search that goes on next time the figures are measured again
    if is_done "$name" && ! is_done "$tuned"; then note "$name" partial 0 "$tuned is not done"; fi
  done
done
