import { join } from 'node:path';
import { type Case, parseCase } from '../../eval/case.js';
import type { Posted, Seen, Usage } from '../../eval/observe.js';
import type { Played, PlayedRun } from '../../eval/play.js';
import { type ChildResult, startChild } from '../helpers/child.js';
import { COMPILED_CODE } from '../helpers/compiled-code.js';
import { tempDir } from '../helpers/temp.js';

const ROOT = join(import.meta.dirname, '../..');

/** Runs the evaluation as `npm run eval` does. */
export function evaluate(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ChildResult> {
  return startChild({
    command: process.execPath,
    args: [join(ROOT, 'eval/run.js'), ...args],
    env: { ...COMPILED_CODE, PATH: process.env['PATH'] ?? '', HOME: tempDir('home'), ...env },
    cwd: ROOT,
  }).finished;
}

/** The fault that most tests have: an address in a statement. */
export const FAULT: Case['expect'][number] = {
  id: 'e1',
  path: 'src/users.ts',
  lines: [10, 12],
  severity: 'critical',
  category: 'security',
  words: [
    ['sql', 'inject'],
    ['email', 'address'],
  ],
  wordings: ['SQL injection through `email` in `findUser`: the query is built from the address'],
};

/** A case with a fault, with changes. */
export function makeCase(patch: Readonly<Record<string, unknown>> = {}): Case {
  const whole = {
    name: 'sample',
    language: 'ts',
    kind: 'seeded',
    licence: 'Apache-2.0',
    source: 'own text',
    title: 'A change',
    expect: [FAULT],
    ...patch,
  };
  return parseCase(JSON.stringify(whole), 'case.json');
}

/** A finding that means {@link FAULT}, with changes. */
export function makePosted(patch: Partial<Posted> = {}): Posted {
  return {
    id: 'aaaa',
    path: 'src/users.ts',
    line: 11,
    severity: 'critical',
    title: 'SQL injection',
    text: 'SQL injection\nThe `email` becomes part of the statement.',
    isOnLine: true,
    ...patch,
  };
}

const USAGE: Usage = { calls: 2, inputTokens: 1000, outputTokens: 100, costUsd: 0.01 };

/** What a run left behind, with changes. */
function makeSeen(patch: Partial<Seen> = {}): Seen {
  return {
    conclusion: 'success',
    posted: [],
    refuted: [],
    threads: [],
    isBlocked: false,
    hasApproved: false,
    written: '',
    coverage: { kind: 'whole', files: 1, read: 1 },
    shownFiles: 1,
    usage: USAGE,
    ...patch,
  };
}

/** A case that was played: its first review, then one for each push. */
export function makePlayed(
  about: Case,
  first: Partial<Seen>,
  pushes: readonly (readonly [
    step: Partial<NonNullable<PlayedRun['step']>>,
    seen: Partial<Seen>,
  ])[] = [],
): Played {
  const later = pushes.map(([step, seen], index) => ({
    step: { push: index + 2, rebase: false, settled: [], open: [], ...step },
    seen: makeSeen(seen),
  }));
  const runs = [{ step: undefined, seen: makeSeen(first) }, ...later];
  return { about, runs, second: undefined, memory: {}, isIncomplete: false };
}
