#!/bin/sh
# Makes features.sm_XX.cubin. Needs nvcc 13 (NVCC) and the ptxas of CUDA 12.9 (PTXAS12) for sm_70.
# The PTX's .file lines are cut to bare names, so that the cubins name no folder of this machine.
set -eu
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc}
for sm in 70 75 80 90 100 120; do
  virtual=$sm
  assembler="$(dirname "$(command -v "$nvcc")")/ptxas"
  if [ $sm = 70 ]; then virtual=75 assembler=${PTXAS12:?names a ptxas that makes sm_70}; fi
  ptx=$(mktemp --suffix=.ptx)
  "$nvcc" -arch=compute_$virtual -ptx -lineinfo features.cu -o "$ptx"
  sed -i -E 's|^(\s*\.file\s+[0-9]+ ")[^"]*/([^/"]+")(.*)|\1\2|' "$ptx"
  if [ $sm = 70 ]; then sed -i 's/^\.version.*/.version 8.8/; s/^\.target.*/.target sm_70/' "$ptx"; fi
  "$assembler" -arch=sm_$sm -lineinfo "$ptx" -o features.sm_$sm.cubin
  rm "$ptx"
done
# One for linking, as nvcc -dc makes them.
ptx=$(mktemp --suffix=.ptx)
"$nvcc" -arch=compute_75 -ptx features.cu -o "$ptx"
"$(dirname "$(command -v "$nvcc")")/ptxas" -arch=sm_75 -c "$ptx" -o relocatable.sm_75.cubin
rm "$ptx"
# Fatbins in each form of compression: none, LZ4 and Zstandard.
for mode in none:none speed:lz4 size:zstd; do
  "$nvcc" -gencode arch=compute_75,code=sm_75 -gencode arch=compute_90a,code=sm_90a \
    -gencode arch=compute_120,code='[sm_120,compute_120]' -compress-mode=${mode%:*} \
    -Xfatbin -compress-all -fatbin pair.cu -o pair_${mode#*:}.fatbin
done
# PTX without machine code.
"$nvcc" -gencode arch=compute_80,code=compute_80 -fatbin pair.cu -o ptx_only.fatbin
