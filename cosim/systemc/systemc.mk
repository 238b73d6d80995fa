# SPDX-License-Identifier: Apache-2.0
# The twins in other simulators, SystemC and Icarus Verilog: docs/develop/systemc.md. Included by the top Makefile
# after cosim.mk, whose variables, golden models and blocks these are.

SC_OUT ?= $(COSIM_OUT)/systemc
# those that are linked in: all or, with BLOCK, that one and what the example (slice/sit) and the API's test (slice/tve, slice/vcl) need
SC_BLOCKS ?= $(if $(BLOCK),$(sort $(filter $(BLOCK) slice/sit slice/tve slice/vcl,$(COSIM_BLOCKS))),$(COSIM_BLOCKS))
SC_CXXFLAGS := -std=gnu++17 -O1 -march=$(ARCH) -Wall -Wextra -Icosim/systemc $(CO_INC) -isystem $(VL_ROOT) \
  -isystem $(VL_ROOT)/vltstd -DVM_SC=1 -faligned-new
SC_BLOCK_A := $(SC_BLOCKS:%=$(SC_OUT)/obj/%/block.a)
SC_LIBS := -lsystemc -lzstd -lstdc++ -lm -pthread
ICARUS_CYCLES ?= 1000#          # of each stream

.PHONY: systemc systemc-program icarus
systemc: deps-cosim ## every block, C and Verilated, as SystemC modules [BLOCK=]; the SM over TLM-2.0: docs/develop/systemc.md
	@$(COSIM_ENV) SETS= cosim/cosim.sh sets
	@mkdir -p $(SC_OUT); JOBS=$(JOBS) tests/cosim/systemc.sh $(SC_BLOCKS) | tee $(SC_OUT)/log
	@! grep -q '^not ok' $(SC_OUT)/log && grep -q '^ok' $(SC_OUT)/log

# PROGRAM is linked below $(SC_OUT)/program with the block of BLOCK or, without BLOCK, with those of SC_BLOCKS. Its errors are
# shown before the blocks' Verilog is compiled, which takes longer.
SC_PROGRAM = $(SC_OUT)/program/$(basename $(notdir $(PROGRAM)))
systemc-program: deps-cosim ## link a program of your own with blocks as SystemC modules: PROGRAM=mine.c BLOCK=slice/sit, or SC_BLOCKS="slice/sit slice/vc"
	@$(COSIM_ENV) SETS= cosim/cosim.sh sets
	@[ -f "$$PROGRAM" ] || { echo 'systemc-program: expected a file of C or C++ in PROGRAM=, found none of this name' >&2; exit 2; }
	@[ -n '$(BLOCK)$(filter-out file,$(origin SC_BLOCKS))' ] || { echo 'systemc-program: expected BLOCK=slice/sit, or several blocks in SC_BLOCKS="slice/sit slice/vc", found neither' >&2; exit 2; }
	@$(MAKE) --no-print-directory -s $(LISTS)
	@$(SC_PROGRAM_COMPILE) -fsyntax-only "$$PROGRAM"
	@$(MAKE) --no-print-directory -s -j$(JOBS) BLOCK= SC_OUT='$(SC_OUT)/program' SC_BLOCKS='$(or $(BLOCK),$(SC_BLOCKS))' '$(SC_PROGRAM)'
	@echo '$(SC_PROGRAM)'
export PROGRAM
SC_PROGRAM_COMPILE = $(if $(filter %.c,$(PROGRAM)),$(CC) -std=gnu11 -O2 -g -Wall -Icosim/systemc $(CO_INC),$(CXX) $(SC_CXXFLAGS))

icarus: deps-cosim ## every block's RTL under Icarus Verilog [BLOCK= ICARUS_CYCLES=1000 REPLAY=file]
	@$(COSIM_ENV) ICARUS_CYCLES='$(ICARUS_CYCLES)' cosim/icarus/icarus.sh

# ---- SystemC -----------------------------------------------------------------------------------------------
$(SC_OUT)/sc_blocks.def: FORCE
	@mkdir -p $(@D); printf '%s\n' $(foreach b,$(SC_BLOCKS),'SC_BLOCK($(notdir $b))') > $@.$$$$; \
	  cmp -s $@ $@.$$$$ && rm -f $@.$$$$ || mv $@.$$$$ $@
$(RUNTIME)/sc/verilated.o $(RUNTIME)/sc/verilated_threads.o: $(RUNTIME)/sc/%.o: $(VL_ROOT)/%.cpp
	@mkdir -p $(@D); echo '  CXX $@'
	$(Q)$(CXX) $(SC_CXXFLAGS) -w -c $< -o $@
$(SC_OUT)/%.o: cosim/systemc/%.cpp $(SC_OUT)/sc_blocks.def | $(LISTS)
	@mkdir -p $(@D); echo '  CXX $@'
	$(Q)$(CXX) $(SC_CXXFLAGS) -I$(SC_OUT) -MMD -MP -c $< -o $@
$(SC_OUT)/%.o: cosim/systemc/%.c $(SC_OUT)/sc_blocks.def
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(CC) $(CO_CFLAGS) -Icosim/systemc -I$(SC_OUT) $(CO_INC) -MMD -MP -c $< -o $@

# -fno-dfg: with that optimisation Verilator 5.032 writes assignments to a part of a port that is an sc_bv (response_bank_o of ltrf/pfu), which do not compile.
# block, system, name
define SC_RULES
$(SC_OUT)/obj/$1/V$3.mk: $(COSIM_OUT)/obj/$1/ports.ok $(COSIM_OUT)/obj/$1/lanes.vlt $(COSIM_RTL)/$1.sv
	@mkdir -p $$(@D); echo '  VERILATOR $1 systemc'
	$$(Q)$(VERILATOR) --sc --pins-bv 2 -O3 -fno-dfg $(filter-out --cc,$(VL_FLAGS)) --prefix V$3 --top-module $3 \
	  --Mdir $$(@D) $(COSIM_OUT)/obj/$1/lanes.vlt -y $(COSIM_RTL)/$2 -y $(COSIM_RTL)/common $(COSIM_RTL)/$1.sv \
	  && touch $$@
-include $(SC_OUT)/obj/$1/V$3__ver.d
$(SC_OUT)/obj/$1/V$3__ALL.a: $(SC_OUT)/obj/$1/V$3.mk
	@echo '  CXX $$@'
	$$(Q)$(MAKE) --no-print-directory -s -C $$(@D) -f V$3.mk V$3__ALL.a \
	  OPT_FAST='-O1 -march=$(ARCH)' OPT_SLOW=-O0 CXX='$(CXX) -w -std=gnu++17' >$$(@D)/log 2>&1 \
	  || { cat $$(@D)/log >&2; exit 2; }; touch $$@
$(SC_OUT)/obj/$1/scblock.o: cosim/systemc/scblock.cpp $(COSIM_C)/blocks/$1.def $(SC_OUT)/obj/$1/V$3.mk
	@echo '  CXX $$@'
	$$(Q)$(CXX) $(SC_CXXFLAGS) -I$$(@D) -DDESC_BLOCK=$3 '-DDESC_DEF="blocks/$1.def"' '-DMODEL_H="V$3.h"' \
	  $$(if $$(shell grep ^COMBINATIONAL $(COSIM_C)/blocks/$1.def),-DDESC_COMBINATIONAL) -MMD -MP -c $$< -o $$@
$(SC_OUT)/obj/$1/block.a: $(SC_OUT)/obj/$1/scblock.o $(COSIM_OUT)/obj/$1/twin.o $(SC_OUT)/obj/$1/V$3__ALL.a
	$$(Q)cp $(SC_OUT)/obj/$1/V$3__ALL.a $$@ && $(AR) rs $$@ $$(wordlist 1,2,$$^) 2>/dev/null
endef
$(foreach b,$(SC_BLOCKS),$(eval $(call SC_RULES,$b,$(patsubst %/,%,$(dir $b)),$(notdir $b))))

SC_SYSTEMS := $(foreach s,$(sort $(patsubst %/,%,$(dir $(SC_BLOCKS)))),$(COSIM_OUT)/obj/$s/twins.a)
SC_COMMON := $(SC_OUT)/rt_sc.o $(SC_BLOCK_A) $(SC_SYSTEMS) $(RUNTIME)/sc/verilated.o $(RUNTIME)/sc/verilated_threads.o
$(SC_OUT)/test: $(SC_OUT)/test.o $(STIM_O) $(SC_COMMON)
	@echo '  LD $@'
	$(Q)$(CC) $^ $(SC_LIBS) -o $@
$(SC_OUT)/example: $(SC_OUT)/example.o $(SC_COMMON)
	@echo '  LD $@'
	$(Q)$(CC) $^ $(SC_LIBS) -o $@
ifneq ($(PROGRAM),)
$(SC_OUT)/$(basename $(notdir $(PROGRAM))): $(PROGRAM) $(SC_COMMON)
	@echo '  LD $@'
	$(Q)$(SC_PROGRAM_COMPILE) $^ $(SC_LIBS) -o $@
endif
# the library's own memory stays in the archive: mem_tlm.o has all of mem.h
$(SC_OUT)/regtwin-tlm: $(SC_OUT)/tlm_main.o $(SC_OUT)/sm_tlm.o $(SC_OUT)/mem_tlm.o build/libregtwin.a
	@echo '  LD $@'
	$(Q)$(CC) $^ $(LIBS) $(SC_LIBS) -o $@
-include $(wildcard $(SC_OUT)/*.d $(SC_OUT)/obj/*/*/scblock.d)

# ---- Icarus ------------------------------------------------------------------------------------------------
# the golden model of a block writes the values expected of the Verilog
define ICARUS_RULES
$(COSIM_OUT)/icarus/$1/expect: cosim/icarus/expect.c $(COSIM_OUT)/obj/$1/twin.o \
  $(STIM_O) $(COSIM_OUT)/obj/$2/twins.a
	@mkdir -p $$(@D); echo '  CC $$@'
	$$(Q)$(CC) $(CO_CFLAGS) $(CO_INC) $$^ -lzstd -lm -o $$@
endef
$(foreach b,$(COSIM_BLOCKS),$(eval $(call ICARUS_RULES,$b,$(patsubst %/,%,$(dir $b)))))
