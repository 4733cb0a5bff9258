#!/usr/bin/env bash
# All that is worth knowing of a machine with an NVIDIA GPU, within given minutes, as one small file.
#
#   bench/gpu.sh [--target cuda] [--minutes 60] [--out gpu-result] [--checkpoint pacm.safetensors]
#
# Doctor, outputs of all candidates checked, quality of the draft, search strategies on kernels and networks, end to end
# latency. Called again it goes on: what is in the folder is not measured anew. `--target auto` tries it on the CPU.
# Without --checkpoint a cost model is first trained on this machine's CPU, the other platform of moa-pruner.
# Works offline, in the project's root, wherever `python3 -m pruner_engine.cli` runs; PYTHON names another interpreter.
set -euo pipefail
target=cuda minutes=60 out=gpu-result checkpoint=
while [ $# -gt 0 ]; do
  case $1 in
    --target) target=$2 ;; --minutes) minutes=$2 ;; --out) out=$2 ;; --checkpoint) checkpoint=$2 ;;
    *) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
  shift 2
done
root=$(cd "$(dirname "$0")/.." && pwd)
export PYTHONPATH="$root/engine${PYTHONPATH:+:$PYTHONPATH}"
python=${PYTHON:-python3}
mkdir -p "$out"
seconds=$(awk "BEGIN { print int($minutes * 60) }")
few=$((seconds < 900))  # a short look: few candidates of little

pruner() { "$python" -m pruner_engine.cli "$@"; }

# seconds that a part may take: SHARE percent of all, and no more than is left; a short look takes what is left
limit_of() {
  local left=$((seconds - SECONDS)) share=$((few ? seconds : seconds * $1 / 100))
  echo $((left < share ? left : share))
}

# step NAME SHARE COMMAND…: its JSON in NAME.json; once written it is kept.
step() {
  local name=$1 limit status=0; limit=$(limit_of "$2"); shift 2
  if [ -s "$out/$name.json" ]; then echo "== $name: kept" >&2; return 0; fi
  if [ "$limit" -le 0 ]; then echo "== $name: no time left, call again to go on" >&2; return 0; fi
  echo "== $name: at most $limit s" >&2
  timeout --signal=INT --kill-after=60 "$limit" "$@" > "$out/$name.tmp" 2> "$out/$name.log" || status=$?
  # exit 1 of the doctor or a failed run also comes with its object
  if [ -s "$out/$name.tmp" ]; then mv "$out/$name.tmp" "$out/$name.json"; else rm -f "$out/$name.tmp"; fi
  if [ "$status" != 0 ]; then echo "== $name: exit $status, see $out/$name.log" >&2; fi
}
cli=("$python" -m pruner_engine.cli)

step doctor 100 "${cli[@]}" doctor --json

kernels=(matmul:256,256,256 conv2d:1,64,28,28,64,3,layout=NHWC matmul:256,256,256,float16)
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
  if [ -s "$out/collect.json" ]; then
    step train 10 "${cli[@]}" train "$out/cpu-data.safetensors" --out "$checkpoint" --hold 0 --json
  fi
fi
strategies=pruner,metaschedule
if [ -s "$checkpoint" ]; then strategies="pruner,moa-pruner:checkpoint=$(realpath "$checkpoint"),metaschedule"; fi

# the search's runs are resumed by themselves: the summary is of what is finished
search() {
  local name=$1 limit; limit=$(limit_of "$2"); shift 2
  if [ -e "$out/$name.done" ]; then echo "== $name: kept" >&2; return 0; fi
  if [ "$limit" -le 0 ]; then echo "== $name: no time left, call again to go on" >&2; return 0; fi
  echo "== $name: at most $limit s" >&2
  if timeout --signal=INT --kill-after=60 "$limit" "${cli[@]}" bench search "$@" --strategies "$strategies" --seeds 0 \
    --target "$target" --out "$out/$name" --json > /dev/null 2> "$out/$name.log"
  then touch "$out/$name.done"; else echo "== $name: not finished, see $out/$name.log; call again to go on" >&2; fi
  pruner bench search --out "$out/$name" --no-run --json > "$out/$name.json" 2>> "$out/$name.log" || true
}
if [ $few = 1 ]; then search kernels 30 matmul:64,64,64 --trials 8
else search kernels 30 --workloads "$root/bench/gpu.txt" --trials 512; fi

# networks with random weights: written by torch where it is there, else the small sample
models=()
if [ $few = 1 ]; then models=("$root/resources/models/small-cnn.onnx")
elif "$python" "$root/bench/torch_models.py" "$out/models" resnet-50 bert-small > "$out/models.log" 2>&1
then models=("$out"/models/*.pt2); else models=("$root/resources/models/small-cnn.onnx"); fi
dtypes=(float32)
if [ "$target" != auto ]; then dtypes+=(float16); fi
for dtype in "${dtypes[@]}"; do
  search "networks-$dtype" 20 "${models[@]}" --trials $((few ? 6 : 2000)) --set "dtype=$dtype"
  for project in "$out/networks-$dtype"/*.pruner; do
    if [ -e "$project" ]; then
      step "e2e-$dtype-$(basename "$project" .pruner)" 10 "${cli[@]}" bench e2e "$project" \
        --rounds $((few ? 1 : 5)) --json
    fi
  done
done

"$python" - "$out" <<'PYTHON'
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
steps = {}
for path in sorted(folder.glob("*.json")):
    if path.name in ("result.json", "draft-measured.json"):
        continue
    try:
        steps[path.stem] = json.loads(path.read_text())
    except ValueError:
        steps[path.stem] = {"error": "not finished"}
(folder / "result.json").write_text(json.dumps(steps, separators=(",", ":")))
print(f"{folder / 'result.json'}: {', '.join(steps)}")
PYTHON
