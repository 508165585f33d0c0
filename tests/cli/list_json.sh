. "$SOURCE/tests/cli/common.inc"
expect 0 "$PICKER" --format json list "$data/features.sm_100.cubin"
cp "$out" "$work/first"
python3 - "$out" <<'P' || fail "JSON is not as expected"
import json, sys
d = json.load(open(sys.argv[1]))
assert d["schema"] == "picker.list/1" and d["kind"] == "cubin"
[image] = d["images"]
assert image["arch"] == "sm_100" and image["kind"] == "cubin" and image["supported"] is True
kernels = {k["name"]: k for k in image["kernels"]}
assert len(kernels) == 6
clustered = kernels["_Z9clusteredPi"]
assert clustered["blocks_per_cluster"] == [2, 1, 1] and clustered["max_threads"] is None
bounded = kernels["_Z7boundedPKfPfi"]
assert bounded["demangled"] == "bounded(float const*, float*, int)"
assert bounded["code_size"] == 512 and bounded["max_threads"] == [256, 1, 1]
assert bounded["parameter_base"] == "0x380" and bounded["parameter_size"] == 20
assert [(p["ordinal"], p["offset"], p["size"]) for p in bounded["parameters"]] == [
    (0, 0, 8), (1, 8, 8), (2, 16, 4)]
P
# The option may follow the subcommand, and output is stable.
expect 0 "$PICKER" list "$data/features.sm_100.cubin" --format json
cmp -s "$out" "$work/first" || fail "output differs from run to run"
