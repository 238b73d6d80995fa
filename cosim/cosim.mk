# SPDX-License-Identifier: Apache-2.0
# The twins: C and Verilog of a block in lockstep. Included by the top Makefile, whose `make help` lists these targets.
# A block SYSTEM/BLOCK is there when it has all of: blocks/SYSTEM/BLOCK.{def,h,c}, rtl SYSTEM/BLOCK.sv, tb SYSTEM/BLOCK_tb.c.

# ---- what a user may set: BLOCK=slice/vc SETS=all SEED=1 CYCLES=20000 WAVES=1 SHRINK=1 REPLAY=file RECORD=file --------
# SET is another name of SETS, for every target: the scripts read SETS from the environment.
ifneq ($(SET),)
ifneq ($(if $(filter-out 0,$(MAKELEVEL)),,$(filter-out $(SET),$(SETS))),)
$(error SET=$(SET) SETS=$(SETS): found both, expected one of them)
endif
SETS ?= $(SET)
export SETS
endif
VERILATOR ?= verilator
YOSYS ?= yosys
CXX ?= g++
# directories of the two sides; set for a modified copy of one of them
COSIM_C ?= cmodel
COSIM_RTL ?= rtl
COSIM_TB ?= tb
COSIM_SHIM ?= cosim/engine/shim.cpp
COSIM_OUT ?= build/cosim
COSIM_SM ?= build/regtwin-cosim
PART ?= 1#                      # of make exhaustive: every PARTth piece of the input space
MUTANTS ?= 240#                 # of the RTL, and at most of the C model

COSIM_DEFS := $(patsubst $(COSIM_C)/blocks/%.def,%,$(sort $(wildcard $(COSIM_C)/blocks/*/*.def)))
COSIM_BLOCKS := $(strip $(foreach b,$(COSIM_DEFS),$(if $(and $(wildcard $(COSIM_C)/blocks/$b.c),\
  $(wildcard $(COSIM_RTL)/$b.sv),$(wildcard $(COSIM_TB)/$b_tb.c)),$b)))
# BLOCK=sthld is malekeh/sthld as long as no other system has a block of this name.
ifeq ($(words $(BLOCK))$(findstring /,$(BLOCK)),1)
ifeq ($(words $(filter %/$(BLOCK),$(COSIM_DEFS))),1)
override BLOCK := $(filter %/$(BLOCK),$(COSIM_DEFS))
export BLOCK
endif
endif
# Parameter sets (SET lines of a .def): a block at its first set is called SYSTEM/BLOCK, at another one SYSTEM/BLOCK@SET.
# SYSTEM/BLOCK:SET:Name=value:... of each.
COSIM_SETS := $(shell awk -f cosim/sets.awk $(COSIM_BLOCKS:%=$(COSIM_C)/blocks/%.def) </dev/null | tr ' ' ':')
ifneq ($(.SHELLSTATUS),0)
$(error a .def is wrong)
endif
# SETS=all means every set. The two sets of that name are older than this rule, and their records are kept under it.
NAMED_ALL := $(filter-out malekeh/ccu:% malekeh/wfil:%,$(foreach s,$(COSIM_SETS),$(if $(findstring :all:,$s),$s)))
ifneq ($(NAMED_ALL),)
$(error $(COSIM_C)/blocks/$(firstword $(subst :, ,$(NAMED_ALL))).def: found a set of the name all, expected another name: SETS=all is every set)
endif
set_of = $(word 2,$(subst :, ,$1))
values_of = $(wordlist 3,99,$(subst :, ,$1))
sets_of = $(filter $1:%,$(COSIM_SETS))
# on the whole SM: the first sets, those that ctl has at the sizes default and small, that of LTRF without "+", and those of SETS; all is
# without the sets that only complete pairs of values
SM_UNITS = $(if $(filter all,$(SETS)),$(foreach u,$(COSIM_UNITS),$(if $(findstring @pair,$u),,$u)),$(filter $(addprefix %@,p50000 p2000 ltrf $(SETS)),$(COSIM_UNITS)))
COSIM_UNITS := $(foreach b,$(COSIM_BLOCKS),$(foreach s,$(wordlist 2,99,$(call sets_of,$b)),$b@$(call set_of,$s)))

# what the scripts need to know; only set where it is not the default, to be repeated in the replay command
COSIM_PLACES := $(strip $(foreach v,COSIM_C COSIM_RTL COSIM_TB COSIM_SHIM COSIM_OUT,$(if $(filter-out file default,$(origin $v)),$v=$($v))))
# BLOCK, SEED, REPLAY and so on come by the environment, as make has them from its own: any name goes through
quoted = $1='$(subst ','\'',$($1))'
COSIM_ENV = $(foreach v,MAKE COSIM_OUT COSIM_BLOCKS COSIM_UNITS SM_UNITS COSIM_DEFS COSIM_C COSIM_RTL COSIM_TB COSIM_PLACES MUTANTS JOBS VERILATOR \
  YOSYS ENGINE_O RUNTIME,$(call quoted,$v))

.PHONY: regtwin-cosim cosim wave cosim-blocks cosim-sets cosim-pairs sets-record sets-planted storage enums cosim-engine cosim-runtime cosim-built cosim-matrix twins-record cosim-bench cosim-picture coverage mutate formal formal-planted synth synth-record synth-check synth-cosim synth-energy synth-energy-record exhaustive streams deps-cosim

deps-cosim: ## install the packages of lockstep, waveforms and proofs (Verilator, Yosys ...; GTKWave is the package gtkwave); the targets below do it, too
	@cmodel/make/deps.sh build cosim

cosim: deps-cosim ## the twins in lockstep: [BLOCK=slice/vc SETS=all SEED=1 CYCLES=20000 WAVES=1 SHRINK=1 SHRINK_SECONDS=20 REPLAY=file]; the twin matrix
	@$(COSIM_ENV) cosim/cosim.sh run

# GTKWave brings its X libraries: they are installed where there is a display to show a wave on.
wave: deps-cosim ## GTKWave on a block's last failure, or on the one given: BLOCK=slice/vc [SETS= SEED= CYCLES= | REPLAY=file]; without a display a table
	@[ -z "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ] || cmodel/make/deps.sh wave
	@$(COSIM_ENV) cosim/cosim.sh wave

cosim-blocks:
	@echo $(COSIM_BLOCKS)
cosim-sets: ## every parameter set of every block, as SETS= takes it
	@printf '%s\n' $(COSIM_SETS) | tr ':' ' '
cosim-pairs: ## pairs of values of parameters that each block's sets cover; SET lines for those that none covers [BLOCK=]
	@$(COSIM_ENV) SETS= cosim/cosim.sh sets
	@awk -f cosim/sets.awk $(PAIRED:%=$(COSIM_C)/blocks/%.def) </dev/null | awk -v propose=1 -f cosim/pairs.awk - $(PAIRED:%=$(COSIM_C)/blocks/%.def)
PAIRED = $(if $(BLOCK),$(filter $(BLOCK),$(COSIM_BLOCKS)),$(COSIM_BLOCKS))
sets-record: deps-cosim ## run every parameter set whose sources have changed, and record it in tests/sets.tsv [BLOCK= SETS= JOBS=]; go on after a stop: the same
	@$(COSIM_ENV) cosim/sets.sh record
sets-planted: deps-cosim ## planted faults that a block's first set does not show and another one does [BLOCK=]
	@$(COSIM_ENV) cosim/sets.sh planted
# bits of flip-flops and of memories, from the .def that the RTL is held to
storage: deps-cosim ## storage of every block at every set: bits of flip-flops and memories, with the blocks that it is made of
	@$(COSIM_ENV) SETS="$${SETS:-all}" cosim/cosim.sh storage
# the ENUM lines of a .def as SystemVerilog, of the blocks whose Verilog includes them
ENUM_BLOCKS = $(patsubst $(COSIM_RTL)/%_enum.svh,%,$(wildcard $(COSIM_RTL)/*/*_enum.svh))
enums: deps-cosim ## write rtl/SYSTEM/BLOCK_enum.svh again from the ENUM lines of the .def
	@$(MAKE) --no-print-directory -s $(ENUM_BLOCKS:%=$(COSIM_OUT)/obj/%/ports)
	@for b in $(ENUM_BLOCKS); do $(COSIM_OUT)/obj/$$b/ports --enums > $(COSIM_RTL)/$${b}_enum.svh; done
cosim-engine:
	@echo $(ENGINE_O)
# what the tests of the twins use, built before them
cosim-runtime: $(patsubst %,build/verilator/%.o,verilated verilated_threads verilated_cov verilated_fst_c)
cosim-built: cosim-runtime
	@$(MAKE) --no-print-directory $(COSIM_BLOCKS:%=$(COSIM_OUT)/%) $(COSIM_SM) $(COSIM_OUT)/sizes

cosim-matrix: ## the twin matrix from the last results
	@$(COSIM_ENV) cosim/cosim.sh matrix

twins-record: ## record the matrix's long columns (coverage, mutants, proofs) in cosim/records/twins.tsv
	@$(COSIM_ENV) cosim/cosim.sh record

cosim-bench: deps-cosim ## bare Verilated model, bare C model, lockstep on the same stimulus; the whole SM under lockstep
	@$(COSIM_ENV) cosim/cosim.sh bench
	@$(MAKE) --no-print-directory -s -j$(JOBS) $(COSIM_SM)
	@echo; for k in sgemm bfs; do $(COSIM_SM) run $$k --config gtx480 --system slices-identity | tail -n 2; done

coverage: deps-cosim ## bins, line and toggle coverage of the RTL [BLOCK=]: text, build/coverage/*.info, HTML
	@$(COSIM_ENV) cosim/coverage/coverage.sh

mutate: deps-cosim ## seeded faults in RTL and C under the block's bench [BLOCK= MUTANTS=240]
	@$(COSIM_ENV) cosim/mutate/mutate.sh

formal: deps-cosim ## proofs of the blocks' assertions by Yosys's SAT solver, synth/formal/proofs.tsv [BLOCK= SMT=1]; without BLOCK= those that are not kept, FRESH=1 all
	@KEPT=$(if $(BLOCK)$(FRESH),,1) synth/formal/run.sh $${BLOCK:+"$$BLOCK"}

formal-planted: deps-cosim ## planted faults, each of which must make a proof fail [BLOCK=]
	@KEPT=$(if $(BLOCK)$(FRESH),,1) synth/formal/run.sh --planted $${BLOCK:+"$$BLOCK"}

# ---- cost in the cells of a library ----
LIBERTY ?= /usr/share/qflow/tech/osu018/osu018_stdcells.lib
SYNTH_OUT ?= build/synth
NETLISTS ?= $(SYNTH_OUT)/$(basename $(notdir $(LIBERTY)))#   where make synth leaves SYSTEM/BLOCK[@SET]/netlist.v
SYNTH = $(foreach v,BLOCK SETS LIBERTY DRIVER JOBS FROM TO HIERARCHY NODE LIBRARY_NODE SYNTH_OUT,$(call quoted,$v)) RTL=$(COSIM_RTL) DEF=$(COSIM_C)/blocks synth/synth.sh
synth: ## cells, flip-flops, area, transistors and longest path of blocks: [BLOCK= SETS=all NODE=45 LIBERTY=file.lib FROM=ready_i TO=kept_valid_o]
	@cmodel/make/deps.sh synth
	@$(SYNTH) $${BLOCK:+"$$BLOCK"}
synth-record: ## record area and longest path of blocks in cosim/records/baseline.tsv, which make test holds them to [BLOCK= SETS=]
	@cmodel/make/deps.sh synth
	@$(SYNTH) --record $${BLOCK:+"$$BLOCK"}
synth-check: ## fails if a block's area or longest path is more than 3 % above cosim/records/baseline.tsv [BLOCK= SETS=]
	@cmodel/make/deps.sh synth
	@$(SYNTH) --check $${BLOCK:+"$$BLOCK"}
synth-cosim: deps-cosim ## the mapped netlists in lockstep with the C twins: [BLOCK= SETS= CYCLES=]
	@cmodel/make/deps.sh synth
	@$(SYNTH) $${BLOCK:+"$$BLOCK"} >/dev/null
	@$(COSIM_ENV) NETLISTS='$(NETLISTS)' LIBERTY='$(LIBERTY)' MODEL=net cosim/cosim.sh run

exhaustive: deps-cosim ## blocks without a clock over every input: RTL against C, C against MPFR [BLOCK=slice/vtl PART=1 JOBS=]
	@$(MAKE) --no-print-directory -s -j$(JOBS) $(EXHAUSTIVE)
	@$(COSIM_OUT)/exhaustive --jobs $(JOBS) --part $(PART) $${BLOCK:+"$$BLOCK"}
	@$(COSIM_OUT)/exhaustive-mpfr --jobs $(JOBS) --part $(PART) $${BLOCK:+"$$BLOCK"}

cosim-picture: deps-cosim ## a one-character fault in vc.sv, and docs/img/lockstep.png of what GTKWave shows
	@cmodel/make/deps.sh wave
	@$(COSIM_ENV) cosim/picture.sh

# the same netlist in simulation with transitions counted: energy of an event of each block
ENERGY = $(COSIM_ENV) $(foreach v,LIBERTY NETLISTS SYNTH_OUT SLEW EVENTS STREAMS ENERGY_TSV,$(call quoted,$v)) synth/energy.sh
synth-energy: deps-cosim ## energy of a cycle and of an event of each block in its own runs: [BLOCK= SETS= CYCLES=20000 SLEW=0.18]
	@cmodel/make/deps.sh synth
	@$(SYNTH) $${BLOCK:+"$$BLOCK"} >/dev/null
	@$(ENERGY) table
synth-energy-record: deps-cosim ## record it in cosim/records/energy.tsv [BLOCK= SETS=]
	@cmodel/make/deps.sh synth
	@$(SYNTH) $${BLOCK:+"$$BLOCK"} >/dev/null
	@$(ENERGY) record

# ---- compile ---------------------------------------------------------------------------------------------------------
CO_CFLAGS := -std=gnu11 -O2 -g -march=$(ARCH) -Wall -Wextra -Werror -ffp-contract=off
ENGINE_INC := -Icmodel -I$(BUILD_DIR) -Icosim/engine
CO_INC := -I$(COSIM_C) $(ENGINE_INC)
VL_ROOT = /usr/share/verilator/include
VL_CXXFLAGS := -std=gnu++17 -O2 -march=$(ARCH) -I$(VL_ROOT) -I$(VL_ROOT)/vltstd -faligned-new -fcf-protection=none -w
CO_LIBS := -lstdc++ -lzstd -lz -lmpfr -lgmp -lm -pthread
ENGINE := engine idle control explain asserted fields main report wave stim shrink
# Verilator's own sources: the same for every COSIM_OUT
RUNTIME := build/verilator
# the engine names no block: it is the same, too
ENGINE_OUT := build/cosim-engine
# files and foreign text; what else is in cmodel/base ends by another die
STIM_O := $(patsubst %,$(ENGINE_OUT)/%.o,stim alloc clock image io show)
ENGINE_O := $(sort $(ENGINE:%=$(ENGINE_OUT)/%.o) $(STIM_O))
cosim-runtime: $(ENGINE_O)
ENERGY_O := $(patsubst %,$(ENGINE_OUT)/%.o,energy netsim netlist liberty $(filter-out main,$(ENGINE)) io show alloc clock image) $(RUNTIME)/fstapi.o

# an interrupted Verilator leaves no stamp
$(ENGINE_OUT)/%.o: cosim/engine/%.c
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(CC) $(CO_CFLAGS) $(ENGINE_INC) -I$(VL_ROOT)/gtkwave -MMD -MP -c $< -o $@
$(ENGINE_OUT)/%.o: cmodel/base/%.c
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(CC) $(CO_CFLAGS) $(ENGINE_INC) -MMD -MP -c $< -o $@
$(ENGINE_OUT)/%.o: synth/%.c
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(CC) $(CO_CFLAGS) $(ENGINE_INC) -MMD -MP -c $< -o $@
$(RUNTIME)/fstapi.o: $(VL_ROOT)/gtkwave/fstapi.c
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(CC) -O2 -w -D'FST_CONFIG_INCLUDE="fst_config.h"' -I$(VL_ROOT)/gtkwave -c $(VL_ROOT)/gtkwave/fstapi.c -o $@.api.o
	$(Q)$(CC) -O2 -w -D'FST_CONFIG_INCLUDE="fst_config.h"' -I$(VL_ROOT)/gtkwave -c $(VL_ROOT)/gtkwave/lz4.c -o $@.lz4.o
	$(Q)$(CC) -O2 -w -D'FST_CONFIG_INCLUDE="fst_config.h"' -I$(VL_ROOT)/gtkwave -c $(VL_ROOT)/gtkwave/fastlz.c -o $@.fastlz.o
	$(Q)$(LD) -r $@.api.o $@.lz4.o $@.fastlz.o -o $@ && rm -f $@.*.o
$(RUNTIME)/verilated.o: cosim/engine/runtime.cpp cosim/engine/asserted.h
	@mkdir -p $(@D); echo '  CXX $@'
	$(Q)$(CXX) $(VL_CXXFLAGS) -DVM_COVERAGE=1 -DVM_SC=0 -DVM_TRACE=1 -DVM_TRACE_FST=1 -c $< -o $@
$(patsubst %,$(RUNTIME)/%.o,verilated_threads verilated_cov verilated_fst_c): $(RUNTIME)/%.o: $(VL_ROOT)/%.cpp
	@mkdir -p $(@D); echo '  CXX $@'
	$(Q)$(CXX) $(VL_CXXFLAGS) -DVM_COVERAGE=1 -DVM_SC=0 -DVM_TRACE=1 -DVM_TRACE_FST=1 -I$(VL_ROOT)/gtkwave -c $< -o $@

$(COSIM_OUT)/obj/covreport: cosim/coverage/covreport.c
$(COSIM_OUT)/obj/cmutate: cosim/mutate/cmutate.c
$(COSIM_OUT)/obj/covreport $(COSIM_OUT)/obj/cmutate: $(ENGINE_OUT)/show.o
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(CC) $(CO_CFLAGS) $(CO_INC) $^ -o $@

RT_plain := verilated verilated_threads
RT_trace := verilated verilated_threads verilated_fst_c
RT_cov := verilated verilated_threads verilated_cov
RT_mut := verilated verilated_threads
RT_net := $(RT_mut)
VL_OPT_plain := -O1#            -O2 runs a tenth to a half faster and takes half as long again to compile
VL_OPT_trace := -O1
VL_OPT_cov := -O0#              a counter for every bit of a wide port is much code that runs for seconds only
VL_OPT_mut := -O2
VL_OPT_net := -O1
VL_plain := -O3 --assert -DASSERT_ON
VL_trace := -O3 --assert -DASSERT_ON --trace-fst --trace-structs
VL_cov := -O3 --coverage-line --coverage-toggle --coverage-max-width 8192
DEF_plain :=
DEF_trace := -DWITH_TRACE -DVM_TRACE=1 -DVM_TRACE_FST=1
DEF_cov := -DWITH_COVERAGE -DVM_COVERAGE=1
DEF_mut := -DWITH_MUTANTS
DEF_net := -DNETLIST
FST_plain := $(RUNTIME)/fstapi.o
FST_trace :=
FST_cov := $(FST_plain)
FST_mut := $(FST_plain)
FST_net := $(FST_plain)
VL_FLAGS := --cc --x-assign fast --x-initial unique -Wno-lint -Wno-style

# moves a file unless the one that is there has the same text
CO_MOVE = if cmp -s $1 $2; then rm -f $1; else mv $1 $2; fi
# block (or block@set), system, name, block, name of the set's symbols, set's line, source of the golden model
define CO_BLOCK
$(COSIM_OUT)/obj/$1/twin.o: cosim/engine/describe.c $(COSIM_C)/blocks/$4.c $(COSIM_C)/blocks/$4.def
	@mkdir -p $$(@D); echo '  CC $$@'
	$$(Q)$(CC) $(CO_CFLAGS) -O3 $(CO_INC) -MMD -MP -DDESC_BLOCK=$3 '-DDESC_DEF="blocks/$4.def"' \
	  '-DDESC_SOURCE="blocks/$4.$7"' $(call CO_SET,$5,$6) $$(if $$(shell grep ^COMBINATIONAL $(COSIM_C)/blocks/$4.def),-DDESC_COMBINATIONAL) -c $$< -o $$@
$(COSIM_OUT)/obj/$1/tb.o: $(COSIM_TB)/$4_tb.c
	@mkdir -p $$(@D); echo '  CC $$@'
	$$(Q)$(CC) $(CO_CFLAGS) $(CO_INC) -I$(COSIM_TB)/$2 $(call CO_SET,$5,$6) -MMD -MP -c $$< -o $$@
# The ports of both sides agree, or nothing is built.
$(COSIM_OUT)/obj/$1/ports: cosim/engine/ports.c $(COSIM_OUT)/obj/$1/twin.o $(COSIM_OUT)/obj/$2/twins.a cosim/engine/item.h
	$$(Q)$(CC) $(CO_CFLAGS) $(CO_INC) $$(filter-out %.h,$$^) -ljansson -lm -o $$@
$(COSIM_OUT)/obj/$1/ports.json: $(COSIM_RTL)/$4.sv $(wildcard $(COSIM_RTL)/common/*.sv $(COSIM_RTL)/$2/*.sv $(COSIM_RTL)/$2/*.svh) cosim/cosim.mk
	@mkdir -p $$(@D); echo '  YOSYS $$@'
	$$(Q)$(YOSYS) -qq -p 'read_verilog -sv -defer $$(sort $$(filter %.sv,$$^)); $(if $(call CO_CHANGED,$4,$6),chparam \
	  $(foreach v,$(call CO_CHANGED,$4,$6),-set $(subst =, ,$v)) $$$$abstract\$3;) hierarchy -top $3; rename -top $3; proc; write_json $$@' \
	  2>$$@.log || { v=$$$$(sed -n "s/^.*ERROR: Can't find object for defparam .\([A-Za-z0-9_]*\).*/\1/p" $$@.log | head -n 1); \
    if [ -z "$$$$v" ]; then cat $$@.log; else \
      echo "$(COSIM_C)/blocks/$4.def:$$$$(grep -nm 1 "^SIZE($$$$v," $(COSIM_C)/blocks/$4.def | cut -d : -f 1): found the parameter $$$$v, expected one of the module in $(COSIM_RTL)/$4.sv"; \
    fi >&2; exit 2; }
# ports.checked is the time of the last check; ports.ok (ports, registers, parameters, flags) and state.vlt change
# with their text only. Verilator runs again when one of the texts changes, so not after an edit of a C model.
$(COSIM_OUT)/obj/$1/ports.checked: $(COSIM_OUT)/obj/$1/ports $(COSIM_OUT)/obj/$1/ports.json $$(wildcard $(COSIM_RTL)/$4_enum.svh)
	$$(Q)$$< $$(word 2,$$^) $(COSIM_C)/blocks/$4.def $(COSIM_RTL)/$4.sv
	$$(Q)$$(if $$(wildcard $(COSIM_RTL)/$4_enum.svh),$$< --enums | cmp -s - $(COSIM_RTL)/$4_enum.svh || \
	  { echo '$(COSIM_RTL)/$4_enum.svh: found other values than the ENUMs of $(COSIM_C)/blocks/$4.def; make enums writes it' >&2; exit 2; })
	$$(Q)(echo '$(VL_FLAGS) $(foreach v,plain trace cov,$(VL_$v) $(VL_OPT_$v))' && $$< --parameters && $$< --list) > $$(@D)/ports.new
	$$(Q)$(call CO_MOVE,$$(@D)/ports.new,$$(@D)/ports.ok)
	$$(Q)touch $$@
$(COSIM_OUT)/obj/$1/ports.ok: $(COSIM_OUT)/obj/$1/ports.checked ;
$(COSIM_OUT)/obj/$1/state.made: $(COSIM_C)/blocks/$4.def cosim/engine/state.vlt.h cmodel/blocks/def.h
	@mkdir -p $$(@D)
	$$(Q)(echo '`verilator_config'; $(CC) -E -P -x c $(CO_INC) -DDESC_BLOCK=$3 '-DDESC_DEF="blocks/$4.def"' cosim/engine/state.vlt.h) > $$(@D)/state.new
	$$(Q)$(call CO_MOVE,$$(@D)/state.new,$$(@D)/state.vlt)
	$$(Q)touch $$@
$(COSIM_OUT)/obj/$1/state.vlt: $(COSIM_OUT)/obj/$1/state.made ;
# submodules stay functions: 192 copies of a lane take long to compile, and are slower (vt: 3.5 times)
$(COSIM_OUT)/obj/$1/lanes.vlt: FORCE
	@mkdir -p $$(@D); (echo '`verilator_config'; printf 'no_inline -module "%s"\n' \
	  $(filter-out $3,$(sort $(basename $(notdir $(wildcard $(COSIM_RTL)/$2/*.sv $(COSIM_RTL)/common/*.sv)))))) > $$@.$$$$$$$$; \
	  cmp -s $$@ $$@.$$$$$$$$ && rm -f $$@.$$$$$$$$ || mv $$@.$$$$$$$$ $$@
$(foreach v,plain trace cov,$(call CO_VARIANT,$1,$2,$3,$v,$4,$5,$6))
$(call CO_LINK,$1,$2,$3,mut,$4,$5,$6)
$(call CO_NETLIST,$1,$3,$5)
$(call CO_LINK,$1,$2,$3,net,$4,$5,$6)
$(COSIM_OUT)/obj/$1/energy: $(COSIM_OUT)/obj/$1/tb.o $(COSIM_OUT)/obj/$1/twin.o $(ENERGY_O) $(COSIM_OUT)/obj/$2/twins.a
	@echo '  LD $$@'
	$$(Q)$(CC) $$^ $(CO_LIBS) -o $$@
$(COSIM_OUT)/$1: $(COSIM_OUT)/obj/$1/plain/run
	@mkdir -p $$(@D); ln -sf ../obj/$1/plain/run $$@
endef
# the C macros of a set: the parameters that it changes
CO_SET = $(if $(filter-out -,$(call set_of,$2)),-DDESC_SET=$(call set_of,$2) -DDESC_AT=$1) $(addprefix -DSET_,$(call values_of,$2))
CO_CHANGED = $(filter-out $(call values_of,$(firstword $(call sets_of,$1))),$(call values_of,$2))

# block (or block@set), system, name, variant, block, name of the set's symbols, set's line
define CO_VARIANT
$(COSIM_OUT)/obj/$1/$4/V$6.mk: $(COSIM_OUT)/obj/$1/ports.ok $(COSIM_OUT)/obj/$1/state.vlt $(COSIM_RTL)/$5.sv $(COSIM_OUT)/obj/$1/lanes.vlt
	@mkdir -p $$(@D); echo '  VERILATOR $1 $4'
	$$(Q)$(VERILATOR) $(VL_FLAGS) $(VL_$4) --prefix V$6 --top-module $3 $(addprefix -G,$(call CO_CHANGED,$5,$7)) --Mdir $$(@D) \
	  $(COSIM_OUT)/obj/$1/state.vlt $(COSIM_OUT)/obj/$1/lanes.vlt \
	  -y $(COSIM_RTL)/$2 -y $(COSIM_RTL)/common -Irtl/common $(COSIM_RTL)/$5.sv && touch $$@
-include $(COSIM_OUT)/obj/$1/$4/V$6__ver.d
$(call CO_LINK,$1,$2,$3,$4,$5,$6,$7)

endef

# The netlist of make synth, its cells replaced by the functions that the library states; memories are those of rtl/common.
# block (or block@set), name, name of the set's symbols
define CO_NETLIST
$(COSIM_OUT)/obj/$1/net/netlist.v: FORCE
	@mkdir -p $$(@D); [ -f $(NETLISTS)/$1/netlist.v ] || { echo '$(NETLISTS)/$1/netlist.v: expected the netlist of make synth, found no file' >&2; exit 2; }
	@cmp -s $(NETLISTS)/$1/netlist.v $$@ || cp $(NETLISTS)/$1/netlist.v $$@
$(COSIM_OUT)/obj/$1/net/V$3.mk: $(COSIM_OUT)/obj/$1/ports.ok $(COSIM_OUT)/obj/$1/net/netlist.v
	@echo '  VERILATOR $1 net'
	$$(Q)$(YOSYS) -qq -p 'read_liberty -ignore_miss_func $(LIBERTY); read_verilog -sv -lib $(COSIM_RTL)/common/ram_1rw.sv $(COSIM_RTL)/common/ram_1r1w.sv; read_verilog $$(@D)/netlist.v; \
	  hierarchy -check -top $2; flatten; proc; opt_clean; write_verilog -noattr $$(@D)/$2.v' >$$(@D)/log 2>&1 || { tail -n 5 $$(@D)/log >&2; exit 2; }
	$$(Q)$(VERILATOR) $(VL_FLAGS) -O3 -Wno-fatal --prefix V$3 --top-module $2 --Mdir $$(@D) -y rtl/common $$(@D)/$2.v >>$$(@D)/log 2>&1 \
	  || { tail -n 5 $$(@D)/log >&2; exit 2; }; touch $$@

endef

define CO_LINK
$(COSIM_OUT)/obj/$1/$4/V$6__ALL.a: $(COSIM_OUT)/obj/$1/$4/V$6.mk
	@echo '  CXX $$@'
	$$(Q)$(MAKE) --no-print-directory -s -C $$(@D) -f V$6.mk V$6__ALL.a OPT_FAST='$(VL_OPT_$4) -march=$(ARCH)' OPT_SLOW=-O0 CXX='$(CXX) -w' >$$(@D)/log 2>&1 \
	  || { cat $$(@D)/log >&2; exit 2; }; touch $$@
$(COSIM_OUT)/obj/$1/$4/shim.o: $(COSIM_SHIM) $(addprefix cosim/engine/,block_ports.h block_names.h describe.h flat.h asserted.h) $(addprefix cmodel/blocks/,declare.h def.h shape.h words.h) $(COSIM_C)/blocks/$5.def $(COSIM_OUT)/obj/$1/$4/V$6.mk
	@echo '  CXX $$@'
	$$(Q)$(CXX) $(VL_CXXFLAGS) $(CO_INC) -I$$(@D) $(DEF_$4) -DDESC_BLOCK=$3 '-DDESC_DEF="blocks/$5.def"' $(call CO_SET,$6,$7) \
	  '-DMODEL_H="V$6.h"' '-DROOT_H="V$6___024root.h"' \
	  $$(if $$(shell grep ^COMBINATIONAL $(COSIM_C)/blocks/$5.def),-DDESC_COMBINATIONAL) -c $$< -o $$@
$(COSIM_OUT)/obj/$1/$4/run: $(COSIM_OUT)/obj/$1/$4/shim.o $(COSIM_OUT)/obj/$1/tb.o $(COSIM_OUT)/obj/$1/twin.o $(ENGINE_O) $(COSIM_OUT)/obj/$2/twins.a \
  $(COSIM_OUT)/obj/$1/$4/V$6__ALL.a $(RT_$4:%=$(RUNTIME)/%.o) $(FST_$4)
	@echo '  LD $$@'
	$$(Q)$(CC) $$^ $(CO_LIBS) -o $$@

endef

define CO_SYSTEM
$(COSIM_OUT)/obj/$1/twins.a: $(patsubst $(COSIM_C)/blocks/%.c,$(COSIM_OUT)/obj/twins/%.o,$(wildcard $(COSIM_C)/blocks/$1/*.c)) \
  $(COSIM_OUT)/obj/rules.o
	@mkdir -p $$(@D); rm -f $$@
	$$(Q)$(AR) rcs $$@ $$^

endef

$(COSIM_OUT)/obj/rules.o: cmodel/blocks/rules.c
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(CC) $(CO_CFLAGS) $(CO_INC) -MMD -MP -c $< -o $@
$(COSIM_OUT)/obj/twins/%.o: $(COSIM_C)/blocks/%.c
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(CC) $(CO_CFLAGS) -O3 $(CO_INC) -MMD -MP -c $< -o $@

# the whole SM with its blocks' Verilog beside it
SM_PARTS := $(foreach b,$(COSIM_BLOCKS) $(SM_UNITS),$(COSIM_OUT)/obj/$b/plain/shim.o $(COSIM_OUT)/obj/$b/twin.o \
  $(COSIM_OUT)/obj/$b/plain/V$(subst @,_,$(notdir $b))__ALL.a)
$(COSIM_OUT)/sm_blocks.def: FORCE
	@mkdir -p $(@D); $(COSIM_ENV) BLOCK= SETS= cosim/cosim.sh holders > $@.$$$$; \
	  cmp -s $@ $@.$$$$ && rm -f $@.$$$$ || mv $@.$$$$ $@
$(COSIM_OUT)/obj/inside.o: cosim/whole_sm/inside.c
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(CC) $(CO_CFLAGS) $(CO_INC) -MMD -MP -c $< -o $@
$(COSIM_OUT)/obj/whole_sm.o: cosim/whole_sm/whole_sm.c $(COSIM_OUT)/sm_blocks.def | $(LISTS)
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(CC) $(CO_CFLAGS) $(CO_INC) -I$(COSIM_OUT) -MMD -MP -c $< -o $@
$(COSIM_SM): $(COSIM_OUT)/obj/whole_sm.o $(COSIM_OUT)/obj/inside.o $(ENGINE_OUT)/stim.o $(ENGINE_OUT)/asserted.o $(SM_PARTS) $(filter-out %/main.o,$(CLIOBJ)) build/libregtwin.a \
  $(RT_plain:%=$(RUNTIME)/%.o)
	@echo '  LD $@'
	$(Q)$(CC) $^ $(LIBS) -lstdc++ -lzstd -lm -lz -pthread -o $@
regtwin-cosim: deps-cosim ## build build/regtwin-cosim: a kernel on the whole SM with its blocks' Verilog in lockstep [SETS=all]
	@$(COSIM_ENV) BLOCK= cosim/cosim.sh sets
	@$(MAKE) --no-print-directory -s -j$(JOBS) $(COSIM_SM)

# Tests run beside each other: what two of them would compile is there before.
cosim-runtime: $(ENERGY_O)

# a set other than a block's first one, built and run (cosim/sets.sh)
$(COSIM_OUT)/sets/%: $(COSIM_OUT)/obj/%/plain/run FORCE
	@$(COSIM_ENV) BLOCK='$(firstword $(subst @, ,$*))' SETS= cosim/cosim.sh set '$*'

# which sizes the blocks have in experiments that choose them for each kernel (tests/cosim/sets.sh)
$(COSIM_OUT)/sizes: tests/cosim/sizes.c build/libregtwin.a
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) -MMD -MP -MF $@.d $(filter %.c,$^) build/libregtwin.a $(LIBS) -o $@
-include $(COSIM_OUT)/sizes.d

# the blocks without a clock over all their inputs; the golden models alone against MPFR
EXHAUSTIVE := $(COSIM_OUT)/exhaustive $(COSIM_OUT)/exhaustive-mpfr
EXH_BLOCKS := slice/tve slice/wve slice/vcl slice/vtl
$(COSIM_OUT)/obj/exhaustive.o $(COSIM_OUT)/obj/exhaustive-mpfr.o: $(COSIM_OUT)/obj/%.o:
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(CC) $(CO_CFLAGS) -O3 $(CO_INC) -Itests -MMD -MP -c $< -o $@
$(COSIM_OUT)/obj/exhaustive.o: cosim/engine/exhaustive.c
$(COSIM_OUT)/obj/exhaustive-mpfr.o: tests/cosim/slice/exhaustive.c
$(COSIM_OUT)/exhaustive: $(COSIM_OUT)/obj/exhaustive.o $(foreach b,$(EXH_BLOCKS),$(COSIM_OUT)/obj/$b/plain/shim.o \
  $(COSIM_OUT)/obj/$b/twin.o $(COSIM_OUT)/obj/$b/plain/V$(notdir $b)__ALL.a) $(COSIM_OUT)/obj/slice/twins.a \
  $(RT_plain:%=$(RUNTIME)/%.o) $(ENGINE_OUT)/show.o $(ENGINE_OUT)/clock.o
	@echo '  LD $@'
	$(Q)$(CC) $^ -lstdc++ -lm -pthread -o $@
$(COSIM_OUT)/exhaustive-mpfr: $(COSIM_OUT)/obj/exhaustive-mpfr.o $(COSIM_OUT)/obj/slice/twins.a $(ENGINE_OUT)/show.o
	@echo '  LD $@'
	$(Q)$(CC) $^ -lmpfr -lgmp -lm -o $@

# These programs read and judge for the scripts of cosim/mutate. No lockstep depends on them, so they stand outside of the lines that
# engine_hash (cosim/lib.sh) takes.
.PHONY: mutate-programs
mutate-programs: $(COSIM_OUT)/obj/mutants $(COSIM_OUT)/obj/equal $(COSIM_OUT)/obj/cmutate
$(COSIM_OUT)/obj/mutants: $(patsubst %,cosim/mutate/%.c,mutants mutant_names)
$(COSIM_OUT)/obj/equal: $(patsubst %,cosim/mutate/%.c,equal equal_lanes equal_legal equal_miter)
$(COSIM_OUT)/obj/mutants $(COSIM_OUT)/obj/equal: $(patsubst %,cosim/mutate/%.c,tool rtlil) $(wildcard cosim/mutate/*.h cmodel/base/*.h) cosim/cosim.mk \
  $(patsubst %,$(ENGINE_OUT)/%.o,alloc err hashtab image io show)
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(CC) $(CO_CFLAGS) $(CO_INC) $(filter %.c %.o,$^) -pthread -o $@

# what make wave prints where no display is
$(COSIM_OUT)/obj/wavetable: cosim/wavetable.c $(RUNTIME)/fstapi.o $(ENGINE_OUT)/show.o
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(CC) $(CO_CFLAGS) $(CO_INC) -I$(VL_ROOT)/gtkwave $^ -lz -lm -pthread -o $@

# The blocks' inputs in a kernel, by traces/streams/plan.tsv; make cosim drives these last.
streams: $(if $(BLOCK),deps-cosim,regtwin-cosim) ## record traces/streams/ again from kernels on the whole SM: of all blocks, or of one [BLOCK=]
	@$(COSIM_ENV) SETS= cosim/cosim.sh sets
	@COSIM_SM=$(COSIM_SM) cosim/whole_sm/streams.sh record

$(foreach s,$(sort $(foreach b,$(COSIM_BLOCKS),$(firstword $(subst /, ,$b)))),$(eval $(call CO_SYSTEM,$s)))
$(foreach b,$(COSIM_BLOCKS),$(eval $(call CO_BLOCK,$b,$(patsubst %/,%,$(dir $b)),$(notdir $b),$b,$(notdir $b),$(firstword $(call sets_of,$b)),c)))
$(foreach b,$(COSIM_BLOCKS),$(foreach s,$(wordlist 2,99,$(call sets_of,$b)),$(eval $(call CO_BLOCK,$b@$(call set_of,$s),$(patsubst %/,%,$(dir \
  $b)),$(notdir $b),$b,$(notdir $b)_$(call set_of,$s),$s,h))))
-include $(wildcard $(ENGINE_OUT)/*.d $(COSIM_OUT)/obj/twins/*/*.d $(COSIM_OUT)/obj/*/*/*.d $(COSIM_OUT)/obj/whole_sm.d $(COSIM_OUT)/obj/inside.d $(COSIM_OUT)/obj/exhaustive*.d)
