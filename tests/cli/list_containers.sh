. "$SOURCE/tests/cli/common.inc"
# A fatbin in each form of compression lists alike; images as cuobjdump -lelf and -lptx count them.
for form in none lz4 zstd; do
  expect 0 "$PICKER" list "$data/pair_$form.fatbin"
  [ "$(grep -c '^[^ ].* cubin' "$out")" = 3 ] || fail "$form: expected three cubins"
  grep -qE ": sm_90a cubin( \\($form\\))?, 2 kernels$" "$out" || fail "$form: no sm_90a"
  grep -qE ": compute_120 ptx( \\($form\\))?$" "$out" || fail "$form: no PTX"
  grep -v '^[^ ]' "$out" >"$work/kernels.$form"
done
cmp -s "$work/kernels.none" "$work/kernels.lz4" || fail "LZ4 differs"
cmp -s "$work/kernels.none" "$work/kernels.zstd" || fail "Zstandard differs"
expect 0 "$PICKER" --format json list "$data/pair_zstd.fatbin"
has '"kind": "fatbin"'
has '"compression": "zstd"'
# One damaged image is reported and does not hide the others.
cp "$data/pair_zstd.fatbin" "$work/damaged"
printf '\377\377\377\377' | dd of="$work/damaged" bs=1 seek=$((0x50)) conv=notrunc 2>/dev/null
expect 3 "$PICKER" list "$work/damaged"
[ "$(wc -l <"$err")" = 1 ] || fail "expected one diagnostic"
grep -q 'fatbin+0x10' "$err" || fail "the diagnostic does not name the image"
grep -q 'sm_120 cubin (zstd), 2 kernels$' "$out" || fail "the others are hidden"
