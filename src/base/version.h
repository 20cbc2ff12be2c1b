/*
** version.h - the one place where the version stands.
*/
#ifndef DC_BASE_VERSION_H
#define DC_BASE_VERSION_H

#define DC_VERSION "0.1.0"

#endif
