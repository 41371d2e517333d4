import {
  copyOfRecord,
  formatSaid,
  type KeptFinding,
  type SaidRev,
} from '../../src/findings/kept-finding.js';
import { formatMark } from '../../src/safety/mark.js';

const ID = '0123456789abcdef';
const AT = Date.parse('2026-11-20T10:00:00Z');

/** An open finding that the agent `bot` raised on pull request 42, as it is kept. */
export function kept(patch: Partial<KeptFinding> = {}): KeptFinding {
  return {
    kind: 'finding',
    id: ID,
    pull: 42,
    at: AT,
    rev: 1,
    handle: 'FQ7K2',
    title: 'It is wrong',
    category: 'correctness',
    severity: 'major',
    path: 'src/a.ts',
    line: 1,
    side: 'RIGHT',
    code: '',
    state: 'open',
    head: 'a'.repeat(40),
    words: 'own',
    raised: AT,
    decided: AT,
    saw: { down: [] },
    ...patch,
  };
}

/** The same after a person has dismissed it. */
export function dismissed(patch: Partial<KeptFinding> = {}): KeptFinding {
  const end = { state: 'dismissed', by: 'person', why: 'command', rev: 2 } as const;
  return kept({ ...end, at: AT + 1000, decided: AT + 1000, ...patch });
}

/** The hidden line of a text that says a finding. */
export function findingLine({
  agent = 'bot',
  id = ID,
  rev = 1,
}: Partial<SaidRev> & { readonly agent?: string } = {}): string {
  return formatMark({ kind: 'finding', agent, id, rev });
}

/** The hidden line of a review with the copy of a record, which names these findings. */
export function reviewLine(
  { agent, head }: { readonly agent: string; readonly head: string },
  ...findings: readonly KeptFinding[]
): string {
  const record = copyOfRecord({ findings, heard: [], review: 0 });
  const says = findings.map(formatSaid);
  return formatMark({ kind: 'review', agent, head, part: 1, says, record });
}

export const answerLine = (agent: string): string => formatMark({ kind: 'answer', agent });
