# sections.awk - the texts in files of device functions (src/array/device/), each as a file of the folder `out`.
#
# awk -v out=FOLDER -f tools/sections.awk FILE.cu…
#
# "//: name" begins the text out/FILE/name; other lines that begin with "//", and empty ones, are no part of it.
FNR == 1 {
  folder = FILENAME
  sub(/.*\//, "", folder)
  sub(/\.cu$/, "", folder)
  system("mkdir -p '" out "/" folder "'")
  file = ""
}
/^\/\/: / {
  if (file != "") close(file)
  file = out "/" folder "/" $2
  next
}
/^\/\// || /^$/ { next }
{ print > file }
