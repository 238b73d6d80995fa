# SPDX-License-Identifier: Apache-2.0
# Host programs of the tests that use CUDA, built without CUDA (tests/host/cuda), below $(B)/host-programs:
#   NAME.MODE-VERSION: program NAME, its PTX in a fat binary with compression MODE, linked against libcudart.so.VERSION.
# make host-programs builds what tests/cli/host_cuda.sh runs. clang compiles the kernels to PTX, a tool of ours puts that
# into a fat binary, and clang puts this into the host's object.
CUDA_TESTS := $(B)/host-programs
CUDA_NAMES := vecadd matmul constants modules managed reduce faults hotspot textures graphs sgemm
cuda_parts = $1 $(if $(filter modules,$1),modules_other)
# On a machine that has CUDA, too, nothing of it is used.
CUDA_CC = $(CLANG) -x cuda -std=c++17 -O2 -Wall -Wextra -Werror --cuda-path=/nonexistent -nocudainc -nocudalib \
  --cuda-gpu-arch=sm_70 -Xclang -target-sdk-version=11.0 $(SANFLAGS) $(if $(SANFLAGS),-fno-sanitize=function -fno-sanitize=vptr)
CUDA_HEADERS := $(wildcard tests/host/cuda/*.h)
# Every program once without compression and with the newest version; the others where they differ: modules have several fat
# binaries; graphs, textures and managed call what the versions declare differently. With sanitizers one that is compressed.
CUDA_OTHERS := vecadd.lz4-13 modules.lz4-13 reduce.lz4-13 matmul.zstd-13 modules.zstd-13 sgemm.zstd-13 \
  vecadd.none-12 managed.none-12 textures.none-12 graphs.none-12 \
  vecadd.none-11.0 matmul.none-11.0 hotspot.none-11.0 textures.none-11.0 graphs.none-11.0
CUDA_BUILDS := $(CUDA_NAMES:%=%.none-13) $(if $(SANFLAGS),vecadd.zstd-13,$(CUDA_OTHERS))
CUDA_PROGRAMS := $(CUDA_BUILDS:%=$(CUDA_TESTS)/%)

.PHONY: host-programs host-programs-opencl
host-programs: $(CUDA_PROGRAMS) $(CUDA_TESTS)/others $(CUDA_TESTS)/fatbin $(CUDA_TESTS)/plugin $(CUDA_TESTS)/plugin.so host-programs-opencl ## build the OpenCL programs and, without CUDA, the CUDA programs of tests/host

# Those that use OpenCL (tests/host/opencl): ordinary programs, linked against the loader. They are compiled with the sanitizers of
# the variant, since the driver that they load needs the sanitizers' libraries.
OPENCL_NAMES := $(basename $(notdir $(wildcard tests/host/opencl/*.c)))
OPENCL_PROGRAMS := $(OPENCL_NAMES:%=$(CUDA_TESTS)/opencl/%)
host-programs-opencl: $(OPENCL_PROGRAMS)
$(OPENCL_PROGRAMS): $(CUDA_TESTS)/opencl/%: tests/host/opencl/%.c tests/host/opencl/common.h $(B)/command | deps-test
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(CC) -std=gnu11 -O1 -g -Wall -Wextra -Werror $(SANFLAGS) $< -lOpenCL -lm -lpthread -o $@

.PHONY: host-bench
host-bench: deps ## processor time of the launches of a large hotspot, timed and only executed (SIDE=1024 STEPS=4)
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary host host-programs-opencl
	@SIDE=$(SIDE) STEPS=$(STEPS) tests/host/bench.sh

$(CUDA_TESTS)/others: tests/host/host.mk
	@mkdir -p $(@D); echo '$(CUDA_OTHERS)' >$@
$(CUDA_TESTS)/fatbin: tests/host/fatbin.c $(B)/command
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) $< -llz4 -lzstd -o $@
$(CUDA_TESTS)/%.ptx: tests/host/cuda/%.cu $(CUDA_HEADERS) tests/host/host.mk | deps-test
	@mkdir -p $(@D); echo '  PTX $@'
	$(Q)$(filter-out -fsanitize% -fno-sanitize%,$(CUDA_CC)) --cuda-device-only -S -Xclang -target-feature -Xclang +ptx70 $< -o $@
# This program launches a kernel of the suite: the PTX of its own source is not used.
$(CUDA_TESTS)/sgemm.ptx: traces/kernels/sgemm/sgemm.ptx
	@mkdir -p $(@D); cp $< $@

define CUDA_FATBIN
$(CUDA_TESTS)/%.$1: $(CUDA_TESTS)/%.ptx $(CUDA_TESTS)/fatbin
	$$(Q)$(CUDA_TESTS)/fatbin $$@ $1 ptx:70:$$<
endef
$(foreach m,none lz4 zstd,$(eval $(call CUDA_FATBIN,$m)))

# name, compression, version
define CUDA_OBJECT
$(CUDA_TESTS)/$1.$2-$3.o: tests/host/cuda/$1.cu $(CUDA_TESTS)/$1.$2 $(CUDA_HEADERS) tests/host/host.mk | deps-test
	@echo '  CC $$@'
	$$(Q)$$(CUDA_CC) -DCUDART_VERSION=$(CUDART_NUMBER_$3) --cuda-host-only -c $$< -Xclang -fcuda-include-gpubinary -Xclang $(CUDA_TESTS)/$1.$2 -o $$@
endef
define CUDA_PROGRAM
$(foreach p,$(call cuda_parts,$1),$(eval $(call CUDA_OBJECT,$p,$2,$3)))
$(CUDA_TESTS)/$1.$2-$3: $(foreach p,$(call cuda_parts,$1),$(CUDA_TESTS)/$p.$2-$3.o) $(HOST)/libcudart.so.$3
	@echo '  LD $$@'
	$$(Q)$$(CLANG) $(SANFLAGS) $$(filter %.o,$$^) -L$(HOST) -l:libcudart.so.$3 -lm -o $$@
endef
$(foreach b,$(CUDA_BUILDS),$(eval $(call CUDA_PROGRAM,$(word 1,$(subst ., ,$b)),$(word 1,$(subst -, ,$(word 2,$(subst ., ,$b)))),$(word 2,$(subst -, ,$b)))))

# A library with kernels, and a program that opens it.
$(CUDA_TESTS)/plugin.so: tests/host/cuda/plugin.cu $(CUDA_TESTS)/plugin.none $(CUDA_HEADERS) tests/host/host.mk $(HOST)/libcudart.so.13
	@echo '  LD $@'
	$(Q)$(CUDA_CC) -fPIC --cuda-host-only -c $< -Xclang -fcuda-include-gpubinary -Xclang $(CUDA_TESTS)/plugin.none -o $@.o
	$(Q)$(CLANG) $(SANFLAGS) -shared $@.o -L$(HOST) -l:libcudart.so.13 -lm -o $@
$(CUDA_TESTS)/plugin: tests/host/plugin.c $(B)/command
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) $< -ldl -o $@
.SECONDARY: $(CUDA_TESTS)/plugin.ptx $(CUDA_NAMES:%=$(CUDA_TESTS)/%.ptx) $(CUDA_TESTS)/modules_other.ptx
