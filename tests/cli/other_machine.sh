. "$SOURCE/tests/cli/common.inc"
# An ELF file of a machine that holds no device code.
cp "$data/features.sm_75.cubin" "$work/arm"
printf '\050' | dd of="$work/arm" bs=1 seek=18 conv=notrunc 2>/dev/null  # 32-bit Arm
expect 4 "$PICKER" list "$work/arm"; one_diagnostic "$work/arm: ELF for machine 40"
