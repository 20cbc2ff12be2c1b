/*
** order_types.h - part of fake_cuda.c: what order.h knows of objects.
*/
#define LINES 64

typedef struct clock_t_ {
  unsigned long long t[LINES];
} clocks;

typedef enum { NODE_LAUNCH, NODE_COPY, NODE_UPLOAD, NODE_DOWNLOAD, NODE_FILL, NODE_ARRAY, NODE_LIBRARY } node_kind;

/* One operation of a stream, or of a graph. */
typedef struct node {
  struct node *next;
  node_kind kind;
  struct object *function; /* or the array that is copied */
  CUlaunchConfig config;
  char special[200];
  unsigned char bytes[512]; /* parameters; a fill's value */
  size_t n;
  CUdeviceptr dst, src; /* of a copy to or from the host: its address */
  size_t size, count;
  bool down; /* from the array */
  const char *name;
  fake_cuda_work *work; /* of a library, with what it is for */
  void *data;
  int branch;   /* of a graph */
  clocks need;  /* how many operations of each branch come before it or are it */
  clocks after; /* when it was run last */
} node;

/* What the objects of fake_cuda.c have besides. */
typedef struct order {
  int line;                /* of streams */
  clocks clock;            /* of streams, and of events when they were recorded */
  int asked;               /* how often in vain */
  bool recorded, timed;    /* of events */
  unsigned long long time; /* of events: operations of all streams before */
  int writer, last_line;   /* of memory; of functions and graphs: their last run */
  unsigned long long written, last_time;
  clocks readers;
  node *nodes; /* of graphs, and of streams that began to capture one */
  int capture; /* of streams and of events that were recorded then: which; 0: none */
  int branch, branches; /* of capturing streams: which; of the first one and of graphs: how many */
  clocks known;         /* of capturing streams and of events: how many operations of each branch come before */
  int lines[LINES];     /* of graphs that can be run: of branches but the first, from 1 on */
} order;

static void free_nodes(node **list) {
  while (*list != NULL) {
    node *k = *list;
    *list = k->next;
    if (k->work != NULL) k->work(k->data, FAKE_CUDA_DROP);
    free(k);
  }
}
