/* included.c - see included.h. */
#include "compile/types/included.h"

#include "base/error.h"
#include "base/file.h"

char *dc_included_read(const dc_included *header, size_t *len) {
  char *text = NULL;
  dc_error unreadable = DC_ERROR_INIT;
  if (header->path && dc_file_read(header->path, &text, len, &unreadable) != 0) text = NULL;
  dc_error_clear(&unreadable);
  return text;
}
