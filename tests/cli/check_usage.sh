# Launches that are stated wrongly, or that the driver would refuse: status 2 and one line.
. "$SOURCE/tests/cli/common.inc"
vadd=$SOURCE/samples/cubins/vadd.sm_80.cubin
good=0x7f0000000000,0x7f0001000000,0x7f0002000000,1000
refused() {  # TEXT OPTIONS...
  text=$1
  shift
  expect 2 "$PICKER" check "$vadd" "$@"
  one_diagnostic "$text"
}
refused "--kernel is required" --grid 1 --block 1 --args $good
refused "--grid is required" --kernel vadd --block 1 --args $good
refused "--block is required" --kernel vadd --grid 1 --args $good
refused "no kernel vad; there are: vadd" --kernel vad --grid 1 --block 1 --args $good
refused "has 4 parameters, found 3 values" --kernel vadd --grid 1 --block 1 --args 1,2,3
refused "has 4 parameters, found 5 values" --kernel vadd --grid 1 --block 1 --args 1,2,3,4,5
refused "has 4 parameters, found 0 values" --kernel vadd --grid 1 --block 1
refused "0x100000000: does not fit" --kernel vadd --grid 1 --block 1 --args 0,0,0,0x100000000
refused "not a whole number" --kernel vadd --grid 1 --block 1 --args 0,0,0,ten
refused "expected 16 hexadecimal digits, found 2" --kernel vadd --grid 1 --block 1 --args 0,0,hex:00,1
for zero in 0 0,1 1,0 1,1,0; do
  refused "no dimension may be 0" --kernel vadd --grid $zero --block 1 --args $good
  refused "no dimension may be 0" --kernel vadd --grid 1 --block $zero --args $good
done
refused "at most 2147483647,65535,65535" --kernel vadd --grid 1,65536 --block 1 --args $good
refused "at most 2147483647,65535,65535" --kernel vadd --grid 2147483648 --block 1 --args $good
refused "1024 in all" --kernel vadd --grid 1 --block 32,32,2 --args $good
refused "1024 in all" --kernel vadd --grid 1 --block 1025 --args $good
refused "1024 in all" --kernel vadd --grid 1 --block 1,1,65 --args $good
refused "expected X[,Y[,Z]]" --kernel vadd --grid 1,1,1,1 --block 1 --args $good
refused "expected X[,Y[,Z]]" --kernel vadd --grid -1 --block 1 --args $good
refused "sm_80 has no clusters" --kernel vadd --grid 2 --block 1 --cluster 2 --args $good
refused "nonsense" --kernel vadd --grid 1 --block 1 --args $good --assume nonsense
refused "fast" --kernel vadd --grid 1 --block 1 --args $good --tier fast
refused "has no such symbol" --kernel vadd --grid 1 --block 1 --args $good --symbol table=0x1000
refused "no code for sm_90" --kernel vadd --grid 1 --block 1 --args $good --arch sm_90
# The sibling that is in order.
expect 0 "$PICKER" check "$vadd" --kernel vadd --grid 2147483647,65535,65535 --block 1 \
  --args 0x7f0000000000,0x7f0001000000,0x7f0002000000,1000 --arch sm_80
expect 0 sh -c "\"$PICKER\" check - --kernel vadd --grid 1 --block 1024 --args $good <\"$vadd\""
