# red_guarded: a reduction reads, unless an earlier store of the same thread covers every byte of it.
. "$SOURCE/tests/cli/common.inc"
check() {  # STATUS TOTAL N
  expect "$1" "$PICKER" check "$SOURCE/samples/cubins/red.sm_80.cubin" --kernel red_guarded \
    --grid 2 --block 32 --args "0x7f0000000000,0x7f0001000000,$2,$3"
}
# One thread stores out[0] and adds to it; one byte further a byte of the sum is not its own.
check 0 0x7f0001000000 1
check 1 0x7f0001000001 1
check 1 0x7f0000ffffff 1
check 1 0x7f0001000004 1
# The second thread stores out[1] and adds to out[0], which it did not store.
check 1 0x7f0001000000 2
