. "$SOURCE/tests/cli/common.inc"
for size in 4 63 64 1000 30000; do
  head -c $size "$data/features.sm_75.cubin" >"$work/cut"
  expect 3 "$PICKER" list "$work/cut"; one_diagnostic "$work/cut: "
  expect 3 "$PICKER" disasm "$work/cut"; one_diagnostic "$work/cut: "
done
