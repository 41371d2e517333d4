import { MAX_LOADED_MEMORY_BYTES } from '../../defaults.js';
import { encodeBytes } from '../../text/bytes.js';
import { grouped } from '../../text/number.js';
import { parseProvenance } from '../provenance.js';
import { countEntries } from '../run-log.js';
import { checkSignature, isSignedFirst } from '../signature.js';
import { type MemoryEntry, readEntries } from './entry.js';
import type { BareFinding, FindingCode, LogFinding, VerifiedLog } from './finding.js';
import { checkLines } from './verify-lines.js';

/** Looks through a log and tells what is not as it should be, in the order of the lines. */
export function verifyLog(log: VerifiedLog): readonly LogFinding[] {
  const entries = readEntries(log.text, log.lane);
  const found = [
    ...checkLines(log.text),
    ...entries.flatMap((entry) => checkEntry(entry, log)),
    ...checkAmong(entries),
  ].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return [
    ...found,
    ...withoutProvenance(entries),
    ...withEarlierKey(entries, log),
    ...checkSize(log.text, entries.length),
  ].map((one) => ({
    ...one,
    lane: log.lane,
    path: log.path,
  }));
}

/** What an entry can only have beside others: the same id or text twice, a time before the one above. */
function checkAmong(entries: readonly MemoryEntry[]): readonly BareFinding[] {
  const found: BareFinding[] = [];
  const ids = new Map<string, number>();
  const texts = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const { id, line, heading, unit } = entry;
    const sameId = ids.get(id);
    const sameText = texts.get(`${heading}\n${entry.body}`) ?? sameId;
    if (sameId !== undefined && unit.hasProvenance) {
      found.push(
        problem('duplicate-id', line, `the id \`${id}\` is already that of the entry in line ${sameId}`),
      );
    } else if (sameText !== undefined) {
      found.push(problem('duplicate-text', line, `the entry in line ${sameText} has the same time and text`));
    }
    ids.set(id, sameId ?? line);
    texts.set(`${heading}\n${entry.body}`, sameText ?? line);
    const before = entries[index - 1];
    if (before !== undefined && before.timeMs > entry.timeMs) {
      found.push(problem('order', line, `${heading} is below the later ${before.heading}`));
    }
  }
  return found;
}

function withoutProvenance(entries: readonly MemoryEntry[]): readonly BareFinding[] {
  const plain = entries.filter(({ unit }) => !unit.hasProvenance);
  if (plain.length === 0) return [];
  const message = `${plain.length} of ${entries.length} entries have no provenance, as axe and the command line write them`;
  return [{ code: 'no-provenance', severity: 'information', line: undefined, message }];
}

function withEarlierKey(
  entries: readonly MemoryEntry[],
  { path, sign }: VerifiedLog,
): readonly BareFinding[] {
  if (sign?.earlier === undefined) return [];
  const signed = entries.filter(({ unit }) => checkSignature(unit.text, [path], sign) === 'good');
  const earlier = signed.filter(({ unit }) => !isSignedFirst(unit.text, path, sign)).length;
  if (earlier === 0) return [];
  const [are, them] = earlier === 1 ? ['is', 'it'] : ['are', 'them'];
  const message = `${earlier} of ${entries.length} entries ${are} signed with an earlier key; \`sign\` signs ${them} with the first one`;
  return [{ code: 'signature', severity: 'information', line: undefined, message }];
}

/** Largest memory the Actions cache takes, all files together (D13). */
const MAX_CACHE_BYTES = 1024 * 1024;

function checkSize(text: string, entries: number): readonly BareFinding[] {
  const { length: bytes } = encodeBytes(text);
  const headings = countEntries(text);
  const counted =
    headings === entries ? '' : ` (${headings} as \`last_n\` counts: lines that start with \`## \`)`;
  const figures = `${entries} ${entries === 1 ? 'entry' : 'entries'}${counted}, ${grouped(bytes)} bytes`;
  const limits = [
    ...(bytes > MAX_LOADED_MEMORY_BYTES
      ? [
          `of which only the newest ${grouped(MAX_LOADED_MEMORY_BYTES)} are loaded without \`last_n\` and \`max_log_bytes\``,
        ]
      : []),
    ...(bytes > MAX_CACHE_BYTES ? [`more than the ${grouped(MAX_CACHE_BYTES)} that the cache takes`] : []),
  ];
  const severity = bytes > MAX_CACHE_BYTES ? 'problem' : 'information';
  return [{ code: 'size', severity, line: undefined, message: [figures, ...limits].join('; ') }];
}

function problem(code: FindingCode, line: number, message: string): BareFinding {
  return { code, severity: 'problem', line, message };
}

const OURS = /^<!-- axe-action\b/;
const VERSION = /^<!-- axe-action v=(\S+)/;

/** What is wrong with one entry. */
function checkEntry(entry: MemoryEntry, log: VerifiedLog): readonly BareFinding[] {
  return [
    ...checkFields(entry),
    ...checkProvenance(entry),
    ...checkSigned(entry, log),
    ...checkForgotten(entry, log),
  ];
}

function checkFields({ task, result, line }: MemoryEntry): readonly BareFinding[] {
  const missing = [
    ...(task === undefined ? ['`**Task:**`'] : []),
    ...(result === undefined ? ['`**Result:**`'] : []),
  ];
  if (missing.length === 0) return [];
  return [problem('fields', line, `the entry has no ${missing.join(' and no ')} line`)];
}

function checkProvenance(entry: MemoryEntry): readonly BareFinding[] {
  const lines = entry.unit.text.split('\n').map((line) => line.replace(/\r$/, ''));
  const ours = lines.flatMap((text, index) => (OURS.test(text) ? [{ text, line: entry.line + index }] : []));
  const unread = ours.flatMap(({ text, line }) => whyUnread(text, line));
  const read = ours.filter(({ text }) => parseProvenance(text) !== undefined);
  const second = read[1];
  if (second === undefined) return unread;
  const message = `${read.length} provenance lines in one entry: the heading of another entry is missing, or it was pasted`;
  return [...unread, problem('provenance', second.line, message)];
}

function whyUnread(text: string, line: number): readonly BareFinding[] {
  if (parseProvenance(text) !== undefined) return [];
  const version = VERSION.exec(text)?.[1];
  const why =
    version === undefined || version === '1'
      ? 'a provenance line that cannot be read; the entry counts as one without'
      : `a provenance line of version ${version.slice(0, 20)}, which this version of axe-action does not know`;
  return [problem('provenance', line, why)];
}

function checkSigned({ unit, line }: MemoryEntry, { path, sign }: VerifiedLog): readonly BareFinding[] {
  if (sign === undefined) return [];
  switch (checkSignature(unit.text, [path], sign)) {
    case 'good':
      return [];
    case 'none':
      return [problem('signature', line, 'the entry is not signed')];
    case 'bad':
      return [
        problem(
          'signature',
          line,
          'the signature does not fit: changed by hand, moved, signed with another key, or forged',
        ),
      ];
  }
}

function checkForgotten({ id, line }: MemoryEntry, { forgotten }: VerifiedLog): readonly BareFinding[] {
  if (!forgotten.has(id)) return [];
  return [problem('forgotten', line, `\`${id}\` was forgotten and is still here; \`forget\` it once more`)];
}
