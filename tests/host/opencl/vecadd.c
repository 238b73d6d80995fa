/* SPDX-License-Identifier: Apache-2.0 */
/* vecadd: sums of vectors; commands that wait for each other's events, what events say, profiling. */
#include "common.h"

static const char source[] =
    "__kernel void vecadd(__global const float *a, __global const float *b, __global float *c, int n) {\n"
    "  int i = get_global_id(0);\n"
    "  if (i < n) c[i] = a[i] + b[i];\n"
    "}\n"
    "__kernel void scale(__global float *c, float by, int n) {\n"
    "  int i = get_global_id(0);\n"
    "  if (i < n) c[i] *= by;\n"
    "}\n";

enum { N = 5000, LOCAL = 128 };
static float a[N], b[N], c[N];

static void about_event(const struct gpu *g, cl_event e, cl_command_type want, const char *name) {
  cl_command_type type = 0;
  cl_command_queue queue = NULL;
  cl_context context = NULL;
  cl_uint references = 0;
  OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  OK(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
  OK(clGetEventInfo(e, CL_EVENT_CONTEXT, sizeof context, &context, NULL));
  OK(clGetEventInfo(e, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL));
  check(type == want && queue == g->queue && context == g->context && references >= 1,
        "%s: its event's command, queue, context", name);
  check(event_status(e) == CL_COMPLETE, "%s: complete", name);
  const cl_ulong queued = profile(e, CL_PROFILING_COMMAND_QUEUED), submit = profile(e, CL_PROFILING_COMMAND_SUBMIT),
                 start = profile(e, CL_PROFILING_COMMAND_START), end = profile(e, CL_PROFILING_COMMAND_END);
  check(queued <= submit && submit <= start && start <= end, "%s: queued, submitted, started, ended in this order",
        name);
}

int main(void) {
  const struct gpu g = gpu_open(CL_QUEUE_PROFILING_ENABLE);
  const cl_program p = program_of(&g, source, NULL);
  const cl_kernel add = kernel_of(p, "vecadd"), scale = kernel_of(p, "scale");
  uint32_t seed = 1;
  for (int i = 0; i < N; i++) a[i] = (float)random_below(&seed, 1000), b[i] = (float)random_below(&seed, 1000);

  const cl_mem A = buffer_of(&g, sizeof a, a), B = buffer_of(&g, sizeof b, NULL), C = buffer_of(&g, sizeof c, NULL);
  const cl_int n = N;
  const cl_float by = 0.5f;
  const size_t global = (N + LOCAL - 1) / LOCAL * LOCAL, local = LOCAL;
  cl_event wrote, added, scaled, read;
  OK(clEnqueueWriteBuffer(g.queue, B, CL_FALSE, 0, sizeof b, b, 0, NULL, &wrote));
  ARG(add, 0, A), ARG(add, 1, B), ARG(add, 2, C), ARG(add, 3, n);
  OK(clEnqueueNDRangeKernel(g.queue, add, 1, NULL, &global, &local, 1, &wrote, &added));
  ARG(scale, 0, C), ARG(scale, 1, by), ARG(scale, 2, n);
  OK(clEnqueueNDRangeKernel(g.queue, scale, 1, NULL, &global, &local, 1, &added, &scaled));
  const cl_event both[] = {added, scaled};
  OK(clEnqueueReadBuffer(g.queue, C, CL_FALSE, 0, sizeof c, c, 2, both, &read));
  OK(clWaitForEvents(1, &read));

  int wrong = 0;
  for (int i = 0; i < N; i++) wrong += c[i] != (a[i] + b[i]) * 0.5f;
  check(!wrong, "%d sums", N);
  about_event(&g, wrote, CL_COMMAND_WRITE_BUFFER, "write");
  about_event(&g, added, CL_COMMAND_NDRANGE_KERNEL, "vecadd");
  about_event(&g, scaled, CL_COMMAND_NDRANGE_KERNEL, "scale");
  about_event(&g, read, CL_COMMAND_READ_BUFFER, "read");
  check(profile(added, CL_PROFILING_COMMAND_END) <= profile(scaled, CL_PROFILING_COMMAND_START), "scale after vecadd");
  printf("vecadd: %llu ns, scale: %llu ns\n",
         (unsigned long long)(profile(added, CL_PROFILING_COMMAND_END) - profile(added, CL_PROFILING_COMMAND_START)),
         (unsigned long long)(profile(scaled, CL_PROFILING_COMMAND_END) - profile(scaled, CL_PROFILING_COMMAND_START)));

  OK(clRetainEvent(read));
  OK(clReleaseEvent(read));
  const cl_event all[] = {wrote, added, scaled, read};
  for (int i = 0; i < 4; i++) OK(clReleaseEvent(all[i]));
  OK(clReleaseMemObject(A)), OK(clReleaseMemObject(B)), OK(clReleaseMemObject(C));
  OK(clReleaseKernel(add)), OK(clReleaseKernel(scale)), OK(clReleaseProgram(p));
  gpu_close(&g);
  return finish();
}
