/* allocation_sites.c - see allocation_sites.h. */
#include "device/allocation_sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/runtime.h"

bool (*dc_allocation_place)(char *text) = NULL;

static enum { UNSET, OFF, ON } tracing;
static dc_map by_place; /* key -> dc_allocation_site */
static dc_allocation_site *sites;  /* all of them */

void dc_allocation_trace(bool on) { tracing = on ? ON : OFF; }

bool dc_allocation_tracing(void) {
  if (tracing == UNSET) dc_allocation_trace(dc_log_on(DC_LOG_MEMORY));
  return tracing == ON;
}

/* A site's key, the device's number and the place; its length. */
static size_t key_of(const dc_device *dev, const char *where, char key[8 + DC_SITE_SIZE]) {
  const size_t len = strlen(where);
  memcpy(key, &dev->serial, 8);
  memcpy(key + 8, where, len);
  return 8 + len;
}

static dc_allocation_site *site_new(const dc_device *dev, const char *where, const char *key, size_t len) {
  dc_allocation_site *site = calloc(1, sizeof *site);
  if (site == NULL) return NULL;
  site->dev = dev;
  memcpy(site->where, where, len - 8 + 1);
  if (dc_map_set(&by_place, key, len, site) != 0) {
    free(site);
    return NULL;
  }
  site->next = sites;
  site->link = &sites;
  if (sites != NULL) sites->link = &site->next;
  sites = site;
  return site;
}

static DC_NOINLINE dc_allocation_site *enter(const dc_device *dev, size_t bytes) {
  char where[DC_SITE_SIZE], key[8 + DC_SITE_SIZE];
  if (dc_allocation_place == NULL || !dc_allocation_place(where)) return NULL;
  const size_t len = key_of(dev, where, key);
  dc_allocation_site *site = dc_map_get(&by_place, key, len);
  if (site == NULL && (site = site_new(dev, where, key, len)) == NULL) return NULL;
  site->bytes += bytes;
  site->count++;
  return site;
}

DC_HOT dc_allocation_site *dc_allocation_note(const dc_device *dev, size_t bytes) {
  return bytes < DC_ALLOCATION_NOTED && !dc_allocation_tracing() ? NULL : enter(dev, bytes);
}

void dc_allocation_end(dc_allocation_site *site, size_t bytes) {
  char key[8 + DC_SITE_SIZE];
  if (site == NULL) return;
  site->bytes -= bytes;
  if (--site->count > 0) return;
  dc_map_set(&by_place, key, key_of(site->dev, site->where, key), NULL);
  *site->link = site->next;
  if (site->next != NULL) site->next->link = site->link;
  free(site);
}

size_t dc_allocation_sites(const dc_device *dev, const dc_allocation_site **out, size_t n) {
  size_t found = 0;
  for (const dc_allocation_site *site = sites; site != NULL; site = site->next) {
    if (site->dev != dev) continue;
    size_t at = found < n ? found++ : n;
    for (; at > 0 && out[at - 1]->bytes < site->bytes; at--)
      if (at < n) out[at] = out[at - 1];
    if (at < n) out[at] = site;
  }
  return found;
}
