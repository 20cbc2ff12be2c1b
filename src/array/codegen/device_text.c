/* device_text.c - see device_text.h. */
#include "array/codegen/device_text.h"

#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"

/* Made by the build (tools/sections.awk, tools/embed.c); a NULL name ends the list. */
struct dc_embedded {
  const char *name, *text;
  size_t len;
};
extern const struct dc_embedded dc_embedded_device[];

const char *dc_device_text(const char *name, size_t *len) {
  const struct dc_embedded *e = dc_embedded_device;
  while (e->name != NULL && strcmp(e->name, name) != 0) e++;
  *len = e->len;
  return e->name != NULL ? e->text : NULL;
}

void dc_emit_device_text(dc_buf *b, const char *name) {
  size_t len;
  const char *text = dc_device_text(name, &len);
  if (text != NULL) dc_buf_add(b, text, len);
  else b->failed = true;
}

void dc_device_text_hash(dc_sha256 *h) {
  for (const struct dc_embedded *e = dc_embedded_device; e->name != NULL; e++) dc_sha256_add(h, e->text, e->len);
}
