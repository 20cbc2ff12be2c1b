/*
** order.h - part of fake_cuda.c: streams, events and graphs, and a watch over their order.
**
** Each stream counts its operations; a clock says, for each stream, how far it is known to have come.  A
** stream's clock takes in those of events that it waits for, and the host's takes in what it has waited for; each
** thread of the host has its own.
** Whoever uses memory must know of the last writing of it, and whoever writes of every reading: else it is
** reported as a race.  Of a launch, eight bytes that are an address count as a pointer: kernels called
** "expression" write through the first and read through the others, kernels called "use_rw…" read and write
** as the letters say, all others write.
**
** With FAKE_CUDA_LAZY=1 work is done only when it has been asked for three times in a row or waited for; what
** copies bring into page-locked memory is there only then, and what they take from there must stay until then.
*/
/* A copy between a device and page-locked memory that is under way. */
typedef struct transfer {
  struct transfer *next;
  char *host, *bytes;
  size_t n;
  bool down;
  int line;
  unsigned long long time;
} transfer;

static _Thread_local clocks host_clock; /* what this thread knows to be done */
static unsigned long long ticks;
static int lines, last_capture;
static _Thread_local int captures, thread_mode; /* of this thread; CU_STREAM_CAPTURE_MODE_GLOBAL at first */
static transfer *transfers;

static bool lazy(void) { return setting("FAKE_CUDA_LAZY", 0) != 0; }

static void join(clocks *into, const clocks *from) {
  for (int i = 0; i < LINES; i++)
    if (from->t[i] > into->t[i]) into->t[i] = from->t[i];
}

/* It is over, and taken from the list. */
static transfer **end_transfer(transfer **p) {
  transfer *t = *p;
  if (t->down) memcpy(t->host, t->bytes, t->n);
  else if (memcmp(t->host, t->bytes, t->n) != 0) misuse(0, "page-locked memory changed while it is copied");
  *p = t->next;
  free(t->bytes);
  free(t);
  return p;
}

/* The host knows that all this is done. */
static void arrive(const clocks *c) {
  join(&host_clock, c);
  for (transfer **p = &transfers; *p != NULL;) {
    transfer *one = *p;
    p = host_clock.t[one->line] < one->time ? &one->next : end_transfer(p);
  }
}

static bool known_done(int line, unsigned long long time) { return host_clock.t[line] >= time; }

/* --- operations -------------------------------------------------------------------------------------- */

static CUresult race(const char *what, const char *in) {
  report("misuse race: %s in %s\n", what, in);
  return CUDA_SUCCESS;
}

/* The stream's next operation. */
static void step(object *s) {
  join(&s->o.clock, &host_clock);
  s->o.clock.t[s->o.line]++;
  s->o.asked = 0;
  ticks++;
}

static void touch_object(object *s, object *m, bool writes, const char *in) {
  const clocks *c = &s->o.clock;
  if (m->o.written > c->t[m->o.writer]) race(writes ? "written after a write" : "read after a write", in);
  for (int i = 0; writes && i < LINES; i++)
    if (m->o.readers.t[i] > c->t[i]) race("written after a read", in);
  if (writes) {
    m->o.writer = s->o.line;
    m->o.written = c->t[s->o.line];
    memset(&m->o.readers, 0, sizeof m->o.readers);
  } else {
    m->o.readers.t[s->o.line] = c->t[s->o.line];
  }
}

static bool touch(object *s, CUdeviceptr at, size_t n, bool writes, const char *in) {
  object *m = memory_at(at, n);
  if (m != NULL) touch_object(s, m, writes, in);
  return m != NULL;
}

static bool writes_through(const char *name, int pointer) {
  if (strcmp(name, "expression") == 0) return pointer == 0;
  if (strncmp(name, "use_", 4) != 0) return true;
  const char *letters = name + 4;
  return (int)strlen(letters) <= pointer || letters[pointer] != 'r';
}

/* What may be a texture or surface: it is used, and what it reads or writes. */
static void touch_texture(object *s, CUdeviceptr handle, const char *in) {
  for (object *o = objects; o != NULL; o = o->next) {
    if ((uintptr_t)o != handle || (o->kind != TEXTURE && o->kind != SURFACE)) continue;
    touch_object(s, o, false, in);
    if (o->module != NULL) touch_object(s, o->module, o->kind == SURFACE, in);
    else if (!touch(s, (uintptr_t)o->array.Width, 1, false, in)) misuse(0, "a texture whose memory was freed");
  }
}

static void touch_parameters(object *s, const node *k) {
  int pointers = 0;
  for (size_t i = 0; i + 8 <= k->n && i + 8 <= sizeof k->bytes; i += 8) {
    CUdeviceptr p;
    memcpy(&p, k->bytes + i, 8);
    touch_texture(s, p, k->function->name);
    if (p == 0 || memory_at(p, 1) == NULL) continue;
    touch(s, p, 1, writes_through(k->function->name, pointers++), k->function->name);
  }
}

static bool is_pinned(const void *p, size_t n) {
  for (object *o = objects; o != NULL; o = o->next)
    if (o->kind == PINNED && (const char *)p >= o->bytes && (const char *)p + n <= o->bytes + o->size) return true;
  return false;
}

/* The stream is about to use page-locked memory: transfers there that it has waited for are over. */
static void touch_pinned(const object *s, const char *host, size_t n, bool writes, const char *in) {
  for (transfer **p = &transfers; *p != NULL;) {
    transfer *t = *p;
    if (host + n <= t->host || t->host + t->n <= host || (!writes && !t->down)) {
      p = &t->next;
      continue;
    }
    if (s->o.clock.t[t->line] < t->time) race("page-locked memory", in);
    p = end_transfer(p);
  }
}

static void begin_transfer(object *s, char *host, const char *bytes, size_t n, bool down) {
  transfer *t = malloc(sizeof *t);
  if (t == NULL) abort();
  *t = (transfer){ transfers, host, malloc(n), n, down, s->o.line, s->o.clock.t[s->o.line] };
  if (t->bytes == NULL) abort();
  memcpy(t->bytes, bytes, n);
  if (down) memset(host, 0xee, n);
  transfers = t;
}

static CUresult perform(object *s, node *k) {
  char *dst = (char *)(uintptr_t)k->dst, *src = (char *)(uintptr_t)k->src;
  step(s);
  if (k->kind == NODE_LAUNCH) {
    touch_parameters(s, k);
    k->function->module->o.last_line = s->o.line;
    k->function->module->o.last_time = s->o.clock.t[s->o.line];
    return record_launch(k);
  }
  if (k->kind == NODE_LIBRARY) {
    k->work(k->data, FAKE_CUDA_RUN);
    return CUDA_SUCCESS;
  }
  if (k->kind == NODE_ARRAY) {
    if (!touch(s, k->down ? k->dst : k->src, k->count, k->down, k->name))
      return misuse(CUDA_ERROR_INVALID_VALUE, "bad address");
    touch_object(s, k->function, !k->down, k->name);
    memcpy(dst, src, k->count);
    return CUDA_SUCCESS;
  }
  if (k->kind != NODE_DOWNLOAD && !touch(s, k->dst, k->count * k->size, true, k->name))
    return misuse(CUDA_ERROR_INVALID_VALUE, "bad address");
  if ((k->kind == NODE_DOWNLOAD || k->kind == NODE_COPY) && !touch(s, k->src, k->count, false, k->name))
    return misuse(CUDA_ERROR_INVALID_VALUE, "bad address");
  if (k->kind == NODE_FILL) {
    if (k->dst % k->size != 0) return misuse(CUDA_ERROR_INVALID_VALUE, "misaligned fill");
    for (size_t i = 0; i < k->count; i++) memcpy(dst + i * k->size, k->bytes, k->size);
  } else if (k->kind == NODE_DOWNLOAD && lazy() && is_pinned(dst, k->count)) {
    touch_pinned(s, dst, k->count, true, k->name);
    begin_transfer(s, dst, src, k->count, true);
  } else {
    if (k->kind == NODE_UPLOAD && lazy() && is_pinned(src, k->count)) {
      touch_pinned(s, src, k->count, false, k->name);
      begin_transfer(s, src, src, k->count, false);
    }
    memcpy(dst, src, k->count);
  }
  return CUDA_SUCCESS;
}

static node *append(node **list, const node *k) {
  node *copy = malloc(sizeof *copy);
  if (copy == NULL) abort();
  *copy = *k;
  copy->next = NULL;
  if (copy->work != NULL) copy->work(copy->data, FAKE_CUDA_HOLD);
  while (*list != NULL) list = &(*list)->next;
  return *list = copy;
}

static node copying(node_kind kind, CUdeviceptr dst, CUdeviceptr src, size_t n, const char *name) {
  return (node){ .kind = kind, .dst = dst, .src = src, .size = 1, .count = n, .name = name };
}

/* The stream that began a capture. */
static object *origin_of(int capture) {
  for (object *o = objects; o != NULL; o = o->next)
    if (o->kind == STREAM && o->o.capture == capture && o->o.branch == 0) return o;
  return NULL;
}

/* The stream runs it, or remembers it for the graph. */
static CUresult submit(CUstream stream, node what) {
  object *s = (object *)stream;
  node *k = &what;
  if (s->o.capture == 0) return perform(s, k);
  if (k->kind == NODE_UPLOAD || k->kind == NODE_DOWNLOAD)
    return misuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "host copy in a graph");
  s->o.known.t[s->o.branch]++;
  k->branch = s->o.branch;
  k->need = s->o.known;
  append(&origin_of(s->o.capture)->o.nodes, k);
  return CUDA_SUCCESS;
}

/* Calls that a thread must not make while it captures a graph, unless it says that it knows. */
static bool unsafe(void) { return captures > 0 && thread_mode != CU_STREAM_CAPTURE_MODE_RELAXED; }
#define NEED_SAFETY(f) \
  do { \
    if (unsafe() && forced[F_ThreadExchangeStreamCaptureMode].code == 0) \
      return misuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, #f " while a graph is captured"); \
    if (unsafe()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED; \
  } while (0)
#define NEED_NO_CAPTURE(s) \
  do { \
    if (((object *)(s))->o.capture != 0) return misuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "in a captured stream"); \
  } while (0)

/* --- streams and events ---------------------------------------------------------------------------- */

/* What looking at, or waiting for, a stream brings: an earlier launch's fault. */
static CUresult settle(void) {
  if (fault_code != 0 && launches >= fault_nth) fault = fault_code;
  return fault;
}

/* Whether what `o`, a stream or event, stands for is done. */
static CUresult look_at(object *o) {
  bool done = true;
  for (int i = 0; i < LINES; i++) done = done && host_clock.t[i] >= o->o.clock.t[i];
  if (!done && lazy() && o->o.asked++ < 2) return CUDA_ERROR_NOT_READY;
  o->o.asked = 0;
  arrive(&o->o.clock);
  return settle();
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags) {
  ENTER(StreamCreate);
  NEED_CONTEXT();
  if (flags != CU_STREAM_NON_BLOCKING) return misuse(CUDA_ERROR_INVALID_VALUE, "blocking stream");
  object *s = acquire(STREAM, 0);
  s->o.line = lines++ % LINES; /* one that is used again goes on from where it was */
  s->o.clock.t[s->o.line] = host_clock.t[s->o.line];
  for (object *o = objects; o != NULL; o = o->next)
    if (o != s && o->o.clock.t[s->o.line] > s->o.clock.t[s->o.line]) s->o.clock.t[s->o.line] = o->o.clock.t[s->o.line];
  *stream = (CUstream)s;
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  ENTER(StreamDestroy);
  NEED_STREAM(stream);
  NEED_NO_CAPTURE(stream);
  object *s = (object *)stream;
  if (!known_done(s->o.line, s->o.clock.t[s->o.line])) report("misuse stream destroyed before it was done\n");
  release(s);
  return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream stream) {
  ENTER(StreamQuery);
  NEED_STREAM(stream);
  NEED_NO_CAPTURE(stream);
  if (busy[current->device]) return CUDA_ERROR_NOT_READY;
  return look_at((object *)stream);
}

CUresult cuStreamSynchronize(CUstream stream) {
  ENTER(StreamSynchronize);
  NEED_STREAM(stream);
  NEED_NO_CAPTURE(stream);
  while (busy[current->device]) sleep(1);
  arrive(&((object *)stream)->o.clock);
  return settle();
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  ENTER(StreamWaitEvent);
  NEED_CONTEXT();
  object *s = known(stream, STREAM), *e = known(event, EVENT);
  if (s == NULL || e == NULL || flags != 0) return misuse(CUDA_ERROR_INVALID_HANDLE, "wait for event");
  if (e->o.capture == 0) {
    NEED_NO_CAPTURE(s);
    join(&s->o.clock, &e->o.clock);
    return CUDA_SUCCESS;
  }
  object *first = origin_of(e->o.capture);
  if (first == NULL) return misuse(CUDA_ERROR_INVALID_VALUE, "event of a capture that is over");
  if (s->o.capture == 0) {
    s->o.capture = e->o.capture;
    s->o.branch = first->o.branches++;
    s->o.known = (clocks){ { 0 } };
  }
  if (s->o.capture != e->o.capture) return misuse(CUDA_ERROR_INVALID_VALUE, "event of another capture");
  join(&s->o.known, &e->o.known);
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned int flags) {
  ENTER(EventCreate);
  NEED_CONTEXT();
  if ((flags & ~(unsigned)CU_EVENT_DISABLE_TIMING) != 0) return misuse(CUDA_ERROR_INVALID_VALUE, "event flags");
  object *e = acquire(EVENT, 0);
  e->o.timed = flags == 0;
  *event = (CUevent)e;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  ENTER(EventRecord);
  object *e = known(event, EVENT), *s = known(stream, STREAM);
  if (e == NULL || s == NULL || e->device != s->device) return misuse(CUDA_ERROR_INVALID_HANDLE, "record event");
  e->o.capture = s->o.capture;
  e->o.known = s->o.known;
  if (s->o.capture != 0) return CUDA_SUCCESS;
  join(&s->o.clock, &host_clock);
  e->o.clock = s->o.clock;
  e->o.recorded = true;
  e->o.time = ticks;
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event) {
  ENTER(EventQuery);
  NEED_CONTEXT();
  NEED_SAFETY(EventQuery);
  object *e = known(event, EVENT);
  if (e == NULL || e->o.capture != 0) return misuse(CUDA_ERROR_INVALID_HANDLE, "bad event");
  if (busy[current->device]) return CUDA_ERROR_NOT_READY;
  return look_at(e);
}

/* Every operation takes a millisecond. */
CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
  ENTER(EventElapsedTime);
  object *a = known(from, EVENT), *b = known(to, EVENT);
  if (a == NULL || b == NULL || !a->o.timed || !b->o.timed || !a->o.recorded || !b->o.recorded)
    return misuse(CUDA_ERROR_INVALID_HANDLE, "elapsed time");
  for (int i = 0; i < LINES; i++)
    if (!known_done(i, a->o.clock.t[i]) || !known_done(i, b->o.clock.t[i])) return CUDA_ERROR_NOT_READY;
  *milliseconds = (float)b->o.time - (float)a->o.time;
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  ENTER(EventDestroy);
  if (known(event, EVENT) == NULL) return misuse(CUDA_ERROR_INVALID_HANDLE, "bad event");
  release((object *)event);
  return CUDA_SUCCESS;
}

/* --- graphs ------------------------------------------------------------------------------------------ */

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  ENTER(StreamBeginCapture);
  NEED_STREAM(stream);
  NEED_NO_CAPTURE(stream);
  if (mode != CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) return misuse(CUDA_ERROR_INVALID_VALUE, "capture mode");
  order *o = &((object *)stream)->o;
  o->capture = ++last_capture;
  o->branch = 0;
  o->branches = 1;
  o->known = (clocks){ { 0 } };
  captures++;
  return CUDA_SUCCESS;
}

/* Ends the capture even when it is told to fail, as the driver does. */
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  HOLD_LOCK();
  CUresult r = enter(F_StreamEndCapture);
  object *s = known(stream, STREAM);
  if (s == NULL || s->o.capture == 0 || s->o.branch != 0) return misuse(CUDA_ERROR_INVALID_HANDLE, "no capture to end");
  bool joined = true;
  for (object *o = objects; o != NULL; o = o->next) {
    if (o->kind != STREAM || o == s || o->o.capture != s->o.capture) continue;
    for (int i = 0; i < LINES; i++) joined = joined && o->o.known.t[i] <= s->o.known.t[i];
    o->o.capture = 0;
  }
  s->o.capture = 0;
  captures--;
  if (r == CUDA_SUCCESS && !joined) {
    bool excused = forced[F_StreamWaitEvent].code != 0 || forced[F_EventRecord].code != 0 ||
                   forced[F_EventCreate].code != 0;
    r = excused ? 904 : misuse(904, "a branch that was not joined"); /* ..._CAPTURE_UNJOINED */
  }
  if (r != CUDA_SUCCESS) {
    free_nodes(&s->o.nodes);
    return r;
  }
  object *g = acquire(GRAPH, 0);
  g->o.branches = s->o.branches;
  g->o.nodes = s->o.nodes;
  s->o.nodes = NULL;
  *graph = (CUgraph)g;
  return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  ENTER(ThreadExchangeStreamCaptureMode);
  int before = thread_mode;
  thread_mode = *mode;
  *mode = before;
  return CUDA_SUCCESS;
}

bool fake_cuda_capture(CUstream stream, fake_cuda_work *work, void *data) {
  HOLD_LOCK();
  object *s = known(stream, STREAM);
  return s != NULL && s->o.capture != 0 &&
         submit(stream, (node){ .kind = NODE_LIBRARY, .name = "library", .work = work, .data = data }) == CUDA_SUCCESS;
}

static void copy_nodes(object *to, const object *from) {
  free_nodes(&to->o.nodes);
  for (const node *k = from->o.nodes; k != NULL; k = k->next) append(&to->o.nodes, k);
  to->o.branches = from->o.branches;
}

/* The nth operation of a branch, from 1 on. */
static node *node_of(const object *g, int branch, unsigned long long nth) {
  for (node *k = g->o.nodes; k != NULL; k = k->next)
    if (k->branch == branch && k->need.t[branch] == nth) return k;
  return NULL;
}

/* Says how many branches there are, and how often an operation waits for one of another branch. */
static void report_branches(const object *g) {
  int edges = 0;
  for (const node *k = g->o.nodes; k != NULL; k = k->next) {
    const node *before = node_of(g, k->branch, k->need.t[k->branch] - 1);
    for (int i = 0; i < LINES; i++)
      edges += i != k->branch && k->need.t[i] > (before != NULL ? before->need.t[i] : 0);
  }
  report("graph of %d branches, %d edges\n", g->o.branches, edges);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags) {
  ENTER(GraphInstantiate);
  NEED_CONTEXT();
  object *g = known(graph, GRAPH);
  if (g == NULL || flags != 0) return misuse(CUDA_ERROR_INVALID_VALUE, "instantiate");
  object *e = acquire(EXEC, 0);
  copy_nodes(e, g);
  if (g->o.branches > 1) report_branches(e);
  *exec = (CUgraphExec)e;
  return CUDA_SUCCESS;
}

/* As the driver: the same operations in the same order, with other values. */
CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
  ENTER(GraphExecUpdate);
  object *e = known(exec, EXEC), *g = known(graph, GRAPH);
  if (e == NULL || g == NULL || info == NULL) return misuse(CUDA_ERROR_INVALID_VALUE, "update");
  const node *a = e->o.nodes, *b = g->o.nodes;
  while (a != NULL && b != NULL && a->kind == b->kind && memcmp(&a->need, &b->need, sizeof a->need) == 0) {
    a = a->next;
    b = b->next;
  }
  if (a != NULL || b != NULL) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  copy_nodes(e, g);
  return CUDA_SUCCESS;
}

/* The first branch runs on the stream's own line, others on lines of theirs; the stream goes on after all. */
static CUresult run_graph(object *e, object *s) {
  join(&s->o.clock, &host_clock);
  const clocks start = s->o.clock;
  clocks last = start;
  for (node *k = e->o.nodes; k != NULL; k = k->next) {
    object at = *s;
    if (k->branch > 0 && e->o.lines[k->branch] == 0) e->o.lines[k->branch] = 1 + lines++ % LINES;
    at.o.line = k->branch > 0 ? e->o.lines[k->branch] - 1 : s->o.line;
    at.o.clock = start;
    for (int i = 0; i < LINES; i++) {
      const node *before = node_of(e, i, k->need.t[i] - (i == k->branch));
      if (before != NULL) join(&at.o.clock, &before->after);
    }
    if (e->o.known.t[k->branch] > at.o.clock.t[at.o.line]) at.o.clock.t[at.o.line] = e->o.known.t[k->branch];
    CUresult r = perform(&at, k);
    if (r != CUDA_SUCCESS) return r;
    k->after = at.o.clock;
    if (k->branch > 0) e->o.known.t[k->branch] = at.o.clock.t[at.o.line];
    join(&last, &k->after);
  }
  s->o.clock = last;
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  ENTER(GraphLaunch);
  NEED_STREAM(stream);
  NEED_NO_CAPTURE(stream);
  object *e = known(exec, EXEC), *s = (object *)stream;
  if (e == NULL) return misuse(CUDA_ERROR_INVALID_HANDLE, "bad graph");
  if (settle() != 0) return fault;
  report("graph launch\n");
  CUresult r = run_graph(e, s);
  if (r != CUDA_SUCCESS) return r;
  e->o.last_line = s->o.line;
  e->o.last_time = s->o.clock.t[s->o.line];
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  ENTER(GraphDestroy);
  if (known(graph, GRAPH) == NULL) return misuse(CUDA_ERROR_INVALID_HANDLE, "bad graph");
  release((object *)graph);
  return CUDA_SUCCESS;
}

/* The driver frees a graph that runs at its end. That is right where a communicator ends with it; else what the graph
** holds would be freed too early. */
CUresult cuGraphExecDestroy(CUgraphExec exec) {
  ENTER(GraphExecDestroy);
  object *e = known(exec, EXEC);
  if (e == NULL) return misuse(CUDA_ERROR_INVALID_HANDLE, "bad graph");
  bool library = false;
  for (const node *k = e->o.nodes; k != NULL; k = k->next) library = library || k->kind == NODE_LIBRARY;
  if (!library && !known_done(e->o.last_line, e->o.last_time)) report("misuse graph destroyed while it runs\n");
  release(e);
  return CUDA_SUCCESS;
}

/* --- other devices' memory ------------------------------------------------------------------------------ */

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count) {
  ENTER(MemPoolSetAccess);
  if (pool == NULL || count != 1 || access->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      bad_device(access->location.id) || access->location.id == ((context *)pool)->device ||
      access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
    return misuse(CUDA_ERROR_INVALID_VALUE, "pool access");
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  ENTER(DeviceCanAccessPeer);
  *can = (int)setting("FAKE_CUDA_PEERS", 1);
  return bad_device(device) || bad_device(peer) || device == peer ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
  ENTER(CtxEnablePeerAccess);
  NEED_CONTEXT();
  if (peer == current || flags != 0) return misuse(CUDA_ERROR_INVALID_VALUE, "peer access");
  return CUDA_SUCCESS;
}
