# SPDX-License-Identifier: Apache-2.0
# synth.tsv and the files of its blocks as a page of HTML. Called by synth/page.sh with -v out, liberty, rtl, paper, history.
function esc(s) {
  gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); gsub(/"/, "\\&quot;", s)
  return s
}
function count(n,   s) {   # 1,234,567
  n = sprintf("%.0f", n)
  while (length(n) > 3) { s = "," substr(n, length(n) - 2) s; n = substr(n, 1, length(n) - 3) }
  return n s
}
function id(name) { gsub(/[^A-Za-z0-9]/, "-", name); return name }
function bar(x, y, w, h, class, title) {
  return sprintf("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s</title></rect>", class, x, y, w, h, esc(title))
}

# ---- what the library says of its cells: area, a flip-flop, how many inputs
function read_library(   s, cell, v) {
  while ((getline s < liberty) > 0) {
    if (match(s, /^[ \t]*cell[ \t]*\([ \t]*"?/)) {
      cell = substr(s, RSTART + RLENGTH); sub(/["\t )].*/, "", cell); inputs[cell] = 0
    } else if (s ~ /^[ \t]*area[ \t]*:/ && !(cell in area)) { v = s; sub(/.*:[ \t]*"?/, "", v); area[cell] = v + 0 }
    else if (s ~ /^[ \t]*ff[ \t]*\(/) register[cell] = 1
    else if (s ~ /direction[ \t]*:[ \t]*"?input/) inputs[cell]++
  }
  close(liberty)
}
function group(cell) {
  return cell in register ? "flip-flops" : inputs[cell] == 1 ? "buffers and inverters" : cell ~ /MUX|MX/ ? "multiplexers" : "other gates"
}

# ---- where a name of the RTL is declared: FILE:LINE of the first line that names it, in the file of its instance's module
function load(f,   s, n) {
  if (f in lines) return lines[f]
  while ((getline s < f) > 0) { sub(/\/\/.*/, "", s); line[f, ++n] = s }
  close(f)
  return lines[f] = n + 0
}
function line_of(f, name,   k, re) {
  re = "(^|[^A-Za-z0-9_.])" name "([^A-Za-z0-9_]|$)"
  for (k = 1; k <= load(f); k++) if (line[f, k] ~ re) return k
  return 0
}
function declared(block, name,   p, n, i, k, f, dir, module) {
  sub(/ *\[[0-9]+\]$/, "", name); gsub(/\[[0-9]+\]|[^A-Za-z0-9_.]/, "", name)
  if (name == "" || name ~ /^_[0-9]+_$/) return ""
  if ((block, name) in place) return place[block, name]
  f = rtl "/" block ".sv"; dir = f; sub(/\/[^\/]*$/, "", dir)
  n = split(name, p, ".")
  for (i = 1; i < n; i++) {   # of an instance: `module #(...) u_name (` in the file so far; what is none is a generate block
    if (!(k = line_of(f, p[i] "[ \t]*\\("))) continue
    module = line[f, k]; sub(/^[ \t]*/, "", module); sub(/[^A-Za-z0-9_].*/, "", module)
    if (load(dir "/" module ".sv")) f = dir "/" module ".sv"
    else if (load(rtl "/common/" module ".sv")) f = rtl "/common/" module ".sv"
  }
  return place[block, name] = (k = line_of(f, p[n])) ? f ":" k : ""
}

# ---- the sections of a block
function cells_of(dir, name,   s, p, n, k, g, total, x, html, w, order) {
  split("", sum); split("", seen)
  while ((getline s < (dir "/cells.tsv")) > 0) {
    n = split(s, p, "\t")
    if (p[1] ~ /^ram_/) continue
    g = group(p[1]); sum[g] += p[2] * area[p[1]]; total += p[2] * area[p[1]]
    kind[++k] = p[1]; many[k] = p[2]
  }
  close(dir "/cells.tsv")
  n = split("flip-flops;buffers and inverters;multiplexers;other gates", order, ";")
  html = "<h3>Area by kind of cell</h3><svg viewBox=\"0 0 640 34\" role=\"img\" aria-label=\"area by kind of cell\">"
  for (g = 1; g <= n; g++) if (sum[order[g]] > 0) {
    w = 640 * sum[order[g]] / total
    html = html bar(x, 4, w, 26, "k" g, sprintf("%s: %s um2, %.1f %%", order[g], count(sum[order[g]]), 100 * sum[order[g]] / total))
    x += w
  }
  html = html "</svg><ul class=\"legend\">"
  for (g = 1; g <= n; g++) if (sum[order[g]] > 0)
    html = html sprintf("<li><span class=\"s k%d\"></span>%s %s um2 (%.1f %%)</li>", g, order[g], count(sum[order[g]]), 100 * sum[order[g]] / total)
  return html "</ul>"
}
function modules_of(dir,   s, p, k, q, m, most, html, best, used) {   # flip-flops by the module whose register they are
  split("", of)
  k = ""
  while ((getline s < (dir "/netlist.v")) > 0) {
    if (match(s, /^  [A-Za-z_][A-Za-z0-9_]* /)) { split(s, p, " "); k = p[1] }
    if (k in register && match(s, /\.(Q|QN)\(/)) {
      q = substr(s, RSTART + RLENGTH); sub(/^\\/, "", q); sub(/[ \[)].*/, "", q)
      if (q !~ /\./) q = "(the block itself)"; else sub(/\.[^.]*$/, "", q)
      gsub(/\[[0-9]+\]/, "[]", q); of[q]++; m++; k = ""
    }
  }
  close(dir "/netlist.v")
  if (!m) return ""
  html = "<h3>Flip-flops by module</h3><table><tr><th>module</th><th class=\"n\">flip-flops</th></tr>"
  for (k = 1; k <= 12; k++) {
    best = ""
    for (q in of) if (!(q in used) && (best == "" || of[q] > of[best] || (of[q] == of[best] && q < best))) best = q
    if (best == "") break
    used[best] = 1; most += of[best]
    html = html "<tr><td><code>" esc(best) "</code></td><td class=\"n\">" count(of[best]) "</td></tr>"
  }
  if (most < m) html = html "<tr><td>others</td><td class=\"n\">" count(m - most) "</td></tr>"
  return html "</table>"
}
function slack_of(dir,   s, p, n, most, k, html, h) {
  while ((getline s < (dir "/slack.tsv")) > 0) { split(s, p, "\t"); from[++n] = p[1]; to[n] = p[2]; ends[n] = p[3]; if (p[3] > most) most = p[3] }
  close(dir "/slack.tsv")
  if (!most) return ""
  html = "<h3>Arrival at the end points</h3><svg viewBox=\"0 0 640 190\" role=\"img\" aria-label=\"end points by arrival time\">"
  for (k = 1; k <= n; k++) {
    h = 140 * ends[k] / most
    html = html bar(20 + (k - 1) * 60, 155 - h, 52, h, "k1", sprintf("%s to %s ns: %d end points", from[k], to[k], ends[k]))
    html = html sprintf("<text x=\"%d\" y=\"%.1f\">%s</text><text x=\"%d\" y=\"170\">%.2f</text>", 46 + (k - 1) * 60, 151 - h, count(ends[k]), 46 + (k - 1) * 60, to[k])
  }
  return html "<text x=\"320\" y=\"187\">ns, up to; number of end points above</text></svg>"
}
function path_of(dir, block,   s, p, n, on, html, name, cell, at, arrival, delay, hasnet, here) {
  html = "<h3>Longest path</h3><table class=\"path\"><tr><th>cell</th><th>kind</th><th class=\"n\">delay, ns</th><th class=\"n\">arrival, ns</th><th class=\"n\">fan-out</th><th class=\"n\">load, pF</th><th>net</th><th>RTL</th></tr>"
  while ((getline s < (dir "/paths.txt")) > 0) {
    if (s ~ /^Startpoint:/ && n++) break
    if (match(s, /^ +[0-9.]+ +[0-9.]+ +[0-9.]+ [\^v] /)) {
      if (on) html = html "<td></td><td></td><td></td><td></td></tr>"
      split(s, p, " "); delay = p[2]; arrival = p[3]
      cell = substr(s, RSTART + RLENGTH); at = cell; sub(/ \([^ ]*\)$/, "", cell); sub(/.* \(/, "", at); sub(/\)$/, "", at)
      if (at == "net") { on = 0; continue }
      here = cell; sub(/\/[A-Z0-9]+$/, "", here)
      html = html "<tr><td><code>" esc(cell) "</code></td><td>" esc(at) "</td><td class=\"n\">" delay "</td><td class=\"n\">" arrival "</td>"
      on = 1
    } else if (on && s ~ /\(net\)$/) {
      split(s, p, " "); name = s; sub(/^ *[0-9]+ +[0-9.]+ +/, "", name); sub(/ \(net\)$/, "", name)
      at = declared(block, name); if (at == "") at = declared(block, here)
      html = html "<td class=\"n\">" p[1] "</td><td class=\"n\">" p[2] "</td><td>" (name ~ /^_[0-9]+_$/ ? "" : "<code>" esc(name) "</code>") "</td><td>" (at == "" ? "" : "<code>" esc(at) "</code>") "</td></tr>"
      on = 0
    }
  }
  close(dir "/paths.txt")
  if (on) { at = declared(block, here); html = html "<td></td><td></td><td></td><td>" (at == "" ? "" : "<code>" esc(at) "</code>") "</td></tr>" }
  return html "</table>"
}
function memories_of(text,   p, n, k, html) {
  if (text == "-" || text == "") return ""
  n = split(text, p, " ")
  html = "<h3>Memories, left out</h3><ul>"
  for (k = 1; k <= n; k++) { split(p[k], part, /[*:x]/); html = html sprintf("<li>%s of %s words of %s bits, %s</li>", part[1], count(part[3]), count(part[4]), part[2] == "1rw" ? "one port" : "a read and a write port") }
  return html "</ul>"
}
function history_of(name,   s, p, n, html, last) {
  while ((getline s < history) > 0) {
    split(s, p, "\t")
    if (p[1] != name || p[4] " " p[5] == last) continue   # newest first; a commit that changed nothing of this block is not shown
    last = p[4] " " p[5]
    s = p[6]; html = html "<tr><td><code>" esc(p[2]) "</code></td><td class=\"n\">" esc(p[3]) "</td><td class=\"n\">" count(p[4]) "</td><td class=\"n\">" esc(p[5]) "</td><td class=\"why\">" esc(s) "</td></tr>"
    n++
  }
  close(history)
  if (!n) return "<h3>History</h3><p>Nothing is recorded of this block and set in cosim/records/baseline.tsv, or git does not have it.</p>"
  return "<h3>History</h3><table><tr><th>commit</th><th>day</th><th class=\"n\">area, um2</th><th class=\"n\">ns</th><th>subject</th></tr>" html "</table>"
}
function papers(   s, p, n, html, last, u, earlier) {
  while ((getline s < paper) > 0) {
    if (n++ == 0) continue
    split(s, p, "\t")
    if (p[1] != last) html = html (last == "" ? "" : "</table>") "<h3>" esc(p[1]) "</h3><table><tr><th>item</th><th>unit</th><th class=\"n\">the paper says</th><th class=\"n\">by its own counts</th><th class=\"n\">built</th><th>why</th></tr>"
    last = p[1]
    html = html "<tr><td>" esc(p[2]) "</td><td>" esc(p[3]) "</td><td class=\"n\">" esc(p[4]) "</td><td class=\"n\">" (p[5] == "-" ? "-" : count(p[5])) "</td><td class=\"n\">" (p[6] == "-" ? "-" : count(p[6])) (p[8] == "yes" ? "~" : "") "</td><td class=\"why\">" esc(p[7]) "</td></tr>"
    earlier = earlier || p[8] == "yes"
  }
  close(paper)
  return n > 1 ? html "</table>" (earlier ? "<p>~: recorded of a block's earlier Verilog; <code>regtwin cost SYSTEM</code> names the command that renews it.</p>" : "") : "<p>Not there: <code>make</code> builds <code>build/regtwin</code>, whose <code>cost --papers</code> has it.</p>"
}

BEGIN { FS = "\t"; read_library() }
/^#/ || !NF { next }
{ name[++blocks] = $1; for (k = 2; k <= 10; k++) v[blocks, k] = $k; if ($4 > most_area) most_area = $4 }
END {
  lib = liberty; sub(/.*\//, "", lib)
  print "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>What the blocks cost in " esc(lib) "</title>"
  print "<style>:root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--soft:#f4f5f7;--line:#d5d9de;--k1:#0072b2;--k2:#e69f00;--k3:#009e73;--k4:#999}"
  print "@media(prefers-color-scheme:dark){:root{--fg:#e4e7eb;--bg:#15181c;--soft:#1f242a;--line:#39414a;--k1:#56b4e9;--k2:#e69f00;--k3:#2bb98f;--k4:#8a8f96}}"
  print "body{font:15px/1.45 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:1080px;margin:0 auto;padding:1rem}h1{font-size:1.5rem}h2{margin:2.5rem 0 .5rem;border-top:1px solid var(--line);padding-top:1rem}h3{margin:1.2rem 0 .4rem;font-size:1rem}"
  print ".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.15rem .6rem;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}th.n,td.n{text-align:right;white-space:nowrap}tr:nth-child(even) td{background:var(--soft)}td.why{min-width:18rem}code{font:.86em ui-monospace,monospace}"
  print "svg{width:100%;max-width:720px;height:auto;display:block}svg text{fill:var(--fg);font-size:11px;text-anchor:middle}svg text.l{text-anchor:end}svg text.r{text-anchor:start}.k1{fill:var(--k1)}.k2{fill:var(--k2)}.k3{fill:var(--k3)}.k4{fill:var(--k4)}.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem}.s{display:inline-block;width:.8em;height:.8em;margin-right:.4em}.s.k1{background:var(--k1)}.s.k2{background:var(--k2)}.s.k3{background:var(--k3)}.s.k4{background:var(--k4)}a{color:inherit}</style></head><body>"
  print "<h1>What the blocks cost in " esc(lib) "</h1><p>Mapped by Yosys and ABC, timed by OpenSTA without wires; memories are left out. docs/use/cost.md says how, and how far it can be trusted.</p>"
  print "<div class=\"wide\"><table><tr><th>block</th><th>parameters</th><th class=\"n\">cells</th><th class=\"n\">flip-flops</th><th class=\"n\">area, um2</th><th class=\"n\">transistors</th><th class=\"n\">longest path, ns</th><th class=\"n\">memory bits</th></tr>"
  for (b = 1; b <= blocks; b++)
    print "<tr><td><a href=\"#" id(name[b]) "\">" esc(name[b]) "</a></td><td>" (v[b, 10] == "-" ? "" : esc(v[b, 10])) "</td><td class=\"n\">" count(v[b, 2]) "</td><td class=\"n\">" count(v[b, 3]) "</td><td class=\"n\">" count(v[b, 4]) "</td><td class=\"n\">" (v[b, 5] == "-" ? "-" : count(v[b, 5])) "</td><td class=\"n\">" esc(v[b, 7]) "</td><td class=\"n\">" count(v[b, 8]) "</td></tr>"
  print "</table></div>"
  printf "<h3>Area of each block, um2</h3><svg viewBox=\"0 0 720 %d\" role=\"img\" aria-label=\"area of each block\">", 20 * blocks + 6
  for (b = 1; b <= blocks; b++) {
    w = most_area ? 440 * v[b, 4] / most_area : 0
    printf "<text class=\"l\" x=\"190\" y=\"%d\">%s</text>%s<text class=\"r\" x=\"%.1f\" y=\"%d\">%s</text>\n", 20 * b - 4, esc(name[b]), bar(196, 20 * b - 16, w, 15, "k1", name[b] ": " count(v[b, 4]) " um2"), 201 + w, 20 * b - 4, count(v[b, 4])
  }
  print "</svg>"
  print "<h2>Beside the papers</h2><div class=\"wide\">" papers() "</div>"
  for (b = 1; b <= blocks; b++) {
    dir = out "/" name[b]; block = name[b]; sub(/@.*/, "", block)
    print "<h2 id=\"" id(name[b]) "\">" esc(name[b]) "</h2><p>" count(v[b, 2]) " cells, " count(v[b, 3]) " flip-flops, " count(v[b, 4]) " um2, longest path " esc(v[b, 7]) " ns" (v[b, 10] == "-" ? "" : " at " esc(v[b, 10])) ".</p>"
    print cells_of(dir, name[b]) "\n" modules_of(dir) "\n" memories_of(v[b, 9]) "\n" slack_of(dir) "\n<div class=\"wide\">" path_of(dir, block) "</div>\n<div class=\"wide\">" history_of(name[b]) "</div>"
  }
  print "</body></html>"
}
