#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Help texts: one screen for the program, options whose texts stand below themselves, the width of the terminal; misspelt commands and options.
# needs: binary
. "$(dirname "$0")/../lib.sh"
unset COLUMNS
commands=(run resume host list config analyze bench characterize quality tune compare experiment bottleneck map cost combine sweep results trace
  'trace record' 'trace info' 'trace dump' 'trace import' 'trace export')
widest() { awk 'length > n { n = length } END { print n + 0 }' "$1"; }

# ---- the program: a screen of 24 lines and 80 columns
"$regtwin" --help >"$tmp/help" 2>"$tmp/err"
equal '--help: status' $? 0
check '--help: nothing on standard error' test ! -s "$tmp/err"
check '--help: at most 24 lines' test "$(wc -l <"$tmp/help")" -le 24
check '--help: at most 80 columns' test "$(widest "$tmp/help")" -le 80
for use in 'Simulation of the whole system, in C alone' 'Estimates of area, time and energy' 'Lockstep of C models and Verilog' 'Waveforms'; do
  has "--help: the use: $use" "^$use" "$tmp/help"
done
has '--help: the glossary' 'docs/start/glossary\.md' "$tmp/help"
# The commands as the program itself lists them, each in one line of the screen.
"$regtwin" qqqqqqqq 2>&1 | sed -n "s/.*found unknown command 'qqqqqqqq', expected //p" | sed 's/,//g; s/ or / /' | tr ' ' '\n' >"$tmp/commands"
check "there are $(wc -l <"$tmp/commands") commands" test "$(wc -l <"$tmp/commands")" -ge 19
while read -r c; do
  equal "--help: $c once" "$(grep -cE "^  ([a-z]+, )?$c(,| )" "$tmp/help")" 1
done <"$tmp/commands"
same 'of any width' "$tmp/help" <(COLUMNS=200 "$regtwin" --help)
same '-? is the same' "$tmp/help" <("$regtwin" '-?')
equal 'each command that is tested is one of them, and the other way round' "$(printf '%s\n' "${commands[@]}" | grep -v ' ' | sort | xargs)" "$(sort "$tmp/commands" | xargs)"
has '--usage' '^Usage: regtwin ' <("$regtwin" --usage)
# The man page shows the same screen.
sed -e 's/\\-/-/g' -e 's/^\\&//' cmodel/make/install/regtwin.1 >"$tmp/man"
equal 'the man page has each of its lines' "missing: $(grep -vxFf "$tmp/man" "$tmp/help")" 'missing: '

# ---- a command: options, and their texts in column 32
# Lines of the options that are not as they should be: a name with its text in column 33 (from 1), more of the text there, a heading.
odd_lines() {
  sed -n '/^$/,$p' "$1" | awk '/^  -V, --version/ { exit }
    /^$/ || /^ [A-Z].*:$/ || /^ {32}[^ ]/ { next }
    substr($0, 1, 32) ~ /^ +$/ && substr($0, 33, 1) != " " { next }
    /^  (-., |    )--[^ ]+ / && substr($0, 32, 1) == " " && substr($0, 33, 1) != " " { next }
    { print }'
}
for c in "${commands[@]}"; do
  # shellcheck disable=SC2086
  "$regtwin" $c --help >"$tmp/help" 2>"$tmp/err"
  equal "$c --help: status" $? 0
  check "$c --help: at most 80 columns" test "$(widest "$tmp/help")" -le 80
  equal "$c --help: texts of options below themselves" "odd: $(odd_lines "$tmp/help")" 'odd: '
  # shellcheck disable=SC2086
  COLUMNS=110 "$regtwin" $c --help >"$tmp/wide"
  check "$c --help: wider, if the terminal is" test "$(widest "$tmp/wide")" -le 110
  for columns in 120 400; do
    # shellcheck disable=SC2086
    COLUMNS=$columns "$regtwin" $c --help >"$tmp/$columns"
  done
  same "$c --help: the bound is 120 columns" "$tmp/120" "$tmp/400"
done
printf 'Usage\n\n      --json=FILE               a text that ends in\nthe first column\n      --x\n' >"$tmp/odd"
equal 'a text in the first column, and one that is missing, are found' "$(odd_lines "$tmp/odd" | xargs)" 'the first column --x'
"$regtwin" run --help >"$tmp/help"
check 'run --help: 80 columns are used' test "$(widest "$tmp/help")" -gt 70
COLUMNS=110 "$regtwin" run --help >"$tmp/wide"
check 'run --help: 110 columns are used' test "$(widest "$tmp/wide")" -gt 100
has "the user's own format goes first" '^      --json=FILE {9}[a-z]' <(ARGP_HELP_FMT=opt-doc-col=26 "$regtwin" run --help)
"$regtwin" list qqqqqqqq 2>&1 | sed -n "s/.*found 'qqqqqqqq', expected //p" | sed 's/,//g; s/ or / /' | tr ' ' '\n' >"$tmp/lists"
equal 'list --help: each list, in this order' "$("$regtwin" list --help | sed -n 's/^  \([a-z]*\)  *[a-zA-Z].*/\1/p' | xargs)" "$(xargs <"$tmp/lists")"
for c in config cost analyze list; do
  # shellcheck disable=SC2086
  hasnt "$c, which runs nothing, has no option about the extent of a run" '--(roi|max-ctas|sms)' <("$regtwin" $c --help)
done
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
  script -qec "stty cols 100 && $regtwin run --help" "$tmp/typescript" >/dev/null </dev/null
  check 'on a terminal of 100 columns: as wide' test "$(tr -d '\r' <"$tmp/typescript" | grep -v '^Script ' | awk 'length > n { n = length } END { print n }')" -gt 90
else skip 'the width of a terminal' 'no pseudo-terminal can be opened here'; fi

# ---- lists
for what in systems kernels configs measures experiments resources relaxations statistics; do
  "$regtwin" list $what >"$tmp/l"
  equal "list $what: status" $? 0
  check "list $what: at most 80 columns" test "$(widest "$tmp/l")" -le 80
  check "list $what: a text goes on below its beginning" grep -qE '^ {6,}[^ ]' "$tmp/l"
  check "list $what --names: a word a line" test "$("$regtwin" list $what --names | grep -cE '^[^ ]+$')" -eq "$("$regtwin" list $what --names | wc -l)"
done
"$regtwin" list systems >"$tmp/l"
equal 'list systems: by paper' "$(grep -E '^[^ ]' "$tmp/l" | tr '\n' ';')" \
  "of no paper: baseline;DYNCTA (PACT'13);FineReg (MICRO'18);Linebacker (ISCA'19);LTRF (ASPLOS'18);Malekeh;Static data compression (ICPP'20);"
has 'list systems: what it is, without its own name' '^  FineReg +half of the register file for CTAs that issue, half for' "$tmp/l"
has 'list systems: systems of several settings apart' '^  for compare and experiment only, settings depend on the kernel:$' "$tmp/l"
equal 'list systems: each once' "$(sed -n 's/^  \([^ ][^ ]*\)  .*/\1/p' "$tmp/l" | sort | xargs)" "$("$regtwin" list systems --names=compare | sort | xargs)"
equal 'list systems --names: those of a file' "$("$regtwin" list systems --names | sort | xargs)" "$(find cmodel/systems -name '*.conf' -printf '%f\n' | sed 's/\.conf$//' | sort | xargs)"

# ---- misspelt options and commands
try() {   # name, expected text, arguments...
  local name=$1 want=$2 status
  shift 2
  "$regtwin" "$@" >"$tmp/out" 2>"$tmp/err"
  status=$?
  if [ $status -eq 2 ] && [ ! -s "$tmp/out" ] && grep -qxF -- "$want" "$tmp/err"; then ok "$name"
  else not_ok "$name" "status $status" "$(cat "$tmp/err")"; fi
}
try 'an option' "regtwin run: found unknown option '--sise'; did you mean '--size'?" run vecadd --sise small
try 'an option with its value' "regtwin run: found unknown option '--max-cyclse'; did you mean '--max-cycles'?" run --max-cyclse=3 vecadd
try 'an option of the configuration' "regtwin cost: found unknown option '--confg'; did you mean '--config'?" cost FineReg --confg gtx980
try 'an option of the program' "regtwin: found unknown option '--versoin'; did you mean '--version'?" --versoin
try 'no option is near' "regtwin run: found unknown option '--frobnicate', expected one of 'regtwin run --help'" run vecadd --frobnicate
try 'a control character in it' "regtwin: found '--\\x1b[31m', expected an option without controls" run $'--\e[31m'
try 'a command' "regtwin: found unknown command 'comapre'; did you mean 'compare'?" comapre vecadd
try 'a command of trace' "regtwin trace: found 'recrod'; did you mean 'record'?" trace recrod vecadd
try 'a word of results' "regtwin results: found 'lst'; did you mean 'list'?" results lst
try 'a list' "regtwin list: found 'system'; did you mean 'systems'?" list system
try 'a paper' "regtwin list: --paper: found 'finreg'; did you mean 'finereg'?" list kernels --paper finreg
check 'the beginning of an option is enough' "$regtwin" run vecadd --siz small --function
check 'what looks like an option may be the value of one' env -C "$tmp" "$regtwin" run vecadd --size small --functional --json --table
check 'and is its value' test -s "$tmp/--table"
"$regtwin" run vecadd --size small -- --sise >"$tmp/out" 2>"$tmp/err"
has 'behind -- there are no options' "found no kernel '--sise'" "$tmp/err"
