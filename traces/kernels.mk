# SPDX-License-Identifier: Apache-2.0
# kernels: regenerates the PTX of every kernel from its .cl (the PTX is committed, so this is needed only after an edit).

KERNELS := $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard traces/*/*.cl)))))
CL_CC ?= clang-14
CL_FLAGS := -x cl -cl-std=CL1.2 -cl-no-stdinc -include traces/include/own_cl.h \
            --target=nvptx64-nvidia-cuda -march=sm_75 -O2 -S

.PHONY: kernels
kernels: $(foreach k,$(KERNELS),traces/$k/$k.ptx)

define kernel_rule
traces/$(1)/$(1).ptx: traces/$(1)/$(1).cl traces/include/own_cl.h
	$$(CL_CC) $$(CL_FLAGS) $$< -o $$@.tmp && mv $$@.tmp $$@
endef
$(foreach k,$(KERNELS),$(eval $(call kernel_rule,$k)))

ifdef COMPILE
# Every kernel in the default size, functionally, against the plain-C references of tests/reference/.
# `build/kernels_check --hash` prints the launch files' `expect` lines.
.PHONY: kernels-results
kernels-results: $(B)/kernels_check
	@$(B)/kernels_check --size default
$(B)/kernels_check: $(wildcard tests/reference/*.c tests/reference/*.h) $(B)/libregtwin.a
	$(COMPILE) -Itests $(filter %.c,$^) $(B)/libregtwin.a $(LIBS) -o $@
endif
