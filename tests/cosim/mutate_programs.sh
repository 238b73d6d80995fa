#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The programs of cosim/mutate on small inputs, good and damaged ones: mutants names and judges faults, equal prepares proofs. Whole
# campaigns are in tests/cosim/mutate.sh.
# needs: mutate-programs
. "$(dirname "$0")/../lib.sh"
top=$PWD obj=$PWD/build/cosim/obj
mutants=$obj/mutants equal=$obj/equal
cd "$tmp" || exit 1
prints() {   # name, command...: standard input is what it prints, without an error
  local name=$1 status
  shift
  tabs >want
  "$@" >out 2>err </dev/null
  status=$?
  if [ $status -eq 0 ] && diff want out >differences && [ ! -s err ]; then ok "$name"
  else not_ok "$name" "exit status $status" "$(cat differences err)"; fi
}
refused() {   # name, command...: standard input is the message; status 2
  local name=$1 status
  shift
  cat >want
  "$@" >out 2>err </dev/null
  status=$?
  if [ $status -eq 2 ] && diff want err >differences; then ok "refused: $name"
  else not_ok "refused: $name" "exit status $status" "$(cat differences)"; fi
}
tabs() { sed 's/ | /\t/g'; }   # for columns
changed() { sed "$1" "$2" >damaged; }   # sed expression, file

# ---- a source, its netlist and its faults
tabs >a.sv <<'END'
module a (input logic d_i, output logic q_o);
  always_ff @(posedge clk_i) | if (en_i)
    v_q <= d_i ?   x : y;
  assign q_o = v_q;
END
cat >a.il <<'END'
module \a
  attribute \src "a.sv:1.1-1.2"
  wire width 4 input 1 \d_i
  wire width 4 \v_q
  wire \gen_x[0].t
  attribute \src "a.sv:3.12-3.25"
  cell $mux $ternary$a.sv:3$7
    connect \A 4'0101
    connect \S \d_i
    connect \Y $1\v_q[3:0]
  end
  cell $mux $procmux$8
    connect \A $t
    connect \Y $2
  end
  cell $pmux $procmux$9
    connect \B { $2 1'0 }
    connect \Y $1$memwr$\m_q$a.sv:3$4_EN[3:0]$5
  end
  cell $dff $procdff$10
    connect \D $1\v_q[3:0]
    connect \Q \v_q
  end
  cell $eq $flatten\gen_x[0].u_r.$eq$lib/r.sv:24$18
    connect \A 5
    connect \Y $t
  end
end
END
cat >list <<'END'
mutate -ctrl mutsel_i 3 1 -mode inv -module a -cell $ternary$a.sv:3$7 -port A -portbit 2 -src a.sv:1.1-4.2 -src a.sv:3.12-3.25 -src a.sv:0.0-0.0
mutate -ctrl mutsel_i 3 2 -mode const0 -module a -cell $procmux$8 -port A -portbit 0 -wire \t -wirebit 3 -src a.sv:2.2-3.5
mutate -ctrl mutsel_i 3 3 -mode const1 -module a -cell $procmux$8 -port A -portbit 1
mutate -ctrl mutsel_i 3 4 -mode cnot0 -module a -cell $flatten\gen_x[0].u_r.$eq$lib/r.sv:24$18 -port A -portbit 1 -ctrlbit 4 -src a.sv:2.33-2.38
END
prints 'faults of the RTL by name' "$mutants" rtl a.il list <<'END'
1 | a.sv:3 | rtl inv ternary.A[2] to v_q @ d_i ? x : y | v_q <= d_i ? x : y;
2 | a.sv:2 | rtl const0 t[3] @ always_ff @(posedge clk_i) if (en_i) ... | always_ff @(posedge clk_i) if (en_i)
3 | ? | rtl const1 procmux.A[1] to EN of a write | 
4 | a.sv:2 | rtl cnot0 gen_x[0].u_r.eq.A[1] by [4] @ (en_i | always_ff @(posedge clk_i) if (en_i)
END
changed '2s/ -cell [^ ]*//' list
refused 'a fault without a cell' "$mutants" rtl a.il damaged <<'END'
mutate: damaged:2: found "mutate", expected a fault of Yosys's mutate with -cell
END
changed '2s/ -wirebit 3//' list
refused 'a wire without a bit' "$mutants" rtl a.il damaged <<'END'
mutate: damaged:2: found "mutate", expected a fault of Yosys's mutate with -wirebit
END
changed '1s/:3.12-3.25/:3/' list
refused 'a place that is none' "$mutants" rtl a.il damaged <<'END'
mutate: damaged:1: found "a.sv:3", expected a place in the source, FILE:LINE.COLUMN, a dash, LINE.COLUMN
END
changed '1s/3.12-3.25/9.12-9.24/' list
refused 'a place after the end of the source' "$mutants" rtl a.il damaged <<'END'
mutate: damaged:1: found "line 9", expected the number of a line of the source
END
changed 's/-src a.sv:3/-src none.sv:3/' list
refused 'a source that is not there' "$mutants" rtl a.il damaged <<'END'
mutate: none.sv: No such file or directory
END
head -n 9 a.il >damaged
refused 'a netlist that ends in a cell' "$mutants" rtl damaged list <<'END'
mutate: damaged:9: found "the end of the file", expected the end of a cell
END
changed 9,11d a.il
refused 'a cell in a cell' "$mutants" rtl damaged list <<'END'
mutate: damaged:9: found "  cell $mux $procmux$8", expected a parameter, a connection or the end of a cell
END
changed '9s/ [^ ]*$//' a.il
refused 'a port without a signal' "$mutants" rtl damaged list <<'END'
mutate: damaged:9: found "    connect \S", expected a port and a signal
END
changed '7s/ [^ ]*$//' a.il
refused 'a cell without a name' "$mutants" rtl damaged list <<'END'
mutate: damaged:7: found "  cell $mux", expected a cell's type and name
END
refused 'a file that is no netlist' "$mutants" rtl a.sv list <<'END'
mutate: a.sv:4: found "no cell", expected a netlist in RTLIL
END
printf 'x\0y\n' >damaged
refused 'a byte 0' "$mutants" rtl damaged list <<'END'
mutate: damaged: found "a byte 0", expected text
END
refused 'a folder' "$mutants" rtl . list <<'END'
mutate: .: it is a directory, no file
END
refused 'a file that is not there; its name is shown' "$mutants" rtl $'\e[31m\nx' list <<'END'
mutate: \x1b[31m\nx: No such file or directory
END

cat >a.c <<'END'
static int f(struct s *s) { return s->a + s->b + 1; }
uint64_t *g(int x) {
  int y = x <   x;
  return 0;
}
int z = 3;
END
tabs >c_list <<'END'
0 | 1 | 41 | arithmetic | + -> -
1 | 1 | 48 | arithmetic | + -> -
2 | 3 | 13 | relation | < -> <=
3 | 4 | 3 | deletion | return 0 -> 
4 | 6 | 9 | constant | 3 -> 4
END
prints 'faults of the C model by name' "$mutants" c a.c c_list <<'END'
0 | a.c:1 | c arithmetic + -> - #1 @ f: static int f(struct s *s) { return s->a + s->b + 1; }
1 | a.c:1 | c arithmetic + -> - #2 @ f: static int f(struct s *s) { return s->a + s->b + 1; }
2 | a.c:3 | c relation < -> <= @ g: int y = x < x;
3 | a.c:4 | c deletion return 0 ->  @ g: return 0;
4 | a.c:6 | c constant 3 -> 4 @ : int z = 3;
END
changed '2s/\tarith.*//' c_list
refused 'a fault with three columns' "$mutants" c a.c damaged <<'END'
mutate: damaged:2: found "1", expected number, line, column, kind and change of a fault, with tabs in between
END
changed '2s/\t1\t/\t7\t/' c_list
refused 'a line that the source does not have' "$mutants" c a.c damaged <<'END'
mutate: damaged:2: found "line 7", expected the number of a line of the source
END

# ---- patterns
while read -r expected pattern text; do
  printf 'rtl\t1\tp\t%s\t-\n' "${text//_/ }" >table
  printf '%s -- why\n' "${pattern//_/ }" >survivors
  equal "pattern $pattern, text ${text:0:30}" "$("$mutants" judge survivors table /dev/null | cut -f6)" "$expected"
done <<END
explained a*b a_b
open a*b a_b_c
explained a*b* abab
open a*b aba
explained * x
open *a*a*a*a*a*a*a*a*a*a*a*a*a*b $(printf 'a%.0s' {1..200})
open *<1-20>*<1-20>*<1-20>*<1-20>*<1-20>*<1-20>*b $(printf '1%.0s' {1..200})
explained x[<0-7>] x[7]
open x[<0-7>] x[8]
open x[<0-7>] x[07]
explained x[<8-12>] x[10]
explained x<1-12>2 x122
explained x<1-12>2 x12
open x<1-12>2 x132
explained x<00-7> x00
open x<00-7> x0
explained x<7-3> x7
open x<7-3> x5
explained x<a-3> x<a-3>
open x? xy
open a.b axb
explained (a|b)+_{2}_^\$\\ (a|b)+_{2}_^\$\\
END

# ---- tables
tabs >table <<'END'
rtl | 1 | a.sv:1 | rtl inv a | -
c | 1 | a.c:1 | c x | 17
END
: >none
changed '2s/\t17//' table
refused 'a row without a result' "$mutants" judge none damaged notes <<'END'
mutate: damaged:2: found "c", expected side, number, place, description and result of a fault, with tabs in between
END
refused 'patterns that are not there' "$mutants" judge nothing table notes <<'END'
mutate: nothing: No such file or directory
END
refused 'notes that cannot be written' "$mutants" judge none table nothing/notes <<'END'
mutate: nothing/notes: No such file or directory
END
tabs >table <<'END'
rtl | 1 | p | rtl inv a | - | open
rtl | 2 | p | rtl inv b | - | equal
rtl | 3 | p | rtl inv c | 5 | killed
rtl | 4 | p | rtl inv d | ?137 | error
c | 1 | p | c e | - | explained
c | 2 | p | c f | 5 | killed
c | 3 | p | c g | stillborn | stillborn
END
prints 'faults are counted' "$mutants" count table <<<'1 4 1 2 1 1 2 4 1 50.0'
prints 'none are counted' "$mutants" count none <<<'0 0 0 0 0 0 0 0 0 0.0'
changed '3s/killed/dead/' table
refused 'a fate that is none' "$mutants" count damaged <<'END'
mutate: damaged:3: found "dead", expected killed, equal, explained, open, stillborn or error
END
changed '3s/^rtl/vhdl/' table
refused 'a side that is none' "$mutants" count damaged <<'END'
mutate: damaged:3: found "vhdl", expected rtl or c
END
tabs >notes <<'END'
bad | no reason
wide | rtl * | rtl | 3 | rtl inv c
unused | zzz
END
prints 'a report' "$mutants" report s table notes <<'END'
    survivor: 1  p  rtl inv a
    no result (?137): 4  p  rtl inv d
    s: expected "pattern -- reason", found "no reason"
    s: "rtl *" is too wide, it fits one that is killed: 3  rtl inv c
    s: "zzz" fits no fault of this run
END
tabs >damaged <<<'what | zzz'
refused 'a note that is none' "$mutants" report s table damaged <<'END'
mutate: damaged:1: found "what", expected bad, wide or unused
END
tabs >names <<'END'
1 | a.sv:1 | rtl inv a[0] @ a | assign b = a;
0 | a.c:1 | c x -> y @ f: x;
END
cat >survivors <<'END'
rtl const1 a[<0-3>] @ a @ assign b = *; -- other modes are there, too
c x -> y @ f: * -- reason
no reason
# comment

END
prints 'each pattern has a fault' "$mutants" check survivors names </dev/null
cat >>survivors <<'END'
c const0 -> y -- no mode of C
rtl const1 a[4] @ a -- no such bit
END
refused 'patterns without a fault' "$mutants" check survivors names <<'END'
mutate: survivors: found "c const0 -> y", expected a pattern that fits a fault of the block
mutate: survivors: found "rtl const1 a[4] @ a", expected a pattern that fits a fault of the block
END
cut -f1,2 names >damaged
refused 'a name that is none' "$mutants" check survivors damaged <<'END'
mutate: damaged:1: found "1", expected number, place and description of a fault, with tabs in between
END
refused 'no such command' "$mutants" counts table <<'END'
usage: mutants rtl NETLIST LIST | c SOURCE LIST | check SURVIVORS NAMES |
  judge SURVIVORS TABLE NOTES [NUMBER...] | count TABLE | report SURVIVORS TABLE NOTES
END

# ---- a block's legal inputs
cat >legal <<'END'
// cut: v_q gen_*.t
// a comment of old_q
d_i <= 4'sd9 &&
\v_q  != 3'd0 && \gen_x[0].t
// apart: v_q
// while: v_q == v_q'
END
prints 'names that are there' "$equal" check legal a.il </dev/null
prints 'without the file there are none' "$equal" check nothing a.il </dev/null
"$equal" expose legal >out
equal 'wires to cut, registers to show' "$(cat out)" 'expose -cut -sep __ w:v_q; expose -cut -sep __ w:gen_*.t; expose w:v_q; '
equal 'without the file there is nothing to show' "$("$equal" expose nothing; echo $?)" 0
cat >legal <<'END'
// cut: v? v_q?
// apart: old_q
x1 && \y[2].z  && d_i == 4'b0x
END
"$equal" check legal a.il >out
equal 'names that are not there' "$? $(tr '\n' ' ' <out)" '1 old_q v? v_q? x1 y[2].z '
printf '// cut: v_q\n\n' >damaged
refused 'a file without a rule' "$equal" check damaged a.il <<'END'
equal: damaged:2: found " ", expected an expression
END
refused 'a rule that is a folder' "$equal" check . a.il <<'END'
equal: .: it is a directory, no file
END

# ---- a fault's cell
cat >cells <<'END'
mutate -mode const1 -module a -cell $ternary$a.sv:3$7 -port A -portbit 2
mutate -mode const0 -module a -cell $ternary$a.sv:3$7 -port A -portbit 2
mutate -mode inv -module a -cell $ternary$a.sv:3$7 -port A -portbit 1
mutate -mode const0 -module a -cell $ternary$a.sv:3$7 -port A -portbit 4
mutate -mode const1 -module a -cell $flatten\gen_x[0].u_r.$eq$lib/r.sv:24$18 -port A -portbit 2
mutate -mode const1 -module a -cell $flatten\gen_x[0].u_r.$eq$lib/r.sv:24$18 -port A -portbit 1
mutate -mode const0 -module a -cell $ternary$a.sv:3$7 -port S -portbit 0
mutate -mode const0 -module a -cell $none -port S -portbit 0
END
every_cell() { local k; for k in 1 2 3 4 5 6 7; do "$equal" fault $k cells a.il; done; }
prints 'cells, and bits that are that constant' every_cell <<'END'
$mux same $ternary$a.sv:3$7
$mux other $ternary$a.sv:3$7
$mux other $ternary$a.sv:3$7
$mux other $ternary$a.sv:3$7
$eq same $flatten\gen_x[0].u_r.$eq$lib/r.sv:24$18
$eq other $flatten\gen_x[0].u_r.$eq$lib/r.sv:24$18
$mux other $ternary$a.sv:3$7
END
refused 'a cell that the netlist does not have' "$equal" fault 8 cells a.il <<'END'
equal: cells:8: found "$none", expected a cell of the netlist
END
for k in 0 9 99999999999999999999; do
  refused "fault $k of 8" "$equal" fault $k cells a.il <<<"equal: cells: found \"$k\", expected the number of a fault"
done
prints 'registers by name' "$equal" registers a.il <<'END'
rename $procdff$10 \v_q$ff
END
refused 'lanes: a cell that the netlist does not have' "$equal" lanes gen_x cells a.il a.il <<'END'
equal: cells:8: found "$none", expected a cell of the netlist
END
changed '16s/9/8/' a.il
refused 'lanes: two cells of one name' "$equal" lanes gen_x cells damaged a.il <<'END'
equal: damaged:16: found "$procmux$8", expected a cell of another name than those before
END

# ---- the module for the solver
cat >cut.v <<'END'
module other(x);
  input x;
endmodule
module a(mutsel_i, rst_ni, d_i, \v_q$ff__q , \v_q$ff__d , \m[0]__rd , \m[0]__ra , \m[0]__we , \m[0]__wa , \m[0]__wd , v_q, q_o);
  input [7:0] mutsel_i;
  wire [7:0] mutsel_i;
  input rst_ni;
  input [3:0] d_i;
  input [3:0] \v_q$ff__q ;
  output [3:0] \v_q$ff__d ;
  input [1:0] \m[0]__rd ;
  output \m[0]__ra ;
  output \m[0]__we ;
  output \m[0]__wa ;
  output [1:0] \m[0]__wd ;
  output [3:0] v_q;
  output q_o;
endmodule
END
cat >legal <<'END'
// apart: v_q
// while: (v_q[0] ||
// while: v_q == v_q')
v_q != 4'd9
END
echo '*' >reach
# The module that compares the two: declaration and name of the faulty block's register, what differs, what is assumed.
solver_module() {
  cat <<END
module top(differ);
  output differ;
  (* anyseq, keep *) wire  rst_ni;
  (* anyseq, keep *) wire [3:0] d_i;
  (* anyseq, keep *) wire [3:0] \v_q\$ff__q ;
$1  wire [3:0] g5, b5;
  (* anyseq, keep *) wire [1:0] g6, other6;
  wire [1:0] b6;
  wire  g7, b7;
  wire  g8, b8;
  wire  g9, b9;
  wire [1:0] g10, b10;
  wire [3:0] v_q;
  wire  g12, b12;
  assign b6 = g7 == b7 ? g6 : other6;

  a good(.mutsel_i(8'd0), .rst_ni(rst_ni), .d_i(d_i), .\v_q\$ff__q (\v_q\$ff__q ), .\v_q\$ff__d (g5), .\m[0]__rd (g6), .\m[0]__ra (g7), .\m[0]__we (g8), .\m[0]__wa (g9), .\m[0]__wd (g10), .v_q(v_q), .q_o(g12));
  a bad(.mutsel_i(8'd17), .rst_ni(rst_ni), .d_i(d_i), .\v_q\$ff__q ($2), .\v_q\$ff__d (b5), .\m[0]__rd (b6), .\m[0]__ra (b7), .\m[0]__we (b8), .\m[0]__wa (b9), .\m[0]__wd (b10), .q_o(b12));
  assign differ = $3;
  always @* assume($4);
endmodule
END
}
# shellcheck disable=SC2016  # a $ is of a name
prints 'the same next state' "$equal" miter 17 a cut.v legal reach < <(solver_module '' '\v_q$ff__q ' \
  "1'b0 || g5 != b5 || (|g8 && g9 != b9) || ((g10 ^ b10) & g8) != 0 || g8 != b8 || g12 != b12" "(v_q != 4'd9 )")
# shellcheck disable=SC2016
prints 'a related next state' "$equal" related 17 a cut.v legal reach < <(solver_module $'  (* anyseq, keep *) wire [3:0] b4;\n' b4 \
  "1'b0 || (|g8 && g9 != b9) || ((g10 ^ b10) & g8) != 0 || g8 != b8 || g12 != b12 || !((g5[0] || g5 == b5) )" \
  "(v_q != 4'd9 ) && (!rst_ni || ((\\v_q\$ff__q [0] || \\v_q\$ff__q  == b4) ))")
printf '%s\n' q_o 'm[0]__wa' >reach
"$equal" miter 17 a cut.v legal reach >out
equal 'what the fault can reach' "$(grep -o 'differ = .*' out)" "differ = 1'b0 || (|g8 && g9 != b9) || ((g10 ^ b10) & g8) != 0 || g12 != b12;"
printf '%s\n' '// while: old_q == 1' "1'b1" >legal
refused 'a relation of no register' "$equal" related 17 a cut.v legal reach <<'END'
equal: while: found old_q, expected a register
END
echo "1'b1" >legal
changed '/__ra ;/d' cut.v
refused 'a memory without an address' "$equal" miter 17 a damaged legal reach <<'END'
equal: found a memory \m[0] without __ra, expected a port
END
changed 's/mutsel_i/select_i/' cut.v
refused 'a block without faults' "$equal" miter 17 a damaged legal reach <<'END'
equal: found no port mutsel_i of a, expected the netlist with the faults
END
refused 'a module that is not there' "$equal" miter 17 b cut.v legal reach <<'END'
equal: cut.v:18: found "no port", expected those of the module
END

# ---- the solver's answer
cat >log <<'END'
  Signal Name    Dec                Hex   Bin
  \d_i             3                  3  0011
  \g12             0                  0     0
  \b12             1                  1     1
  \g5             16                 10 10000
  \b5             16                 10 10000
  \g10            --                1e1     -
  \b10            --                00a     -
  \wide_i         --  12345678901234567     -
  \x[0]            1                  1     1
END
prints 'ports that differ, and the inputs' "$equal" differ a cut.v log <<'END'
\m[0]__wd q_o ; d_i=3
END
sed -i 's/g12/g13/' log
refused 'a port that is not there' "$equal" differ a cut.v log <<'END'
equal: log:3: found "\g13", expected the number of a port
END
for ((k = 0; k < 100; k++)); do echo "  \\input_$k 1 1 1"; done >log
equal 'a long answer is cut off' "$("$equal" differ a cut.v log | wc -c)" 401
refused 'a wrong call of equal' "$equal" differ a cut.v <<'END'
usage: equal check LEGAL NETLIST | expose LEGAL | registers NETLIST | lanes ARRAYS LIST WHOLE ONE |
  fault NUMBER LIST NETLIST | miter NUMBER BLOCK CUT LEGAL REACH | related NUMBER BLOCK CUT LEGAL REACH |
  differ BLOCK CUT LOG
END

# ---- the explanations of the blocks: a pattern that speaks of the C twin fits a fault of it, so a function that gets another name takes its pattern along
cd "$top" || exit 1
for file in tb/*/*.survivors; do
  block=${file#tb/} block=${block%.survivors}
  grep '^c ' "$file" >"$tmp/of_c.survivors" || continue
  if "$obj/cmutate" list "cmodel/blocks/$block.c" >"$tmp/list" && "$mutants" c "cmodel/blocks/$block.c" "$tmp/list" >"$tmp/names" &&
    "$mutants" check "$tmp/of_c.survivors" "$tmp/names" 2>"$tmp/err"; then ok "$block: patterns of C faults"
  else not_ok "$block: patterns of C faults" "$(cat "$tmp/err")"; fi
done
sed 's/@ [a-z_]*:/@ another_name:/' "$tmp/of_c.survivors" >"$tmp/renamed.survivors"
equal 'a pattern that names another function' "$("$mutants" check "$tmp/renamed.survivors" "$tmp/names" >/dev/null 2>&1; echo $?)" 2
