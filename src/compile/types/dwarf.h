/*
** dwarf.h - the debugging information that NVRTC writes into PTX under --device-debug: as far as types need it.
** DWARF, https://dwarfstd.org, versions 2 to 4, in one compilation unit.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Tags and base types' encodings, by the standard's names and numbers. */
enum {
  DW_TAG_array_type = 0x01,
  DW_TAG_class_type = 0x02,
  DW_TAG_enumeration_type = 0x04,
  DW_TAG_formal_parameter = 0x05,
  DW_TAG_member = 0x0d,
  DW_TAG_pointer_type = 0x0f,
  DW_TAG_structure_type = 0x13,
  DW_TAG_subroutine_type = 0x15,
  DW_TAG_typedef = 0x16,
  DW_TAG_union_type = 0x17,
  DW_TAG_inheritance = 0x1c,
  DW_TAG_subrange_type = 0x21,
  DW_TAG_base_type = 0x24,
  DW_TAG_const_type = 0x26,
  DW_TAG_enumerator = 0x28,
  DW_TAG_subprogram = 0x2e,
  DW_TAG_volatile_type = 0x35,
  DW_TAG_unspecified_type = 0x3b,
};
enum {
  DW_ATE_boolean = 0x02,
  DW_ATE_float = 0x04,
  DW_ATE_signed = 0x05,
  DW_ATE_signed_char = 0x06,
  DW_ATE_unsigned = 0x07,
  DW_ATE_unsigned_char = 0x08,
};

/* An entry with those of its attributes that tell about types. */
typedef struct dc_die {
  unsigned tag;
  uint32_t at;          /* its place, by which others refer to it */
  uint32_t type;        /* the place of its type's entry; 0 none */
  const char *name, *linkage_name; /* NULL: none */
  uint64_t size;        /* in bytes */
  uint64_t bits;        /* of a bit-field; 0: it is none */
  uint64_t offset;      /* of a member */
  uint64_t count;       /* of an array's dimension; DC_DIE_UNKNOWN: not given */
  int64_t value;        /* of an enumerator */
  unsigned encoding;    /* of a base type */
  struct dc_die *children, *next;
} dc_die;
#define DC_DIE_UNKNOWN UINT64_MAX

typedef struct dc_dwarf {
  dc_die *unit; /* the compilation unit; what it holds are its children */
  dc_die **all; /* in order of their places */
  size_t n;
} dc_dwarf;

/* Reads PTX. Everything lies in the arena.  False: there is no such information, or it is not understood, or memory
** ran out (*failed). */
bool dc_dwarf_read(const char *ptx, dc_arena *arena, dc_dwarf *out, bool *failed);

/* The entry at a place, or NULL. */
const dc_die *dc_dwarf_at(const dc_dwarf *d, uint32_t at);
