/* pinned.c - see pinned.h. */
#include "device/pinned.h"

#include <stdlib.h>

#include "device/registry.h"

struct dc_pinned {
  dc_device *dev;
  void *p;
  dc_hazards *uses;
  struct dc_pinned *next;
};

dc_pinned *dc_pinned_new(dc_device *dev, size_t n, void **p, dc_error *err) {
  if (dc_device_open(dev, err) != 0) return NULL;
  if (dev->memory->pinned_alloc == NULL) {
    dc_fail(err, DC_DEVICE, NULL, "%s has no page-locked memory", dev->id);
    return NULL;
  }
  if (dc_stream_state_of(dev, err) == NULL) return NULL;
  dc_pinned *made = calloc(1, sizeof *made);
  if (made == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  made->dev = dev;
  if (dev->memory->pinned_alloc(dev, n, &made->p, err) != 0) {
    free(made);
    return NULL;
  }
  *p = made->p;
  return made;
}

static void release(dc_pinned *p) {
  p->dev->memory->pinned_free(p->dev, p->p);
  dc_hazards_drop(&p->uses);
  free(p);
}

void dc_pinned_sweep(struct dc_stream_state *x) {
  for (dc_pinned **p = &x->pinned; *p != NULL;) {
    dc_pinned *one = *p;
    if (dc_hazards_over(one->uses)) {
      *p = one->next;
      release(one);
    } else {
      p = &one->next;
    }
  }
}

void dc_pinned_free(dc_pinned *p, dc_hazards *uses) {
  p->uses = uses;
  if (dc_hazards_over(uses)) {
    release(p);
    return;
  }
  p->next = p->dev->stream_state->pinned;
  p->dev->stream_state->pinned = p;
}
