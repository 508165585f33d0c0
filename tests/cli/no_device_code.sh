. "$SOURCE/tests/cli/common.inc"
# The command itself is a host program without kernels.
expect 0 "$PICKER" list "$PICKER"
has ": no device code"
expect 2 "$PICKER" disasm "$PICKER" --kernel k
one_diagnostic "no kernel k; there are: none"
