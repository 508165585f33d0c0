# --tier stops earlier: real and imaginary parts interleave, so their hulls overlap.
. "$SOURCE/tests/cli/common.inc"
file=$SOURCE/samples/cubins/interleaved.sm_80.cubin
interleaved() {  # STATUS TIER OUT
  expect "$1" "$PICKER" --format json check "$file" --kernel interleaved --grid 2 --block 128 \
    --tier "$2" --args "0x7f0000000000,$3,f:2,200"
}
for tier in hulls strided exact; do
  interleaved 0 $tier 0x7f0010000000
  has '"tier": "hulls"'
done
# One element behind: alternating. One byte less: the real part's last byte is overwritten.
interleaved 1 hulls 0x7f0000000004
has '"verdict": "unknown"'; has '"reason": "overlap-of-ranges"'; has '"tier": "hulls"'
has '"lo": "0x7f0000000004"'
interleaved 0 strided 0x7f0000000004
has '"tier": "strided"'
interleaved 0 exact 0x7f0000000004
for tier in hulls strided; do
  interleaved 1 $tier 0x7f0000000003
  has '"verdict": "unknown"'; has '"reason": "overlap-of-ranges"'
done
interleaved 1 exact 0x7f0000000003
has '"verdict": "conflict"'
