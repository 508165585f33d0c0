# Sourced by ./run and ./test: what they need on a Debian 12 machine, and how they build.
#
# Packages come from the distribution alone and apt is called only if one is missing, so a second
# call needs neither a network nor rights. Everything built lies in build/.

build_packages="g++ cmake ninja-build python3 pkg-config binutils libfmt-dev libcli11-dev
  nlohmann-json3-dev libzstd-dev liblz4-dev libgtest-dev libgmock-dev libbenchmark-dev"
check_packages="clang-19 libclang-rt-19-dev clang-format-19 clang-tidy-19"

say() { printf '\n== %s\n' "$*"; }
die() {
  echo "$0: $*" >&2
  exit 1
}

# Prints those of the named packages that are not installed.
missing_packages() {
  for package in "$@"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=absent
    case $state in
      installed*) ;;  # once for each architecture
      *) printf '%s ' "$package" ;;
    esac
  done
}

# Installs what is missing of the named packages.
need() {
  if ! command -v dpkg-query >/dev/null; then
    echo "$0: not a Debian system; these packages, or their likes, must be there: $*" >&2
    return
  fi
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "as root, please: apt-get install $missing"
    as_root=sudo
  fi
  say "installing $missing"
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q || die "apt-get update failed"
  # shellcheck disable=SC2086  # a list of words
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends $missing || die "apt-get install failed"
}

# Configures and builds a preset; further words are targets (all without them).
build() {
  preset=$1
  shift
  say "building (preset $preset)"
  launcher=
  if command -v ccache >/dev/null; then launcher=ccache; fi
  mkdir -p build
  log=build/configure-$preset.log
  cmake --preset "$preset" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" >"$log" 2>&1 || {
    cat "$log"
    die "cmake could not configure preset $preset"
  }
  cmake --build --preset "$preset" --parallel "$(nproc)" ${1:+--target "$@"}
}
