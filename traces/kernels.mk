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
