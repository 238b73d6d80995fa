# SPDX-License-Identifier: Apache-2.0
# For editors: how each source is compiled, and where each name is. libFuzzer's sources are compiled with clang alone, so by their variant's
# commands; what belongs to the twins needs Verilator's headers. A block's bench, golden model and shim have the command of its first set.
COMMANDED = binary lib host unit-binaries campaigns host-programs-opencl $(CUDA_TESTS)/fatbin $(CUDA_TESTS)/plugin \
  $(B)/test/reference/check.o $(if $(shell command -v $(VERILATOR)),$(COMMANDED_TWINS))
COMMANDED_TWINS = $(COSIM_SM) $(COSIM_BLOCKS:%=$(COSIM_OUT)/obj/%/tb.o) $(ENGINE_O) $(ENERGY_O) $(EXHAUSTIVE) mutate-programs $(COSIM_OUT)/sizes \
  $(addprefix $(COSIM_OUT)/,obj/covreport obj/cmutate obj/wavetable icarus/$(firstword $(COSIM_BLOCKS))/expect) \
  $(addprefix $(SC_OUT)/,$(addsuffix .o,rt_sc test example tlm_main sm_tlm mem_tlm obj/$(firstword $(SC_BLOCKS))/scblock))
compile_commands.json: $(GENERATED) FORCE ## the compiler's command of each source, for clangd; those of the twins if Verilator is here
	@{ $(MAKE) --no-print-directory -nB V=1 $(COMMANDED) && $(MAKE) --no-print-directory -nB V=1 VARIANT=asan fuzz-binaries; } | \
	  awk -v dir="$$PWD" -f cmodel/make/compile_commands.awk >$(GEN)/$@ && mv $(GEN)/$@ $@

# ctags expands no macro that another file defines or that pastes names together, so functions that macros make, as most of exec/alu_*.c and those of a net, come
# from the preprocessed text of those sources. It also misses a function that follows a macro's line without ;, which functions.awk finds.
TAGGED := cmodel cosim tb tests/unit tests/fuzz $(GEN)
tags: $(GENERATED) FORCE ## where each name of C and Verilog is, for editors (ctags)
	@ctags=$$(command -v ctags-universal || command -v ctags) || { echo 'make tags: found no ctags, expected it (make deps, or the package universal-ctags)' >&2; exit 2; }; \
	  "$$ctags" -o $(GEN)/$@ --languages=C,C++,SystemVerilog --langmap=SystemVerilog:+.v -R rtl $(TAGGED) && \
	  find $(TAGGED) -name '*.[ch]' | xargs awk -f cmodel/make/functions.awk >$(GEN)/tags.text && \
	  $(CC) -E $(RT_CFLAGS) $$(grep -lE '##|"exec/alu_[a-z]*\.h"|NET_TABLE|^#define BLOCK |"blocks/[a-z]+/[a-z]+\.h"' $(LIBSRC) $(CLISRC)) >$(GEN)/tags.made && \
	  awk -f cmodel/make/tags.awk made=1 $(GEN)/tags.made made=0 text=1 $(GEN)/tags.text text=0 $(GEN)/$@ | LC_ALL=C sort >$(GEN)/tags.all && mv $(GEN)/tags.all $@
