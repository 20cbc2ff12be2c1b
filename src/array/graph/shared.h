/*
** shared.h - memory of arrays that several Lua states of the process hold: counted by them, freed by the last.
**
** Each state has a buffer of its own over it, with its own hazard list.  What the states do is ordered where one hands
** the memory on: dc_shared_offer records an event behind all that this state has done with it, dc_shared_open makes the
** opening state's stream wait for the events of all others.  Before the memory is freed the freeing stream waits for
** every state's last use.
*/
#pragma once

#include "array/graph/types.h"
#include "base/error.h"
#include "device/device.h"

typedef struct dc_shared dc_shared;

/* The buffer's memory can be opened by other states from now on; *number names it in the process, for good.  `keep`: it
** also lives until it has been opened once more, whatever becomes of the buffer.  The caller has computed what reads
** it.  DC_ARGUMENT for memory that this library has not allocated; DC_LAUNCH while a graph is being captured. */
int dc_shared_offer(dc_buffer *b, bool keep, uint64_t *number, dc_error *err);

/* The id of the device that the memory is on.  DC_ARGUMENT when no state holds it any more. */
int dc_shared_device(uint64_t number, char id[24], dc_error *err);

/* A reference to this state's buffer over the memory, made if there is none.  `kept`: one that was kept alive for this
** is not any more.  `dev` is that device, open. */
dc_buffer *dc_shared_open(dc_device *dev, uint64_t number, bool kept, dc_error *err);
