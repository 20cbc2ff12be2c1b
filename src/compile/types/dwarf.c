/*
** dwarf.c - see dwarf.h.
**
** PTX spells the sections as directives: ".b8 8,1", ".b32 118"; labels stand for places in other sections, of which
** none is needed here.
*/
#include "compile/types/dwarf.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"

/* --- sections ----------------------------------------------------------------------------------------- */

/* The numbers of one directive: "1,2,3" of `width` bytes each. */
static void add_numbers(dc_buf *b, const char *s, const char *end, unsigned width) {
  while (s < end) {
    char *stop;
    uint64_t v = strtoull(s, &stop, 0); /* a label reads as 0 */
    unsigned char bytes[8];
    for (unsigned i = 0; i < width; i++) bytes[i] = (unsigned char)(v >> (8 * i));
    dc_buf_add(b, bytes, width);
    const char *comma = memchr(s, ',', (size_t)(end - s));
    s = comma ? comma + 1 : end;
  }
}

static void read_section(const char *ptx, const char *name, dc_buf *b) {
  static const char mark[] = ".section";
  const char *s = ptx;
  size_t n = strlen(name);
  while ((s = strstr(s, mark)) != NULL) {
    s += strlen(mark);
    s += strspn(s, " \t");
    if (strncmp(s, name, n) == 0 && strchr(" \t\r\n{", s[n])) break;
  }
  if (!s || !(s = strchr(s, '{'))) return;
  for (s++; *s && *s != '}';) {
    s += strspn(s, " \t\r\n");
    const char *end = s + strcspn(s, "\n}");
    if (s[0] == '.' && s[1] == 'b') {
      char *numbers;
      unsigned long bits = strtoul(s + 2, &numbers, 10);
      if (bits == 8 || bits == 16 || bits == 32 || bits == 64) add_numbers(b, numbers, end, (unsigned)bits / 8);
    }
    s = end;
  }
}

/* --- bytes -------------------------------------------------------------------------------------------- */

typedef struct reader {
  const unsigned char *start, *p, *end;
  bool bad;
} reader;

static uint64_t number(reader *r, unsigned width) {
  uint64_t v = 0;
  if ((size_t)(r->end - r->p) < width) {
    r->bad = true;
    r->p = r->end;
    return 0;
  }
  for (unsigned i = 0; i < width; i++) v |= (uint64_t)r->p[i] << (8 * i);
  r->p += width;
  return v;
}

/* LEB128: the bits, and in *shift and *last how many there were and the last byte. */
static uint64_t leb(reader *r, unsigned *shift, uint64_t *last) {
  uint64_t v = 0;
  *shift = 0;
  do {
    *last = number(r, 1);
    if (*shift < 64) v |= (*last & 0x7f) << *shift;
    *shift += 7;
  } while (*last & 0x80);
  return v;
}

static uint64_t unsigned_leb(reader *r) {
  uint64_t last;
  unsigned shift;
  return leb(r, &shift, &last);
}

static int64_t signed_leb(reader *r) {
  uint64_t last;
  unsigned shift;
  uint64_t v = leb(r, &shift, &last);
  if (shift < 64 && (last & 0x40)) v |= UINT64_MAX << shift;
  return (int64_t)v;
}

static const char *string(reader *r) {
  const char *s = (const char *)r->p;
  const unsigned char *nul = memchr(r->p, '\0', (size_t)(r->end - r->p));
  if (!nul) {
    r->bad = true;
    return NULL;
  }
  r->p = nul + 1;
  return s;
}

/* --- entries ------------------------------------------------------------------------------------------ */

enum {
  DW_AT_name = 0x03,
  DW_AT_byte_size = 0x0b,
  DW_AT_bit_size = 0x0d,
  DW_AT_const_value = 0x1c,
  DW_AT_upper_bound = 0x2f,
  DW_AT_count = 0x37,
  DW_AT_data_member_location = 0x38,
  DW_AT_encoding = 0x3e,
  DW_AT_type = 0x49,
  DW_AT_linkage_name = 0x6e,
  DW_AT_MIPS_linkage_name = 0x2007,
};

typedef struct value {
  uint64_t number;
  const char *string;
} value;

/* An expression: only "add a constant" is understood, which is how members' offsets are given. */
static uint64_t read_block(reader *r, uint64_t n) {
  enum { DW_OP_plus_uconst = 0x23 };
  uint64_t v = DC_DIE_UNKNOWN;
  if (n > (uint64_t)(r->end - r->p)) {
    r->bad = true;
    return v;
  }
  reader in = {r->p, r->p, r->p + n, false};
  if (n > 1 && number(&in, 1) == DW_OP_plus_uconst) v = unsigned_leb(&in);
  r->p += n;
  return in.bad || in.p != in.end ? DC_DIE_UNKNOWN : v;
}

static value read_value(reader *r, uint64_t form, unsigned address, unsigned version) {
  value v = {0, NULL};
  switch (form) {
    case 0x01: v.number = number(r, address); break;               /* addr */
    case 0x03: v.number = read_block(r, number(r, 2)); break;      /* block2 */
    case 0x04: v.number = read_block(r, number(r, 4)); break;      /* block4 */
    case 0x05: case 0x12: v.number = number(r, 2); break;          /* data2, ref2 */
    case 0x06: case 0x13: case 0x0e: case 0x17: v.number = number(r, 4); break; /* data4, ref4, strp, sec_offset */
    case 0x07: case 0x14: case 0x20: v.number = number(r, 8); break; /* data8, ref8, ref_sig8 */
    case 0x08: v.string = string(r); break;
    case 0x09: case 0x18: v.number = read_block(r, unsigned_leb(r)); break; /* block, exprloc */
    case 0x0a: v.number = read_block(r, number(r, 1)); break;      /* block1 */
    case 0x0b: case 0x0c: case 0x11: v.number = number(r, 1); break; /* data1, flag, ref1 */
    case 0x0d: v.number = (uint64_t)signed_leb(r); break;          /* sdata */
    case 0x0f: case 0x15: v.number = unsigned_leb(r); break;       /* udata, ref_udata */
    case 0x10: v.number = number(r, version == 2 ? address : 4); break; /* ref_addr */
    case 0x19: v.number = 1; break;                                /* flag_present */
    default: r->bad = true;
  }
  return v;
}

static void set(dc_die *d, uint64_t attribute, value v) {
  switch (attribute) {
    case DW_AT_name: d->name = v.string; break;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name: d->linkage_name = v.string; break;
    case DW_AT_byte_size: d->size = v.number; break;
    case DW_AT_bit_size: d->bits = v.number; break;
    case DW_AT_const_value: d->value = (int64_t)v.number; break;
    case DW_AT_upper_bound: d->count = v.number + 1; break;
    case DW_AT_count: d->count = v.number; break;
    case DW_AT_data_member_location: d->offset = v.number; break;
    case DW_AT_encoding: d->encoding = (unsigned)v.number; break;
    case DW_AT_type: d->type = (uint32_t)v.number; break;
  }
}

/* Puts `abbrev` behind the head of the abbreviation `code`: its tag, whether it has children, its attributes. */
static bool find_abbreviation(reader *abbrev, uint64_t code) {
  for (abbrev->p = abbrev->start; !abbrev->bad && abbrev->p < abbrev->end;) {
    uint64_t found = unsigned_leb(abbrev);
    if (found == code) return true;
    if (found == 0) return false;
    unsigned_leb(abbrev);
    number(abbrev, 1);
    while (!abbrev->bad) {
      uint64_t attribute = unsigned_leb(abbrev), form = unsigned_leb(abbrev);
      if (attribute == 0 && form == 0) break;
    }
  }
  return false;
}

typedef struct tree {
  reader info, abbrev;
  unsigned address, version;
  dc_arena *arena;
  dc_dwarf *out;
  size_t room;
  bool failed;
} tree;

static dc_die *add_die(tree *t) {
  dc_dwarf *d = t->out;
  if (d->n == t->room) {
    size_t room = t->room ? 2 * t->room : 256;
    dc_die **more = dc_arena_alloc(t->arena, room * sizeof *more);
    if (!more) return NULL;
    if (d->n) memcpy(more, d->all, d->n * sizeof *more);
    d->all = more;
    t->room = room;
  }
  return d->all[d->n++] = dc_arena_alloc(t->arena, sizeof(dc_die));
}

/* The entry at the reader and all below it; NULL at the end of a list, and when something is wrong. */
static dc_die *read_die(tree *t, int depth) {
  uint32_t at = (uint32_t)(t->info.p - t->info.start);
  uint64_t code = unsigned_leb(&t->info);
  if (code == 0 || t->info.bad) return NULL;
  dc_die *d = add_die(t);
  t->failed = t->failed || !d;
  if (t->failed || depth > 200 || !find_abbreviation(&t->abbrev, code)) {
    t->info.bad = true;
    return NULL;
  }
  d->at = at;
  d->offset = 0;
  d->count = DC_DIE_UNKNOWN;
  d->tag = (unsigned)unsigned_leb(&t->abbrev);
  bool parent = number(&t->abbrev, 1) != 0;
  for (;;) {
    uint64_t attribute = unsigned_leb(&t->abbrev), form = unsigned_leb(&t->abbrev);
    if (t->abbrev.bad) t->info.bad = true;
    if ((attribute == 0 && form == 0) || t->info.bad) break;
    set(d, attribute, read_value(&t->info, form, t->address, t->version));
  }
  dc_die **last = &d->children;
  while (parent && !t->info.bad && (*last = read_die(t, depth + 1)) != NULL) last = &(*last)->next;
  return t->info.bad ? NULL : d;
}

static bool read_unit(tree *t) {
  uint64_t len = number(&t->info, 4);
  t->version = (unsigned)number(&t->info, 2);
  uint64_t abbreviations = number(&t->info, 4); /* a label, hence 0: there is one table */
  t->address = (unsigned)number(&t->info, 1);
  if (len >= 0xfffffff0 || t->version < 2 || t->version > 4 || abbreviations != 0 || t->address > 8) return false;
  t->out->unit = read_die(t, 0);
  return t->out->unit != NULL;
}

bool dc_dwarf_read(const char *ptx, dc_arena *arena, dc_dwarf *out, bool *failed) {
  dc_buf info = DC_BUF_INIT, abbrev = DC_BUF_INIT;
  memset(out, 0, sizeof *out);
  read_section(ptx, ".debug_info", &info);
  read_section(ptx, ".debug_abbrev", &abbrev);
  tree t = {.arena = arena, .out = out, .failed = info.failed || abbrev.failed};
  unsigned char *bytes = t.failed || !info.len ? NULL : dc_arena_alloc(arena, info.len); /* names point into it */
  bool good = false;
  if (bytes && abbrev.len) {
    memcpy(bytes, info.data, info.len);
    t.info = (reader){bytes, bytes, bytes + info.len, false};
    const unsigned char *a = (const unsigned char *)abbrev.data;
    t.abbrev = (reader){a, a, a + abbrev.len, false};
    good = read_unit(&t);
  }
  *failed = t.failed || (info.len && !bytes);
  dc_buf_free(&info);
  dc_buf_free(&abbrev);
  return good && !*failed;
}

const dc_die *dc_dwarf_at(const dc_dwarf *d, uint32_t at) {
  size_t low = 0, high = d->n;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (d->all[mid]->at == at) return d->all[mid];
    if (d->all[mid]->at < at) low = mid + 1;
    else high = mid;
  }
  return NULL;
}
