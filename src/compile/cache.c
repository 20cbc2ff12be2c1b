/*
** cache.c - see cache.h.
*/
#include "compile/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/once.h"
#include "base/path.h"
#include "base/runtime.h"
#include "compile/link/prebuilt.h"
#include "compile/serialize.h"
#include "compile/types/image.h"
#include "compile/write_behind.h"

#define MAGIC "dotcompute cache 3\n" /* another format, another number */
#define MAGIC_LEN (sizeof MAGIC - 1)
#define HEAD (MAGIC_LEN + 32)
#define SUFFIX ".bin"
#define DEFAULT_LIMIT_MIB 256

typedef struct blob {
  size_t len;
  unsigned char bytes[];
} blob;

static struct {
  pthread_mutex_t lock;
  dc_map map;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
  dc_once once;
  char *folder;
  char *note;
  atomic_bool complained;
} disk = {.once = DC_ONCE_INIT};

/* --- the folder ------------------------------------------------------------------------------ */

static void refuse(const char *fmt, const char *folder, const char *why) {
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, fmt, folder, why);
  free(disk.note);
  disk.note = dc_buf_take(&b);
  free(disk.folder);
  disk.folder = NULL;
  dc_log(DC_LOG_CACHE, "%s", disk.note ? disk.note : "cache switched off");
}

/* NULL: the cache is switched off, or errno is ENOMEM. */
static char *choose_folder(void) {
  const char *own = getenv("DOTCOMPUTE_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  errno = 0;
  if (own) return *own && strcmp(own, "off") != 0 ? strdup(own) : NULL;
  if (xdg && *xdg == '/') return dc_path_join(xdg, "dotcompute");
  return home && *home ? dc_path_join(home, ".cache/dotcompute") : NULL;
}

/* For dc_once_until. */
static bool open_folder(void) {
  disk.folder = choose_folder();
  if (!disk.folder && errno == ENOMEM) return false;
  if (!disk.folder) {
    disk.note = strdup("the disk cache is switched off");
    return disk.note != NULL;
  }
  dc_error err = DC_ERROR_INIT;
  struct stat st;
  if (dc_file_mkdirs(disk.folder, &err) != 0)
    refuse("%s cannot be made (%s): compiled code is kept in memory only", disk.folder, dc_error_text(&err));
  else if (lstat(disk.folder, &st) != 0 || !S_ISDIR(st.st_mode))
    refuse("%s is not a folder%s: compiled code is kept in memory only", disk.folder, "");
  else if (st.st_uid != geteuid() || (st.st_mode & 022) != 0)
    refuse("%s belongs to or can be written by others%s: compiled code is kept in memory only; make it yours with "
           "mode 0700", disk.folder, "");
  else if (access(disk.folder, R_OK | X_OK) != 0)
    refuse("%s cannot be read (%s): compiled code is kept in memory only", disk.folder, strerror(errno));
  const bool lacks_memory = err.kind == DC_MEMORY || (!disk.folder && !disk.note);
  dc_error_clear(&err);
  if (!lacks_memory) return true;
  free(disk.folder);
  free(disk.note);
  disk.folder = disk.note = NULL;
  return false;
}

const char *dc_cache_folder(void) { return dc_once_until(&disk.once, open_folder) ? disk.folder : NULL; }

const char *dc_cache_note(void) {
  return dc_once_until(&disk.once, open_folder) ? disk.note : "memory was lacking to open the disk cache";
}

static char *file_of(const char *key) {
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "%s/%s" SUFFIX, disk.folder, key);
  return dc_buf_take(&b);
}

/* --- memory ---------------------------------------------------------------------------------- */

static void lock_memory(void) { pthread_mutex_lock(&memory.lock); }
static void unlock_memory(void) { pthread_mutex_unlock(&memory.lock); }
/* A child process finds the lock free, whichever thread has it while another one forks. */
static void watch_forks(void) { pthread_atfork(lock_memory, unlock_memory, unlock_memory); }

static bool memory_get(const char *key, void **data, size_t *len) {
  pthread_mutex_lock(&memory.lock);
  blob *b = dc_map_get(&memory.map, key, strlen(key));
  void *copy = b ? malloc(b->len ? b->len : 1) : NULL;
  if (copy) memcpy(copy, b->bytes, *len = b->len);
  pthread_mutex_unlock(&memory.lock);
  *data = copy;
  return copy != NULL;
}

static void memory_put(const char *key, const void *data, size_t len) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  blob *b = malloc(sizeof *b + len);
  if (!b) return;
  pthread_once(&once, watch_forks);
  b->len = len;
  memcpy(b->bytes, data, len);
  pthread_mutex_lock(&memory.lock);
  blob *old = dc_map_get(&memory.map, key, strlen(key));
  if (dc_map_set(&memory.map, key, strlen(key), b) == 0) free(old);
  else free(b);
  pthread_mutex_unlock(&memory.lock);
}

/* --- disk ------------------------------------------------------------------------------------ */

/* Over the key too: a file under another's name is not taken for it. */
static void checksum(const char *key, const void *data, size_t len, uint8_t sum[32]) {
  dc_sha256 s;
  dc_sha256_init(&s);
  dc_sha256_str(&s, key);
  dc_sha256_add(&s, data, len);
  dc_sha256_end(&s, sum);
}

/* Reads through one descriptor, which was checked: no link, a plain file of the user's. */
static bool read_checked(const char *path, bool used, char **data, size_t *len) {
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat st;
  bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 022) == 0 &&
            st.st_size >= (off_t)HEAD && st.st_size < (off_t)1 << 31;
  size_t n = ok ? (size_t)st.st_size : 0, got = 0;
  char *bytes = ok ? malloc(n) : NULL;
  while (bytes && got < n) {
    ssize_t r = read(fd, bytes + got, n - got);
    if (r < 0 && errno == EINTR) continue;
    if (r <= 0) break;
    got += (size_t)r;
  }
  if (bytes && got == n && used) futimens(fd, NULL); /* used now: kept longest */
  close(fd);
  if (!bytes || got < n) {
    free(bytes);
    return false;
  }
  *data = bytes;
  *len = n;
  return true;
}

/* used: the file's time is to say so. *there: it can be read at all. */
static bool disk_read(const char *key, bool used, bool *there, void **data, size_t *len) {
  char *path = file_of(key), *bytes = NULL;
  size_t n = 0;
  bool good = false;
  *there = path && read_checked(path, used, &bytes, &n);
  if (*there && memcmp(bytes, MAGIC, MAGIC_LEN) == 0) {
    uint8_t sum[32];
    checksum(key, bytes + HEAD, n - HEAD, sum);
    good = memcmp(sum, bytes + MAGIC_LEN, 32) == 0;
  }
  if (good) {
    *len = n - HEAD;
    memmove(bytes, bytes + HEAD, *len);
    *data = bytes;
  } else {
    free(bytes);
  }
  free(path);
  return good;
}

static bool disk_get(const char *key, void **data, size_t *len) {
  bool there;
  if (!dc_cache_folder()) return false;
  bool good = disk_read(key, true, &there, data, len);
  if (there && !good) dc_log(DC_LOG_CACHE, "%s/%s" SUFFIX " is damaged: made anew", disk.folder, key);
  return good;
}

typedef struct entry {
  struct timespec used;
  off_t size;
  char name[64 + sizeof SUFFIX];
} entry;

static int older_first(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->used.tv_sec != y->used.tv_sec) return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
  return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

static off_t limit(void) {
  const char *mib = getenv("DOTCOMPUTE_CACHE_SIZE");
  long long v = mib ? strtoll(mib, NULL, 10) : 0;
  return (off_t)(v > 0 ? v : DEFAULT_LIMIT_MIB) << 20;
}

/* A temporary file that an older version's writer left behind: killed, most likely. */
static bool is_left_over(const char *name, const struct stat *st, bool all) {
  return strlen(name) > 64 && strncmp(name + 64, SUFFIX ".tmp.", sizeof SUFFIX ".tmp." - 1) == 0 &&
         (all || st->st_mtim.tv_sec + 3600 < time(NULL));
}

/* The files, malloc'ed; what killed writers left behind is removed: at once when `all`, else after an hour. */
static entry *list_files(bool all, size_t *n, dc_cache_sum *removed) {
  DIR *d = opendir(disk.folder);
  entry *list = NULL;
  size_t cap = 0;
  *n = 0;
  for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
    struct stat st;
    size_t len = strlen(e->d_name);
    if (len < 64 + strlen(SUFFIX) || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (is_left_over(e->d_name, &st, all) && unlinkat(dirfd(d), e->d_name, 0) == 0)
      removed->files++, removed->bytes += (size_t)st.st_size;
    if (len != 64 + strlen(SUFFIX) || strcmp(e->d_name + 64, SUFFIX) != 0) continue;
    if (*n == cap) {
      entry *more = realloc(list, (cap = cap ? 2 * cap : 64) * sizeof *list);
      if (!more) break;
      list = more;
    }
    list[*n].used = st.st_mtim;
    list[*n].size = st.st_size;
    memcpy(list[(*n)++].name, e->d_name, len + 1);
  }
  if (d) closedir(d);
  return list;
}

/* When more than `most` bytes are there: removes what was not used for longest until `left` are left. */
static dc_cache_sum prune(off_t most, off_t left, bool all) {
  dc_cache_sum removed = {0, 0};
  size_t n;
  off_t total = 0;
  entry *list = list_files(all, &n, &removed);
  for (size_t i = 0; i < n; i++) total += list[i].size;
  int folder = total > most ? open(disk.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (folder >= 0) qsort(list, n, sizeof *list, older_first);
  for (size_t i = 0; folder >= 0 && i < n && total > left; i++) {
    if (unlinkat(folder, list[i].name, 0) != 0) continue;
    total -= list[i].size;
    removed.files++;
    removed.bytes += (size_t)list[i].size;
    dc_log(DC_LOG_CACHE, "dropped %s, not used for longest", list[i].name);
  }
  if (folder >= 0) close(folder);
  free(list);
  return removed;
}

/* After len more bytes under `key`: whether the folder is to be looked through.  With tens of thousands of files that
** takes longer than a compilation (21,000: 60 ms), so it is for one key in sixteen, and for much written at once. */
static bool is_time_to_prune(const char *key, size_t len) {
  static atomic_size_t written; /* since this process looked */
  if (atomic_fetch_add(&written, len) + len < (size_t)limit() / 64 && key[0] != '0') return false;
  atomic_store(&written, 0);
  return true;
}

static void disk_put(const char *key, const void *data, size_t len) {
  dc_buf b = DC_BUF_INIT;
  uint8_t sum[32];
  checksum(key, data, len, sum);
  dc_buf_add(&b, MAGIC, MAGIC_LEN);
  dc_buf_add(&b, sum, 32);
  dc_buf_add(&b, data, len);
  char *path = file_of(key);
  dc_error err = DC_ERROR_INIT;
  if (!b.failed && path && dc_file_replace(path, b.data, b.len, false, &err) == 0) {
    if (is_time_to_prune(key, b.len)) prune(limit(), limit() / 4 * 3, false);
  } else if (!atomic_exchange(&disk.complained, true)) {
    fprintf(stderr, "dotcompute: the cache cannot be written (%s); going on without\n", dc_error_text(&err));
  }
  dc_error_clear(&err);
  free(path);
  dc_buf_free(&b);
}

bool dc_cache_get(const char *key, void **data, size_t *len) {
  if (memory_get(key, data, len)) return true;
  if (!disk_get(key, data, len)) return false;
  memory_put(key, *data, *len);
  return true;
}

bool dc_cache_has(const char *key) {
  pthread_mutex_lock(&memory.lock);
  const bool there = dc_map_get(&memory.map, key, strlen(key)) != NULL;
  pthread_mutex_unlock(&memory.lock);
  if (there || !dc_cache_folder()) return there;
  char *path = file_of(key);
  const bool on_disk = path && dc_file_exists(path);
  free(path);
  return on_disk;
}

void dc_cache_put(const char *key, const void *data, size_t len) {
  memory_put(key, data, len);
  if (dc_cache_folder()) dc_write_behind(disk_put, key, data, len);
}

/* --- tools ------------------------------------------------------------------------------------- */

dc_cache_sum dc_cache_clear(void) {
  dc_write_behind_wait();
  return dc_cache_folder() ? prune(-1, -1, true) : (dc_cache_sum){0, 0};
}

dc_cache_sum dc_cache_prune(size_t most) {
  off_t left = most ? (off_t)most : limit();
  dc_write_behind_wait();
  return dc_cache_folder() ? prune(left, left, false) : (dc_cache_sum){0, 0};
}

/* What an entry's content is. */
static void describe(dc_cache_entry *e, const void *data, size_t len) {
  dc_image *image = dc_image_deserialize(data, len);
  dc_buf b = DC_BUF_INIT;
  e->image = image != NULL;
  if (image && dc_is_lto_ir(image->bytes, image->len)) dc_buf_puts(&b, "LTO-IR:");
  else if (image) dc_buf_puts(&b, image->binary ? "machine code:" : "PTX:");
  else if (len > 4 && memcmp(data, "\x7f" "ELF", 4) == 0) dc_buf_puts(&b, "native code of the CPU device");
  else if (len >= sizeof DC_CACHE_CUDA_C && memcmp(data, DC_CACHE_CUDA_C, sizeof DC_CACHE_CUDA_C - 1) == 0)
    dc_buf_puts(&b, "CUDA C of a kernel in Lua");
  else dc_buf_puts(&b, "facts about the compiler");
  for (int i = 0; image && i < image->nkernels; i++)
    dc_buf_printf(&b, "%s %s", i ? "," : "", image->kernels[i].name);
  snprintf(e->about, sizeof e->about, "%s", dc_buf_str(&b));
  if (b.len >= sizeof e->about) memcpy(e->about + sizeof e->about - 4, "...", 4);
  dc_buf_free(&b);
  if (image) dc_image_free(image);
}

dc_cache_entry *dc_cache_list(int *count) {
  dc_cache_sum removed = {0, 0};
  struct timespec now;
  size_t n = 0;
  *count = 0;
  dc_write_behind_wait();
  if (!dc_cache_folder()) return NULL;
  entry *files = list_files(false, &n, &removed);
  dc_cache_entry *list = n > 0 ? calloc(n, sizeof *list) : NULL;
  if (n > 0) qsort(files, n, sizeof *files, older_first);
  clock_gettime(CLOCK_REALTIME, &now);
  for (size_t i = n; list && i-- > 0;) {
    dc_cache_entry *e = &list[(*count)++];
    void *data;
    size_t len;
    bool there;
    memcpy(e->key, files[i].name, 64);
    e->size = (size_t)files[i].size;
    e->age = (double)(now.tv_sec - files[i].used.tv_sec) + (double)(now.tv_nsec - files[i].used.tv_nsec) * 1e-9;
    e->good = disk_read(e->key, false, &there, &data, &len);
    if (!e->good) continue;
    describe(e, data, len);
    free(data);
  }
  free(files);
  return list;
}
