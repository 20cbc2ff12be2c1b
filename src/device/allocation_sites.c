/* allocation_sites.c - see allocation_sites.h. */
#include "device/allocation_sites.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/runtime.h"

bool (*dc_allocation_place)(char *text) = NULL;

struct dc_allocation_sites {
  dc_map by_place; /* a line -> dc_allocation_site */
  dc_allocation_site *first; /* all of them */
};

static atomic_int tracing;
enum { UNSET, OFF, ON };

void dc_allocation_trace(bool on) { atomic_store(&tracing, on ? ON : OFF); }

static bool is_tracing(void) {
  const int how = atomic_load_explicit(&tracing, memory_order_relaxed);
  if (DC_LIKELY(how != UNSET)) return how == ON;
  int unset = UNSET;
  atomic_compare_exchange_strong(&tracing, &unset, dc_log_on(DC_LOG_MEMORY) ? ON : OFF);
  return atomic_load(&tracing) == ON;
}

static dc_allocation_site *site_new(dc_device *dev, const char *where) {
  if (dev->sites == NULL) dev->sites = calloc(1, sizeof *dev->sites);
  dc_allocation_site *site = dev->sites != NULL ? calloc(1, sizeof *site) : NULL;
  if (site == NULL) return NULL;
  site->dev = dev;
  strcpy(site->where, where);
  if (dc_map_set(&dev->sites->by_place, where, strlen(where), site) != 0) {
    free(site);
    return NULL;
  }
  site->next = dev->sites->first;
  site->link = &dev->sites->first;
  if (site->next != NULL) site->next->link = &site->next;
  dev->sites->first = site;
  return site;
}

static DC_NOINLINE dc_allocation_site *enter(dc_device *dev, size_t bytes) {
  char where[DC_SITE_SIZE];
  if (dc_allocation_place == NULL || !dc_allocation_place(where)) return NULL;
  dc_allocation_site *site = dev->sites != NULL ? dc_map_get(&dev->sites->by_place, where, strlen(where)) : NULL;
  if (site == NULL && (site = site_new(dev, where)) == NULL) return NULL;
  site->bytes += bytes;
  site->count++;
  return site;
}

DC_HOT dc_allocation_site *dc_allocation_note(dc_device *dev, size_t bytes) {
  return bytes < DC_ALLOCATION_NOTED && !is_tracing() ? NULL : enter(dev, bytes);
}

void dc_allocation_end(dc_allocation_site *site, size_t bytes) {
  if (site == NULL) return;
  site->bytes -= bytes;
  if (--site->count > 0) return;
  dc_map_set(&site->dev->sites->by_place, site->where, strlen(site->where), NULL);
  *site->link = site->next;
  if (site->next != NULL) site->next->link = site->link;
  free(site);
}

size_t dc_allocation_sites(const dc_device *dev, const dc_allocation_site **out, size_t n) {
  size_t found = 0;
  const dc_allocation_site *first = dev->sites != NULL ? dev->sites->first : NULL;
  for (const dc_allocation_site *site = first; site != NULL; site = site->next) {
    size_t at = found < n ? found++ : n;
    for (; at > 0 && out[at - 1]->bytes < site->bytes; at--)
      if (at < n) out[at] = out[at - 1];
    if (at < n) out[at] = site;
  }
  return found;
}
