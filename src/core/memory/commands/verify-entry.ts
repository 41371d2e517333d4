import { parseProvenance } from '../provenance.js';
import { checkSignature } from '../signature.js';
import type { MemoryEntry } from './entry.js';
import type { BareFinding, FindingCode, VerifiedLog } from './finding.js';

const OURS = /^<!-- axe-action\b/;
const VERSION = /^<!-- axe-action v=(\S+)/;

/** What is wrong with one entry. */
export function checkEntry(entry: MemoryEntry, log: VerifiedLog): readonly BareFinding[] {
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

function problem(code: FindingCode, line: number, message: string): BareFinding {
  return { code, severity: 'problem', line, message };
}
