#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# regtwin host: what a program gets from it, which needs neither OpenCL nor CUDA. Wrong options: host-*.args in tests/data/bad/cli.txt.
# needs: binary host host-programs
. "$(dirname "$0")/../lib.sh"
check 'the libraries are built' make -s host

host() { "$regtwin" host "$@" </dev/null; }
# What the program's environment has of this variable: name, options...
has_variable() { host "${@:2}" -- env | sed -n "s/^$1=//p"; }
unset LD_LIBRARY_PATH OCL_ICD_VENDORS "${!REGTWIN_@}"

# ---- statuses, arguments, signals
for s in 0 1 2 77; do
  host sh -c "exit $s"
  equal "exit status $s" $? $s
done
# shellcheck disable=SC2016
equal 'arguments, also those that look like options, and empty ones' \
  "$(host --config gtx980 sh -c 'for a; do printf "<%s>" "$a"; done' - --config x -- '' 'a b' $'\t' --help)" '<--config><x><--><><a b><'$'\t''><--help>'
equal 'controls in the arguments of the program' "$(host -- printf '%s' $'-\001' | od -An -tx1)" ' 2d 01'
# shellcheck disable=SC2016
host sh -c 'kill -TERM $$' 2>/dev/null
equal 'a signal' $? $((128 + 15))
# shellcheck disable=SC2016
equal 'signals are as they were' "$(host sh -c 'grep -E "^SigIgn" /proc/self/status')" "$(sh -c 'grep -E "^SigIgn" /proc/self/status' </dev/null)"
equal 'ignored ones are ignored' "$(env --ignore-signal=CHLD --ignore-signal=XFSZ "$regtwin" host sh -c 'grep -E "^SigIgn" /proc/self/status')" \
  "$(env --ignore-signal=CHLD --ignore-signal=XFSZ sh -c 'grep -E "^SigIgn" /proc/self/status')"
equal 'it becomes the program: no process of its own' "$(bash -c "echo \$\$; exec $regtwin host sh -c 'echo \$\$'" | uniq | wc -l)" 1
host no-such-program 2>"$tmp/err"
equal 'no such program: status 127' $? 127
has 'its name' '^regtwin: no-such-program: error: found no program that can be executed: No such file' "$tmp/err"
touch "$tmp/data"
host "$tmp/data" 2>"$tmp/err"
equal 'not executable: status 126' $? 126
host ./no-such-program 2>/dev/null
equal 'nor here' $? 127
host "$tmp/data/program" 2>/dev/null
equal 'nor below a file' $? 127
echo hello >"$tmp/in"
equal 'standard input is the program'"'"'s' "$("$regtwin" host cat <"$tmp/in")" hello

# ---- variables
lib=$PWD/build/host
equal 'LD_LIBRARY_PATH' "$(has_variable LD_LIBRARY_PATH)" "$lib"
equal 'in front of what was there' "$(LD_LIBRARY_PATH=/a:/b has_variable LD_LIBRARY_PATH)" "$lib:/a:/b"
equal 'OCL_ICD_VENDORS is a directory with one driver' "$(find "$(has_variable OCL_ICD_VENDORS)" -name '*.icd' -exec cat {} +)" "$lib/libregtwin-opencl.so"
equal 'only what is given' "$(host env | grep -c '^REGTWIN_')" 0
equal '--config, --system' "$(host -c rtx2060 --system FineReg env | grep '^REGTWIN_' | sort | tr '\n' ' ')" 'REGTWIN_CONFIG=rtx2060 REGTWIN_SYSTEM=FineReg '
equal '--set' "$(has_variable REGTWIN_SET --set l1.bytes=65536 -S sm.schedulers=2)" 'l1.bytes=65536 sm.schedulers=2'
equal 'behind those of the variable' "$(REGTWIN_SET='l1.ways=8  l1.mshrs=7' has_variable REGTWIN_SET --set l1.bytes=65536)" 'l1.ways=8 l1.mshrs=7 l1.bytes=65536'
equal '--sms' "$(has_variable REGTWIN_SET --sms 4)" 'sim.sms=4'
equal '--sms all' "$(has_variable REGTWIN_SET --sms all --config rtx2060)" "sim.sms=$("$regtwin" config --dump --config rtx2060 | sed -n '/^gpu:/,/^[a-z]/s/^  sms: \([0-9]*\).*/\1/p')"
equal '--time, --bounds' "$(host --time 2-5,sgemm --bounds lenient env | grep '^REGTWIN_' | sort | tr '\n' ' ')" 'REGTWIN_BOUNDS=lenient REGTWIN_TIME=2-5,sgemm '
equal 'an option goes before its variable' "$(REGTWIN_TIME=none REGTWIN_CONFIG=gtx480 has_variable REGTWIN_TIME --time all)" all
equal 'which stays else' "$(REGTWIN_TIME=none has_variable REGTWIN_TIME)" none
REGTWIN_CONFIG=gtx1 host true 2>"$tmp/err"
equal 'a variable is checked, too' $? 2
has 'as the option would be' "found unknown machine 'gtx1'" "$tmp/err"
REGTWIN_TIME=3--5 host touch "$tmp/started" 2>"$tmp/err"
equal 'also one that only the libraries read' $? 2
check 'nothing has started' test ! -e "$tmp/started"
REGTWIN_BOUNDS=x host true 2>"$tmp/err"
has 'with its name' 'REGTWIN_BOUNDS' "$tmp/err"

# ---- paths, for programs that change their directory
mkdir "$tmp/d e"
"$regtwin" config --dump --config gtx980 >"$tmp/d e/m.conf"
cp "$tmp/d e/m.conf" "$tmp/m.conf"
cd "$tmp/d e" || exit 1
equal 'the path of a machine' "$(has_variable REGTWIN_CONFIG --config m.conf)" "$tmp/d e/m.conf"
equal 'of the results' "$(has_variable REGTWIN_JSON --json out.json)" "$tmp/d e/out.json"
check 'which is not made, nor changed, before the end' test ! -e out.json
equal 'standard output' "$(has_variable REGTWIN_JSON --json -)" -
touch profile
host --set malekeh.profile=profile true 2>"$tmp/err"
equal 'a path of a setting with a blank: status 2' $? 2
has 'is refused' "found 'malekeh.profile=$tmp/d e/profile', expected no blanks" "$tmp/err"
cd "$tmp" || exit 1
touch profile
equal 'of a setting' "$(has_variable REGTWIN_SET --set malekeh.profile=profile)" "malekeh.profile=$tmp/profile"
cd "${regtwin%/build/*}" || exit 1

# ---- addresses
if setarch -R true 2>/dev/null; then
  equal 'address randomisation is off' "$(for _ in 1 2 3; do host sh -c 'head -n 1 /proc/self/maps; tail -n 1 /proc/self/maps'; done | sort -u | wc -l)" 2
else
  host true 2>"$tmp/err"
  equal 'address randomisation cannot be switched off here: the program runs all the same' $? 0
  has 'and that is said' 'address randomisation stays on' "$tmp/err"
fi

# ---- where the libraries are
mkdir -p "$tmp/alone/bin"
cp "$regtwin" "$tmp/alone/bin/regtwin"
"$tmp/alone/bin/regtwin" host true 2>"$tmp/err"
equal 'without the libraries: status 2' $? 2
has 'it says what is missing' 'found no libraries for host programs beside this program, expected host/regtwin.icd' "$tmp/err"
mkdir -p "$tmp/alone/share/regtwin/opencl" "$tmp/alone/lib/regtwin"
echo /nowhere >"$tmp/alone/share/regtwin/opencl/regtwin.icd"
equal 'installed' "$("$tmp/alone/bin/regtwin" host env | grep -E '^(LD_LIBRARY_PATH|OCL_ICD_VENDORS)=' | sort | tr '\n' ' ')" \
  "LD_LIBRARY_PATH=$tmp/alone/lib/regtwin OCL_ICD_VENDORS=$tmp/alone/share/regtwin/opencl "
ln -s "$tmp/alone/bin/regtwin" "$tmp/link"
equal 'by a link' "$("$tmp/link" host env | grep -c "$tmp/alone/lib/regtwin")" 1
