# analyze: classes, conditions in words, sites with source lines; text and JSON.
. "$SOURCE/tests/cli/common.inc"
cubins=$SOURCE/samples/cubins
expect 0 "$PICKER" analyze "$cubins/vadd.sm_80.cubin"
has "vadd (sm_80): conditionally idempotent"
has "0x00b0 LDG.E R3, [R2.64] (vadd.cu:5) reads 4 bytes through argument 0"
has "0x00e0 STG.E [R6.64], R9 (vadd.cu:5) writes 4 bytes through argument 2"
expect 0 "$PICKER" analyze "$cubins/fill.sm_80.cubin"
has "always idempotent"
expect 2 "$PICKER" analyze "$cubins/vadd.sm_80.cubin" --kernel nosuch; one_diagnostic "there are: vadd"
expect 2 "$PICKER" analyze; one_diagnostic "FILE is required"
expect 0 "$PICKER" --format json analyze "$cubins/vadd.sm_80.cubin"
python3 - "$out" <<'P' || fail "JSON is not as expected"
import json, sys
d = json.load(open(sys.argv[1]))
assert d["schema"] == "picker.analyze/1"
[kernel] = d["kernels"]
assert kernel["name"] == "vadd" and kernel["arch"] == "sm_80"
assert kernel["class"] == "conditionally" or kernel["class"] == "conditionally idempotent"
assert kernel["reason"] is None and kernel["findings"] == []
assert kernel["idempotent_example"] and kernel["conflict_example"] and kernel["condition"]
assert [(s["offset"], s["file"], s["line"], s["kind"], s["size"], s["through"])
        for s in kernel["sites"]] == [
    ("0xa0", "vadd.cu", 5, "read", 4, "argument 1"),
    ("0xb0", "vadd.cu", 5, "read", 4, "argument 0"),
    ("0xe0", "vadd.cu", 5, "write", 4, "argument 2")]
assert all(s["bounded"] and not s["shielded"] and s["conditions"] for s in kernel["sites"])
P
