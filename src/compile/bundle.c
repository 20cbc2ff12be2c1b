/*
** bundle.c - see bundle.h.  The file: a line that names the format, then for each image its key, the architecture, its
** length, the SHA-256 of all that, and the bytes.
*/
#include "compile/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/runtime.h"

#define MAGIC "dotcompute bundle 1\n"
#define MAGIC_LEN (sizeof MAGIC - 1)
#define KEY_LEN 64
#define ARCH_LEN 24
#define HEAD (KEY_LEN + ARCH_LEN + 8 + 32)
#define MAX_SIZE ((off_t)1 << 31)
#define DAMAGED "is damaged: `dclua --bundle` makes a new one"
#define UNTRUSTED "is not used: it belongs to others, or more people than the script's may write it"

typedef struct record {
  char key[KEY_LEN], arch[ARCH_LEN];
  uint64_t len;
  uint8_t sum[32];
  const char *bytes;
} record;

typedef struct bundle {
  char *data;   /* the file's text, or NULL */
  record *list; /* their bytes are in data, or malloc'ed when noted */
  int n;
  const char *fault; /* why the file, or a part of it, cannot be used, or NULL */
} bundle;

static struct {
  pthread_mutex_t lock;
  char *script, *path;
  bool looked, recording;
  bundle open, noted;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void checksum(const record *r, uint8_t sum[32]) {
  dc_sha256 h;
  dc_sha256_init(&h);
  dc_sha256_add(&h, r->key, KEY_LEN);
  dc_sha256_add(&h, r->arch, ARCH_LEN);
  dc_sha256_add(&h, r->bytes, (size_t)r->len);
  dc_sha256_end(&h, sum);
}

static bool append(bundle *b, const record *r) {
  record *more = realloc(b->list, sizeof *more * (size_t)(b->n + 1));
  if (!more) return false;
  b->list = more;
  b->list[b->n++] = *r;
  return true;
}

/* --- reading ------------------------------------------------------------------------------------- */

/* Whoever can write the bundle must be trusted as the script is. */
static bool is_trusted(const struct stat *st) {
  struct stat script = {0};
  bool known = state.script && stat(state.script, &script) == 0;
  bool owner = st->st_uid == geteuid() || st->st_uid == 0 || (known && st->st_uid == script.st_uid);
  mode_t others = st->st_mode & 022, allowed = known && script.st_gid == st->st_gid ? script.st_mode & 022 : 0;
  return S_ISREG(st->st_mode) && owner && (others & ~allowed) == 0;
}

static char *read_trusted(const char *path, size_t *len, const char **fault) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat st;
  char *data = NULL;
  size_t got = 0;
  if (fd < 0) return NULL;
  if (fstat(fd, &st) != 0 || !is_trusted(&st)) *fault = UNTRUSTED;
  else if (st.st_size < MAX_SIZE) data = malloc((size_t)st.st_size + 1);
  while (data && got < (size_t)st.st_size) {
    ssize_t r = read(fd, data + got, (size_t)st.st_size - got);
    if (r < 0 && errno == EINTR) continue;
    if (r <= 0) break;
    got += (size_t)r;
  }
  close(fd);
  *len = got;
  return data;
}

static uint64_t get_number(const unsigned char *p) {
  uint64_t v = 0;
  for (int i = 0; i < 8; i++) v |= (uint64_t)p[i] << (8 * i);
  return v;
}

/* Lists the records; a record's checksum is verified when it is read. False: no bundle, or cut short. */
static bool read_bundle(const char *path, bundle *b) {
  size_t len = 0, at = MAGIC_LEN;
  *b = (bundle){0};
  b->data = read_trusted(path, &len, &b->fault);
  bool good = b->data && len >= MAGIC_LEN && memcmp(b->data, MAGIC, MAGIC_LEN) == 0;
  while (good && at < len) {
    record r;
    good = len - at >= HEAD;
    if (!good) break;
    memcpy(r.key, b->data + at, KEY_LEN);
    memcpy(r.arch, b->data + at + KEY_LEN, ARCH_LEN);
    r.arch[ARCH_LEN - 1] = '\0';
    r.len = get_number((unsigned char *)b->data + at + KEY_LEN + ARCH_LEN);
    memcpy(r.sum, b->data + at + KEY_LEN + ARCH_LEN + 8, 32);
    r.bytes = b->data + at + HEAD;
    good = r.len <= len - at - HEAD && append(b, &r);
    at += HEAD + (size_t)r.len;
  }
  if (b->data && !good) b->fault = DAMAGED;
  if (b->fault) dc_log(DC_LOG_CACHE, "the bundle %s %s", path, b->fault);
  return b->n > 0;
}

void dc_bundle_beside(const char *script) {
  const char *own = getenv("DOTCOMPUTE_BUNDLE");
  pthread_mutex_lock(&state.lock);
  if (!state.script && !state.path && script) {
    dc_buf b = DC_BUF_INIT;
    state.script = strdup(script);
    if (!own) dc_buf_printf(&b, "%s.dcb", script);
    else if (strcmp(own, "off") != 0) dc_buf_puts(&b, own);
    state.path = dc_buf_take(&b);
  }
  pthread_mutex_unlock(&state.lock);
}

/* Opens it, the first time. The lock is held. */
static void look(void) {
  const char *own = getenv("DOTCOMPUTE_BUNDLE");
  if (state.looked) return;
  state.looked = true;
  if (!state.path && own && strcmp(own, "off") != 0) state.path = strdup(own); /* no script: a prompt, a host program */
  if (state.path && *state.path && read_bundle(state.path, &state.open))
    dc_log(DC_LOG_CACHE, "using the bundle %s: %d images", state.path, state.open.n);
}

bool dc_bundle_active(void) {
  pthread_mutex_lock(&state.lock);
  look();
  bool active = state.recording || state.open.n > 0;
  pthread_mutex_unlock(&state.lock);
  return active;
}

static const record *find(const bundle *b, const char *key) {
  for (int i = 0; i < b->n; i++)
    if (memcmp(b->list[i].key, key, KEY_LEN) == 0) return &b->list[i];
  return NULL;
}

bool dc_bundle_get(const char *key, void **data, size_t *len) {
  uint8_t sum[32];
  *data = NULL;
  pthread_mutex_lock(&state.lock);
  look();
  const record *r = find(&state.open, key);
  if (r) checksum(r, sum);
  if (r && memcmp(sum, r->sum, 32) != 0) {
    dc_log(DC_LOG_CACHE, "the bundle %s is damaged at %.16s", state.path, key);
    state.open.fault = DAMAGED;
  } else if (r && (*data = malloc(r->len ? (size_t)r->len : 1)) != NULL) memcpy(*data, r->bytes, *len = (size_t)r->len);
  pthread_mutex_unlock(&state.lock);
  return *data != NULL;
}

char *dc_bundle_explain(const char *arch) {
  dc_buf b = DC_BUF_INIT;
  pthread_mutex_lock(&state.lock);
  const bool any = state.open.n > 0 && !state.open.fault;
  if (state.open.fault) dc_buf_printf(&b, "the bundle '%s' %s", state.path, state.open.fault);
  else if (any) dc_buf_printf(&b, "the bundle '%s' (", state.path);
  for (int i = 0; any && i < state.open.n; i++) {
    bool before = false;
    for (int k = 0; k < i && !before; k++) before = strcmp(state.open.list[k].arch, state.open.list[i].arch) == 0;
    if (!before) dc_buf_printf(&b, "%s%s", i ? ", " : "", state.open.list[i].arch);
  }
  pthread_mutex_unlock(&state.lock);
  if (any) dc_buf_printf(&b, ") does not hold this source for %s", arch);
  return b.len > 0 ? dc_buf_take(&b) : NULL;
}

/* --- making -------------------------------------------------------------------------------------- */

void dc_bundle_record(void) {
  pthread_mutex_lock(&state.lock);
  state.recording = true;
  pthread_mutex_unlock(&state.lock);
}

void dc_bundle_note(const char *key, const char *arch, const void *data, size_t len) {
  record r = {.len = len};
  memcpy(r.key, key, KEY_LEN);
  strncpy(r.arch, arch, ARCH_LEN - 1);
  pthread_mutex_lock(&state.lock);
  if (state.recording && !find(&state.noted, key)) {
    char *copy = malloc(len ? len : 1);
    if (copy) {
      memcpy(copy, data, len);
      r.bytes = copy;
      checksum(&r, r.sum);
      if (!append(&state.noted, &r)) free(copy);
    }
  }
  pthread_mutex_unlock(&state.lock);
}

static void put(dc_buf *b, const record *r) {
  unsigned char number[8];
  for (int i = 0; i < 8; i++) number[i] = (unsigned char)(r->len >> (8 * i));
  dc_buf_add(b, r->key, KEY_LEN);
  dc_buf_add(b, r->arch, ARCH_LEN);
  dc_buf_add(b, number, 8);
  dc_buf_add(b, r->sum, 32);
  dc_buf_add(b, r->bytes, (size_t)r->len);
}

static bool has_arch(const bundle *b, const char *arch) {
  for (int i = 0; i < b->n; i++)
    if (strcmp(b->list[i].arch, arch) == 0) return true;
  return false;
}

static int by_key(const void *a, const void *b) {
  const record *x = a, *y = b;
  return memcmp(x->key, y->key, KEY_LEN);
}

int dc_bundle_write(const char *path, int *count, size_t *bytes, dc_error *err) {
  bundle before = {0};
  dc_buf b = DC_BUF_INIT;
  pthread_mutex_lock(&state.lock);
  *count = state.noted.n;
  if (state.noted.n > 0) qsort(state.noted.list, (size_t)state.noted.n, sizeof *state.noted.list, by_key);
  dc_buf_puts(&b, MAGIC);
  for (int i = 0; i < state.noted.n; i++) put(&b, &state.noted.list[i]);
  read_bundle(path, &before);
  for (int i = 0; i < before.n; i++) {
    if (has_arch(&state.noted, before.list[i].arch)) continue;
    put(&b, &before.list[i]);
    ++*count;
  }
  free(before.data);
  free(before.list);
  pthread_mutex_unlock(&state.lock);
  *bytes = b.len;
  int rc = b.failed ? dc_fail_oom(err) : dc_file_replace(path, b.data, b.len, true, err);
  if (rc == 0) chmod(path, 0644); /* all users who run the script read it */
  dc_buf_free(&b);
  return rc;
}
