/* cache_key.c - see cache_key.h. */
#include "compile/cache_key.h"

#include <pthread.h>

#include "base/hash.h"
#include "base/version.h"
#include "compile/dependencies.h"
#include "compile/nvrtc/nvjitlink.h"
#include "compile/nvrtc/search.h"
#include "compile/nvrtc/toolkit.h"
#include "compile/program.h"
#include "compile/tile_tools.h"
#include "compile/types/signature.h"

/* What we bring to every source: hashed once, since it is longer than most of them. */
static uint8_t own_digest[32];
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

static void hash_own(void) {
  dc_sha256 h;
  dc_sha256_init(&h);
  dc_sha256_str(&h, dc_signature_prelude);
  for (const struct dc_embedded *s = dc_embedded_shims; s->name; s++) dc_sha256_str(&h, s->text);
  dc_sha256_end(&h, own_digest);
}

/* What the image depends on, the compiler and the places of folders aside. */
static int hash_source(const dc_source *src, const char *arch, bool binary, dc_sha256 *h, bool *whole, dc_error *err) {
  dc_sha256_init(h);
  pthread_once(&own_once, hash_own);
  dc_sha256_str(h, "image " DC_VERSION " 17");
  dc_sha256_str(h, arch);
  dc_sha256_str(h, src->arch ? "asked for" : ""); /* which decides whether a newer one may be better */
  dc_sha256_str(h, binary ? "cubin" : "ptx");
  dc_sha256_str(h, src->no_signatures ? "plain" : src->part ? "part" : "typed");
  dc_sha256_str(h, src->is_file ? "file" : "");
  dc_sha256_str(h, src->lto ? "lto" : "");
  dc_sha256_str(h, src->text);
  dc_sha256_add(h, own_digest, sizeof own_digest);
  for (int i = 0; i < src->noptions; i++) dc_sha256_str(h, src->options[i]);
  dc_sha256_str(h, "instances");
  for (int i = 0; i < src->ninstantiate; i++) dc_sha256_str(h, src->instantiate[i]);
  dc_sha256_str(h, "units");
  for (int i = 0; i < src->nunits; i++) {
    dc_sha256_add(h, &src->unit_lens[i], sizeof src->unit_lens[i]);
    dc_sha256_add(h, src->units[i], src->unit_lens[i]);
  }
  return dc_include_hash(src, h, whole, err);
}

int dc_cache_keys(const dc_source *src, const char *arch, bool binary, char key[65], char portable[65], bool *whole,
                  dc_error *err) {
  dc_sha256 h, p;
  const char *toolkit = dc_toolkit_identity();
  if (toolkit == NULL) return dc_fail_oom(err);
  if (hash_source(src, arch, binary, &h, whole, err) != 0) return -1;
  p = h;
  dc_sha256_str(&p, "portable");
  dc_sha256_end_hex(&p, portable);
  dc_sha256_str(&h, dc_nvrtc_identity());
  dc_sha256_str(&h, toolkit);
  if (src->nunits > 0 && (binary || src->lto)) dc_sha256_str(&h, dc_nvjitlink_identity());
  if (dc_tile_mentioned(src->text)) {
    const char *tile = dc_tile_tools_identity();
    if (tile == NULL) return dc_fail_oom(err);
    dc_sha256_str(&h, tile);
  }
  dc_sha256_str(&h, "folders");
  for (int i = 0; i < src->ninclude_dirs; i++) dc_sha256_str(&h, src->include_dirs[i]);
  dc_sha256_end_hex(&h, key);
  return 0;
}
