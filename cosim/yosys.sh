# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What depends on Yosys's version. Sourced from the root of the tree.

# Prints the command that turns properties into cells for the solver. In later versions (0.52) a property is a cell of its own kind until
# it is lowered; 0.23 has no such command, and needs none.
yosys_lower() {   # the program
  if "$1" -qq -p 'tee -q -o /dev/stdout help chformal' 2>/dev/null | grep -c -e '-lower' >/dev/null; then echo 'chformal -lower;'; fi
}
