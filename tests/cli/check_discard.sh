# discard: the whole line of 128 bytes is lost, wherever in it the address points.
. "$SOURCE/tests/cli/common.inc"
check() {  # STATUS IN
  # The address lies in the last word of the line at 0x7f0002000000.
  expect "$1" "$PICKER" check "$SOURCE/samples/cubins/discard.sm_80.cubin" --kernel discard \
    --grid 1 --block 32 --args "$2,0x7f0001000000,0x7f000200007c,1"
}
# What is read ends where the line begins, and one byte later.
check 0 0x7f0001fffffc
check 1 0x7f0001fffffd
# It begins where the line ends, and one byte earlier.
check 0 0x7f0002000080
check 1 0x7f000200007f
