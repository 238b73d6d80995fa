# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# How one row of proofs.tsv is proven, and what its answer is called. A kept proof depends on this file, so what
# only prints or chooses stands in run.sh.
limit=${FORMAL_TIMEOUT:-900}
. cosim/yosys.sh
lower=$(yosys_lower yosys)
objects() { awk '/objects\.$/ { n = $1 } END { print n + 0 }' "$1"; }
ask() { timeout "$limit" yosys -q -p "$1" >>"$work.log" 2>&1; }   # Yosys commands

answers='proof finished - no model found|Induction step proven: SUCCESS|model found for base case: FAIL'
answers+='|model found: FAIL|Reached maximum number of time steps'
# solve FROM OPTIONS...: reads FROM.il
# verdict: proven, model (a counterexample), open (the induction does not close), none (no answer)
verdict=
planted=0   # 1: the fault of a row of planted.tsv is in the tree, and a counterexample is what is wanted
only=       # a selection of assertions by their source lines: the others are left out; empty: all are proven
solve() {
  local from=$1
  shift
  : >"$work.answer"
  timeout "$limit" yosys -p "read_rtlil $from.il; chformal -cover -remove;
    sat -prove-asserts -set-assumes $*" >"$work.answer" 2>&1
  local status=$?
  cat "$work.answer" >>"$work.log"
  case $(grep -oE "$answers" "$work.answer" | tail -n 1) in
    *'no model'* | *SUCCESS*) verdict=proven ;;
    *FAIL) verdict=model ;;
    Reached*) verdict=open ;;
    *) verdict=none note="see $work.log"; [ $status -ne 124 ] || note="no answer in $limit s" ;;
  esac
}

# finds the assertion that fails, and writes a trace of it alone
blame() {
  local name base=()
  [ "$step" = - ] || base=(-tempinduct-baseonly -maxsteps "${depth/-/8}")
  note="an assertion fails: $work.log"
  ask "read_rtlil $work.il; tee -o $work.asserts select -list t:\$assert" || return
  while read -r name; do
    ask "read_rtlil $work.il; chformal -cover -remove; select -set all t:\$assert; select -set one $name;
      delete @all @one %d; opt_clean; write_rtlil $work.one.il" || return
    solve "$work.one" "${base[@]}" -dump_vcd "$work.vcd"
    [ $verdict = model ] || continue
    note=${name##*\$assert\$}
    note=${note%\$*}
    note="${note##*/} fails: $work.vcd"
    return
  done <"$work.asserts"
}

# each cover alone, negated to an assertion that must fail
covers() {
  local k name base=()
  [ "$step" = - ] || base=(-tempinduct-baseonly -maxsteps "$depth")
  for ((k = 0; k < ncover; k++)); do
    name=$(sed -n "$((k + 1))p" "$work.covers")
    ask "read_rtlil $work.il; chformal -assert -remove; select -set all t:\$cover; select -set one $name;
      delete @all @one %d; techmap -map synth/formal/cover.v; opt_clean; write_rtlil $work.cover.il" ||
      { result=FAILED note="see $work.log"; return; }
    solve "$work.cover" "${base[@]}"
    [ $verdict = model ] || { result=FAILED note="cover $name: $verdict"; return; }
  done
}

# prove RTLDIR BLOCK TOP PARAMS DEPTH STEP WORK: sets result, note, nassert, ncover
prove() {
  local rtl=$1 top=$3 params=$4 sys=${2%/*} chparam="" p files clocked="" mark="" chosen=""
  depth=$5 step=$6 work=$7 result=FAILED note="" nassert=0 ncover=0
  [ "$params" = - ] || for p in $params; do chparam+=" -set ${p%=*} ${p#*=}"; done
  [ -z "$chparam" ] || chparam="chparam$chparam \$abstract\\$top;"
  files=$(find "$rtl/common" "$rtl/$sys" "synth/formal/$sys" -name '*.sv' 2>/dev/null | sort -u | xargs)
  [ "$step" = - ] || clocked="async2sync; dffunmap; memory_map;"
  # Before the hierarchy is flattened a cell has one place in the sources. What later versions lower is a $check until it has no clock.
  [ -z "$only" ] || mark="setattr -set f_only 1 t:\$assert t:\$check %u $only %i;" chosen="select -set all t:\$assert;
    select -set its t:\$assert a:f_only=1 %i; select -assert-min 1 @its; delete @all @its %d; select -clear; opt_clean;"
  : >"$work.log"
  ask "read_verilog -sv -formal -DASSERT_ON -I$rtl/common -defer $files; $chparam hierarchy -check -top $top; proc; $mark
    select -set parts * A:top %d; chformal -cover -remove @parts; chformal -assume -assume2assert @parts; flatten;
    prep -nordff; $clocked $lower $chosen opt_clean; check -assert; tee -o $work.nassert select -count t:\$assert;
    tee -o $work.ncover select -count t:\$cover; tee -o $work.covers select -list t:\$cover;
    write_rtlil $work.il" || { note="yosys: see $work.log"; return; }
  nassert=$(objects "$work.nassert") ncover=$(objects "$work.ncover")
  [ "$nassert" -gt 0 ] || { note="no assertion in it"; return; }
  if [ "$planted" = 1 ] && [ "$step" != - ]; then   # from reset; an induction that does not close is no counterexample
    solve "$work" -tempinduct-baseonly ${skip:+-tempinduct-skip "$skip"} -maxsteps "${depth/-/80}" -dump_vcd "$work.vcd"
  elif [ "$step" = - ]; then
    solve "$work"
    [ $verdict = proven ] && result=complete
  else
    solve "$work" -tempinduct -maxsteps "$step" -dump_vcd "$work.vcd"
    case $verdict in
      proven)
        result=induction
        note=$(grep -oE 'induction step [0-9]+' "$work.answer" | sed -n '$s/.* /k=/p') ;;
      open)
        if [ "$depth" = - ]; then note="the induction does not close"; return; fi
        solve "$work" -tempinduct-baseonly -maxsteps "$depth" -dump_vcd "$work.vcd"
        [ $verdict != open ] || { result=bound note="to depth $depth"; } ;;
    esac
  fi
  if [ $verdict = model ] && [ "$planted" = 0 ]; then blame; fi
  if [ "$depth" = - ]; then ncover=0; fi
  [ "$planted" = 1 ] || [ $result = FAILED ] || covers
  if [ -n "${SMT:-}" ] && [ $result = induction ]; then second; fi
}

# a second solver on the same netlist: from reset to the depth, then the induction; FAILED if it finds a counterexample
second() {
  local bmc=(timeout "$limit" yosys-smtbmc --noprogress --unroll -s z3) deep=${depth/-/8}
  ask "read_rtlil $work.il; chformal -cover -remove; write_smt2 -wires $work.smt2" || { result=FAILED note="see $work.log"; return; }
  "${bmc[@]}" -t "$deep" "$work.smt2" >"$work.smt" 2>&1
  case $(tail -n 1 "$work.smt") in
    *PASSED) ;;
    *FAILED) result=FAILED note="smtbmc: see $work.smt"; return ;;
    *) note+=", smtbmc: no answer in $limit s"; return ;;
  esac
  if "${bmc[@]}" -i -t "${step/-/1}" "$work.smt2" >>"$work.smt" 2>&1; then note+=", smtbmc too"
  else note+=", smtbmc: to depth $deep"; fi
}
