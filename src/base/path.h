/* path.h - names of files. */
#pragma once

/* "a" + "/" + "b", malloc'ed; NULL when out of memory. */
char *dc_path_join(const char *a, const char *b);
