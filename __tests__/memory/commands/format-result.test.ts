import { expect, it } from '@jest/globals';
import type { MemoryRefusal } from '../../../src/memory/commands/command-session.js';
import { formatCommandResult } from '../../../src/memory/commands/command-session.js';

const REFUSAL = { kind: 'failed', reason: 'not-found', message: 'no entry of `a`', changed: false } as const;

it.each<[string, Partial<MemoryRefusal>, string]>([
  ['why', {}, 'Nothing was done: no entry of `a`.'],
  ['why and what to do', { remedy: 'Look again.' }, 'Nothing was done: no entry of `a`. Look again.'],
  [
    'that it was done and cannot be shown',
    { message: 'the memory could not be read: 502', changed: true },
    'It was done, but the memory could not be read: 502.',
  ],
])('a failed command reports %s', (_, patch, told) => {
  expect(formatCommandResult({ ...REFUSAL, ...patch })).toBe(told);
});

it('a completed command reports its own text', () => {
  expect(formatCommandResult({ kind: 'done', text: 'Forgotten.', changed: true, warnings: [] })).toBe(
    'Forgotten.',
  );
});
