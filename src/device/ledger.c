/*
** ledger.c - live device memory by the line of the script that made it.
*/
#include "device/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/runtime.h"

bool (*dc_ledger_place)(char *text) = NULL;

static enum { NOT_SAID, OFF, ON } tracing;
static dc_map by_place; /* key -> dc_line */
static dc_line *lines;  /* all of them */

void dc_ledger_trace(bool on) { tracing = on ? ON : OFF; }

bool dc_ledger_tracing(void) {
  if (tracing == NOT_SAID) dc_ledger_trace(dc_log_on(DC_LOG_MEMORY));
  return tracing == ON;
}

/* A line's key: the device's number and the place. Its length. */
static size_t key_of(const dc_device *dev, const char *where, char key[8 + DC_PLACE]) {
  const size_t len = strlen(where);
  memcpy(key, &dev->serial, 8);
  memcpy(key + 8, where, len);
  return 8 + len;
}

static dc_line *line_new(const dc_device *dev, const char *where, const char *key, size_t len) {
  dc_line *line = calloc(1, sizeof *line);
  if (line == NULL) return NULL;
  line->dev = dev;
  memcpy(line->where, where, len - 8 + 1);
  if (dc_map_set(&by_place, key, len, line) != 0) {
    free(line);
    return NULL;
  }
  line->next = lines;
  line->link = &lines;
  if (lines != NULL) lines->link = &line->next;
  lines = line;
  return line;
}

static DC_APART dc_line *enter(const dc_device *dev, size_t bytes) {
  char where[DC_PLACE], key[8 + DC_PLACE];
  if (dc_ledger_place == NULL || !dc_ledger_place(where)) return NULL;
  const size_t len = key_of(dev, where, key);
  dc_line *line = dc_map_get(&by_place, key, len);
  if (line == NULL && (line = line_new(dev, where, key, len)) == NULL) return NULL;
  line->bytes += bytes;
  line->count++;
  return line;
}

DC_HOT dc_line *dc_ledger_enter(const dc_device *dev, size_t bytes) {
  return bytes < DC_NOTED && !dc_ledger_tracing() ? NULL : enter(dev, bytes);
}

void dc_ledger_leave(dc_line *line, size_t bytes) {
  char key[8 + DC_PLACE];
  if (line == NULL) return;
  line->bytes -= bytes;
  if (--line->count > 0) return;
  dc_map_set(&by_place, key, key_of(line->dev, line->where, key), NULL);
  *line->link = line->next;
  if (line->next != NULL) line->next->link = line->link;
  free(line);
}

size_t dc_ledger_largest(const dc_device *dev, const dc_line **out, size_t n) {
  size_t found = 0;
  for (const dc_line *line = lines; line != NULL; line = line->next) {
    if (line->dev != dev) continue;
    size_t at = found < n ? found++ : n;
    for (; at > 0 && out[at - 1]->bytes < line->bytes; at--)
      if (at < n) out[at] = out[at - 1];
    if (at < n) out[at] = line;
  }
  return found;
}
