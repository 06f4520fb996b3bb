#!/bin/sh
# Makes .venv next to this file with the pinned peers; does nothing when it already matches requirements.txt.
# Uses PyTorch's small CPU-only wheels when that index answers, else PyPI (the CPU kernels are the same).
set -eu
cd "$(dirname "$0")"
python=${PYTHON:-python3}

if cmp -s requirements.txt .venv/installed.txt; then
    exit 0
fi
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "setup.sh: $python is older than 3.11; set PYTHON to a newer interpreter" >&2
    exit 2
}
[ -x .venv/bin/python ] || "$python" -m venv .venv

cpu_index=https://download.pytorch.org/whl/cpu
torch=$(grep '^torch==' requirements.txt)
probe='import sys, urllib.request; urllib.request.urlopen(sys.argv[1], timeout=10)'
if .venv/bin/python -c "$probe" "$cpu_index/torch/" 2>/dev/null; then
    .venv/bin/python -m pip install --quiet "$torch" --index-url "$cpu_index"
fi
.venv/bin/python -m pip install --quiet -r requirements.txt
.venv/bin/python -c 'import torch, jax; torch.ones(2) @ torch.ones(2); jax.numpy.ones(2).sum()'
cp requirements.txt .venv/installed.txt
