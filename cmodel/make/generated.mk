# SPDX-License-Identifier: Apache-2.0
# What make writes into build/gen: the lists of the systems, tables of what was recorded, and files that become strings of the program.
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
PROGRAM_SRC := $(filter-out cmodel/regtwin.% cmodel/lab/run/rows.def cmodel/lab/run/hardware.% cmodel/lab/run/result_table.% cmodel/lab/run/task.% cmodel/cli/% cmodel/host/session/% $(HOST_DIRS) cmodel/lab/report/% cmodel/lab/campaign/% cmodel/lab/database/% cmodel/cost/% cmodel/compiler/ir/nvdisasm% %/experiments.c,$(PROGRAM_SRC)) \
  $(sort $(wildcard cmodel/trace/accelsim/opcodes/*.map)) cmodel/lab/campaign/traits.c cmodel/lab/campaign/traits.h cmodel/make/hooks.sh
PROGRAM_LISTS = $(addprefix $(GEN)/systems/,choices.def keys.def stats.def) $$(find $(GEN)/nets -type f | LC_ALL=C sort)
$(GEN)/program.h: $(GEN)/systems/made FORCE
	@mkdir -p $(@D); printf '#define RT_PROGRAM "%s"\n' "$$({ cat $(PROGRAM_SRC); sed '/^#line /d' $(PROGRAM_LISTS); } | sha256sum | cut -d ' ' -f 1)" > $@.$$$$; cmp -s $@.$$$$ $@ && rm -f $@.$$$$ || mv $@.$$$$ $@

# What make synth-record found, a line for each block at each of its sets, becomes a table of the program. The last field of a line is 1 if
# its hash of the Verilog is not that of the block's first set: it was recorded of earlier Verilog.
EARLIER = function earlier(name, hash) { sub(/@.*/, "", name); return name in first && first[name] != hash } FNR == 1 { pass++ } /^\#/ { next }
COST_TABLE ?= cosim/records/baseline.tsv
ENERGY_TABLE ?= cosim/records/energy.tsv
$(GEN)/cost/blocks.def: $(COST_TABLE) cmodel/make/generated.mk
	@mkdir -p $(@D); awk -F '\t' '$(EARLIER) pass == 1 { if ($$1 !~ /@/) first[$$1] = $$NF; next } NF != 11 { printf "%s:%d: found %d columns, expected 11\n", FILENAME, FNR, NF > "/dev/stderr"; exit 2 } \
	  { printf "BLOCK(\"%s\", %s, %s, %s, %s, %s, %s, \"%s\", \"%s\", %d)\n", $$1, $$2, $$3, $$4, $$5, $$7, $$8, $$9, $$10, earlier($$1, $$11) }' $< $< >$@.new && mv $@.new $@

$(GEN)/cost/energy.def: $(ENERGY_TABLE) cmodel/make/generated.mk
	@mkdir -p $(@D); awk -F '\t' '$(EARLIER) pass == 1 { if ($$1 !~ /@/ && $$9 == "osu018_stdcells") first[$$1] = $$NF; next } NF != 10 { printf "%s:%d: found %d columns, expected 10\n", FILENAME, FNR, NF > "/dev/stderr"; exit 2 } \
	  $$2 != "bench" && $$2 != "streams" { printf "%s:%d: found run %s, expected bench or streams\n", FILENAME, FNR, $$2 > "/dev/stderr"; exit 2 } \
	  $$4 !~ /^[0-9.]+(e[+-]?[0-9]+)?$$/ || $$7 !~ /^[0-9.]+(e[+-]?[0-9]+)?$$/ { printf "%s:%d: found %s and %s pJ, expected numbers\n", FILENAME, FNR, $$4, $$7 > "/dev/stderr"; exit 2 } \
	  $$9 == "osu018_stdcells" { printf "ENERGY_ROW(\"%s\", %d, \"%s\", %s, %s, %d)\n", $$1, $$2 == "streams", $$5, $$4, $$7, earlier($$1, $$10) }' $< $< >$@.new && mv $@.new $@

# The table of the twins: what was recorded of them, and whether it is of these sources. A directory changes when a file comes or goes, so those of the
# kernels when PTX is written; PTX itself has a rule, which nobody wants here.
TWIN_SOURCES := $(shell find cmodel/blocks rtl tb synth/formal traces/streams traces/kernels -type d -o -type f ! -name '*.yaml' ! -name '*.cl' ! -name '*.ptx' ! -name README.md 2>/dev/null) $(wildcard cosim/records/twins.tsv \
  cosim/records/lockstep.tsv cmodel/systems/*/system.def) cosim/records/baseline.tsv synth/hash.sh $(addprefix cosim/,table.sh whole_sm/whole.sh lib.sh sources.awk sets.awk) $(wildcard cmodel/make/lists.* cmodel/base/*.h)
$(GEN)/twins/stamp: $(TWIN_SOURCES)
	@mkdir -p $(@D); cosim/table.sh >$@.$$$$ || { rm -f $@.$$$$; exit 2; }; cmp -s $@.$$$$ $(@D)/blocks.def && rm -f $@.$$$$ || mv $@.$$$$ $(@D)/blocks.def; touch $@
$(GEN)/twins/blocks.def: $(GEN)/twins/stamp ;

# The .conf files become strings of the program, so that it runs from any directory.
$(GEN)/conf: FORCE
	@mkdir -p $(@D); printf '%s\n' $(MACHINE_CONF) -- $(SYSTEM_CONF) | cmp -s - $@ || printf '%s\n' $(MACHINE_CONF) -- $(SYSTEM_CONF) > $@
$(GEN)/builtin.c: $(MACHINE_CONF) $(SYSTEM_CONF) $(GEN)/conf cmodel/make/builtin.sh cmodel/make/generated.mk
	@mkdir -p $(@D)
	@cmodel/make/builtin.sh $(MACHINE_CONF) -- $(SYSTEM_CONF) > $@.new && mv $@.new $@

# So do the opcode maps of other machines' traces.
OPCODE_MAPS := $(sort $(wildcard cmodel/trace/accelsim/opcodes/*.map))
$(GEN)/opcodes.c: $(OPCODE_MAPS) cmodel/make/generated.mk
	@mkdir -p $(@D); { printf '#include "trace/accelsim/opmap.h"\nconst struct opmap_file opmap_builtin[] = {\n'; for f in $(OPCODE_MAPS); do \
	  printf '{"%s",\n' "$${f##*/}"; sed -e 's/[\"]/\\&/g' -e 's/.*/"&\\n"/' "$$f"; printf '},\n'; done; printf '{0, 0}};\n'; } > $@.new && mv $@.new $@

