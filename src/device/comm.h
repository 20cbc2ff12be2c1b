/*
** comm.h - checked calls of a device's communication. What they take is in device.h.
*/
#pragma once

#include "device/device.h"

/* The table of the device, which is opened for that; NULL: DC_DEVICE. */
const dc_comm_ops *dc_device_comms(dc_device *dev, dc_error *err);

/* Runs the calls together, in their devices' current streams; all are of one backend; `repeated` as in dc_comm_ops.
** Use dc_buffer_use for all memory first. DC_LAUNCH while a graph is being captured that cannot hold them. */
int dc_device_communicate(dc_comm_call *calls, int n, dc_comm_repeated **repeated, dc_error *err);
/* What calls on the device have kept is not needed any more. */
void dc_device_forget_calls(dc_device *dev, dc_comm_repeated *repeated);
