/* SPDX-License-Identifier: Apache-2.0 */
/* stub: what a function of the driver does here: says once per process what to do, and returns CUDA_ERROR_STUB_LIBRARY. */
#ifndef RT_CUDA_STUB_H
#define RT_CUDA_STUB_H

#define API __attribute__((visibility("default")))
int stub_tell(void);

#endif
