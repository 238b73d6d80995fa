#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make demo with Verilator: step five runs, finds the planted fault, and prints what cosim/records/demo.txt has; the tree's own Verilog stays as it is.
# needs: binary cosim-runtime
. "$(dirname "$0")/../lib.sh"

tree() { find rtl -type f -exec sha256sum {} + | sort; }
tree >"$tmp/before"
rm -rf build/demo
make --no-print-directory demo SIZE=small >"$tmp/o" 2>"$tmp/err"
equal 'status' $? 0
hasnt 'nothing is recorded' '^RECORDED' "$tmp/o"
sed -n '/^==== 5 of 5 /,/^  next: /p' "$tmp/o" | sed '1,/^$/d; /^  next: /d' | sed '${/^$/d}' >"$tmp/found"
sed 1d cosim/records/demo.txt >"$tmp/want"
same 'what was recorded is what it prints (else: make demo-record)' "$tmp/want" "$tmp/found"
has 'the fault is one character' "^  in the copy: .*= \{hit, 1'd0\} > " "$tmp/found"
tree >"$tmp/after"
same 'the Verilog of the tree is as it was' "$tmp/before" "$tmp/after"
equal 'one line of the copy differs' "$(diff rtl/linebacker/lm.sv build/demo/rtl/linebacker/lm.sv | grep -c '^>')" 1
made=$(stat -c %y build/demo/cosim/obj/linebacker/lm/plain/run)
check 'once more' make --no-print-directory demo SIZE=small
equal 'nothing is built again' "$(stat -c %y build/demo/cosim/obj/linebacker/lm/plain/run)" "$made"

# A block without the fault is not taken for a success.
cp -r cmodel/make/demo.sh "$tmp/demo.sh"
sed -i "s|^cd .*|cd '$PWD'|; s|{hit, 1'd0} >|{hit, 2'd0} /* 5 hit > hit + miss */ >|" "$tmp/demo.sh"
MAKE='make VERILATOR=verilator' SIZE=small bash "$tmp/demo.sh" >"$tmp/o" 2>"$tmp/err"
equal 'a copy without a fault: status' $? 1
has 'a copy without a fault: message' '^make demo: lockstep has not found the fault \(status 0\)$' "$tmp/err"
hasnt 'and no divergence' '^DIVERGE' "$tmp/o"
