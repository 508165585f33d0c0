. "$SOURCE/tests/cli/common.inc"
file=$data/pair_lz4.fatbin
expect 0 "$PICKER" disasm "$file" --kernel _Z3addPKfS0_Pfi --arch sm_75
[ "$(grep -c '^\.text\.' "$out")" = 1 ] || fail "expected one kernel"
expect 0 "$PICKER" disasm "$file" --kernel _Z3addPKfS0_Pfi
[ "$(grep -c '^\.text\.' "$out")" = 3 ] || fail "expected one kernel for each architecture"
expect 2 "$PICKER" disasm "$file" --arch sm_80
one_diagnostic "no code for sm_80; there is code for: sm_120, sm_75, sm_90a"
