/*
** temp.h - temporary files and folders that a later process removes when the one that made them was killed.
**
** Their names hold the process: its number, its start time (numbers are reused), and a hash of the machine's boot and
** the PID namespace in which the two mean something.  Each process removes once for each folder that it uses, before
** its first file there, the files and folders whose process is gone: of the same user, named exactly as here.
*/
#pragma once

#include <sys/types.h>

/* A new file in the folder of `path`, open for reading and writing, with this mode less the umask; its malloc'ed name
** is put into *name. Gives the descriptor, or -1 and errno. */
int dc_temp_file(const char *path, mode_t mode, char **name);

/* Where temporary files belong: TMPDIR, or /tmp. */
const char *dc_temp_parent(void);

/* A new folder in `parent`, mode 0700: its absolute path, malloc'ed. NULL and errno. */
char *dc_temp_folder(const char *parent);

/* Removes a folder and the files in it. */
void dc_temp_remove(const char *folder);
