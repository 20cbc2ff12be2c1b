/*
** comm.h - communication of the CPU device: MPI on its memory, which is the host's.  A communicator is a dc_ranks.
*/
#pragma once

#include "device/device.h"

extern const dc_comm_ops dc_cpu_comm_ops;
