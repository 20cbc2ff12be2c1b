#!/bin/sh
# `make dist`: the sources as a compressed tar file with the top folder dotcompute-VERSION. The same sources give the
# same bytes. In a checkout these are the committed files, in an unpacked tarball all files but what was built.
# Usage: dist.sh VERSION FILE
set -eu
top=dotcompute-$1 file=$2
mkdir -p "$(dirname "$file")"
trap 'rm -f "$file.tar"' EXIT

if [ -e .git ]; then
  [ -z "$(git status --porcelain)" ] || echo "dist: uncommitted changes are left out" >&2
  git archive --format=tar --prefix="$top/" -o "$file.tar" HEAD
else
  find . -type f ! -path './build*' ! -name '*.o' ! -name '*.so' -print0 | LC_ALL=C sort -z |
    tar --create --file="$file.tar" --null --files-from=- --transform="s,^\./,$top/," \
      --owner=root:0 --group=root:0 --mtime=./CHANGELOG.md
fi
gzip -9n <"$file.tar" >"$file"
echo "$file"
