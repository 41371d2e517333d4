import { cleanLine } from '../lib/text/cut.js';
import { type DiffFile, parseDiff } from '../lib/text/diff.js';
import { count } from '../lib/text/number.js';
import { FENCE_NOTICE, type Fenced, parseFences } from '../safety/fence.js';
import { findInDiff, type RuleFinding } from './offline-rules.js';

/**
 * The answer of `offline/rules`, markdown: a review if the message holds a diff, what a report lacks if it holds the
 * description of an issue, else what the rules can do. `message` is the last of the user's. The answer begins by saying that no model wrote it and ends with what
 * it was given of memory (D32).
 */
export function answerOffline(system: string, message: string): string {
  const { fences, rest } = parseFences(message);
  const task = firstLine(rest.replace(FENCE_NOTICE, ''));
  const diffs = diffsIn(message);
  const issue = fences.find(({ source }) => /^description of issue\b/.test(source));
  const body = diffs.length > 0 ? review(diffs) : issue === undefined ? introduce(task) : triage(issue);
  return [WHAT_THIS_IS, ...body, describeMemory(system)].join('\n\n');
}

const WHAT_THIS_IS =
  '**No model wrote this.** It is the answer of `offline/rules`, a set of fixed rules that need no key and no network. They look for patterns and understand nothing; name a real model in `model` for a real answer.';

/** The diffs of a message, those in its fences first. */
export function diffsIn(message: string): readonly string[] {
  const { fences, rest } = parseFences(message);
  const texts = [...fences.map(({ text }) => text), rest];
  return texts.filter((text) => /^(?:diff --git |--- .*\n\+\+\+ )/m.test(text));
}

const MAX_TASK = 120;

/** Of a diff that was piped as the task, the first line says nothing. */
function firstLine(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  return cleanLine(line, MAX_TASK).replaceAll('`', "'");
}

function review(diffs: readonly string[]): readonly string[] {
  const files = diffs.flatMap(parseDiff);
  return [lookedAt(files, diffs), formatFindings(findInDiff(files))];
}

/** How much was looked at, and how much was not. */
export function lookedAt(files: readonly DiffFile[], diffs: readonly string[]): string {
  const added = files.reduce((sum, file) => sum + file.additions, 0);
  const removed = files.reduce((sum, file) => sum + file.deletions, 0);
  const binary = files.filter(({ content }) => content === 'binary').length;
  const parts = [`Looked at ${count(files.length, 'file')} (+${added} −${removed}).`];
  if (binary > 0) parts.push(`${count(binary, 'binary file')} could not be looked into.`);
  const missing = diffs.flatMap((diff) => /^Not shown \((\d+) files?\)/m.exec(diff)?.[1] ?? []);
  if (missing.length > 0)
    parts.push(`${count(Number(missing[0]), 'file')} did not fit and were not looked at.`);
  return parts.join(' ');
}

/** More would be longer than anybody reads. */
const MAX_FINDINGS = 50;

function formatFindings(findings: readonly RuleFinding[]): string {
  if (findings.length === 0)
    return 'None of the rules found anything. That is not a judgement of the change.';
  const lines = findings.slice(0, MAX_FINDINGS).map(formatFinding);
  if (findings.length > MAX_FINDINGS) lines.push(`- and ${findings.length - MAX_FINDINGS} more`);
  return `### ${count(findings.length, 'finding')}\n\n${lines.join('\n')}`;
}

const MAX_PATH = 300;

function formatFinding({ rule, path, line, message }: RuleFinding): string {
  if (path === undefined) return `- ${message} (${rule})`;
  const place = cleanLine(path, MAX_PATH).replaceAll('`', "'") + (line === undefined ? '' : `:${line}`);
  return `- \`${place}\`: ${message} (${rule})`;
}

/** Parts of a good report, and the words that show it is there. */
const REPORT_PARTS: readonly { readonly name: string; readonly sign: RegExp }[] = [
  {
    name: 'the steps that lead to it',
    sign: /\b(?:steps|reproduc\w*|repro|how to (?:trigger|see))\b|^\s*(?:1[.)]|```)/im,
  },
  { name: 'what you expected', sign: /\b(?:expected|expect|should(?: have)?|supposed to)\b/i },
  {
    name: 'what happened instead, with the full error message',
    sign: /\b(?:actual\w*|instead|errors?|exception|stack ?trace|traceback|panic\w*|crash\w*|fails?|failed)\b/i,
  },
  { name: 'the version you use', sign: /\bversion\b|\bv?\d+\.\d+(?:\.\d+)?\b|\b[0-9a-f]{7,40}\b/i },
  {
    name: 'the system you run it on',
    sign: /\b(?:linux|ubuntu|debian|fedora|windows|macos|mac os|os x|android|ios|docker|browser|chrome|firefox|safari|node(?:\.js)?|python|go) ?\d*\b/i,
  },
];

function triage({ text }: Fenced): readonly string[] {
  const missing = REPORT_PARTS.filter(({ sign }) => !sign.test(text));
  if (missing.length === 0) return ['The report names every part the rules look for. They cannot say more.'];
  const list = missing.map(({ name }) => `- ${name}`).join('\n');
  return [`The report does not seem to say:\n\n${list}`, 'If it is a bug report, please add that.'];
}

function introduce(task: string): readonly string[] {
  const taskLine = task === '' ? [] : [`The task was: \`${task}\``];
  return [
    ...taskLine,
    'The rules can review a diff (conflict markers, secrets, debug output, TODOs, white space, very large changes, code without tests) and say what is missing in the description of an issue. Neither was sent.',
  ];
}

/** Whether memory works can be seen from this: the entries that came with the system prompt, and the newest one. */
function describeMemory(system: string): string {
  const section =
    system
      .split(/^## Memory$/m)
      .slice(1)
      .at(-1) ?? '';
  const entries = section.matchAll(/^## (\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z)\s*$/gm);
  const times = Array.from(entries, ([, time = '']) => time);
  const newest = times.toSorted().at(-1);
  if (newest === undefined) return 'Memory: no earlier entries were given.';
  return `Memory: ${count(times.length, 'earlier entry')} given; the newest is of ${newest}.`;
}
