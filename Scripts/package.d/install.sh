#!/bin/sh
# Installs imgfetch from the folder in which this lies, or removes it: install.sh [--prefix DIR] [--uninstall]. The prefix is
# /usr/local for root, and ~/.local for others.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix='' uninstall=''
usage() {
  echo "usage: install.sh [--prefix DIR] [--uninstall]" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case $1 in
    --prefix=?*) prefix=${1#*=} ;;
    --prefix)
      [ -n "${2-}" ] || usage
      prefix=$2
      shift
      ;;
    --uninstall) uninstall=1 ;;
    *) usage ;;
  esac
  shift
done
if [ -z "$prefix" ]; then
  if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=${HOME:?there is no HOME; give a --prefix}/.local; fi
fi

# Before anything is written: a system with an older C library says so itself, with the version that it lacks.
if [ -z "$uninstall" ] && ! said=$("$here/bin/imgfetch" --version 2>&1); then
  echo "imgfetch does not start on this system, so it is not installed: $said" >&2
  exit 1
fi

cd "$here"
for folder in bin lib share; do [ ! -d "$folder" ] || find "$folder" -type f; done | LC_ALL=C sort | while IFS= read -r file; do
  target=$prefix/$file
  if [ -n "$uninstall" ]; then
    rm -f "$target"
    # The folders that it made, and which nothing else is in.
    rmdir -p "$(dirname "$target")" 2>/dev/null || true
  else
    mkdir -p "$(dirname "$target")"
    # Under another name first: a running imgfetch keeps the old file.
    cp "$file" "$target.new"
    mv "$target.new" "$target"
    echo "$target"
  fi
done

[ -z "$uninstall" ] || exit 0
case :$PATH: in
  *":$prefix/bin:"*) ;;
  *) echo "add $prefix/bin to your PATH to call it as imgfetch" >&2 ;;
esac
