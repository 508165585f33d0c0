# What emulate says: results, the four truths, and how it stops.
. "$SOURCE/tests/cli/common.inc"
cubin() { echo "$SOURCE/samples/cubins/$1.sm_80.cubin"; }

# Apart: every truth holds, and the memory written is the sum.
expect 0 "$PICKER" emulate "$(cubin vadd)" --kernel vadd --grid 1 --block 32 \
  --args 0x1000,0x2000,0x3000,32 --alloc 0x1000:128 --alloc 0x2000:128:iota32 --alloc 0x3000:128 \
  --dump "0x3000:128:$work/sum"
has "truth: paper   idempotent"
has "junk    idempotent"
has "0 escaped"
# 0.0 + x is x, but subnormal or not: the words 0, 1, 2, ... as they were.
python3 - "$work/sum" <<'P' || fail "the sum is wrong"
import struct, sys
assert struct.unpack("<32I", open(sys.argv[1], "rb").read()) == tuple(range(32))
P

# One element into the other: a conflict, with both instructions and threads.
expect 0 "$PICKER" --format json emulate "$(cubin vadd)" --kernel vadd --grid 1 --block 32 \
  --args 0x1000,0x2000,0x107c,32
python3 - "$out" <<'P' || fail "JSON is not as expected"
import json, sys
d = json.load(open(sys.argv[1]))
assert d["schema"] == "picker.emulate/1" and d["end"] == "done" and d["verdict"] == "conflict"
assert d["truth"]["strict"] == "conflict", d["truth"]
c = d["strict_conflict"]
assert (c["lo"], c["hi"]) == ("0x107c", "0x1080"), c
assert c["read"]["thread"] == [31, 0, 0] and c["write"]["thread"] == [0, 0, 0]
assert c["read"]["text"].startswith("LDG") and c["write"]["text"].startswith("STG")
assert d["containment"]["escaped"] == 0 and d["containment"]["checked"] > 0
P
expect 0 "$PICKER" --format json emulate "$(cubin vadd)" --kernel vadd --grid 1 --block 32 \
  --args 0x1000,0x2000,0x1080,32
python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); assert set(d["truth"].values()) == {"idempotent"}' \
  "$out" || fail "one element further it is idempotent"

# A fault ends with status 1 and says where.
expect 1 "$PICKER" emulate "$(cubin vadd)" --kernel vadd --grid 1 --block 32 \
  --args 0x1000,0x2000,0x3000,32 --alloc 0x1000:128 --alloc 0x2000:124 --alloc 0x3000:128
has "thread (31,0,0)"
has "outside of it"

# Usage.
expect 2 "$PICKER" emulate "$(cubin vadd)" --kernel vadd --grid 1 --block 32 --args 1,2,3,32 --dump 12
one_diagnostic "--dump 12: expected ADDR:SIZE:FILE"

# What the kernel prints is shown.
expect 0 "$PICKER" emulate "$(cubin printing)" --kernel printing --grid 2 --block 64 \
  --args 0x10000,0x20000,50,100 --alloc 0x10000:400 --alloc 0x20000:400
has "printed:"
has "50: 0.000000"

# A texture that is described is fetched from; one that is not stops the launch.
fetch() { "$PICKER" emulate "$(cubin texture)" --kernel texture --grid 1 --block 32 \
  --args 1,0x20000,32 --alloc 0x10000:128:iota32 --alloc 0x20000:128 "$@"; }
expect 0 fetch --texture 1:0x10000:f32:32 --dump "0x20000:128:$work/fetched"
has "strict  idempotent"
python3 - "$work/fetched" <<'P' || fail "the elements fetched are wrong"
import struct, sys
assert struct.unpack("<32I", open(sys.argv[1], "rb").read()) == tuple(range(32))
P
expect 1 fetch
has "not described"
expect 2 fetch --texture 1:0x10000:f32:32:wrap
one_diagnostic "--texture 1:0x10000:f32:32:wrap: wrap is for normalized coordinates"
