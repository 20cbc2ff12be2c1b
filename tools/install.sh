#!/bin/sh
# `make install` and `make uninstall`. The Makefile sets the variables; all folders but DESTDIR are absolute.
#   install.sh all      the programs, the module, the man page, documentation, examples, dotcompute.pc
#   install.sh rock     the programs and the module alone, as luarocks wants them
#   install.sh remove   undoes `all`
# `all` installs a list of the files and of the folders made for them, too. `remove` goes by that list, so it removes
# what an older version installed, and leaves folders that were there before or that contain other files.
set -eu

list=$DATADIR/dotcompute/installed # its lines have no DESTDIR; those of folders end with /
installed=                         # the lines of the new list

say() { printf '%s\n' "$*" >&2; }
fail() { say "make: $*"; exit 1; }

note() {
  installed="$installed$1
"
}

# Makes a folder of what is installed, and those above it.
folder() {
  [ ! -d "$DESTDIR$1" ] || return 0
  folder "$(dirname "$1")"
  install -d -m 755 "$DESTDIR$1"
  note "$1/"
}

# put MODE FOLDER FILE...
put() {
  mode=$1 where=$2
  shift 2
  folder "$where"
  install -m "$mode" "$@" "$DESTDIR$where"
  for file; do note "$where/${file##*/}"; done
}

# put_tree FROM FOLDER [tests of find]: the files below FROM, whose names have no blanks.
put_tree() {
  from=$1 to=$2
  shift 2
  for sub in $(cd "$from" && find . -type d | LC_ALL=C sort); do
    sub=${sub#.}
    files=$(find "$from$sub" -maxdepth 1 -type f "$@" | LC_ALL=C sort)
    [ -z "$files" ] || put 644 "$to$sub" $files
  done
}

# The list is written on a failure too, so that `remove` can clean up.
write_list() {
  [ -z "$installed" ] || printf '%s' "$installed" >"$DESTDIR$list"
}

programs_and_module() {
  put 755 "$BINDIR" "$BUILD/dclua"
  put 755 "$LIBDIR/dotcompute" "$BUILD/dotcompute/core.so" "$BUILD/dotcompute/compiler"
  put_tree lua "$LUADIR" -name '*.lua'
}

# A folder as pkg-config's files name it.
of_prefix() {
  case $1 in
    "$PREFIX"/*) printf '${prefix}%s' "${1#"$PREFIX"}" ;;
    *) printf '%s' "$1" ;;
  esac
}

pkg_config_file() {
  folder "$PKGCONFIGDIR"
  cat >"$DESTDIR$PKGCONFIGDIR/dotcompute.pc" <<END
# A module of Lua: nothing is linked to it. INSTALL_LMOD and INSTALL_CMOD are as in lua5.4.pc.
prefix=$PREFIX
INSTALL_LMOD=$(of_prefix "$LUADIR")
INSTALL_CMOD=$(of_prefix "$LIBDIR")
dclua=$(of_prefix "$BINDIR")/dclua
docdir=$(of_prefix "$DOCDIR")
luals=\${docdir}/docs/luals

Name: dotcompute
Description: GPU computing from Lua: CUDA C kernels and lazy arrays
Version: $VERSION
END
  chmod 644 "$DESTDIR$PKGCONFIGDIR/dotcompute.pc"
  note "$PKGCONFIGDIR/dotcompute.pc"
}

# Says what a shell needs besides. Only its lines are on stdout: make -s install PREFIX=… >>~/.profile
advise() {
  say "$BINDIR/dclua is installed; it needs no settings."
  case :$PATH: in
    *":$BINDIR:"*) ;;
    *) say "$BINDIR is not on PATH." ;;
  esac
  "$LUA" -e 'local paths = ";" .. package.path .. ";" .. package.cpath .. ";"
    for _, path in ipairs(arg) do assert(paths:find(";" .. path .. ";", 1, true)) end' /dev/null \
    "$LUADIR/?.lua" "$LUADIR/?/init.lua" "$LIBDIR/?.so" >/dev/null 2>&1 && return
  version=${LUA_PATH_5_4+_5_4} # Lua prefers these names
  say "For a stock Lua put these two lines into ~/.profile:"
  printf 'export LUA_%s%s="%s;${LUA_%s%s:-;}"\n' PATH "$version" "$LUADIR/?.lua;$LUADIR/?/init.lua" PATH "$version" \
    CPATH "$version" "$LIBDIR/?.so" CPATH "$version"
}

remove() {
  if [ -f "$DESTDIR$list" ]; then
    tac "$DESTDIR$list" | while IFS= read -r name; do # files before their folders
      case $name in
        */) rmdir "$DESTDIR$name" 2>/dev/null || true ;;
        *) rm -f "$DESTDIR$name" ;;
      esac
    done
  elif [ -e "$DESTDIR$LIBDIR/dotcompute/core.so" ]; then # of version 0.1, which had no list
    rm -f "$DESTDIR$BINDIR/dclua"
    rm -rf "$DESTDIR$LIBDIR/dotcompute" "$DESTDIR$LUADIR/dotcompute"
  fi
}

for name in PREFIX BINDIR LIBDIR LUADIR MANDIR DOCDIR DATADIR PKGCONFIGDIR; do
  eval "path=\$$name"
  case $path in
    *[\;\?\"\$\`\\]*) fail "$name has a character that Lua's paths or a shell treat specially: $path" ;;
    /*) ;;
    *) fail "$name must be an absolute path, not $path" ;;
  esac
done

[ -z "$DESTDIR" ] || install -d "$DESTDIR"
case ${1:-} in
  rock)
    programs_and_module ;;
  all)
    remove
    trap write_list EXIT
    folder "$DATADIR/dotcompute"
    note "$list"
    programs_and_module
    put_tree docs "$DOCDIR/docs" ! -name '*.1'
    put_tree examples "$DOCDIR/examples"
    put 644 "$DOCDIR" README.md CHANGELOG.md CONTRIBUTING.md LICENSE
    for page in docs/*.1; do [ ! -e "$page" ] || put 644 "$MANDIR/man1" "$page"; done
    pkg_config_file
    [ -n "$DESTDIR" ] || advise ;;
  remove)
    remove ;;
  *) sed -n '2,5s/^# *//p' "$0" >&2; exit 2 ;;
esac
