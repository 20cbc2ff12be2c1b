#!/bin/sh
# `make lint`: the rules of CONTRIBUTING.md that a program can check. Tools that are not installed are skipped and
# named. `lint.sh rules`: only what our own programs check, in a second; the specs run it.
status=0
have() { command -v "$1" >/dev/null 2>&1; }
step() { echo "== $1"; }

step "includes"
${LUA:-lua5.4} tools/check-includes.lua $(find src -name '*.[ch]' -not -path '*/shims/*' | LC_ALL=C sort) || status=1

step "lines"
${LUA:-lua5.4} tools/check-lines.lua $(find src spec lua examples bench tools \
  -name '*.[ch]' -o -name '*.lua' -o -name '*.sh' -o -name '*.def' | LC_ALL=C sort) || status=1

step "tables of the documentation"
${LUA:-lua5.4} tools/check-tables.lua *.md docs/*.md docs/reference/*.md || status=1

step "pages made from the reference"
${LUA:-lua5.4} tools/docs.lua --check || status=1

if [ "${1:-}" = rules ]; then
  [ $status -eq 0 ] && echo "rules: kept"
  exit $status
fi

step "top level"
if [ -e .git ]; then
  # What a script leaves where it was started is easily committed with the rest.
  known='\.(busted|clang-format|editorconfig|gitignore|luacheckrc)|Makefile|[A-Z]+(\.md)?'
  strays=$(git ls-files | grep -v / | grep -vxE "$known")
  [ -z "$strays" ] || { echo "files that do not belong there:"; echo "$strays"; status=1; }
fi

step "luacheck"
if have luacheck; then luacheck -q --no-color lua spec examples bench tools rockspec || status=1
else echo "not installed (Debian: lua-check)"; fi

# Builds show gcc's warnings; these are clang's. Not of shim/, which is compiled against the user's mpi.h.
step "clang"
if have clang; then
  flags=$(make -s print-flags CC=clang WERROR=1)
  find src -name '*.c' -not -path '*/shim/*' | LC_ALL=C sort | xargs -n 8 -P 2 clang $flags -fsyntax-only || status=1
else echo "not installed"; fi

# Only a report: tables may be formatted by hand.
step "clang-format"
if have clang-format; then
  n=$(clang-format --dry-run $(find src -name '*.[ch]') 2>&1 | grep -c 'warning: code should be clang-formatted')
  echo "$n places differ from .clang-format (not counted as an error)"
else echo "not installed"; fi

step "shell"
for f in tools/*.sh .ci/run; do
  case $(head -n 1 "$f") in *bash) shell=bash ;; *) shell=sh ;; esac
  $shell -n "$f" || status=1
done

[ $status -eq 0 ] && echo "lint: clean"
exit $status
