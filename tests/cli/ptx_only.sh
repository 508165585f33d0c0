. "$SOURCE/tests/cli/common.inc"
# PTX has no machine code to judge: it is listed, and everything else says what it needs.
expect 0 "$PICKER" list "$data/ptx_only.fatbin"
has "compute_80 ptx"
for subcommand in analyze disasm; do
  expect 4 "$PICKER" $subcommand "$data/ptx_only.fatbin"
  one_diagnostic "compute_80 (PTX) needs compiling"
done
