. "$SOURCE/tests/cli/common.inc"
expect 0 "$PICKER" version
grep -qE '^picker [0-9]+\.[0-9]+\.[0-9]+$' "$out" || fail "version line"
expect 0 "$PICKER" --format json version
has '"schema": "picker.version/1"'
