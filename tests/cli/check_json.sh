# The JSON of check: keys, their order, values; for each of the three verdicts.
. "$SOURCE/tests/cli/common.inc"
vadd=$SOURCE/samples/cubins/vadd.sm_80.cubin
json() {  # STATUS ARGS...
  wanted_status=$1
  shift
  expect "$wanted_status" "$PICKER" --format json check "$vadd" --kernel vadd --grid 4 --block 256 "$@"
  [ ! -s "$err" ] || fail "something on standard error"
  cp "$out" "$work/$wanted_status.$name"
}
name=idempotent; json 0 --args 0x7f0000000000,0x7f0001000000,0x7f0000000fa0,1000
name=conflict;   json 1 --args 0x7f0000000000,0x7f0001000000,0x7f0000000f98,1000
name=unknown;    json 1 --args 0x7f0000000000,0x7f0001000000,0x7f0000000fa0,1000 --pdl
python3 - "$work" <<'P' || fail "JSON is not as expected"
import json, sys
def load(name):
    return json.load(open(sys.argv[1] + "/" + name))
standing = ["one-mapping", "privacy", "quiescent-kill", "no-device-error", "defined-behaviour"]
keys = ["schema", "kernel", "arch", "verdict", "reason", "cause", "tier", "contracts", "reads",
        "writes", "conflicts"]
def site(offset, text):
    return {"offset": offset, "text": text, "file": "vadd.cu", "line": 5}
read_a, read_b = site("0xb0", "LDG.E R3, [R2.64]"), site("0xa0", "LDG.E R4, [R4.64]")
write_c = site("0xe0", "STG.E [R6.64], R9")
for name in "0.idempotent", "1.conflict", "1.unknown":
    d = load(name)
    assert [k for k in d if k in keys] == keys, list(d)
    assert d["schema"] == "picker.check/1" and d["kernel"] == "vadd" and d["arch"] == "sm_80"
    assert d["contracts"] == standing
    assert [(r["lo"], r["hi"], r["site"]) for r in d["reads"]] == [
        ("0x7f0001000000", "0x7f0001000fa0", read_b), ("0x7f0000000000", "0x7f0000000fa0", read_a)]
d = load("0.idempotent")
assert d["verdict"] == "idempotent" and d["reason"] is None and d["cause"] is None
assert d["tier"] == "hulls" and d["conflicts"] == []
assert d["writes"] == [{"lo": "0x7f0000000fa0", "hi": "0x7f0000001f40", "site": write_c}]
d = load("1.conflict")
assert d["verdict"] == "conflict" and d["reason"] is None and d["cause"] is None
[c] = d["conflicts"]
assert [k for k in c if k != "witness"] == ["lo", "hi", "read", "write", "argument"]
assert (c["lo"], c["hi"]) == ("0x7f0000000f98", "0x7f0000000fa0")
assert 0x7f0000000f98 <= int(c["witness"], 16) < 0x7f0000000fa0  # a byte that is surely both
assert c["read"] == read_a and c["write"] == write_c and c["argument"] == "argument 2"
d = load("1.unknown")
assert d["verdict"] == "unknown" and d["reason"] == "programmatic-launch" and d["cause"] == "other"
P
# Output is stable.
name=again; json 0 --args 0x7f0000000000,0x7f0001000000,0x7f0000000fa0,1000
cmp -s "$work/0.idempotent" "$work/0.again" || fail "output differs from run to run"
