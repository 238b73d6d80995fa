# SPDX-License-Identifier: Apache-2.0
# For editors: how each source is compiled, and where each name is. Sources of the twins' benches need what compares them.
compile_commands.json: $(GENERATED) FORCE ## the compiler's command of each source, for clangd
	@$(MAKE) --no-print-directory -nB V=1 binary lib host unit-binaries $(if $(shell command -v $(VERILATOR)),$(COSIM_SM)) | \
	  awk -v dir="$$PWD" -f cmodel/make/compile_commands.awk >$(GEN)/$@ && mv $(GEN)/$@ $@

# ctags expands no macro that another file defines or that pastes names together, so functions that macros make, as most of exec/alu_*.c, come from
# the preprocessed text of those sources. It also misses a function that follows a macro's line without ;, which functions.awk finds.
TAGGED := cmodel cosim tb tests/unit tests/fuzz $(GEN)
tags: $(GENERATED) FORCE ## where each name of C and Verilog is, for editors (ctags)
	@ctags=$$(command -v ctags-universal || command -v ctags) || { echo 'make tags: found no ctags, expected it (make deps, or the package universal-ctags)' >&2; exit 2; }; \
	  "$$ctags" -o $(GEN)/$@ --languages=C,C++,SystemVerilog --langmap=SystemVerilog:+.v -R rtl $(TAGGED) && \
	  find $(TAGGED) -name '*.[ch]' | xargs awk -f cmodel/make/functions.awk >$(GEN)/tags.text && \
	  $(CC) -E $(RT_CFLAGS) $$(grep -lE '##|"exec/alu_[a-z]*\.h"' $(LIBSRC) $(CLISRC)) >$(GEN)/tags.made && \
	  awk -f cmodel/make/tags.awk made=1 $(GEN)/tags.made made=0 text=1 $(GEN)/tags.text text=0 $(GEN)/$@ | LC_ALL=C sort >$(GEN)/tags.all && mv $(GEN)/tags.all $@
