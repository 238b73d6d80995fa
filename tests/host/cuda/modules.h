// SPDX-License-Identifier: Apache-2.0
// Between the two files of the program modules.
#ifndef HOST_CUDA_MODULES_H
#define HOST_CUDA_MODULES_H
void other_run(int *device, int n);  // adds what the other file's kernel gives
unsigned other_calls();              // the other file's counter
void other_set(int by);              // its constant
const void *other_kernel();
#endif
