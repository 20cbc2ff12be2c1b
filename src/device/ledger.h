/*
** ledger.h - live device memory by the line of the script that made it.
**
** To find the line (lua/ walks its stack) costs nothing beside making a large block, so blocks of DC_NOTED bytes and
** more are always noted; smaller ones while somebody asks for it (dc_ledger_trace).  A line is forgotten with its last
** block.
*/
#ifndef DC_DEVICE_LEDGER_H
#define DC_DEVICE_LEDGER_H

#include "device/device.h"

#define DC_NOTED ((size_t)1 << 20)
#define DC_PLACE 80 /* room for "script.lua:17" */

typedef struct dc_line {
  const dc_device *dev;
  size_t bytes, count; /* of live blocks */
  struct dc_line *next, **link;
  char where[DC_PLACE];
} dc_line;

/* Which line of the script is running, into text[DC_PLACE]; false when none is. Raises no Lua errors. NULL: nobody
** tells. */
extern bool (*dc_ledger_place)(char *text);

/* Whether small blocks are noted too; as long as nothing is said, DOTCOMPUTE_LOG=memory decides. */
void dc_ledger_trace(bool on);
bool dc_ledger_tracing(void);

/* Notes a block of `bytes` that has just been made; NULL when it is not noted (host memory running out included). */
dc_line *dc_ledger_enter(const dc_device *dev, size_t bytes);
void dc_ledger_leave(dc_line *line, size_t bytes); /* it goes; NULL is fine */

/* The lines of `dev` with most bytes, at most n of them, largest first; returns how many. */
size_t dc_ledger_largest(const dc_device *dev, const dc_line **lines, size_t n);

#endif
