#!/bin/sh
# Installs hermes-tui from the files of a release: install.sh ADDRESS [FOLDER]
#
# ADDRESS is where checksums.txt and the archives of one release are, FOLDER where the
# program goes, ~/.local/bin by default. Nothing is installed unless the archive has the
# checksum that checksums.txt names. Whoever can change both files can change what is
# installed: docs/install.md says how to verify the signature of checksums.txt as well.
set -eu

say() { printf 'install: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

[ $# -ge 1 ] && [ $# -le 2 ] || fail "usage: install.sh ADDRESS [FOLDER]"
address=${1%/}
folder=${2:-${HOME:?}/.local/bin}
case $address in
https://* | http://127.0.0.1:* | http://localhost:*) ;;
*) fail "the address has to begin with https://" ;;
esac

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) fail "there is no archive for $(uname -s) that this script installs" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail "there is no archive for $(uname -m)" ;;
esac

fetch() { # ADDRESS FILE
	if command -v curl >/dev/null; then
		curl -fsSL --proto-redir '=https' -o "$2" "$1"
	elif command -v wget >/dev/null; then
		wget -q -O "$2" "$1"
	else
		fail "neither curl nor wget is here"
	fi
}

sum() { # FILE
	if command -v sha256sum >/dev/null; then
		sha256sum "$1"
	elif command -v shasum >/dev/null; then
		shasum -a 256 "$1"
	else
		fail "neither sha256sum nor shasum is here, so that nothing can be verified"
	fi | cut -d ' ' -f 1
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

fetch "$address/checksums.txt" "$scratch/checksums.txt" || fail "$address/checksums.txt could not be fetched"
wanted= name=
while read -r hash file; do
	case $file in
	*/*) ;; # no name of a file beside it
	hermes-tui_*_"${os}_$arch".tar.gz) wanted=$hash name=$file ;;
	esac
done <"$scratch/checksums.txt"
[ -n "$name" ] || fail "checksums.txt names no archive for $os $arch"

fetch "$address/$name" "$scratch/archive.tar.gz" || fail "$name could not be fetched"
got=$(sum "$scratch/archive.tar.gz")
[ "$got" = "$wanted" ] || fail "$name has the checksum $got, not $wanted: nothing was installed"

mkdir "$scratch/new"
tar -xzf "$scratch/archive.tar.gz" -C "$scratch/new" hermes-tui || fail "there is no hermes-tui in $name"
[ -f "$scratch/new/hermes-tui" ] && [ ! -h "$scratch/new/hermes-tui" ] || fail "hermes-tui in $name is no file"
chmod 755 "$scratch/new/hermes-tui"
version=$("$scratch/new/hermes-tui" --version) || fail "the program of $name does not run here"

mkdir -p "$folder"
cp "$scratch/new/hermes-tui" "$folder/.hermes-tui.$$"
mv -f "$folder/.hermes-tui.$$" "$folder/hermes-tui" # at once: one that runs goes on
say "$folder/hermes-tui: $version"
case ":${PATH:-}:" in
*":$folder:"*) ;;
*) say "$folder is not on your PATH" ;;
esac
