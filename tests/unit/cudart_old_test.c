/* SPDX-License-Identifier: Apache-2.0 */
/* cudart_old_test: where the libraries of CUDA 11 and 12 differ from that of 13 (cudart_test.c): structures, arguments, old names. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { INVALID_VALUE = 1, INVALID_DEVICE = 101 };

/* The library of a version, from the folder beside this program's: build/host. */
static void *open_library(const char *version) {
  char self[4000], path[4100];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  assert_true(n > 0);
  self[n] = 0;
  for (int up = 0; up < 2; up++) *strrchr(self, '/') = 0;
  snprintf(path, sizeof path, "%s/host/libcudart.so.%s", self, version);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fail_msg("%s", dlerror());
  return library;
}

/* A function of the library, of this type. */
#define CALL(library, type, name) ((type)function(library, name))
static void *function(void *library, const char *name) {
  void *f = dlsym(library, name);
  if (!f) fail_msg("%s", dlerror());
  return f;
}
typedef int get_int(int *);
typedef int get_properties(void *, int);
typedef int no_argument(void);

static int int_at(const uint8_t *p, size_t offset) {
  int v;
  memcpy(&v, p + offset, sizeof v);
  return v;
}

/* Offsets of the fields are those of host/cudart/properties.h for this version. */
static void check_properties(void *library, const char *name, size_t bytes) {
  enum { MULTIPROCESSORS = 388, L2 = 616, SHARED_OPTIN = 696 };
  uint8_t p[1100];
  memset(p, 0xa5, sizeof p);
  assert_int_equal(0, CALL(library, get_properties *, name)(p, 0));
  assert_memory_equal("RegTwin gtx980", p, 14);
  assert_int_equal(1, int_at(p, MULTIPROCESSORS));
  assert_int_equal(2 << 20, int_at(p, L2));
  assert_int_equal(96 << 10, int_at(p, SHARED_OPTIN));
  assert_int_not_equal(0xa5, p[bytes - 1]);
  for (size_t i = bytes; i < sizeof p; i++) assert_int_equal(0xa5, p[i]); /* what lies behind is the program's */
  assert_int_equal(INVALID_DEVICE, CALL(library, get_properties *, name)(p, 1));
}

static void check_managed(void *library) {
  void *p;
  assert_int_equal(0, CALL(library, int (*)(void **, size_t, unsigned), "cudaMallocManaged")(&p, 64, 1));
  int (*prefetch)(void *, size_t, int, void *) = function(library, "cudaMemPrefetchAsync");
  int (*advise)(void *, size_t, int, int) = function(library, "cudaMemAdvise");
  assert_int_equal(0, prefetch(p, 64, 0, NULL));
  assert_int_equal(0, prefetch(p, 64, -1, NULL)); /* the host */
  assert_int_equal(INVALID_DEVICE, prefetch(p, 64, 1, NULL));
  assert_int_equal(INVALID_VALUE, prefetch(p, 65, 0, NULL));
  assert_int_equal(0, advise(p, 64, 3, -1));
  assert_int_equal(INVALID_DEVICE, advise(p, 64, 3, 2));
}

/* Captures and updates, in the signatures of this version. */
static void check_graphs(void *library, int version) {
  enum { ACTIVE = 1, UPDATE_FAILED = 910, NOT_SUPPORTED = 6, GLOBAL = 0, SET = 1 };
  void *stream, *p, *graph, *same, *exec, *node, *from[2] = {0}, *to[2] = {0};
  int status = 0, result = 0;
  unsigned long long id = 0, id_v2 = 0;
  void *const *dep;
  size_t n = 9;
  assert_int_equal(0, CALL(library, int (*)(void **), "cudaStreamCreate")(&stream));
  assert_int_equal(0, CALL(library, int (*)(void **, size_t), "cudaMalloc")(&p, 64));
  int (*fill)(void *, int, size_t, void *) = function(library, "cudaMemsetAsync");
  assert_int_equal(0, CALL(library, int (*)(void *, int), "cudaStreamBeginCapture")(stream, GLOBAL));
  assert_int_equal(0, fill(p, 1, 4, stream));
  assert_int_equal(
      0, CALL(library, int (*)(void *, int *, unsigned long long *), "cudaStreamGetCaptureInfo")(stream, &status, &id));
  assert_int_equal(ACTIVE, status);
  assert_int_equal(0, CALL(library, int (*)(void *, int *, unsigned long long *, void **, void *const **, size_t *),
                           "cudaStreamGetCaptureInfo_v2")(stream, &status, &id_v2, &graph, &dep, &n));
  assert_true(id && id == id_v2 && n == 1);
  node = dep[0];
  assert_int_equal(0, fill(p, 2, 4, stream));
  assert_int_equal(0, CALL(library, int (*)(void *, void **, size_t, unsigned), "cudaStreamUpdateCaptureDependencies")(
                          stream, &node, 1, SET));
  assert_int_equal(0, fill(p, 3, 4, stream));
  assert_int_equal(0, CALL(library, int (*)(void *, void **), "cudaStreamEndCapture")(stream, &same));
  assert_ptr_equal(graph, same);
  n = 2;
  assert_int_equal(
      0, CALL(library, int (*)(void *, void **, void **, size_t *), "cudaGraphGetEdges")(graph, from, to, &n));
  assert_true(n == 2 && from[0] == node && from[1] == node && to[0] != to[1]);
  assert_int_equal(
      0, CALL(library, int (*)(void **, void *, unsigned long long), "cudaGraphInstantiateWithFlags")(&exec, graph, 0));
  assert_int_equal(0, CALL(library, int (*)(void *, void *), "cudaGraphLaunch")(exec, stream));
  if (version < 12000) {
    assert_int_equal(UPDATE_FAILED, CALL(library, int (*)(void *, void *, void **, int *), "cudaGraphExecUpdate")(
                                        exec, graph, &node, &result));
  } else {
    struct {
      int result;
      void *node, *from;
    } info = {0};
    assert_int_equal(UPDATE_FAILED,
                     CALL(library, int (*)(void *, void *, void *), "cudaGraphExecUpdate")(exec, graph, &info));
    result = info.result;
  }
  assert_int_equal(NOT_SUPPORTED, result);
  assert_int_equal(0, CALL(library, int (*)(void *), "cudaGraphExecDestroy")(exec));
}

static void check_names(void *library, int version) {
  int v;
  assert_int_equal(0, CALL(library, get_int *, "cudaRuntimeGetVersion")(&v));
  assert_int_equal(version, v);
  assert_int_equal(0, CALL(library, no_argument *, "cudaThreadSynchronize")());
  assert_int_equal(0, CALL(library, no_argument *, "cudaThreadExit")());
}

static void version_11(void **state) {
  (void)state;
  void *library = open_library("11.0");
  check_properties(library, "cudaGetDeviceProperties", 728);
  check_managed(library);
  check_graphs(library, 11000);
  check_names(library, 11000);
}

static void version_12(void **state) {
  (void)state;
  enum { POOLS = 744 };
  void *library = open_library("12");
  uint8_t p[1032];
  check_properties(library, "cudaGetDeviceProperties", 728);
  check_properties(library, "cudaGetDeviceProperties_v2", 1032);
  assert_int_equal(0, CALL(library, get_properties *, "cudaGetDeviceProperties_v2")(p, 0));
  assert_int_equal(1, int_at(p, POOLS));
  check_managed(library);
  struct place {
    int type, id;
  } host = {2, 0}, wrong = {1, 7};
  void *m;
  assert_int_equal(0, CALL(library, int (*)(void **, size_t, unsigned), "cudaMallocManaged")(&m, 64, 1));
  int (*prefetch)(void *, size_t, struct place, unsigned, void *) = function(library, "cudaMemPrefetchAsync_v2");
  int (*advise)(void *, size_t, int, struct place) = function(library, "cudaMemAdvise_v2");
  assert_int_equal(0, prefetch(m, 64, host, 0, NULL));
  assert_int_equal(INVALID_DEVICE, prefetch(m, 64, wrong, 0, NULL));
  assert_int_equal(0, advise(m, 64, 5, host));
  check_graphs(library, 12000);
  check_names(library, 12000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(version_11), cmocka_unit_test(version_12)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
