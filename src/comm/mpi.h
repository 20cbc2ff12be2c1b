/*
** mpi.h - MPI, loaded at first use: the shim (shim/shim.c) compiled by the MPI compiler (mpicc) that is installed, and
** kept in the cache of compiled code.
**
** DOTCOMPUTE_MPICC names the MPI compiler, or is "off".
*/
#pragma once

#include "base/error.h"
#include "comm/shim/shim.h"

/* The shim's functions; compiled and loaded once.  NULL: DC_DEVICE with what to install. */
const dc_mpi_table *dc_mpi_load(dc_error *err);
/* The MPI compiler and the library's version, for `dclua --doctor`; "" where they are not known. */
const char *dc_mpi_compiler(void);
void dc_mpi_version(char *text, size_t n);

/* Held around each call of the table: several Lua states may communicate in threads of their own. */
void dc_mpi_lock(void);
void dc_mpi_unlock(void);
