# shims.awk - the headers of src/compile/shims.def, as files of the folder `out`.
#
# awk -v out=FOLDER -f tools/shims.awk src/compile/shims.def

function begin(what) {
  file = out "/" name
  printf "/* %s for NVRTC: %s */\n#ifndef %s\n#define %s\n", name, what, guard, guard > file
}

# using ::a; using ::b; … in lines of at most 110 characters
function using_lines(  i, line, n, word, words) {
  n = split(rest, words, " ")
  line = ""
  for (i = 1; i <= n; i++) {
    word = "using ::" words[i] ";"
    if (line != "" && length(line) + 1 + length(word) > 110) {
      print line > file
      line = word
    } else line = line == "" ? word : line " " word
  }
  if (line != "") print line > file
}

function finish() {
  if (name == "") return
  guard = "DC_SHIM_" toupper(name)
  gsub(/[.\/]/, "_", guard)
  if (source == "libcu++") {
    begin("libcu++'s, in namespace std too.")
    printf "#include <cuda/std/%s>\n\nnamespace std {\nusing namespace ::cuda::std;\n}\n", name > file
  } else if (source == "streams") {
    guard = "DC_SHIM_STREAMS" # one guard for all of them
    begin("streams are the host's; declared for headers that overload << and >> for them.")
    printf "namespace std {\ntemplate <class C> struct char_traits;\n" > file
    printf "template <class C, class T = char_traits<C>> class basic_ostream;\n" > file
    printf "template <class C, class T = char_traits<C>> class basic_istream;\n" > file
    printf "using ostream = basic_ostream<char>;\nusing istream = basic_istream<char>;\n}\n" > file
  } else if (source == "constants") {
    begin(substr(rest, 3))
    printf "%s", constants > file
  } else {
    begin(source "'s names in namespace std too.")
    printf "#include <%s>\n", source > file
    if (rest != "") {
      printf "\nnamespace std {\n" > file
      using_lines()
      print "}" > file
    }
  }
  print "#endif" > file
  close(file)
  name = ""
}

/^#/ || /^$/ { next }
/^ / && source == "constants" {
  macro = $1
  sub(/\(.*/, "", macro) # of INT8_C(X)
  sub(/^ +/, "")
  constants = constants "#ifndef " macro "\n#define " $0 "\n#endif\n"
  next
}
/^ / { rest = rest " " $0; next }
{
  finish()
  name = $1
  source = $2
  $1 = $2 = ""
  rest = $0
  constants = ""
}
END { finish() }
