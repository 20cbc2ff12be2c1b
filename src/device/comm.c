/* comm.c - see comm.h. */
#include "device/comm.h"

#include "base/runtime.h"
#include "device/capture.h"
#include "device/registry.h"
#include "device/stream_state.h"

const dc_comm_ops *dc_device_comms(dc_device *dev, dc_error *err) {
  if (dc_device_open(dev, err) != 0) return NULL;
  if (dev->comms == NULL) dc_fail(err, DC_DEVICE, NULL, "%s has no library for communication", dev->id);
  return dev->comms;
}

/* The call has been put into the current stream. */
static void issued(dc_device *dev) {
  if (dev->capture != NULL) dc_capture_launched(dev);
  else if (dev->tracking != 0) dc_stream_issued(dev, dev->stream);
  if (dev->capture == NULL) dc_count_launch(1);
}

/* Refuses an operation on several devices while a graph is captured on one of them: a graph belongs to one device. */
static int check_captures(const dc_comm_call *calls, int n, dc_error *err) {
  bool several = false;
  for (int i = 1; i < n; i++) several = several || calls[i].dev != calls[0].dev;
  for (int i = 0; i < n && several; i++)
    if (dc_capture_refuse(calls[i].dev, "runs on several devices: run it outside, as a prepared operation", err) != 0)
      return -1;
  return 0;
}

DC_HOT int dc_device_communicate(dc_comm_call *calls, int n, dc_comm_prepared **prepared, dc_error *err) {
  for (int i = 0; i < n; i++) {
    const dc_comm_ops *ops = dc_device_comms(calls[i].dev, err);
    if (ops == NULL) return -1;
    if (!ops->in_graphs && dc_capture_refuse(calls[i].dev, "communicates by MPI, which waits", err) != 0) return -1;
  }
  if (n == 0) return 0;
  if (check_captures(calls, n, err) != 0) return -1;
  if (calls[0].dev->comms->run(calls, n, prepared, err) != 0) return -1;
  for (int i = 0; i < n; i++) issued(calls[i].dev);
  return 0;
}

void dc_device_release_prepared(dc_device *dev, dc_comm_prepared *prepared) {
  if (prepared != NULL) dev->comms->release_prepared(prepared);
}
