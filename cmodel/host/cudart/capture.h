/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture: streams whose operations become nodes of a graph in place of being executed. What is wrong in a capture invalidates it: its
 * streams then return errors until cudaStreamEndCapture, which returns no graph. With the lock of runtime.h held and the session open.
 */
#ifndef RT_CUDART_CAPTURE_H
#define RT_CUDART_CAPTURE_H

#include "host/cudart/graph.h"

/* Called first by what cannot become a node, of an operation or a wait on this stream. cudaSuccess: the stream is not captured. Otherwise
 * the capture is invalidated: cudaErrorStreamCaptureUnsupported, ...Implicit (the default stream would wait for captured streams). */
cudaError_t capture_refuse(cudaStream_t s);
/* The same for what concerns all streams, such as cudaDeviceSynchronize. */
cudaError_t capture_refuse_all(void);
/* The same for calls that CUDA holds to be unsafe in a capture, such as cudaMalloc; as the modes of thread and captures say. */
cudaError_t capture_refuse_unsafe(void);
/* An RT_CALL of such a function. */
#define RT_UNSAFE(e) RT_CALL(capture_refuse_unsafe() ?: (e))

/* Invalidates the capture of a stream if e is an error; returns e. For what fails before rt_enqueue. */
cudaError_t capture_failed(cudaStream_t s, cudaError_t e);
void capture_invalidate_all(void);

bool capture_active(cudaStream_t s);

/* ---- events ---- */

/* Records an event. *id: the capture that it now stands in, which is not over before the captured nodes; 0: the stream is not captured. */
cudaError_t capture_record(cudaStream_t s, cudaEvent_t e, uint64_t *id);
/* The stream's next nodes follow those before the event, which stands in capture `id` (0: in none). It may so join the capture. */
cudaError_t capture_wait(cudaStream_t s, cudaEvent_t e, uint64_t id);
/* For a query of, or a wait for, an event that stands in capture `id`. */
cudaError_t capture_refuse_event(uint64_t id);

#endif
