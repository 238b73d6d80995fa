# SPDX-License-Identifier: Apache-2.0
# Sorts the lines of the systems' lists by kind: each kind becomes a file that C includes, build/gen/systems/KIND.def, each net of
# blocks one of build/gen/nets, with a header of functions. A line keeps its place (#line), so the compiler's messages name the list. docs/reference/lists.md says what the words mean.
# Prints every line that does not fit, with its place, and fails; what it wrote is then incomplete. cmodel/make/lists.sh runs it.
# usage: awk -v out=DIR -v schema=cmodel/config/schema.def -v blocks=cmodel/blocks -f lists.awk SCHEMA [papers=1 LIST...] papers=0 LIST...
#   with papers=1: lists of folders that are left out, of which the papers alone are taken

# One kind of lines: the list they stand in, their words, words of the core's own list alone, and that list.
function kind(k, list, words, core, file,   w, n, i) {
  kinds[++nkinds] = k
  core_file[k] = file
  n = split(words " " core, w, " ")
  for (i = 1; i <= n; i++) word_of_kind[k, ++nwords[k]] = w[i]
  n = split(words, w, " ")
  for (i = 1; i <= n; i++) { kind_of[w[i]] = k; list_of[w[i]] = list; known[list] = known[list] " " w[i] }
}
BEGIN {
  kind("choices", "system", "CHOICE")
  kind("keys", "system", "INT BOOL ENUM PATH RULE", "WORD SLOT", "config/schema.def")
  kind("stats", "system", "STAT POSTED WRITTEN LAST", "", "sm/stats.def")
  kind("hardware", "system", "HARDWARE", "", "lab/run/hardware.def")
  kind("rows", "system", "COUNT RATIO TEXT JSON_COUNT JSON_RATIO", "SECTION", "lab/run/rows.def")
  kind("relax", "system", "MOST WITH UPTO LEAST OFF PART CASE CLASS", "RELAX", "lab/campaign/relax.def")
  kind("nets", "system", "NET TWIN PULSE LEVEL READ WIRE")
  kind("papers", "paper", "PAPER NAME TRAIT")
  kind("measures", "paper", "MEASURE", "", "lab/campaign/measure.def")
  kind("panels", "paper", "PANEL BRIEF WINDOW", "", "lab/campaign/panel.def")
  kind("plans", "paper", "PLAN")
  kind("colours", "paper", "COLOUR")
  kind("together", "paper", "TOGETHER")
  kind("experiments", "paper", "EXPERIMENT SYSTEM SHOW CLAIM MAP MEASURED AXIS AXIS_OF")
  kind("cost", "cost", "COST_BLOCK COST ITEM")
  kind("energy", "cost", "ENERGY", "", "cost/energy.def")
}

BEGIN { block_words = "IN OUT OUTC STATE ARRAY REG REGA RAM PART ENUM DATA QUIET LOOSE PARAM SIZE SET INW OUTW OUTCW STATEW STATEA" }

function bad(at, text) { print at ": error: " text > "/dev/stderr"; status = 1 }

# Returns the line without comments and with empty strings and character constants; code is the line without comments.
# in_comment: it ends inside a comment, which began at comment_at.
function bare(line,   text, rest) {
  text = code = ""
  while (line != "") {
    if (in_comment) {
      if (!match(line, /\*\//)) break
      in_comment = 0
      text = text " "
      code = code " "
      line = substr(line, RSTART + 2)
    } else if (!match(line, /["']|\/\*|\/\//)) {
      text = text line
      code = code line
      break
    } else {
      text = text substr(line, 1, RSTART - 1)
      code = code substr(line, 1, RSTART - 1)
      rest = substr(line, RSTART)
      if (substr(rest, 1, 2) == "//") break
      if (substr(rest, 1, 2) == "/*") {
        in_comment = 1
        comment_at = FILENAME ":" FNR
        line = substr(rest, 3)
      } else if (match(rest, /^"([^"\\]|\\.)*"/) || match(rest, /^'([^'\\]|\\.)*'/)) {
        text = text substr(rest, 1, 1) substr(rest, 1, 1)
        code = code substr(rest, 1, RLENGTH)
        line = substr(rest, RLENGTH + 1)
      } else {
        text = text rest
        code = code rest
        break
      }
    }
  }
  sub(/[ \t]+$/, "", code)
  return text
}

function mentions(text, name) { return text ~ ("(^|[^A-Za-z0-9_])" name "([^A-Za-z0-9_]|$)") }

# The first arguments of a line, without blanks.
function arguments(text,   n, i) {
  sub(/^[^(]*\(/, "", text)
  sub(/\)[^)]*$/, "", text)
  n = split(text, arg, ",")
  for (i = 1; i <= n; i++) gsub(/^[ \t\n]+|[ \t\n]+$/, "", arg[i])
  return n
}

# ---- a list is at its end: its lines go to their kinds, with the macros that they use ----

function flush_list(   k, i, m, more, used, all) {
  if (in_comment) bad(comment_at, "found no end of this comment, expected */")
  else if (word != "") bad(at, "found no end of " word "(, expected its closing parenthesis")
  else if (define != "") bad(file ":" define_line[define], "found no end of #define " define)
  word = define = ""
  in_comment = 0
  for (k in lines) {
    split("", used)
    all = plain[k]
    do {
      more = 0
      for (i = 1; i <= ndefines; i++) {
        m = defines[i]
        if (m in used || !mentions(all, m)) continue
        used[m] = more = 1
        all = all "\n" define_text[m]
      }
    } while (more)
    for (i = 1; i <= ndefines; i++)
      if (defines[i] in used) part[k] = part[k] "#line " define_line[defines[i]] " \"" file "\"\n" define_text[defines[i]] "\n"
    part[k] = part[k] lines[k]
    for (i = 1; i <= ndefines; i++) if (defines[i] in used) part[k] = part[k] "#undef " defines[i] "\n"
  }
  split("", lines); split("", plain); split("", defines); split("", define_text); split("", define_line)
  ndefines = 0
  net = ""
}

# ---- nets ----

# A line of a .def has a word of cmodel/blocks/declare.h, and a port or register has a name and a width: what the compiler says of another one
# is of its macros.
function check_block_line(at, line,   name) {
  if (!match(line, /^[A-Za-z_]+[ \t]*\(/)) return
  name = substr(line, 1, RLENGTH)
  sub(/[ \t]*\($/, "", name)
  if (index(" " block_words " ", " " name " ") == 0) bad(at, "found the word " name ", expected one of " block_words " (docs/develop/lockstep.md)")
  else if (name ~ /^(IN|OUT|STATE|ARRAY|REG|RAM)/ && line !~ /^[A-Z]+\([a-z][a-z0-9_]*[ \t]*,/)
    bad(at, "found '" line "', expected " name "(name, width) (docs/develop/lockstep.md)")
}
# Ports of a block, by its .def.
function read_block(b,   f, line, p, n, i, name, place) {
  if (b in is_block) return is_block[b]
  f = blocks "/" b ".def"
  is_block[b] = (getline line <f) >= 0
  if (!is_block[b]) return 0
  do {
    check_block_line(f ":" ++place, line)
    split(line, p, /[(),"][ ]*/)
    if (line ~ /^COMBINATIONAL/) no_clock[b] = 1
    else if (line ~ /^INW?\(/) {
      input[b, p[2]] = 1
      inputs[b] = inputs[b] " " p[2]
      one_bit[b, p[2]] = line ~ /^IN\([a-z0-9_]+, *1\)/
    }
    else if (line ~ /^OUTC?W?\(/) output[b, p[2]] = 1
    else if (line ~ /^DATA\(/) { n = split(p[3], name, " "); for (i = 1; i <= n; i++) data[b, name[i]] = 1 }
  } while ((getline line <f) > 0)
  close(f)
  return 1
}
function sets(name, port,   b) {
  b = of[net, name]
  if (b == "") bad(at, "found block '" name "', expected one of a line TWIN of this net")
  else if (!((b, port) in input)) bad(at, "found input '" port "', which " b " does not have")
  else if (set[net, name, port]++) bad(at, "found input '" port "' of " b " a second time, expected one line that sets it")
}
function reads(name, port,   b) {
  b = of[net, name]
  if (b == "") bad(at, "found block '" name "', expected one of a line TWIN of this net")
  else if (!((b, port) in output)) bad(at, "found output '" port "', which " b " does not have")
}
# A line of a net, in the words of sm/wires_def.h: a block without a clock is a TWINC, one of several units in one model (BLOCK_bank) a BANK
# of them, a wire between ports of data a DATA_WIRE.
function net_line(text, n,   b, name, rest) {
  if (word == "NET") {
    net = arg[1]
    if (net in net_at) bad(at, "found the net '" net "' a second time, after " net_at[net])
    net_at[net] = at
    nets[++nnets] = net
    return ""
  }
  if (net == "") { bad(at, "found " word " before the first line NET, expected NET(name)"); return "" }
  if (word == "TWIN") {
    name = arg[2]
    b = arg[1] "/" name
    if (!read_block(b) && sub(/_bank$/, "", b) && read_block(b)) {
      sub(/TWIN/, "BANK", text)
      rest = substr(text, index(text, ","))
      sub(name, substr(name, 1, length(name) - 5), rest)
      text = substr(text, 1, index(text, ",") - 1) rest
      set[net, name, "part_operand_i"] = 1   # tells the units apart, which the runtime does
    } else if (!read_block(b)) {
      bad(at, "found block '" b "', expected one with a " blocks "/" b ".def")
      return ""
    } else if (b in no_clock) {
      sub(/TWIN/, "TWINC", text)
    }
    of[net, name] = b
    twins[++ntwins] = net SUBSEP name
    twin_at[ntwins] = at
    folder_of[ntwins] = folder
  } else if (word == "READ") {
    reads(arg[1], arg[2])
  } else if (word == "WIRE") {
    reads(arg[1], arg[2])
    sets(arg[3], arg[4])
    b = ((of[net, arg[1]], arg[2]) in data)
    if (b != ((of[net, arg[3]], arg[4]) in data))
      bad(at, "found a wire between '" arg[2] "' and '" arg[4] "', one of which carries data only, expected both or neither to do so")
    if (b) sub(/WIRE/, "DATA_WIRE", text)
  } else {
    sets(arg[1], arg[2])
    if (n > 2 && (word != "PULSE" || n > 3 || arg[3] != "LAST")) bad(at, "found '" arg[3] "', expected " word "(block, input)" (word == "PULSE" ? " or PULSE(block, input, LAST)" : ""))
    if (n == 2 || word != "PULSE") set_by[++nset_by] = net SUBSEP arg[1] SUBSEP arg[2] SUBSEP word
    sub(/, *LAST *\)/, ")", text)
  }
  return text
}
# Inputs that belong together: a PULSE of one bit called result_valid_i, and each LEVEL called result_..._i. With sim.check the SM sees when a
# choice sets both a second time in a cycle, so that the first result is lost; a PULSE with LAST says that it may be lost. The
# inputs of a bank have a bit for each unit.
function pair_inputs(   i, k, p, l, b, prefix) {
  for (i = 1; i <= nset_by; i++) {
    split(set_by[i], p, SUBSEP)
    b = of[p[1], p[2]]
    if (p[4] != "PULSE" || p[3] !~ /_valid_i$/ || !one_bit[b, p[3]] || b in no_clock || b !~ ("/" p[2] "$")) continue
    prefix = substr(p[3], 1, length(p[3]) - length("valid_i"))
    for (k = 1; k <= nset_by; k++) {
      split(set_by[k], l, SUBSEP)
      if (l[4] == "LEVEL" && l[1] == p[1] && l[2] == p[2] && index(l[3], prefix) == 1) part["net " p[1]] = part["net " p[1]] "PAIR(" p[2] ", " p[3] ", " l[3] ")\n"
    }
  }
}
function check_nets(   i, k, p, port, n) {
  for (i = 1; i <= ntwins; i++) {
    split(twins[i], p, SUBSEP)
    n = split(inputs[of[p[1], p[2]]], port, " ")
    for (k = 1; k <= n; k++)
      if (!((p[1], p[2], port[k]) in set)) bad(twin_at[i], "found no line that sets input '" port[k] "' of " of[p[1], p[2]])
  }
}

# A block of a net that no COST_BLOCK has is not free: the cost of each choice of its folder is unknown.
function find_unpriced(   i, p, b, at_folder) {
  for (i = 1; i <= ntwins; i++) {
    split(twins[i], p, SUBSEP)
    b = of[p[1], p[2]]
    at_folder = folder_of[i]
    if (b == "" || b in priced || chosen[at_folder] == "") continue
    priced[b] = 1
    if (!(at_folder in unpriced)) with_unpriced[++nunpriced] = at_folder
    unpriced[at_folder] = unpriced[at_folder] (unpriced[at_folder] == "" ? "" : ", ") b
  }
  for (i = 1; i <= nunpriced; i++)
    part["cost"] = part["cost"] "COST(" chosen[with_unpriced[i]] ", unpriced, \"" unpriced[with_unpriced[i]] "\")\n"
}

# The functions by which a choice writes and reads the ports of its blocks, in words that ctags finds. sm/wires.h includes them.
function accessors(net, f,   i, p, b, of_block) {
  printf "/* Made from a system's list (cmodel/make/lists.awk): how a choice reaches the blocks of the net %s (sm/wires.h). */\n", net >f
  for (i = 1; i <= ntwins; i++) {
    split(twins[i], p, SUBSEP)
    if (p[1] != net) continue
    b = p[2]
    of_block = of[net, b] (of[net, b] ~ ("/" b "$") ? "" : ", all units") ", instance k"
    printf "\n/* The inputs of %s, to write: its outputs are evaluated again. */\n", of_block >f
    printf "static inline struct %s_in *%s_set(struct %s_net *net, unsigned k) {\n", b, b, net >f
    printf "  twin_write(&net->t, %s_%s, k, %s_outc);\n  return &net->%s.in[k];\n}\n", net, b, b, b >f
    printf "/* The inputs of %s, to write those on which no output of the same cycle depends. */\n", of_block >f
    printf "static inline struct %s_in *%s_load(struct %s_net *net, unsigned k) {\n", b, b, net >f
    printf "  twin_write(&net->t, %s_%s, k, false);\n  return &net->%s.in[k];\n}\n", net, b, b >f
    printf "/* The outputs of %s, evaluated. */\n", of_block >f
    printf "static inline const struct %s_out *%s_get(struct %s_net *net, unsigned k) {\n", b, b, net >f
    printf "  twin_read(&net->t, %s_%s, k);\n  return &net->%s.out[k];\n}\n", net, b, b >f
    if (of[net, b] in no_clock) continue
    printf "/* The golden model of %s. */\n", of_block >f
    printf "static inline struct %s *%s_model(struct %s_net *net, unsigned k) { return &net->%s.state[k]; }\n", b, b, net, b >f
  }
  close(f)
}

# ---- keys stand in sections of the folder's own, and choices name them ----

function expected(f) { return "'" f "', the folder's name" (choices[f] == "" ? "" : ", or one of its choices: " substr(choices[f], 3)) }
function check_sections(   i, p) {
  for (i = 1; i <= nsections; i++) {
    split(sections[i], p, SUBSEP)   # folder, section, place
    if (p[2] in core_section) bad(p[3], "found section '" p[2] "', which is the core's (" schema "), expected one of the folder's own: " expected(p[1]))
    else if (p[2] != p[1] && !((p[1], p[2]) in own)) bad(p[3], "found section '" p[2] "', expected " expected(p[1]))
  }
}

# ---- a line is complete ----

function take(   k, n, line) {
  k = word in kind_of ? kind_of[word] : ""
  line = text
  n = arguments(stripped)
  if (FILENAME == schema) {
    if (word ~ /^(INT|BOOL|ENUM|PATH|WORD|SLOT)$/) core_section[arg[1]] = 1
  } else if (k == "" || list_of[word] != list) {
    bad(at, (k != "" ? "found " word ", which stands in " list_of[word] ".def" : "found the word " word) ", expected one of" known[list] " (docs/reference/lists.md)")
  } else if (!papers || k == "papers") {
    if (word == "CHOICE") {
      own[folder, arg[2]] = 1
      choices[folder] = choices[folder] ", " arg[2]
      chosen[folder] = chosen[folder] (chosen[folder] == "" ? "" : " || ") "c->slot_" arg[1] " == slot_" arg[1] "_" arg[2]
    }
    if (word == "COST_BLOCK") priced[arg[1] "/" arg[2]] = 1
    if (k == "keys" && word != "RULE") sections[++nsections] = folder SUBSEP arg[1] SUBSEP at
    if (k == "nets") {
      line = net_line(line, n)
      k = "net " net
    }
    if (line != "") lines[k] = lines[k] "#line " first " \"" file "\"\n" line "\n"
    plain[k] = plain[k] "\n" stripped
  }
  word = ""
}

{ sub(/\r$/, "") }
FNR == 1 {
  if (file != "") flush_list()
  file = FILENAME
  n = split(FILENAME, path, "/")
  folder = path[n - 1]
  list = path[n]
  sub(/\.def$/, "", list)
}
define != "" {   # goes on after a backslash, or after a comment of several lines
  bare($0)
  if (define_text[define] !~ /\\$/) define_text[define] = define_text[define] " \\"
  define_text[define] = define_text[define] "\n" code
  if (!in_comment && code !~ /\\$/) define = ""
  next
}
!in_comment && word == "" && FILENAME == schema && /^[ \t]*#/ { next }
!in_comment && FILENAME != schema && /^[ \t]*#/ {
  bare($0)
  if (word != "") {
    bad(FILENAME ":" FNR, "found '" code "' inside " word "(, which began in line " first ", expected it before that line")
    next
  }
  if (!match(code, /^[ \t]*#[ \t]*define[ \t]+[A-Za-z_][A-Za-z0-9_]*/)) {
    bad(FILENAME ":" FNR, "found '" code "', expected no line for the preprocessor but #define, which holds in this file")
    next
  }
  name = substr(code, RSTART, RLENGTH)
  sub(/^.*[ \t]/, "", name)
  if (name in define_text) bad(FILENAME ":" FNR, "found #define " name " a second time, after line " define_line[name])
  defines[++ndefines] = name
  define_text[name] = code
  define_line[name] = FNR
  if (in_comment || code ~ /\\$/) define = name
  next
}
{
  line = bare($0)
  if (word == "") {
    if (line ~ /^[ \t]*$/) next
    if (!match(line, /^[ \t]*[A-Za-z_0-9]+[ \t]*\(/)) {
      if (FILENAME != schema) bad(FILENAME ":" FNR, "found '" line "', expected a line WORD(...) (docs/reference/lists.md)")
      next
    }
    word = substr(line, RSTART, RLENGTH)
    gsub(/[ \t(]/, "", word)
    first = FNR
    at = FILENAME ":" FNR
    text = stripped = ""
    depth = 0
  }
  text = text (text == "" ? "" : "\n") code
  stripped = stripped (stripped == "" ? "" : "\n") line
  for (; match(line, /[()]/); line = substr(line, RSTART + 1)) {
    depth += substr(line, RSTART, 1) == "(" ? 1 : -1
    if (depth > 0) continue
    line = substr(line, RSTART + 1)
    if (line !~ /^[ \t]*$/ && FILENAME != schema) bad(FILENAME ":" FNR, "found '" line "' after a line's end, expected each on a line of its own")
    take()
    break
  }
}
END {
  if (file != "") flush_list()
  check_sections()
  check_nets()
  pair_inputs()
  find_unpriced()
  for (i = 1; i <= nkinds; i++) {
    k = kinds[i]
    if (k == "nets") continue
    f = out "/systems/" k ".def"
    printf "/* Made from the systems' lists (cmodel/make/lists.awk); docs/reference/lists.md says what the lines mean. */\n" >f
    for (w = 1; w <= nwords[k]; w++) printf "#ifndef %s\n#define %s(...)\n#endif\n", word_of_kind[k, w], word_of_kind[k, w] >f
    if (core_file[k] != "") printf "#include \"%s\"\n", core_file[k] >f
    printf "%s", part[k] >f
    for (w = 1; w <= nwords[k]; w++) printf "#undef %s\n", word_of_kind[k, w] >f
    close(f)
  }
  for (i = 1; i <= nnets; i++) {
    f = out "/nets/" nets[i] ".def"
    printf "#ifdef NET_ACCESSORS\n#include \"gen/nets/%s.h\"\n#else\n%s#endif\n", nets[i], part["net " nets[i]] >f
    close(f)
    accessors(nets[i], out "/nets/" nets[i] ".h")
  }
  exit status * 2
}
