/*
** settings.h - environment variables whose values have a form.
**
** Whatever reads one of them takes a value of another form for none, so that no reader needs a way to fail; that there
** is no such value is checked here, before the first device is opened.
*/
#pragma once

#include "base/error.h"

/* -1: a variable has a value of another form; the error, of kind DC_DEVICE, names both. */
int dc_settings_check(dc_error *err);
