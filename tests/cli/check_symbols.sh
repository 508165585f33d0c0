# Module globals: where they lie is the host's knowledge.
. "$SOURCE/tests/cli/common.inc"
file=$SOURCE/samples/cubins/moduleglobal.sm_80.cubin
reader() {  # STATUS OPTIONS...
  status_wanted=$1
  shift
  expect "$status_wanted" "$PICKER" check "$file" --kernel global_reader --grid 2 --block 64 "$@"
}
reader 1 --args 0x7f0000000000,100
has "unknown: "; has "symbol"
expect 1 "$PICKER" --format json check "$file" --kernel global_reader --grid 2 --block 64 \
  --args 0x7f0000000000,100
has '"reason": "symbol-not-placed"'
# 100 floats of the table are read: 0x190 bytes.
reader 0 --args 0x7f0000000000,100 --symbol table=0x7f0010000000
has "reads  [0x7f0010000000, 0x7f0010000190)"
reader 0 --args 0x7f0010000190,100 --symbol table=0x7f0010000000
reader 1 --args 0x7f001000018f,100 --symbol table=0x7f0010000000
has "[0x7f001000018f, 0x7f0010000190) is read and written"
# Not touched, so it need not be placed.
reader 0 --args 0x7f0000000000,0
