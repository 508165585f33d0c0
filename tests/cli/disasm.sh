. "$SOURCE/tests/cli/common.inc"
# Text as nvdisasm prints it for the same kernel.
expect 0 "$PICKER" disasm "$data/features.sm_80.cubin" --kernel _Z7nothingv
[ "$(head -1 "$out")" = ".text._Z7nothingv:" ] || fail "first line"
has_line "/*0010*/ EXIT ;"
has_line "/*0020*/ BRA 0x20 ;"
[ "$(grep -c '^\.text\.' "$out")" = 1 ] || fail "other kernels too"
# A demangled name serves as well; without a name all kernels come.
cp "$out" "$work/first"
expect 0 "$PICKER" disasm "$data/features.sm_80.cubin" --kernel "nothing()"
cmp -s "$out" "$work/first" || fail "demangled name gives something else"
expect 0 "$PICKER" disasm "$data/features.sm_80.cubin"
[ "$(grep -c '^\.text\.' "$out")" = 5 ] || fail "expected five kernels"
grep -vE '^(\.text\..*:|/\*[0-9a-f]{4,}\*/ .* ;)$' "$out" >"$work/odd" && fail "odd lines"
expect 0 "$PICKER" --format json disasm "$data/features.sm_80.cubin" --kernel _Z7nothingv
has '"schema": "picker.disasm/1"'
has '"text": "EXIT"'
