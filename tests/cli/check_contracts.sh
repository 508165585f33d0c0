# Opt-in contracts are named in the verdict that rests on them, and only there.
. "$SOURCE/tests/cli/common.inc"
flag() {  # STATUS RAISE OPTIONS...
  wanted_status=$1
  raise=$2
  shift 2
  expect "$wanted_status" "$PICKER" --format json check \
    "$SOURCE/samples/cubins/flagraise.sm_80.cubin" --kernel flagraise --grid 2 --block 64 \
    --args "0x7f0000000000,0x7f0001000000,0x7f0002000000,$raise,100" "$@"
}
absent() {
  if grep -qF -- "$1" "$out"; then fail "output contains $1"; fi
}
flag 1 1
has '"reason": "system-scope-communication"'
absent private-system-scope
flag 0 1 --assume private-system-scope
has '"private-system-scope"'
# Another contract is no help.
flag 1 1 --assume in-bounds
# Taken, but nothing rests on it.
expect 0 "$PICKER" --format json check "$SOURCE/samples/cubins/vadd.sm_80.cubin" --kernel vadd \
  --grid 1 --block 32 --args 0x7f0000000000,0x7f0001000000,0x7f0002000000,32 \
  --assume private-system-scope
absent private-system-scope
