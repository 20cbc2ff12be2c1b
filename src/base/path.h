/* path.h - names of files. */
#ifndef DC_BASE_PATH_H
#define DC_BASE_PATH_H

/* "a" + "/" + "b", malloc'ed; NULL when out of memory. */
char *dc_path_join(const char *a, const char *b);

#endif
