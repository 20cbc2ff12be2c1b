/*
** comm.h - checked calls of a device's communication. What they take is in device.h.
*/
#pragma once

#include "device/device.h"

/* The table of the device, which is opened for that; NULL: DC_DEVICE. */
const dc_comm_ops *dc_device_comms(dc_device *dev, dc_error *err);

/* Runs the calls together, in their devices' current streams; all are of one backend; `prepared` as in dc_comm_ops.
** Use dc_buffer_use for all memory first. DC_LAUNCH while a graph is being captured that cannot hold them. */
int dc_device_communicate(dc_comm_call *calls, int n, dc_comm_prepared **prepared, dc_error *err);
/* Releases what the device's backend keeps for a prepared operation; NULL is fine. */
void dc_device_release_prepared(dc_device *dev, dc_comm_prepared *prepared);
