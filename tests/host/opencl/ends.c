/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ends: launches a small kernel N times and ends in one of many ways, for the results that must be written then (tests/cli/host_ends.sh).
 *
 *   ends HOW N [ARGUMENT]
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

/* `few` ends at once; `many` takes hours. */
static const char ptx[] =
    ".version 6.3\n.target sm_75\n.address_size 64\n"
    ".visible .entry few(.param .u32 n) { .reg .b32 %r<3>; ld.param.u32 %r1, [n]; add.u32 %r2, %r1, 1; ret; }\n"
    ".visible .entry many(.param .u32 n) { .reg .b32 %r<3>; .reg .pred %p; ld.param.u32 %r1, [n];\n"
    "again: add.u32 %r1, %r1, -1; setp.ne.u32 %p, %r1, 0; @%p bra again; ret; }\n";

static struct gpu gpu;
static cl_program program;

static void open_device(void) {
  const size_t n = sizeof ptx;
  const unsigned char *text = (const unsigned char *)ptx;
  cl_int bad;
  gpu = gpu_open(0);
  MADE(program, clCreateProgramWithBinary(gpu.context, 1, &gpu.device, &n, &text, &bad, &status));
  OK(clBuildProgram(program, 1, &gpu.device, NULL, NULL, NULL));
}

static void launch(const char *name, unsigned times) {
  const cl_kernel k = kernel_of(program, name);
  const cl_uint n = 0; /* many: 2^32 steps */
  ARG(k, 0, n);
  while (times--) run_1d(&gpu, k, 32, 32);
  OK(clReleaseKernel(k));
}

static void *launch_many(void *arg) {
  (void)arg;
  launch("many", 1);
  return NULL;
}

static void *launch_often(void *arg) {
  (void)arg;
  launch("few", 100000);
  return NULL;
}

/* More of the stack than there is. */
static unsigned overflow(unsigned depth) {
  volatile char here[4096];
  here[0] = (char)depth;
  return depth ? overflow(depth - 1) + (unsigned)here[0] : 0;
}

static void expire(int which) { OK(setitimer(which, &(struct itimerval){.it_value = {0, 50000}}, NULL)); }

static void wait_for(pid_t child) {
  int status;
  OK(waitpid(child, &status, 0) != child || status);
}

int main(int argc, char **argv) {
  if (argc < 3) return 3;
  const char *how = argv[1];
  const unsigned times = (unsigned)atoi(argv[2]);
#define HOW(name) (!strcmp(how, name))
  pid_t child = -1;
  if (HOW("fork first") && !(child = fork())) {
    open_device();
    launch("few", times + 1);
    return 0;
  }
  open_device();
  launch("few", times);
  fflush(stdout);
  if (HOW("signal")) raise(atoi(argv[3]));
  if (HOW("abort")) abort();
  if (HOW("quick_exit")) quick_exit(7);
  if (HOW("fault")) *(volatile char *)8 = 1;
  if (HOW("overflow")) overflow(1u << 30);
  if (HOW("within a launch")) expire(ITIMER_REAL), launch("many", 1);
  if (HOW("within malloc")) {
    expire(ITIMER_VIRTUAL);
    for (size_t n = 1;; n = n * 7 % 4093) free(malloc(n * 64));
  }
  if (HOW("in a thread")) {
    pthread_t thread;
    OK(pthread_create(&thread, NULL, launch_many, NULL));
    usleep(50000);
    kill(getpid(), SIGINT);
    pthread_join(thread, NULL);
  }
  if (HOW("threads go on")) {
    pthread_t thread[2];
    for (unsigned i = 0; i < 2; i++) OK(pthread_create(&thread[i], NULL, launch_often, NULL));
    usleep(50000);
    kill(getpid(), SIGINT);
    for (unsigned i = 0; i < 2; i++) pthread_join(thread[i], NULL);
  }
  if (HOW("left thread")) {
    pthread_t thread;
    OK(pthread_create(&thread, NULL, launch_many, NULL));
    usleep(50000);
  }
  if (HOW("handler")) signal(SIGTERM, SIG_IGN), raise(SIGTERM);
  if (HOW("fork")) {
    if (!(child = fork())) {
      launch("few", times + 1);
      exit(0);
    }
    wait_for(child);
  } else if (HOW("fork killed")) {
    if (!(child = fork())) raise(SIGTERM), exit(0);
    int status;
    OK(waitpid(child, &status, 0) != child || !WIFSIGNALED(status));
  } else if (HOW("fork first")) {
    wait_for(child);
  } else if (HOW("exec")) {
    if (!(child = fork())) {
      execl(argv[0], argv[0], "exit", argv[3], (char *)NULL);
      _exit(9);
    }
    wait_for(child);
  } else if (HOW("cuda")) {
    void *library = dlopen(argv[3], RTLD_NOW | RTLD_LOCAL);
    int (*next)(void) = library ? (int (*)(void))dlsym(library, "plugin_next") : NULL;
    OK(!next || next() != 5);
    if (argc > 4) raise(atoi(argv[4]));
  }
  if (HOW("left thread")) return 5;
  OK(clReleaseProgram(program));
  gpu_close(&gpu);
  return finish();
}
