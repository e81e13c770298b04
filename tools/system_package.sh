#!/usr/bin/env bash
# Install a Debian package, unless what it brings is here already.
#
# Usage: tools/system_package.sh PACKAGE TEST-COMMAND [ARGUMENT...]
set -euo pipefail

package=$1
shift
if "$@" >/dev/null 2>&1; then
  exit 0
fi

fail() {
  echo "formgate's build needs what Debian calls $package: $1." >&2
  echo "Install it by hand (sudo apt-get install $package) and run make again." >&2
  exit 1
}

command -v apt-get >/dev/null || fail "there is no apt-get here"
as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || fail "installing it needs root"
  as_root=(sudo -n)
fi

echo "== installing $package"
export DEBIAN_FRONTEND=noninteractive
# The lists are fetched only when the package is not in those at hand.
"${as_root[@]}" apt-get install -qq -y "$package" >/dev/null 2>&1 ||
  { "${as_root[@]}" apt-get update -qq >/dev/null &&
    "${as_root[@]}" apt-get install -qq -y "$package" >/dev/null; } ||
  fail "apt-get could not install it"
"$@" >/dev/null 2>&1 || fail "it was installed, but is still not found"
