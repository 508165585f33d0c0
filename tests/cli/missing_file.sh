. "$SOURCE/tests/cli/common.inc"
expect 3 "$PICKER" list "$work/none"; one_diagnostic "$work/none: cannot be read: No such file"
expect 3 "$PICKER" list "$work"; one_diagnostic "$work: cannot be read: Is a directory"
