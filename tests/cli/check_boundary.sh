# vadd: c exactly behind a, one byte closer, and launches whose guard decides.
. "$SOURCE/tests/cli/common.inc"
vadd=$SOURCE/samples/cubins/vadd.sm_80.cubin
check() {  # STATUS GRID BLOCK ARGS
  expect "$1" "$PICKER" check "$vadd" --kernel vadd --grid "$2" --block "$3" --args "$4"
}
far=0x7f0001000000
# 1000 floats are 0xfa0 bytes.
check 0 4 256 0x7f0000000000,$far,0x7f0000000fa0,1000
has "vadd (sm_80): idempotent"
has "writes [0x7f0000000fa0, 0x7f0000001f40) through argument 2"
check 1 4 256 0x7f0000000000,$far,0x7f0000000f9f,1000
has "vadd (sm_80): conflict"
has "[0x7f0000000f9f, 0x7f0000000fa0) is read and written"
has "read  0x00b0 LDG.E R3, [R2.64] (vadd.cu:5) through argument 0"
has "write 0x00e0 STG.E [R6.64], R9 (vadd.cu:5) through argument 2"
[ "$(grep -c 'is read and written' "$out")" = 1 ] || fail "the same conflict twice"
# From below: c ends where a begins, and one byte further.
check 0 4 256 0x7f0000000fa0,$far,0x7f0000000000,1000
check 1 4 256 0x7f0000000f9f,$far,0x7f0000000000,1000
# Nothing is touched: n is 0, n is negative; all pointers the same. One element is enough to differ.
check 0 4 256 $far,$far,$far,0
check 0 4 256 $far,$far,$far,-5
check 0 4 256 $far,$far,$far,-2147483648
check 1 4 256 $far,$far,$far,1
# A grid that covers 512 elements only.
check 0 2 256 0x7f0000000000,$far,0x7f0000000800,1000
check 1 2 256 0x7f0000000000,$far,0x7f00000007ff,1000
has "[0x7f00000007ff, 0x7f0000000800) is read and written"
# The last thread alone: 4 blocks of 250.
check 0 4 250 0x7f0000000000,$far,0x7f0000000fa0,100000
check 1 4 250 0x7f0000000000,$far,0x7f0000000f9f,100000
