import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareFiles } from '../../../src/memory/stores/tree-path.js';

const IN_ORDER = [
  'MEMORY.md',
  'MEMORY.state.md',
  'bot.md',
  'bot.state.md',
  'packages/api/bot.md',
  'projects/x-12345678/SCRATCHPAD.md',
  'zebra.md',
  'projects/x-12345678/daily/2026-03-02.md',
  '2026-03-01.md',
  'packages/api/projects/x-12345678/daily/2026-02-28.md',
  'notes/old.md',
  'projects/x-12345678/notes/MEMORY.md',
  'projects/x-12345678/notes/a.md',
  'projects/x-12345678/notes/b.md',
  'packages/api/untrusted/bot.md',
  'untrusted/MEMORY.md',
  'untrusted/bot.md',
  'untrusted/projects/x-12345678/daily/2026-03-02.md',
  'untrusted/projects/x-12345678/notes/a.md',
  'MEMORY.bak',
  'bot.md.bak',
  'untrusted/bot.md.bak',
];

describe('the order of files when a limit cuts', () => {
  it('is run logs and facts, days from the newest on, notes, the untrusted lane, former versions', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(IN_ORDER), (paths) => {
        expect([...paths].sort(compareFiles)).toEqual(IN_ORDER.filter((path) => paths.includes(path)));
      }),
    );
  });
});
