# SPDX-License-Identifier: Apache-2.0
# kernels: compiles the PTX of kernels whose sources differ from those that compiled.tsv records (the PTX is committed, so this is needed only
# after an edit; file times do not count, since a clone has none).

KERNELS := $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard traces/kernels/*/*.cl)))))
# CL_TARGET_NAME: for what a kernel's PTX is, where sm_75 is too little (mma and cp.async as inline PTX).
CL_TENSOR := -march=sm_80 -Xclang -target-feature -Xclang +ptx70
CL_TARGET_gemm_tensor := $(CL_TENSOR)
CL_TARGET_conv_tensor := $(CL_TENSOR)
CL_TARGET_rnn_tensor := $(CL_TENSOR)
CL_TARGET_stencil_f64 := $(CL_TENSOR)
CL_TARGET_gemm_f64 := $(CL_TENSOR)
CL_TARGET_hamming_b1 := $(CL_TENSOR)
CL_TARGET_gemm_s8 := $(CL_TENSOR)
CL_TARGET_segsum_wmma := $(CL_TENSOR)
CL_TARGET_gemm_wmma := $(CL_TENSOR)
CL_MBARRIER := -march=sm_80 -Xclang -target-feature -Xclang +ptx71
CL_TARGET_gemm_pipeline := $(CL_MBARRIER)
CL_TARGET_stencil_pipeline := $(CL_MBARRIER)
cl_flags = -x cl -cl-std=CL1.2 -cl-no-stdinc -Itraces/kernels/include -include own_cl.h \
           --target=nvptx64-nvidia-cuda $(or $(CL_TARGET_$(1)),-march=sm_75) -O2 -S

cl_lines = $(foreach k,$(KERNELS),'$k $(call cl_flags,$k)')

.PHONY: kernels
kernels: ## compile every traces/kernels/*/*.cl that was edited to PTX again
	@edited=$$(printf '%s\n' $(cl_lines) | cmodel/make/kernels.sh edited | xargs); \
	  if [ -z "$$edited" ]; then echo 'kernels: $(words $(KERNELS)) kernels, none was edited'; exit; fi; \
	  $(MAKE) --no-print-directory -s deps-test && $(MAKE) --no-print-directory -s $${edited// /.ptx-again }.ptx-again && \
	  printf '%s\n' $(cl_lines) | cmodel/make/kernels.sh record $$edited; echo "kernels: compiled again: $$edited"
$(KERNELS:%=%.ptx-again): %.ptx-again: FORCE
	$(CL_CC) $(call cl_flags,$*) traces/kernels/$*/$*.cl -o traces/kernels/$*/$*.ptx.tmp && mv traces/kernels/$*/$*.ptx.tmp traces/kernels/$*/$*.ptx

# Every kernel in the default size, functionally, against the plain-C references of tests/unit/reference/.
# `build/kernels_check --hash` prints the launch files' `expect` lines.
.PHONY: kernels-results
kernels-results: $(B)/kernels_check
	@$(B)/kernels_check --size default
	@$(B)/kernels_check --size inference gemm_tensor conv_tensor rnn_tensor
$(B)/kernels_check: $(wildcard tests/unit/reference/*.c tests/unit/reference/*.h) $(B)/libregtwin.a
	$(COMPILE) -Itests $(filter %.c,$^) $(B)/libregtwin.a $(LIBS) -o $@

kernels-check: deps-test ## the committed PTX is what the sources give; every result at default is what the C references say
	@edited=$$(printf '%s\n' $(cl_lines) | cmodel/make/kernels.sh edited | xargs); [ -z "$$edited" ] || \
	  { echo "kernels-check: found other sources or other PTX than traces/kernels/compiled.tsv records, expected make kernels after an edit: $$edited"; exit 1; }
	@if ! why=$$(cmodel/make/llvm.sh --reference clang); then echo "ok - compilation of kernels # SKIP $$why (CONTRIBUTING.md)"; exit; fi; mkdir -p build/kernels; \
	  $(foreach k,$(KERNELS),$(CL_CC) $(call cl_flags,$k) traces/kernels/$k/$k.cl -o build/kernels/$k.ptx; \
	  cmp build/kernels/$k.ptx traces/kernels/$k/$k.ptx;) echo 'kernels-check: $(words $(KERNELS)) kernels, same PTX'
	@$(MAKE) --no-print-directory -s kernels-results
