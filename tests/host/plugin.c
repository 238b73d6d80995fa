/* SPDX-License-Identifier: Apache-2.0 */
/* plugin: opens, uses and closes a library that has CUDA kernels (cuda/plugin.cu), three times. The program itself knows nothing
 * of CUDA, so that the runtime library comes and goes with it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  for (int i = 0; i < 3 && argc == 2; i++) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*next)(void) = library ? (int (*)(void))dlsym(library, "plugin_next") : NULL;
    if (!next) return puts(dlerror()), 1;
    if (next() != 5 || next() != 6) return puts("plugin: FAILED"), 1;
    dlclose(library);
  }
  puts("plugin: passed");
}
