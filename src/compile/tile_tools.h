/*
** tile_tools.h - where NVIDIA's tools for tile kernels are: an NVRTC of CUDA 13.5 or newer, which turns CUDA Tile C++
** into Tile IR, and tileiras, which turns that into machine code.
*/
#pragma once

#include <stdbool.h>

#include "base/error.h"

typedef struct dc_tile_tools {
  const char *root;     /* the folder that has bin/tileiras and bin/ptxas */
  const char *nvrtc;    /* its library */
  const char *headers;  /* where that NVRTC's own headers go, below the cache's folder */
  const char *identity; /* for cache keys */
} dc_tile_tools;

/* DOTCOMPUTE_TILE (a folder, or "off"), else the first complete installation in the environment's toolkits, the usual
** folders of toolkits, and the folders where pip puts wheels.  Looked for once; lives as long as the process.  NULL
** with a DC_COMPILE error, code "TILE_TOOLS_NOT_FOUND", that says what to install; the places are its log.
** Thread-safe. */
const dc_tile_tools *dc_tile_tools_find(dc_error *err);

/* The same for cache keys: "" when there are none, NULL when memory was lacking. */
const char *dc_tile_tools_identity(void);

/* Whether a source has kernels, or includes the header, of CUDA Tile C++.  Also true where a comment says so. */
bool dc_tile_mentioned(const char *text);
