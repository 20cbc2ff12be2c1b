/*
** types.h - the names of the array room's objects, for headers and users that need no more than pointers to them.
*/
#pragma once

typedef struct dc_array dc_array;   /* graph/expr.h */
typedef struct dc_buffer dc_buffer; /* graph/buffer.h */

/* READY: it has memory, its own, a view's or foreign.  PENDING: an expression that was not evaluated yet. */
typedef enum dc_array_state { DC_ARRAY_READY, DC_ARRAY_PENDING, DC_ARRAY_CLOSED } dc_array_state;
