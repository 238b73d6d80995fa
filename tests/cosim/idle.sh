#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The engine detects planted faults in idle and skip, by which the SM skips cycles, also those of csw, which no port shows. That every
# block keeps their contract is part of its lockstep (lockstep.sh).
# needs: cosim-built
. "$(dirname "$0")/../lib.sh"
o=build/cosim/obj
read -ra engine <<<"$(make -s cosim-engine)"

planted() {   # what, block, sed expression, what is said, the outcome (IDLE)
  local what="$2: $1" b=$2 name=${2##*/} system=${2%/*}
  mkdir -p "$tmp/$system"
  sed "$3" "cmodel/blocks/$b.c" >"$tmp/$b.c"
  if cmp -s "cmodel/blocks/$b.c" "$tmp/$b.c"; then not_ok "$what" "nothing changed: $3"; return; fi
  if ! gcc -std=gnu11 -O1 -g -w -ffp-contract=off -Icmodel -Icosim/engine -DDESC_BLOCK="$name" -DDESC_DEF="\"blocks/$b.def\"" \
    -DDESC_SOURCE="\"$tmp/$b.c\"" -c cosim/engine/describe.c -o "$tmp/twin.o" ||
    ! gcc "$tmp/twin.o" "$o/$b/plain/shim.o" "$o/$b/tb.o" "${engine[@]}" \
      "$o/$system/twins.a" "$o/$b/plain/V${name}__ALL.a" build/verilator/{verilated,verilated_threads,fstapi}.o \
      -lstdc++ -lzstd -lz -lmpfr -lgmp -lm -pthread -o "$tmp/run"; then
    not_ok "$what" 'cannot be built'
    return
  fi
  "$tmp/run" --block "$b" --wave-dir "$tmp" >"$tmp/out" 2>&1
  local status=$?
  if [ $status -eq 1 ] && grep -q "^${5:-IDLE} $name cycle" "$tmp/out" && grep -qE "$4" "$tmp/out"; then ok "$what"
  else not_ok "$what" "exit status $status, expected 1 and: $4" "$(head -n 5 "$tmp/out")"; fi
}
promise='_(idle|hold) promises '
tick='skip\([0-9]+\) is not that many ticks under quiet inputs'
planted 'an idle of one cycle too many' finereg/csw 's/PERIOD - 1 - s->r.timer_q/PERIOD - s->r.timer_q/' "${promise}[0-9]+ cycles: $tick"
planted 'an idle with CTAs to look at' finereg/csw 's/ || s->due_q\[0\] | s->due_q\[1\])/)/' "${promise}[a-z0-9 ]+ cycles: "
planted 'a skip with another period' finereg/csw '/^void csw_skip/,/^}/s/% PERIOD/% (PERIOD - 1)/' "${promise}[a-z0-9 ]+ cycles: $tick"
planted 'a skip that does nothing' finereg/csw '/^void csw_skip/,/^}/s/if (s->r.state_q == CSW_EXAMINE/return; &/' "${promise}[a-z0-9 ]+ cycles: $tick"
planted 'a hold while one could come' finereg/csw 's/return csw_nobody_comes(in) ? UINT64_MAX : 0/return UINT64_MAX/' '_hold promises any number of cycles: '
planted 'a round of another length' finereg/csw 's/all ? PERIOD : 2 \* PERIOD/PERIOD/' "_hold promises any number of cycles: $tick"
planted 'control that needs the data' slice/vt 's/if (!m) continue;/if (!m || (part \&\& s->r.control_only)) continue;/' 'with and without data: part1_valid_o is' CONTROL
planted 'a register that needs the data' slice/dit 's/= table_next_pointer(l, DIT_LANES)/= s->r.control_only ? 0 : table_next_pointer(l, DIT_LANES)/' 'with and without data: pointer_q' CONTROL
planted 'an idle with an answer to give' finereg/lrvc 's/return s->response_valid_q || /return /' "${promise}any number of cycles: after 1 of these ticks the output response_"
planted 'a row without a valid bit that counts' finereg/ppt '/^void ppt_tick/a if (!set_has(s->valid_q, 127)) s->row_q[127].count++;' "${promise}any number of cycles: $tick: row_q\[127\]\.count of struct ppt, which no STATE shows, is [0-9a-f]+, not [0-9a-f]+"
planted 'an idle with a done to take back' finereg/rmu 's/ | s->done_valid_q) return 0/) return 0/' "${promise}any number of cycles: after 1 of these ticks the output done_"
planted 'a tick without an input that is no skip' finereg/fsmon '/^void fsmon_tick/a s->full_q ^= 1ull << 63;' "${promise}any number of cycles: $tick: full_q of struct fsmon, which no STATE shows, is 0, not 8000000000000000"
planted 'an idle with responses to give' slice/sit 's/return s->response_valid_q ? 0 : /return /' "${promise}any number of cycles: after 1 of these ticks the output response_"
planted 'an idle with lanes to drain' slice/dit 's/return s->result_valid_q ? 0 : /return /' "${promise}any number of cycles: after 1 of these ticks the output "
# counts that take 2^32 cycles: the bench starts from a state near their end
planted 'a count that wraps' linebacker/lm 's/\*n += \*n < MOST/*n = (*n + 1) \& MOST/' '^! hit_count_q' DIVERGE
check 'which is not found from resets alone' "$tmp/run" --cycles 300000 --no-states
