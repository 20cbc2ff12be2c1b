/*
** version.h - the one place where the version stands.
*/
#pragma once

#define DC_VERSION "0.1.0"
