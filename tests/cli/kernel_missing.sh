. "$SOURCE/tests/cli/common.inc"
expect 2 "$PICKER" disasm "$data/features.sm_75.cubin" --kernel bounde
one_diagnostic "no kernel bounde; there are: _Z5large5LargePic"
expect 2 "$PICKER" disasm "$data/features.sm_75.cubin" --arch sm_80
one_diagnostic "no code for sm_80; there is code for: sm_75"
