# SPDX-License-Identifier: Apache-2.0
# RegTwin. `make help` lists the targets. `make demo` and `make test` need nothing installed but make itself.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
# No built-in rules: with them make looks for a dozen sources of every file, which takes longer than reading this file.
MAKEFLAGS += -r
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

VERSION := 0.1.0

# ---- what a user may set -----------------------------------------------------------------------------------------
ARCH ?= native#                 # -march=; x86-64-v2 for a binary that runs elsewhere
PREFIX ?= /usr/local
DESTDIR ?=
VARIANT ?=#                     # empty, or: asan o0 clang fuzz train pgo (each has its own directory below build/)
SYSTEM_DIRS ?= cmodel/systems#  # directories of system folders (docs/start/add-a-system.md); cmodel/systems/baseline must be among the folders
BUILD_DIR ?= build#             # where objects, the library and the program go
FUZZ_SECONDS ?= 600#            # for all libFuzzer targets together; the same again for random configurations
FUZZ_INPUTS ?= 7300#            # damaged inputs
FUZZ_CONFIGS ?= 1000#           # random configurations
FUZZ_SEED ?= 1
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
ifeq ($(SAN),1)
VARIANT := asan
endif
ifeq ($(PGO),1)
override VARIANT := pgo
endif
ifeq ($(origin CC),default)
CC := gcc
endif
AR := ar
OBJCOPY := objcopy

ARCH := $(strip $(ARCH))
BUILD_DIR := $(strip $(BUILD_DIR))
VARIANT := $(strip $(VARIANT))
# Programs of LLVM (clang-tidy: tests/lint.sh): those of the first version in cmodel/make/packages.txt that is here, asked for once, when a command first needs the name.
ifeq ($(origin CLANG),undefined)
CLANG = $(eval CLANG := $(shell cmodel/make/llvm.sh clang))$(CLANG)
endif
CL_CC ?= $(CLANG)
CLANG_FORMAT ?= $(shell cmodel/make/llvm.sh clang-format)

# ---- variants ----------------------------------------------------------------------------------------------------
OPT := -O3
DEBUG := -g
ifeq ($(VARIANT),)
B := $(BUILD_DIR)
else
B := $(BUILD_DIR)/$(VARIANT)
endif
ifeq ($(VARIANT),asan)
override CC = $(CLANG)
OPT := -O1 -fno-omit-frame-pointer
DEBUG := -gline-tables-only
# Folders whose code runs for a moment in a test are not optimised: that compiles in a fifth of the time.
COLD := cli cost cudart-11.0 cudart-12 cudart-13 host lab/campaign lab/database lab/kernels lab/report
# Not sanitize=function, which clang 19 checks in C too: tests call what dlsym and tables of the host interfaces give as one type.
# With the counters by which libFuzzer knows new inputs, so that make test fuzzes with the objects of the sanitized tests.
SANFLAGS := -fsanitize=address,undefined -fno-sanitize=function -fno-sanitize-recover=all -fsanitize-coverage=inline-8bit-counters,pc-table
else ifeq ($(VARIANT),o0)
OPT := -O0
else ifeq ($(VARIANT),clang)
override CC = $(CLANG)
else ifeq ($(VARIANT),fuzz)
override CC = $(CLANG)
OPT := -O1 -fno-omit-frame-pointer
SANFLAGS := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=function -fno-sanitize-recover=all
else ifeq ($(VARIANT),train)
# gcc names a static function by its file's place: that of the build which will use the profile, and there it is written.
PROFILE = -fprofile-generate -dumpdir $(if $@,$(dir $(@:$(B)/%=$(BUILD_DIR)/pgo/%)))
else ifeq ($(VARIANT),pgo)
PROFILE := -fprofile-use -Wno-missing-profile -Wno-error
LTO := -flto=auto
AR := gcc-ar
else ifneq ($(VARIANT),)
$(error VARIANT=$(VARIANT): expected nothing, asan, o0, clang, fuzz, train or pgo)
endif
ifneq ($(PROFILE),)
ifeq ($(findstring clang,$(notdir $(CC))),clang)
$(error CC=$(CC) with PGO=1: expected gcc, whose profiles are used)
endif
endif

CFLAGS ?= $(OPT) $(DEBUG) -march=$(ARCH)
# Position independent and hidden: the same objects are in the program and in the libraries of host programs.
RT_CFLAGS := -std=gnu11 -fPIC -fvisibility=hidden -Wall -Wextra -Werror -Icmodel -I$(BUILD_DIR) -ffp-contract=off -fno-math-errno -fno-trapping-math -DRT_VERSION='"$(VERSION)"'
LIBS := -ljansson -lyaml -lpng16 -lsqlite3 -lzstd -llzma -lnettle -lpthread -lm
# At a fixed address, and with a free() that knows the image: for checkpoints (cmodel/base/image.h).
LINK := -no-pie -Wl,--wrap=free
Q := $(if $(V),,@)#             # V=1 shows every command
COMPILE = $(CC) $(CFLAGS) $(SANFLAGS) $(RT_CFLAGS) $(PROFILE) $(LTO) $(OBJECT_OPT)

$(foreach d,$(COLD),$(eval $(B)/obj/$d/%.o: OBJECT_OPT := -O0))
# In sm/ and in unit tests a struct may begin with the fields of another: with the view that choices have of it (cmodel/sm/private.h).
VIEWS := -fms-extensions -Wno-microsoft-anon-tag
$(B)/obj/sm/%.o: OBJECT_OPT := $(VIEWS)
# A system does not cast away that a view of the SM is const (cmodel/sm/slot_api.h).
$(B)/obj/systems/%.o: OBJECT_OPT := -Wcast-qual

# ---- files -------------------------------------------------------------------------------------------------------
# Every folder of SYSTEM_DIRS is a system: its sources, its .conf files, and lists that stand beside the core's own.
SYSTEMS := $(foreach d,$(SYSTEM_DIRS),$(patsubst %/,%,$(sort $(wildcard $d/*/))))
SYSTEM_NAMES := $(notdir $(SYSTEMS))
$(foreach d,$(SYSTEM_DIRS),$(if $(wildcard $d/.),,$(error SYSTEM_DIRS=$(SYSTEM_DIRS): found no directory $d, expected names of directories, without blanks)))
SYSTEM_ODD := $(shell find -L $(SYSTEM_DIRS) -mindepth 1 -maxdepth 1 -type d ! -name '.*' | grep -vE '/[A-Za-z][A-Za-z0-9_]*$$' | head -n 1)
ifneq ($(SYSTEM_ODD),)
$(error $(SYSTEM_ODD): found a system folder of this name, expected a letter, then letters, digits and _: it is a section of keys)
endif
ifneq ($(words $(SYSTEM_NAMES)),$(words $(sort $(SYSTEM_NAMES))))
$(error SYSTEM_DIRS=$(SYSTEM_DIRS): found two folders of one name in $(SYSTEM_NAMES), expected a name of its own for each)
endif
ifeq ($(filter baseline,$(SYSTEM_NAMES)),)
$(error SYSTEM_DIRS=$(SYSTEM_DIRS): found no folder baseline, expected cmodel/systems first: its choices are the defaults)
endif
SYSTEM_SRC := $(foreach s,$(SYSTEMS),$(sort $(wildcard $s/*.c)))
system_obj = $(B)/obj/systems/$(notdir $(patsubst %/,%,$(dir $1)))/$(notdir $(1:.c=.o))

SRC := $(sort $(shell find cmodel -name '*.c' -not -path 'cmodel/systems/*')) $(SYSTEM_SRC)
HOST_DIRS := cmodel/host/opencl/% cmodel/host/cudart/% cmodel/host/cuda/%# libraries that host programs load (cmodel/make/host.mk)
LIBSRC := $(filter-out cmodel/cli/% $(HOST_DIRS),$(SRC))
CLISRC := $(filter cmodel/cli/%,$(SRC))
LIBOBJ := $(patsubst cmodel/%.c,$(B)/obj/%.o,$(filter-out $(SYSTEM_SRC),$(LIBSRC))) \
  $(foreach c,$(SYSTEM_SRC),$(call system_obj,$c)) $(B)/obj/gen/builtin.o $(B)/obj/gen/opcodes.o
CLIOBJ := $(CLISRC:cmodel/%.c=$(B)/obj/%.o)
UNIT := $(sort $(wildcard tests/unit/*_test.c))
UNITBIN := $(UNIT:tests/unit/%.c=$(B)/test/%)
MACHINE_CONF := $(addsuffix .conf,$(sort $(basename $(wildcard cmodel/config/machines/*.conf))))
SYSTEM_CONF := $(foreach s,$(SYSTEMS),$(addsuffix .conf,$(sort $(basename $(wildcard $s/*.conf)))))
FUZZ := $(sort $(wildcard tests/fuzz/*_fuzz.c))
FUZZBIN := $(FUZZ:tests/fuzz/%_fuzz.c=$(B)/fuzzers/%)
GEN := $(BUILD_DIR)/gen
# What its three lists become, by kind of line (cmodel/make/lists.awk).
LISTS := $(addprefix $(GEN)/systems/,$(addsuffix .def,choices keys stats rows measures panels plans relax experiments papers colours cost energy together))
GENERATED := $(GEN)/systems/made $(LISTS) $(GEN)/hooks.h $(GEN)/program.h $(GEN)/cost/blocks.def $(GEN)/cost/energy.def $(GEN)/twins/blocks.def
# A misspelt list would be left out without a word.
SYSTEM_STRAY := $(firstword $(foreach s,$(SYSTEMS),$(filter-out $(addprefix $s/,system.def paper.def cost.def),$(wildcard $s/*.def))))
ifneq ($(SYSTEM_STRAY),)
$(error $(SYSTEM_STRAY): found a list of this name, expected one of system.def paper.def cost.def)
endif
SYSTEM_EMPTY := $(firstword $(foreach s,$(SYSTEMS),$(if $(wildcard $s/*.def $s/*.conf),,$s)))
ifneq ($(SYSTEM_EMPTY),)
$(error $(SYSTEM_EMPTY): found a system folder without a list and without a preset, expected *.def or *.conf (docs/start/add-a-system.md))
endif
SCRIPTS := .ci/run $(sort $(shell find cmodel tests cosim rtl synth -name '*.sh'))

.PHONY: counters-record identity-record identity-check coverage-c all binary lib unit-binaries combinations help deps deps-build deps-test demo test check records lint lint-rtl format format-check \
        fuzz fuzz-binaries campaigns bench traceg-all pgo-check widths kernels kernels-check install uninstall clean FORCE

# Every compilation depends on $(B)/command, and that on the packages of this build, so that no target begins without them.
DEPS_BUILD := $(if $(filter asan clang fuzz,$(VARIANT)),deps-test,deps-build)
# For a make within a make: as many commands at once as there are processors, unless make was started with -j.
ALL_CORES = --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
all: $(DEPS_BUILD) ## build build/regtwin, build/libregtwin.a and the libraries of build/host (the default)
	@$(MAKE) $(ALL_CORES) binary lib host
binary: $(B)/regtwin
lib: $(B)/libregtwin.a
unit-binaries: $(UNITBIN)

help: ## this list
	@echo 'make TARGET [ARCH=native] [CC=gcc] [SAN=1] [PGO=1] [PREFIX=/usr/local] [DESTDIR=] [FUZZ_SECONDS=600] [FUZZ_INPUTS=7300] [FUZZ_CONFIGS=1000]'
	@sed -n 's/^\([a-z][a-z_.-]*\):.*## \(.*\)/  \1\t\2/p' Makefile traces/kernels/kernels.mk cmodel/make/host.mk tests/host/host.mk cosim/cosim.mk cosim/systemc/systemc.mk | expand -t 24

# ---- what is needed ----------------------------------------------------------------------------------------------
deps: ## install the Debian packages that are missing, for everything (list: cmodel/make/packages.txt)
	@cmodel/make/deps.sh build test cosim synth
deps-build:
	@cmodel/make/deps.sh build
deps-test:
	@cmodel/make/deps.sh build test

# ---- compile -----------------------------------------------------------------------------------------------------
# Objects depend on a file that holds the command, so that another compiler or flag rebuilds them.
$(B)/command: FORCE | $(DEPS_BUILD)
	@mkdir -p $(@D); echo '$(subst ','\'',$(COMPILE))' | cmp -s - $@ || echo '$(subst ','\'',$(COMPILE))' > $@

# For editors: how each source is compiled, and where each name is. Sources of the twins' benches need what compares them.
compile_commands.json: $(GENERATED) FORCE ## the compiler's command of each source, for clangd
	@$(MAKE) --no-print-directory -nB V=1 binary lib host unit-binaries $(if $(shell command -v verilator),$(BUILD_DIR)/regtwin-cosim) | \
	  awk -v dir="$$PWD" -f cmodel/make/compile_commands.awk >$@.new && mv $@.new $@
tags: $(GENERATED) FORCE ## where each name of C and Verilog is, for editors (ctags)
	@ctags=$$(command -v ctags-universal || command -v ctags) || { echo 'make tags: found no ctags, expected it (make deps, or the package universal-ctags)' >&2; exit 2; }; \
	  "$$ctags" -o $@.new --languages=C,C++,SystemVerilog --langmap=SystemVerilog:+.v -R cmodel cosim rtl tb tests/unit tests/fuzz $(GEN) && mv $@.new $@

# PGO=1: gcc compiles with the profile of another build that ran some kernels (what is run decides speed, never a result),
# and optimises across files when it links.
ifeq ($(VARIANT),pgo)
TRAINED := $(B)/trained
TRAINING := 'gtx980 baseline sgemm bfs hotspot stencil gather vecadd srad_v1' 'gtx980 FineReg sgemm bfs' \
  'rtx2060 baseline sgemm conv_tensor bfs' 'gtx480 SL-Orig sgemm bfs' 'gtx480 SL-Full-P hotspot'
$(TRAINED): FORCE
	@$(MAKE) --no-print-directory PGO= VARIANT=train binary
	@mkdir -p $(@D)
	@if [ ! -e $@ ] || [ $(BUILD_DIR)/train/regtwin -nt $@ ]; then \
	  find $(B) -name '*.gcda' -delete; \
	  for t in $(TRAINING); do set -- $$t; echo "  TRAIN $$t"; \
	    $(BUILD_DIR)/train/regtwin run "$${@:3}" --size small --config $$1 --system $$2 >/dev/null; done; \
	  touch $@; fi
endif

$(B)/obj/%.o: cmodel/%.c $(B)/command $(TRAINED) | $(GENERATED)
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) -MMD -MP -c $< -o $@

$(B)/obj/gen/builtin.o $(B)/obj/gen/opcodes.o: $(B)/obj/gen/%.o: $(GEN)/%.c $(B)/command $(TRAINED) | $(GENERATED)
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) -MMD -MP -c $< -o $@

define SYSTEM_ELSEWHERE
$(call system_obj,$1): $1 $(B)/command $(TRAINED) | $(GENERATED)
	@mkdir -p $$(@D); echo '  CC $$@'
	$$(Q)$$(COMPILE) -I$(patsubst %/,%,$(dir $(patsubst %/,%,$(dir $1)))) -MMD -MP -c $$< -o $$@

endef
$(foreach c,$(filter-out cmodel/%,$(SYSTEM_SRC)),$(eval $(call SYSTEM_ELSEWHERE,$c)))

# Papers are those of every folder of the tree, also of one that SYSTEM_DIRS leaves out: the kernels' manifests name them.
LEFT_OUT := $(filter-out $(SYSTEM_NAMES:%=cmodel/systems/%),$(patsubst %/,%,$(sort $(wildcard cmodel/systems/*/))))
$(GEN)/systems/made: FORCE
	@cmodel/make/lists.sh $(GEN) $(LEFT_OUT) -- $(foreach s,$(SYSTEMS),$(if $(filter cmodel/%,$s),$s,$(abspath $s)))
$(LISTS): $(GEN)/systems/made ;
$(GEN)/nets/%.def $(GEN)/nets/%.h: $(GEN)/systems/made ;

# The slots' hooks as functions.
$(GEN)/hooks.h: cmodel/sm/slot.def cmodel/make/hooks.sh
	@mkdir -p $(@D); cmodel/make/hooks.sh '$(CC)' $< >$@.new && mv $@.new $@

# What decides the result of a run under a configuration: a hash of these sources names the program in databases of results, so that another compiler,
# a changed page, command or table repeats no run.
PROGRAM_SRC := $(sort $(shell find cmodel -name '*.[ch]' -not -path 'cmodel/systems/*' -o -name '*.def' -not -path 'cmodel/systems/*') \
  $(foreach s,$(SYSTEMS),$(wildcard $s/*.[ch])))
PROGRAM_SRC := $(filter-out cmodel/regtwin.% cmodel/lab/run/rows.def cmodel/lab/run/result_table.% cmodel/lab/run/task.% cmodel/cli/% cmodel/host/session/% $(HOST_DIRS) cmodel/lab/report/% cmodel/lab/campaign/% cmodel/lab/database/% cmodel/cost/% cmodel/compiler/ir/nvdisasm% %/experiments.c,$(PROGRAM_SRC)) \
  $(sort $(wildcard cmodel/trace/accelsim/opcodes/*.map)) cmodel/lab/campaign/traits.c cmodel/lab/campaign/traits.h
PROGRAM_LISTS = $(addprefix $(GEN)/,$(addprefix systems/,choices.def keys.def stats.def) hooks.h) $$(find $(GEN)/nets -name '*.def' | LC_ALL=C sort)
$(GEN)/program.h: $(GEN)/systems/made $(GEN)/hooks.h FORCE
	@mkdir -p $(@D); printf '#define RT_PROGRAM "%s"\n' "$$({ cat $(PROGRAM_SRC); sed '/^#line /d' $(PROGRAM_LISTS); } | sha256sum | cut -d ' ' -f 1)" > $@.$$$$; cmp -s $@.$$$$ $@ && rm -f $@.$$$$ || mv $@.$$$$ $@

# What make synth-record found, a line for each block at each of its sets, becomes a table of the program. The last field of a line is 1 if
# its hash of the Verilog is not that of the block's first set: it was recorded of earlier Verilog.
EARLIER = function earlier(name, hash) { sub(/@.*/, "", name); return name in first && first[name] != hash } FNR == 1 { pass++ } /^\#/ { next }
COST_TABLE ?= cosim/records/baseline.tsv
ENERGY_TABLE ?= cosim/records/energy.tsv
$(GEN)/cost/blocks.def: $(COST_TABLE) Makefile
	@mkdir -p $(@D); awk -F '\t' '$(EARLIER) pass == 1 { if ($$1 !~ /@/) first[$$1] = $$NF; next } NF != 11 { printf "%s:%d: found %d columns, expected 11\n", FILENAME, FNR, NF > "/dev/stderr"; exit 2 } \
	  { printf "BLOCK(\"%s\", %s, %s, %s, %s, %s, %s, \"%s\", \"%s\", %d)\n", $$1, $$2, $$3, $$4, $$5, $$7, $$8, $$9, $$10, earlier($$1, $$11) }' $< $< >$@.new && mv $@.new $@

$(GEN)/cost/energy.def: $(ENERGY_TABLE) Makefile
	@mkdir -p $(@D); awk -F '\t' '$(EARLIER) pass == 1 { if ($$1 !~ /@/ && $$9 == "osu018_stdcells") first[$$1] = $$NF; next } NF != 10 { printf "%s:%d: found %d columns, expected 10\n", FILENAME, FNR, NF > "/dev/stderr"; exit 2 } \
	  $$2 != "bench" && $$2 != "streams" { printf "%s:%d: found run %s, expected bench or streams\n", FILENAME, FNR, $$2 > "/dev/stderr"; exit 2 } \
	  $$4 !~ /^[0-9.]+(e[+-]?[0-9]+)?$$/ || $$7 !~ /^[0-9.]+(e[+-]?[0-9]+)?$$/ { printf "%s:%d: found %s and %s pJ, expected numbers\n", FILENAME, FNR, $$4, $$7 > "/dev/stderr"; exit 2 } \
	  $$9 == "osu018_stdcells" { printf "ENERGY_ROW(\"%s\", %d, \"%s\", %s, %s, %d)\n", $$1, $$2 == "streams", $$5, $$4, $$7, earlier($$1, $$10) }' $< $< >$@.new && mv $@.new $@

# The table of the twins: what was recorded of them, and whether it is of these sources. A directory changes when a file comes or goes, so those of the
# kernels when PTX is written; PTX itself has a rule, which nobody wants here.
TWIN_SOURCES := $(shell find cmodel/blocks rtl tb synth/formal traces/streams traces/kernels -type d -o -type f ! -name '*.yaml' ! -name '*.cl' ! -name '*.ptx' 2>/dev/null) $(wildcard cosim/records/twins.tsv \
  cosim/records/lockstep.tsv cmodel/systems/*/system.def) cosim/records/baseline.tsv synth/hash.sh $(addprefix cosim/,table.sh whole_sm/whole.sh lib.sh sources.awk sets.awk) $(wildcard cmodel/make/lists.*)
$(GEN)/twins/stamp: $(TWIN_SOURCES)
	@mkdir -p $(@D); cosim/table.sh >$@.$$$$ || { rm -f $@.$$$$; exit 2; }; cmp -s $@.$$$$ $(@D)/blocks.def && rm -f $@.$$$$ || mv $@.$$$$ $(@D)/blocks.def; touch $@
$(GEN)/twins/blocks.def: $(GEN)/twins/stamp ;

# The .conf files become strings of the program, so that it runs from any directory.
$(GEN)/conf: FORCE
	@mkdir -p $(@D); printf '%s\n' $(MACHINE_CONF) -- $(SYSTEM_CONF) | cmp -s - $@ || printf '%s\n' $(MACHINE_CONF) -- $(SYSTEM_CONF) > $@
$(GEN)/builtin.c: $(MACHINE_CONF) $(SYSTEM_CONF) $(GEN)/conf cmodel/make/builtin.sh Makefile
	@mkdir -p $(@D)
	@cmodel/make/builtin.sh $(MACHINE_CONF) -- $(SYSTEM_CONF) > $@.new && mv $@.new $@

# So do the opcode maps of other machines' traces.
OPCODE_MAPS := $(sort $(wildcard cmodel/trace/accelsim/opcodes/*.map))
$(GEN)/opcodes.c: $(OPCODE_MAPS) Makefile
	@mkdir -p $(@D); { printf '#include "trace/accelsim/opmap.h"\nconst struct opmap_file opmap_builtin[] = {\n'; for f in $(OPCODE_MAPS); do \
	  printf '{"%s",\n' "$${f##*/}"; sed -e 's/[\"]/\\&/g' -e 's/.*/"&\\n"/' "$$f"; printf '},\n'; done; printf '{0, 0}};\n'; } > $@.new && mv $@.new $@

$(B)/libregtwin.a: $(LIBOBJ)
	@rm -f $@; echo '  AR $@'
	$(Q)$(AR) rcs $@ $(LIBOBJ)

$(B)/regtwin: $(CLIOBJ) $(B)/libregtwin.a
	@echo '  LD $@'
	$(Q)$(CC) $(CFLAGS) $(PROFILE) $(LTO) $(SANFLAGS) $(LINK) $(CLIOBJ) $(B)/libregtwin.a $(LIBS) -o $@

# A unit test is compiled apart from the library: after an edit of the library it is only linked again.
TEST_FLAGS :=#                  of one test alone
# and without optimisation, since most tests run for less time than it takes
TEST_OPT := -O0
$(B)/test/%.o: tests/unit/%.c $(B)/command | $(GENERATED) deps-test
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) $(TEST_OPT) $(TEST_FLAGS) $(VIEWS) -Itests -MMD -MP -c $< -o $@
$(B)/test/reference/%.o: tests/unit/reference/%.c $(B)/command | $(GENERATED)
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) -Itests -MMD -MP -c $< -o $@
$(B)/test/%: $(B)/test/%.o $(B)/libregtwin.a
	@echo '  LD $@'
	$(Q)$(CC) $(CFLAGS) $(PROFILE) $(LTO) $(SANFLAGS) $(LINK) $(filter %.o,$^) $(B)/libregtwin.a -lcmocka $(LIBS) -lmpfr -lgmp -o $@
.SECONDARY: $(UNITBIN:%=%.o)

# These compare with much code of their own.
$(patsubst %,$(B)/test/%_test.o,pack live range_rules range_paths interval session_memory ltrf_pfu slice trf): TEST_OPT := -O1

test_reference = $(patsubst tests/unit/reference/%.c,$(B)/test/reference/%.o,$1)
$(B)/test/kernels_test: $(call test_reference,$(filter-out %/check.c %/mma.c %/mbarrier.c,$(wildcard tests/unit/reference/*.c)))
$(B)/test/mma_reference_test $(B)/test/wmma_reference_test: $(call test_reference,tests/unit/reference/mma.c)
$(B)/test/mbarrier_reference_test $(B)/test/mbarrier_copies_test: $(call test_reference,tests/unit/reference/mbarrier.c)
$(B)/test/texture_values_test $(B)/test/texture_surface_test: $(call test_reference,tests/unit/reference/texture.c)

# VARIANT=fuzz compares what is compared, too, and finds more in the same time; that of asan is what make test has.
$(B)/fuzzers/%: tests/fuzz/%_fuzz.c $(B)/libregtwin.a $(B)/command
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) -MMD -MP -MF $@.d -fsanitize=fuzzer $(LINK) -Icosim/engine $< $(B)/libregtwin.a $(LIBS) -lzstd -o $@
fuzz-binaries: $(FUZZBIN)

# The campaigns of make fuzz: programs that run the commands, or the library, on what is drawn from a seed.
build/campaign/%: tests/fuzz/%.c build/libregtwin.a build/command
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) -D_GNU_SOURCE -MMD -MP -MF $@.d $(filter %.c,$^) build/libregtwin.a $(LIBS) -o $@
build/campaign/damage: tests/fuzz/box.c tests/fuzz/mutate.c
build/campaign/damage: LIBS += -lzstd
campaigns: build/campaign/damage build/campaign/config_sweep

-include $(LIBOBJ:.o=.d) $(CLIOBJ:.o=.d) $(wildcard $(B)/test/*.d $(B)/test/reference/*.d) $(wildcard $(B)/fuzzers/*.d build/campaign/*.d)

# ---- use ---------------------------------------------------------------------------------------------------------
demo: deps-build ## three kernels, executed and timed on one SM, side by side
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@build/regtwin run sgemm bfs transpose --config gtx980

pgo-check: ## build with PGO=1 and hold every statistic of some kernels against the plain build
	@$(MAKE) --no-print-directory PGO= VARIANT= binary && $(MAKE) --no-print-directory PGO=1 binary
	@run() { "$$1/regtwin" run "$${@:3}" --size small --json - > $$2 && grep -q '"cycles": [1-9]' $$2 && \
	  sed -i -E '/"host_seconds"|_per_second"|"peak_rss_bytes"/d' $$2; }; n=0; \
	for k in sgemm bfs hotspot lavaMD; do for m in 'gtx980 --system FineReg' 'gtx480 --system SL-Orig' rtx2060; do \
	  run $(BUILD_DIR) $(BUILD_DIR)/pgo/plain.json $$k --config $$m; run $(BUILD_DIR)/pgo $(BUILD_DIR)/pgo/pgo.json $$k --config $$m; \
	  cmp $(BUILD_DIR)/pgo/plain.json $(BUILD_DIR)/pgo/pgo.json || \
	    { echo "$$k, $$m: found other statistics with PGO=1, expected the same"; exit 1; }; n=$$((n + 1)); done; done; \
	echo "pgo-check: $$n runs, the same statistics"

.PHONY: bare-check
bare-check: ## clone, make, demo, install and test in a Debian with nothing but git and make [SUITE=bookworm PARTS=first KEEP=1]; for root
	@SUITE='$(SUITE)' PARTS='$(PARTS)' KEEP='$(KEEP)' tests/bare.sh

test: deps ## every test, format and lint; ends with "N passed, N failed, N skipped"; FRESH=1: nothing is taken from tests/records.tsv
	@FRESH=$(FRESH) tests/run.sh
check: deps ## the short tier: format, layers, citations, quick unit tests, lockstep of the blocks that changed
	@tests/run.sh --check
counters-record: binary ## write what small kernels count under each system into tests/data/counters/, after a change that is meant to change it
	@tests/counters.sh record
identity-record: binary ## a hash of the statistics of every kernel under each system on each machine, into tests/data/identity/; can be stopped and continued [JOBS=]
	@JOBS='$(JOBS)' tests/identity.sh record
identity-check: binary ## the same runs, compared with tests/data/identity/
	@JOBS='$(JOBS)' tests/identity.sh check
coverage-c: deps ## lines, branches and functions of cmodel/ that the tests reach, by folder; fails where a line of the systems' wiring is never run [COVERAGE_TESTS="unit/ cli/ kernels/"]
	@COVERAGE_TESTS='$(COVERAGE_TESTS)' tests/coverage_c.sh
records: ## write the results of this tree's last runs into tests/records.tsv
	@tests/records.sh

lint: export LINT_FLAGS = $(RT_CFLAGS)
lint: deps-test $(GENERATED) ## clang-tidy over cmodel/, shellcheck over the scripts; warnings are errors
	@tests/lint.sh $(JOBS) $(SRC)
	@tests/lint_scripts.sh $(SCRIPTS)
	@echo 'lint: $(words $(SCRIPTS)) scripts, no warnings'

lint-rtl: deps-cosim ## every Verilog module alone through Verilator, Yosys and Icarus, a warning is a failure; no search by a carry chain
	@rtl/lint.sh
	@rtl/search.sh

# Not part of make test: nothing of npm is needed there.
YOWASP ?= 0.55
.PHONY: rtl-current
rtl-current: ## every Verilog module read by a newer Yosys, npm's @yowasp/yosys; skipped without npm [BLOCK=slice/vc YOWASP=0.55]
	@if ! command -v npm >/dev/null || ! command -v node >/dev/null; then echo 'rtl-current: skipped: found no node and npm (packages nodejs, npm)'; exit; fi; \
	  at=build/yowasp/$(YOWASP); [ -d $$at/node_modules/@yowasp/yosys ] || npm install --silent --no-fund --no-audit --prefix $$at @yowasp/yosys@$(YOWASP) || \
	    { echo 'rtl-current: skipped: npm could not install @yowasp/yosys@$(YOWASP)'; exit 0; }; \
	  node rtl/current.mjs $$at/node_modules/@yowasp/yosys $(BLOCK)

# OpenCL headers and the Verilator configuration are no C.
FORMATTED = $(sort $(shell find cmodel cosim synth tb tests -name '*.[ch]' ! -name '*.vlt.h' -o -name '*.cpp'))
format: deps-test ## clang-format over all C and C++ files (.clang-format)
	@if ! why=$$(cmodel/make/llvm.sh --reference clang-format); then echo "format: nothing was changed: $$why" >&2; exit 1; fi
	@$(CLANG_FORMAT) -i $(FORMATTED)
format-check: deps-test ## fails if make format would change a file
	@if ! why=$$(cmodel/make/llvm.sh --reference clang-format); then echo "ok - format # SKIP $$why (CONTRIBUTING.md)"; exit; fi; \
	  $(CLANG_FORMAT) --dry-run --Werror $(FORMATTED); echo 'format-check: $(words $(FORMATTED)) files'

fuzz: deps ## damaged inputs, random configurations, kills and full disks, libFuzzer (docs/develop/fuzz.md); FUZZ_PARTS="damage..."
	@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_INPUTS=$(FUZZ_INPUTS) FUZZ_CONFIGS=$(FUZZ_CONFIGS) FUZZ_SEED=$(FUZZ_SEED) tests/fuzz/all.sh $(FUZZ_PARTS)

# A run with checkpoints, killed 20 times at random moments and continued: make checkpoint-kills [CHECKPOINT_SEED=1] [CHECKPOINT_KILLS=20]
.PHONY: checkpoint-kills
CHECKPOINT_SEED ?= 1
CHECKPOINT_KILLS ?= 20
CHECKPOINT_RUNS := 'hotspot' 'hotspot --system FineReg' 'sgemm --system SL-Full-P --config gtx480' 'sgemm --system LB' 'stencil --system LTRF+' \
  'hotspot --system Malekeh' 'sgemm --system Malekeh --set malekeh.near=exact' 'bfs srad_v1' 'bfs --system VT --sms 4' 'bfs --sms all --per-sm --per-launch' \
  'hotspot --system RegDRAM --set sim.check=true' 'bfs --system PCAL --races'
checkpoint-kills: deps-build ## runs with checkpoints, each killed 20 times at random moments: the statistics of a run that was left alone
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@set -f; for r in $(CHECKPOINT_RUNS); do tests/checkpoint_kills.sh $(CHECKPOINT_SEED) $(CHECKPOINT_KILLS) $$r; done | tee build/checkpoint-kills.txt
	@! grep -q '^not ok' build/checkpoint-kills.txt

WIDTHS ?= $(basename $(notdir $(wildcard traces/kernels/*/*.widths)))# kernels
widths: deps-build ## the narrowest float formats that keep a quality: writes traces/kernels/*/*.widths; WIDTHS="KERNEL..." JOBS=N
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@for q in perfect high; do build/regtwin tune $(WIDTHS) --quality $$q --jobs $(JOBS); done

traceg-all: deps-build ## every kernel as a trace, exported for Accel-Sim and imported again: nothing differs (docs/use/accel-sim.md)
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@tests/traceg_all.sh

bench: deps-build ## speed and memory of the fixed set; saves build/bench.json; with Verilator, what lockstep costs
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@$(B)/regtwin bench --json build/bench.json
	@echo; if command -v $(VERILATOR) >/dev/null; then $(MAKE) --no-print-directory -s cosim-bench; \
	  else echo 'no Verilator here: make cosim-bench installs it and measures what lockstep costs'; fi

# What each kernel is like (docs/use/kernels.md): the plots of all of them, and what stands between the page's marks.
CHARACTERIZE_SIZE ?= default
CHARACTERIZE_PLOTS := mix l1 reuse locality registers stall time
.PHONY: characterize
characterize: deps ## measure every kernel, write plots to docs/img/characterize and tables into docs/use/kernels.md
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@mkdir -p build/characterize docs/img/characterize
	@build/regtwin characterize all --size $(CHARACTERIZE_SIZE) --markdown --plots build/characterize \
	  --json build/characterize/all.json > build/characterize/table.md
	@cp $(CHARACTERIZE_PLOTS:%=build/characterize/%.png) docs/img/characterize/
	@{ echo '```'; build/regtwin list kernels; echo '```'; } > build/characterize/manifest.md
	@{ echo '```'; build/regtwin characterize all --groups --size $(CHARACTERIZE_SIZE); echo '```'; } > build/characterize/groups.md
	@{ echo '```'; build/regtwin analyze --registers; echo '```'; } > build/characterize/registers.md
	@sed -e '/^<!-- characterize -->$$/r build/characterize/table.md' -e '/^<!-- manifest -->$$/r build/characterize/manifest.md' \
	  -e '/^<!-- registers -->$$/r build/characterize/registers.md' -e '/^<!-- groups -->$$/r build/characterize/groups.md' \
	  -e '/^<!-- groups -->$$/,/^<!-- end of groups -->$$/{/^<!-- /!d}' \
	  -e '/^<!-- registers -->$$/,/^<!-- end of registers -->$$/{/^<!-- /!d}' \
	  -e '/^<!-- characterize -->$$/,/^<!-- end of characterize -->$$/{/^<!-- /!d}' \
	  -e '/^<!-- manifest -->$$/,/^<!-- end of manifest -->$$/{/^<!-- /!d}' docs/use/kernels.md > build/characterize/page.md
	@cp build/characterize/page.md docs/use/kernels.md; echo 'characterize: docs/use/kernels.md, docs/img/characterize; more in build/characterize'

# What the slots' hooks are (cmodel/sm/slot.def), between the marks of their page.
.PHONY: slots-page
slots-page: deps ## write the tables of hooks into docs/reference/slots.md
	@$(MAKE) --no-print-directory -s build/test/slots_test
	@build/test/slots_test --page > build/slots.md
	@sed -e '/^<!-- hooks -->$$/r build/slots.md' -e '/^<!-- hooks -->$$/,/^<!-- end of hooks -->$$/{/^<!-- /!d}' docs/reference/slots.md > build/slots.page
	@cp build/slots.page docs/reference/slots.md; echo 'slots-page: docs/reference/slots.md'

.PHONY: ptx-page
ptx-page: deps ## write the tables of regtwin list ptx into docs/reference/ptx.md
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@$(B)/regtwin list ptx --markdown > build/ptx.table
	@sed -e '/^<!-- instructions -->$$/r build/ptx.table' -e '/^<!-- instructions -->$$/,/^<!-- end of instructions -->$$/{/^<!-- /!d}' docs/reference/ptx.md > build/ptx.page
	@cp build/ptx.page docs/reference/ptx.md; echo 'ptx-page: docs/reference/ptx.md'

# The experiments of a paper, between the marks of its page; runs that were made before are not made again.
RESULTS_SIZE ?= default
SMALL_ltrf := E-LT6 E-LT7a E-LT7b E-LT9#    at size small: thousands of runs, of which those of one kernel are compared with each other
SMALL_malekeh := E-MK3a#    likewise: eighteen runs of each kernel
EXPERIMENTS_cost := E-FR14 E-SL6 E-FR10a E-FR10b#    of the page cost, which is no paper's; a paper's page has its others
experiments_of = $(or $(EXPERIMENTS_$1),$(filter-out $(EXPERIMENTS_cost),$(shell awk -F '"' '/^EXPERIMENT/ { print $$2 }' cmodel/systems/$1/paper.def)))
RESULTS := $(filter-out results-together,$(patsubst docs/results/%.md,results-%,$(sort $(wildcard docs/results/*.md))))
.PHONY: $(RESULTS)
results-finereg: ## measure the figures of a paper (likewise results-slices, results-cost): docs/results/finereg.md, docs/img/finereg
$(RESULTS): results-%: deps
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@mkdir -p build/experiments docs/img/$*
	@for part in '$(filter-out $(SMALL_$*),$(call experiments_of,$*)):$(RESULTS_SIZE):$*' $(if $(SMALL_$*),'$(SMALL_$*):small:$*-small'); do \
	  IFS=: read -r which size name <<<"$$part"; build/regtwin experiment $$which --size $$size --jobs $(JOBS) --db build/experiments/results.db \
	    --plots docs/img/$* --markdown=../img/$* --json build/experiments/$$name.json || echo '$@: not all of it could be measured; the page says what' >&2; \
	  done > build/experiments/$*.md
	@sed -e '/^<!-- experiments -->$$/r build/experiments/$*.md' \
	  -e '/^<!-- experiments -->$$/,/^<!-- end of experiments -->$$/{/^<!-- /!d}' docs/results/$*.md > build/experiments/page.md
	@cp build/experiments/page.md docs/results/$*.md; echo '$@: docs/results/$*.md, docs/img/$*'

# Every paper's systems on one machine, and, at size small, on each paper's own: about an hour of one core; an interrupted one continues.
.PHONY: results-together
TOGETHER := build/regtwin compare all --jobs $(JOBS) --db build/experiments/results.db
results-together: deps ## measure all systems side by side: docs/results/together.md, docs/img/together
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@mkdir -p build/experiments docs/img/together
	@{ part() { printf '## %s\n\n`regtwin compare all%s`\n\n' "$$1" "$$2"; $(TOGETHER) $$2 "$${@:3}" 2>>build/experiments/together.log || echo 'results-together: not all of it could be measured; the page says what' >&2; }; \
	  part "One machine, size $(RESULTS_SIZE)" " --size $(RESULTS_SIZE)" --plots docs/img/together --json build/experiments/together.json --markdown; \
	  part 'One machine, size small' ' --size small' --markdown=brief; \
	  for m in gtx480 gtx980 maxwell rtx2060; do part "A paper's own machine, size small: $$m" " --config $$m --size small" --markdown=brief; done; } > build/experiments/together.md
	@sed -e '/^<!-- together -->$$/r build/experiments/together.md' -e '/^<!-- together -->$$/,/^<!-- end of together -->$$/{/^<!-- /!d}' \
	  docs/results/together.md > build/experiments/page.md
	@cp build/experiments/page.md docs/results/together.md; echo '$@: docs/results/together.md, docs/img/together'

combinations: deps-build ## every pair of choices that fits, on all kernels at size small with sim.check: docs/use/combinations.md
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@mkdir -p build/experiments
	@{ echo '```'; build/regtwin combine; echo '```'; } > build/experiments/matrix.txt
	@build/regtwin combine --run --set linebacker.period=2000 --jobs $(JOBS) --db build/experiments/results.db > build/experiments/pairs.txt \
	  || { [ -s build/experiments/pairs.txt ] || exit 1; echo '$@: not every kernel ran; the page says which and why' >&2; }
	@{ echo '```'; cat build/experiments/pairs.txt; echo '```'; } > build/experiments/pairs.md
	@sed -e '/^<!-- matrix -->$$/r build/experiments/matrix.txt' -e '/^<!-- results -->$$/r build/experiments/pairs.md' \
	  -e '/^<!-- matrix -->$$/,/^<!-- end of matrix -->$$/{/^<!-- /!d}' -e '/^<!-- results -->$$/,/^<!-- end of results -->$$/{/^<!-- /!d}' \
	  docs/use/combinations.md > build/experiments/page.md
	@cp build/experiments/page.md docs/use/combinations.md; echo '$@: docs/use/combinations.md'

docs/img/architecture.png: docs/img/architecture.dot | deps-test
	dot -Tpng -Gdpi=80 $< -o $@

include cmodel/make/host.mk
-include tests/host/host.mk
-include cosim/cosim.mk

# Not in cosim.mk, on which every model of Verilog depends.
LOCKSTEP_UNITS := finereg/rmu@serial $(addprefix linebacker/ctl@,p50000 p2000) ltrf/pfu@ltrf $(addprefix malekeh/alloc@,pr r2 r4 r8 mono) \
  $(addprefix malekeh/ccu@,gtolru base mono) $(addprefix malekeh/rarb@,c4 c8 mono) $(addprefix malekeh/wfil@,c4 c8 all mono)# sets of the systems of cosim/whole_sm/plan.tsv
LOCKSTEP = JOBS=$(JOBS) COSIM_SM=$(COSIM_SM) REGTWIN=$(B)/regtwin cosim/whole_sm/lockstep.sh
.PHONY: trace-all
trace-all: binary ## every kernel recorded and replayed on every machine, on several SMs, and with every system [TRACE_MACHINES= TRACE_SYSTEMS= TRACE_KERNELS=] (docs/use/trace-format.md)
	@tests/trace_all.sh

.PHONY: lockstep-all lockstep-record twins-page
lockstep-all: deps-cosim ## each system with blocks on the whole SM, a kernel of each class of bottleneck, beside its Verilog and driven by it [LOCKSTEP_SYSTEMS= LOCKSTEP_CLASSES=]
	@$(MAKE) --no-print-directory -s -j$(JOBS) SETS= SM_UNITS='$(LOCKSTEP_UNITS)' binary $(COSIM_SM)
	@$(LOCKSTEP) run
lockstep-record: ## record the runs of make lockstep-all in cosim/records/lockstep.tsv
	@$(LOCKSTEP) record
twins-page: deps ## write the short table of regtwin list blocks into README.md
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@mkdir -p build/twins; $(B)/regtwin list blocks --markdown > build/twins/table.md
	@sed -e '/^<!-- twins -->$$/r build/twins/table.md' -e '/^<!-- twins -->$$/,/^<!-- end of twins -->$$/{/^<!-- /!d}' README.md > build/twins/page.md
	@cp build/twins/page.md README.md; echo 'twins-page: README.md'
-include cosim/systemc/systemc.mk

include traces/kernels/kernels.mk
kernels-check: deps-test ## the committed PTX is what the sources give; every result at default is what the C references say
	@edited=$$(printf '%s\n' $(cl_lines) | cmodel/make/kernels.sh edited | xargs); [ -z "$$edited" ] || \
	  { echo "kernels-check: found other sources or other PTX than traces/kernels/compiled.tsv records, expected make kernels after an edit: $$edited"; exit 1; }
	@if ! why=$$(cmodel/make/llvm.sh --reference clang); then echo "ok - compilation of kernels # SKIP $$why (CONTRIBUTING.md)"; exit; fi; mkdir -p build/kernels; \
	  $(foreach k,$(KERNELS),$(CL_CC) $(call cl_flags,$k) traces/kernels/$k/$k.cl -o build/kernels/$k.ptx; \
	  cmp build/kernels/$k.ptx traces/kernels/$k/$k.ptx;) echo 'kernels-check: $(words $(KERNELS)) kernels, same PTX'
	@$(MAKE) --no-print-directory -s kernels-results

# ---- install -----------------------------------------------------------------------------------------------------
BINDIR = $(DESTDIR)$(PREFIX)/bin
LIBDIR = $(DESTDIR)$(PREFIX)/lib
INCDIR = $(DESTDIR)$(PREFIX)/include
SHAREDIR = $(DESTDIR)$(PREFIX)/share

# The installed library is one object whose only global names are those of regtwin.h, and knows where the kernels are.
build/install/libregtwin.a: $(LIBOBJ) FORCE
	@mkdir -p $(@D)
	@printf 'const char traces_installed[] = "%s";\n' '$(PREFIX)/share/regtwin/kernels' > $(@D)/place.c
	$(Q)$(CC) -g -c $(@D)/place.c -o $(@D)/place.o
	$(Q)$(CC) -r -nostdlib $(if $(LTO),$(CFLAGS) $(PROFILE) $(LTO) -flinker-output=nolto-rel) $(filter-out %/run/place.o,$(LIBOBJ)) $(@D)/place.o -o $(@D)/regtwin.o
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='rt_*' $(@D)/regtwin.o
	@rm -f $@
	$(Q)$(AR) rcs $@ $(@D)/regtwin.o

install: all ## binary, libraries, header, pkg-config file, man page, completion, kernels, pages
	@$(MAKE) $(ALL_CORES) build/install/libregtwin.a
	install -D -m 755 $(B)/regtwin $(BINDIR)/regtwin
	install -D -m 644 build/install/libregtwin.a $(LIBDIR)/libregtwin.a
	install -D -m 644 cmodel/regtwin.h $(INCDIR)/regtwin.h
	for f in $(filter-out %.icd,$(HOST_LIBS)); do install -D -m 755 $$f $(LIBDIR)/regtwin/$${f##*/} || exit; done
	install -d $(SHAREDIR)/regtwin/opencl
	echo '$(abspath $(PREFIX))/lib/regtwin/libregtwin-opencl.so' > $(SHAREDIR)/regtwin/opencl/regtwin.icd
	install -d $(LIBDIR)/pkgconfig
	sed -e 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' cmodel/make/install/regtwin.pc.in > $(LIBDIR)/pkgconfig/regtwin.pc
	install -D -m 644 cmodel/make/install/regtwin.1 $(SHAREDIR)/man/man1/regtwin.1
	install -D -m 644 cmodel/make/install/regtwin.bash $(SHAREDIR)/bash-completion/completions/regtwin
	cd traces/kernels && find . \( -name '*.ptx' -o -name '*.launch' -o -name '*.widths' -o -name about.yaml -o -name '*_cl.h' -o -name '*.png' \) \
	  -exec install -D -m 644 {} $(abspath $(SHAREDIR))/regtwin/kernels/{} \;
	for f in $(OPCODE_MAPS); do install -D -m 644 $$f $(SHAREDIR)/regtwin/opcodes/$${f##*/} || exit; done
	cd docs && find . \( -name '*.md' -o -name '*.png' \) -exec install -D -m 644 {} $(abspath $(SHAREDIR))/doc/regtwin/{} \;

uninstall: ## remove what install put there
	rm -f $(BINDIR)/regtwin $(INCDIR)/regtwin.h $(LIBDIR)/libregtwin.a $(LIBDIR)/pkgconfig/regtwin.pc $(SHAREDIR)/man/man1/regtwin.1 \
	  $(SHAREDIR)/bash-completion/completions/regtwin
	rm -rf $(LIBDIR)/regtwin $(SHAREDIR)/regtwin $(SHAREDIR)/doc/regtwin

clean: ## remove build/
	rm -rf build
