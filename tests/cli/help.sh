. "$SOURCE/tests/cli/common.inc"
expect 0 "$PICKER" --help
for subcommand in list disasm version; do has "  $subcommand"; done
[ ! -s "$err" ] || fail "help on standard error"
expect 0 "$PICKER" list --help
has FILE
