/*
** sweep.h - deferred release: streams, graphs and page-locked memory that were closed while they had work are released
** when a sweep finds that work done.  So closing never waits, in finalizers neither.
*/
#pragma once

#include "device/device.h"

void dc_streams_sweep(dc_device *dev);
