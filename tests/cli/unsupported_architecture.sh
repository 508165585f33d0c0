. "$SOURCE/tests/cli/common.inc"
cp "$data/features.sm_75.cubin" "$work/old"
printf '\064' | dd of="$work/old" bs=1 seek=49 conv=notrunc 2>/dev/null  # e_flags: sm_52
expect 0 "$PICKER" list "$work/old"
has "sm_52 cubin, 5 kernels, architecture not supported"
expect 4 "$PICKER" disasm "$work/old"; one_diagnostic "sm_52 is not supported"
# A flavour of cubin from the future.
cp "$data/features.sm_75.cubin" "$work/new"
printf '\011' | dd of="$work/new" bs=1 seek=8 conv=notrunc 2>/dev/null
expect 4 "$PICKER" list "$work/new"; one_diagnostic "flavour"
