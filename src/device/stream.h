/*
** stream.h - the streams and events that users have, and the device's current stream.
**
** As long as a device has only its own stream, everything runs in order and nothing is recorded.  With a second one
** dev->tracking is set, and from then on uses of memory are (tracking.h).
**
** On blocking devices streams have the same functions and nothing to wait for.
*/
#pragma once

#include "device/capture.h"

/* A new stream, empty, with one reference of users, who can give it work. */
dc_stream *dc_stream_new(dc_device *dev, dc_error *err);
void dc_stream_name(dc_stream *s); /* another reference of users, released by dc_stream_abandon */
/* No more work can be given to it; what it has goes on. Idempotent. DC_ARGUMENT when it is the current one. */
int dc_stream_close(dc_stream *s, dc_error *err);
/* For finalizers: releases a reference of users.  With the last one the stream is closed; the current stream when it
** ceases to be that. Never fails. */
void dc_stream_abandon(dc_stream *s);
/* DC_ARGUMENT when it is closed, or not of `dev` (NULL: any). */
int dc_stream_check(const dc_stream *s, const dc_device *dev, dc_error *err);

/* Makes `s` (NULL: the own one) the device's current stream, also while a graph is captured. */
int dc_stream_choose(dc_device *dev, dc_stream *s, dc_error *err);
/* Never NULL but out of memory; while a graph is captured the current branch. */
dc_stream *dc_stream_current(dc_device *dev, dc_error *err);

int dc_stream_done(dc_stream *s, bool *done, dc_error *err);
int dc_stream_synchronize(dc_stream *s, dc_error *err);
int dc_device_synchronize(dc_device *dev, dc_error *err); /* all its streams */
/* As a new Lua state finds it: nothing is captured, its own stream is the current one, there is no limit. */
void dc_device_reset(dc_device *dev);

/* --- events --- */

typedef struct dc_event {
  dc_device *dev;
  void *handle;
  bool recorded;       /* outside of captures */
  dc_capture_point at; /* of the last recording in a capture */
} dc_event;

dc_event *dc_event_new(dc_device *dev, dc_error *err);
void dc_event_free(dc_event *e);
/* In the device's current stream when `s` is NULL. DC_ARGUMENT for a stream of another device. */
int dc_event_record(dc_event *e, dc_stream *s, dc_error *err);
/* The following are DC_ARGUMENT for an event that was never recorded. */
int dc_stream_wait(dc_stream *s, dc_event *e, dc_error *err); /* s waits; events of other devices too */
int dc_event_done(dc_event *e, bool *done, dc_error *err);
int dc_event_synchronize(dc_event *e, dc_error *err);
/* Waits for both; seconds, negative when `to` was first. Both of one device. */
int dc_event_elapsed(dc_event *from, dc_event *to, double *seconds, dc_error *err);
