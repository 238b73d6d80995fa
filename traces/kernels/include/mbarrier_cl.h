/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbarrier_cl: mbarriers for kernels in OpenCL C, as inline PTX. Needs own_cl.h, -march=sm_80 and -target-feature +ptx71. An
 * object is a ulong in local memory; `at` is its address (mbarrier_at).
 */
#ifndef RT_MBARRIER_CL_H
#define RT_MBARRIER_CL_H

OWN_FN uint mbarrier_at(const __local ulong *p) { return (uint)(size_t)p; }

OWN_FN void mbarrier_init(uint at, uint count) {
  __asm__ volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(count) : "memory");
}
OWN_FN void mbarrier_arrive(uint at) {
  __asm__ volatile("{\n\t.reg .b64 t;\n\tmbarrier.arrive.shared.b64 t, [%0];\n\t}" ::"r"(at) : "memory");
}
/* Once the copies of this thread so far are done. */
OWN_FN void mbarrier_arrive_copies(uint at) {
  __asm__ volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at) : "memory");
}
/* Until the phase of this parity has ended. */
OWN_FN void mbarrier_wait(uint at, uint parity) {
  uint done;
  do {
    __asm__ volatile(
        "{\n\t.reg .pred p;\n\tmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(at), "r"(parity)
        : "memory");
  } while (!done);
}

#endif
