/* dump.c - see dump.h. */
#include "base/dump.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"

static const struct {
  const char *name, *extension;
} stages[DC_NDUMPS] = { { "ir", "ir" }, { "schedule", "schedule" }, { "cuda", "cu" }, { "ptx", "ptx" }, { "c", "c" } };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* stages are not mixed on standard error */
static bool on[DC_NDUMPS];
static const char *folder; /* NULL: standard error */
static char unknown[32];   /* the first stage that does not exist */

static void read_variable(void) {
  const char *list = getenv("DOTCOMPUTE_DUMP");
  if (list == NULL) return;
  const char *end = strchr(list, ':');
  if (end != NULL && end[1] != '\0') folder = end + 1;
  if (end == NULL) end = list + strlen(list);
  while (list < end) {
    const size_t n = strcspn(list, ",: ");
    int i = 0;
    while (i < DC_NDUMPS && (strlen(stages[i].name) != n || memcmp(stages[i].name, list, n) != 0)) i++;
    if (i < DC_NDUMPS) on[i] = true;
    else if (n > 0 && unknown[0] == '\0') snprintf(unknown, sizeof unknown, "%.*s", (int)n, list);
    list += n + strspn(list + n, ", ");
    if (*list == ':') break;
  }
}

int dc_dump_check(dc_error *err) {
  pthread_once(&once, read_variable);
  if (unknown[0] != '\0')
    return dc_fail(err, DC_ARGUMENT, NULL,
                   "DOTCOMPUTE_DUMP has no stage '%s': the stages are ir, schedule, cuda, ptx and c", unknown);
  return folder != NULL ? dc_file_mkdirs(folder, err) : 0;
}

bool dc_dump_on(dc_dump_stage stage) {
  pthread_once(&once, read_variable);
  return on[stage];
}

void dc_dump_name(const char *source, size_t len, char name[17]) {
  dc_sha256 s;
  char hex[65];
  dc_sha256_init(&s);
  dc_sha256_add(&s, source, len);
  dc_sha256_end_hex(&s, hex);
  memcpy(name, hex, 16);
  name[16] = '\0';
}

void dc_dump(dc_dump_stage stage, const char *name, const char *text, size_t len) {
  char path[4096];
  if (!dc_dump_on(stage)) return;
  pthread_mutex_lock(&lock);
  if (folder == NULL) {
    fprintf(stderr, "== %s of %s\n", stages[stage].name, name);
    fwrite(text, 1, len, stderr);
    if (len > 0 && text[len - 1] != '\n') fputc('\n', stderr);
  } else {
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, stages[stage].extension);
    FILE *f = fopen(path, "w");
    const bool written = f != NULL && fwrite(text, 1, len, f) == len;
    if ((f != NULL && fclose(f) != 0) || !written) fprintf(stderr, "dotcompute: cannot write %s\n", path);
  }
  pthread_mutex_unlock(&lock);
}
