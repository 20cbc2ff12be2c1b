/*
** capture.h - graphs: work that is remembered while it is issued, to be run again as a whole.
**
** From dc_capture_begin on, launches, copies and fills of the device do not run; they become the graph.  What is given
** to other streams of the device meanwhile becomes branches of it: each begins with the graph, waits for what others do
** to the memory that it uses and for the events that it is told to wait for, and is waited for by the graph's end.
** What they use is held by the graph until it is closed and its runs are over.  What cannot be part of
** a graph (reading values back, waiting, copies from the host) fails with dc_capture_refuse's error.
** Memory is allocated and given back as always, outside of the graph.
*/
#ifndef DC_DEVICE_CAPTURE_H
#define DC_DEVICE_CAPTURE_H

#include "device/stream.h"

#define DC_CAPTURE_CODE "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"

/* Something that a graph uses. */
typedef struct dc_held {
  void *thing;
  void (*drop)(void *thing);
  int uses; /* DC_READS, DC_WRITES: it is memory (a struct dc_buffer of array/); 0: it is something else */
  dc_trace *trace; /* by which branch, while the graph is captured */
} dc_held;
enum { DC_READS = 1, DC_WRITES = 2 };

typedef struct dc_graph {
  dc_device *dev;
  void *handle;      /* the backend's; NULL: closed */
  dc_held *held;
  size_t nheld;
  dc_stream *last;   /* where it ran last; NULL: nowhere yet */
  uint64_t ends;     /* when closed: the mark of `last` after its last run */
  uint64_t launches; /* of kernels in it */
  struct dc_graph *next, **link; /* in the device's list of open, or of closed graphs */
} dc_graph;

/* DC_LAUNCH when a graph is being captured already, DC_DEVICE when the device has no graphs. */
int dc_capture_begin(dc_device *dev, dc_error *err);
/* The end: a new graph (*g NULL before), or what was captured in place of what *g held. On failure *g is as it was,
** and nothing is being captured any more. */
int dc_capture_end(dc_device *dev, dc_graph **g, dc_error *err);
void dc_capture_abandon(dc_device *dev); /* nothing comes of it; never fails */

/* While dev->capture: the graph will use `thing`; takes the caller's reference, also when it fails. */
int dc_capture_hold(dc_device *dev, void *thing, void (*drop)(void *thing), int uses, dc_error *err);
/* The same for memory, which what `by` (NULL: the current stream) is given next will use: it is ordered behind what
** other branches do with it. */
int dc_capture_use(dc_device *dev, void *thing, void (*drop)(void *thing), dc_stream *by, int uses, dc_error *err);
/* The backend's handle of the branch that the stream with this handle stands for; NULL for NULL, the current one. */
void *dc_capture_handle(const dc_device *dev, void *stream);
/* One more launch of a kernel is in the graph. */
void dc_capture_launched(dc_device *dev);
/* 0 when nothing is being captured on dev, else -1: "cannot be captured in a graph: it <what>". */
int dc_capture_refuse(const dc_device *dev, const char *what, dc_error *err);

/* Runs it in the device's current stream. Uses of memory are the caller's care. */
int dc_graph_launch(dc_graph *g, dc_error *err);
/* It goes when its runs are over. Never fails, never waits. */
void dc_graph_close(dc_graph *g);

#endif
