/*
** version.h - the one place where the version stands.
*/
#pragma once

#define DC_VERSION "0.2.0"
