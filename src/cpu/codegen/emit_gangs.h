/*
** emit_gangs.h - the loop of simple code over the gangs of a block.
**
** It switches between the gangs of a block.  Most often all of them run to the same barrier, and go on from there one
** after another, without a switch, where it is reached from one entry or two (as from before a loop and from its end).
** Then `here` is where they began and `next` where they go on, and nothing is written for each (a scan of 512 values in
** shared memory, in which few gangs have work at most of its 20 barriers: 0.95 of the time).  Else `any` and `all` show
** whether the nodes of those that have paused are one.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* Where simple code begins or goes on with gang g, which in whole rows has all its lanes as long as none exits. */
void dc_emit_enter_gang(emitter *e);
/* The end of node n, a barrier that gangs come to from the entries e->from and e->also. */
void dc_emit_pause_from(emitter *e, int32_t n);
/* The head, up to the switch over the entries, and what ends and pauses of gangs lead to. */
void dc_emit_begin_gangs(emitter *e);
void dc_emit_end_gangs(emitter *e);
/* What the device has to know of the block when gang g, deoptimized, leaves simple code, and all others have to. */
void dc_emit_leave_gangs(emitter *e);
