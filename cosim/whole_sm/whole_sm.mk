# SPDX-License-Identifier: Apache-2.0
# Not in cosim.mk, on which every model of Verilog depends.
LOCKSTEP_UNITS := finereg/rmu@serial $(addprefix linebacker/ctl@,p50000 p2000) ltrf/pfu@ltrf $(addprefix malekeh/alloc@,pr r2 r4 r8 mono) \
  $(addprefix malekeh/ccu@,gtolru base mono) $(addprefix malekeh/rarb@,c4 c8 mono) $(addprefix malekeh/wfil@,c4 c8 all mono)# sets of the systems of cosim/whole_sm/plan.tsv
LOCKSTEP = JOBS=$(JOBS) COSIM_SM=$(COSIM_SM) REGTWIN=$(B)/regtwin cosim/whole_sm/lockstep.sh
.PHONY: lockstep-all lockstep-record
lockstep-all: deps-cosim ## each system with blocks on the whole SM, a kernel of each class of bottleneck, beside its Verilog and driven by it [LOCKSTEP_SYSTEMS= LOCKSTEP_CLASSES=]
	@$(MAKE) --no-print-directory -s -j$(JOBS) SETS= SM_UNITS='$(LOCKSTEP_UNITS)' binary $(COSIM_SM)
	@$(LOCKSTEP) run
lockstep-record: ## record the runs of make lockstep-all in cosim/records/lockstep.tsv
	@$(LOCKSTEP) record
