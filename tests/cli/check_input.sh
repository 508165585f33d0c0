# Inputs that check cannot use: unreadable, malformed, without code, of another architecture.
. "$SOURCE/tests/cli/common.inc"
vadd=$SOURCE/samples/cubins/vadd.sm_80.cubin
launch="--kernel vadd --grid 1 --block 32 --args 0x7f0000000000,0x7f0001000000,0x7f0002000000,32"
for subcommand in "check" "analyze"; do
  [ $subcommand = check ] && options=$launch || options=
  expect 3 "$PICKER" $subcommand "$work/missing" $options; one_diagnostic "cannot be read"
  expect 3 "$PICKER" $subcommand "$SOURCE/samples/vadd.cu" $options; one_diagnostic "no such magic"
  for bytes in 0 1 64 600 3000; do
    head -c $bytes "$vadd" >"$work/cut"
    expect 3 "$PICKER" $subcommand "$work/cut" $options; one_diagnostic ""
  done
  cp "$vadd" "$work/old"
  printf '\064' | dd of="$work/old" bs=1 seek=49 conv=notrunc 2>/dev/null  # e_flags: sm_52
  printf '\064' | dd of="$work/old" bs=1 seek=48 conv=notrunc 2>/dev/null
  expect 4 "$PICKER" $subcommand "$work/old" $options; one_diagnostic "not supported"
done
