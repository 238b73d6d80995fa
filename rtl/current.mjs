// SPDX-License-Identifier: Apache-2.0
// make rtl-current: reads every module of rtl/ with the Yosys of the npm package @yowasp/yosys, which is newer than Debian's, as rtl/lint.sh
// does with that. usage: node rtl/current.mjs PACKAGE_FOLDER [SYSTEM/BLOCK...]; exit status 1 if one is not accepted or has a warning.
import {readFileSync, readdirSync, existsSync} from 'node:fs';
import {pathToFileURL} from 'node:url';
import {join} from 'node:path';

const [folder, ...named] = process.argv.slice(2);
const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const {runYosys} = await import(pathToFileURL(join(folder, about.exports.default)).href);

const folders = readdirSync('rtl', {withFileTypes: true}).filter((d) => d.isDirectory()).map((d) => d.name).sort();
const modules = (dir) => readdirSync(join('rtl', dir)).filter((f) => f.endsWith('.sv')).sort().map((f) => `${dir}/${f.slice(0, -3)}`);
const blocks = named.length ? named : folders.flatMap(modules);
for (const b of blocks) {
  if (!existsSync(`rtl/${b}.sv`)) {
    console.error(`rtl-current: ${b}: expected a block such as slice/sit, found no rtl/${b}.sv`);
    process.exit(2);
  }
}
// Yosys sees no file but these.
const rtl = {};
for (const dir of folders) {
  rtl[dir] = {};
  for (const f of readdirSync(join('rtl', dir))) if (/\.svh?$/.test(f)) rtl[dir][f] = readFileSync(join('rtl', dir, f), 'utf8');
}

// Said of every array that is read at several places: what Yosys does with it, no fault of the text.
const usual = /^(Warning: Replacing memory .* with list of registers.*)?$/;
let bad = 0, last = Date.now();
for (const [i, block] of blocks.entries()) {
  const [dir, top] = block.split('/');
  const files = [...new Set([...modules('common'), ...modules(dir)])].map((b) => `rtl/${b}.sv`).join(' ');
  for (const define of ['', '-formal -DASSERT_ON']) {
    let said = '';
    const hear = (bytes) => { if (bytes) said += Buffer.from(bytes).toString(); };
    try {
      await runYosys(['-qq', '-p', `read_verilog -sv ${define} -Irtl/common -defer ${files}; hierarchy -check -top ${top}; proc; check -assert`],
        {rtl}, {stdout: hear, stderr: hear});
    } catch (e) {
      said += `${e}\n`;
    }
    said = said.split('\n').filter((line) => !usual.test(line)).join('\n');
    if (said) {
      bad++;
      console.error(`${block} ${define}\n${said}`);
    }
  }
  if (Date.now() - last > 30000) {
    last = Date.now();
    console.error(`rtl-current: ${i + 1} of ${blocks.length} modules`);
  }
}
console.log(`rtl-current: ${blocks.length} modules read by Yosys ${about.version} (@yowasp/yosys), ${bad ? `${bad} times with a complaint` : 'none with a complaint'}`);
process.exit(bad ? 1 : 0);
