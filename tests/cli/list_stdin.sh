. "$SOURCE/tests/cli/common.inc"
"$PICKER" list - <"$data/features.sm_90.cubin" >"$out" 2>"$err" || fail "exit status $?"
has "standard input: sm_90 cubin, 6 kernels"
cat "$data/features.sm_90.cubin" | "$PICKER" list - >"$out" 2>"$err" || fail "exit status $? for a pipe"
has "standard input: sm_90 cubin, 6 kernels"
expect 3 "$PICKER" list -   # nothing there
one_diagnostic "standard input"
