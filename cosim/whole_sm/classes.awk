# SPDX-License-Identifier: Apache-2.0
# The class of each kernel's bottleneck, from the JSON of regtwin bottleneck: a line for each kernel, "CLASS CYCLES KERNEL". The class is that of
# the tightest resource, or latency if no resource is busy for half of the cycles.

BEGIN {
  split("issue int sp dp sfu tensor", issue); for (k in issue) class[issue[k]] = "issue"
  split("collectors rf_reads rf_writes rf_ports", rf); for (k in rf) class[rf[k]] = "registers"
  split("lsu tex filter l1_port l1_mshrs", l1); for (k in l1) class[l1[k]] = "l1"
  split("request reply l2 l2_mshrs dram_bus activates", mem); for (k in mem) class[mem[k]] = "memory"
}

{ gsub(/[",]/, "") }
$1 == "kernel:" { kernel = $2; wanted = 0 }
$1 == "cycles:" { cycles = $2 }
$1 == "utilisation:" { wanted = 1; next }
wanted {
  wanted = 0
  key = substr($1, 1, length($1) - 1)
  if (!(key in class)) { printf "classes.awk: found resource %s of %s, expected one that has a class\n", key, kernel > "/dev/stderr"; exit 2 }
  print ($2 < 0.5 ? "latency" : class[key]), cycles, kernel
}
