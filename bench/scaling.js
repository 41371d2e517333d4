// Work on text that others wrote, at one size and at four times that size: linear work takes about four times as long.
import { compile } from './compile.js';
import { figures, rows } from './figures.js';

const ROUNDS = 7;
const FACTOR = 4;

/** Lines to print. */
export async function scaling() {
  compile();
  const { withEntry } = await import('../lib/memory/units.js');
  const { readDiffLines } = await import('../lib/review/diff-lines.js');
  const { ownPart } = await import('../lib/review/own-part.js');
  const { findMention } = await import('../lib/event/mention.js');
  const { cleanMarkdown } = await import('../lib/safety/markdown.js');
  const works = [
    ['put an entry into a log', 4000, (size) => [log(size, 'a'), log(1, 'b')], withEntry],
    ['lines of a diff, one file', 4000, (size) => [hunks(size)], readDiffLines],
    ['lines of a diff, one path again and again', 4000, (size) => [samePath(size)], readDiffLines],
    ['own part of a diff', 2000, (size) => [hunks(size), hunks(size)], ownPart],
    [
      'request in a comment full of backticks',
      60_000,
      (size) => [`${runs(size)}@axe go`, '@axe'],
      findMention,
    ],
    ['clean markdown full of tags', 4000, (size) => ['<b>'.repeat(size)], cleanMarkdown],
  ];
  const pairs = [];
  for (const [name, size, make, work] of works) {
    const small = median(make(size), work);
    const large = median(make(size * FACTOR), work);
    const ratio = (large / small).toFixed(1);
    pairs.push([
      name,
      `${small.toFixed(1)} ms of CPU, ${FACTOR} times the size ${large.toFixed(1)} ms, ${ratio} times as long`,
    ]);
  }
  return rows(pairs);
}

function median(args, work) {
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const before = process.cpuUsage();
    work(...args);
    const { user, system } = process.cpuUsage(before);
    if (round > 0) rounds.push((user + system) / 1000);
  }
  return figures(rounds).median;
}

function log(entries, name) {
  let text = '';
  for (let index = 0; index < entries; index += 1) {
    const at = new Date(1_700_000_000_000 + index * 1000).toISOString().replace(/\.\d+Z/, 'Z');
    text += `## ${at}\n**Task:** Review ${index}\n**Result:** Nothing to remark.\n<!-- axe-action v=1 id=${name}${index} run=1/1 job=j event=push sha=1234567 actor=a trust=trusted model=m -->\n\n`;
  }
  return text;
}

function hunk(line) {
  return `@@ -${line},1 +${line},1 @@\n-before\n+after\n`;
}

function hunks(count) {
  const lines = Array.from({ length: count }, (_, index) => hunk(index * 10 + 1));
  return `diff --git a/x b/x\n--- a/x\n+++ b/x\n${lines.join('')}`;
}

function samePath(count) {
  return `diff --git a/x b/x\n--- a/x\n+++ b/x\n${hunk(1)}`.repeat(count);
}

/** Runs of backticks of which no two are as long. */
function runs(characters) {
  const parts = [];
  for (let [length, total] = [1, 0]; total < characters; length += 1) {
    parts.push('`'.repeat(length), 'a ');
    total += length + 2;
  }
  return parts.join('');
}
