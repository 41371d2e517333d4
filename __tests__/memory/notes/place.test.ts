import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  isNotesPath,
  type NoteTarget,
  noteKind,
  notesPlaces,
  parseNoteName,
  pathOf,
} from '../../../src/memory/notes/place.js';
import { PLACES, PROJECT } from './notes-scene.js';

const TARGETS: readonly NoteTarget[] = [
  { kind: 'long_term' },
  { kind: 'scratchpad' },
  { kind: 'daily', date: '2026-03-01' },
  { kind: 'note', name: 'auth' },
];

function places(scope: 'project' | 'shared') {
  return notesPlaces(scope, 'octo-org/hello.world');
}

describe('places of notes', () => {
  it.each<readonly ['project' | 'shared', readonly string[]]>([
    [
      'project',
      [
        'MEMORY.md',
        'projects/hello-world-3ccd7a60/SCRATCHPAD.md',
        'projects/hello-world-3ccd7a60/daily/2026-03-01.md',
        'projects/hello-world-3ccd7a60/notes/auth.md',
      ],
    ],
    ['shared', ['MEMORY.md', 'SCRATCHPAD.md', '2026-03-01.md', 'notes/auth.md']],
  ])('of the scope %s', (scope, paths) => {
    expect(TARGETS.map((target) => pathOf(target, places(scope)))).toEqual(paths);
    expect(paths.map(noteKind)).toEqual(['long_term', 'scratchpad', 'daily', 'note']);
  });

  it.each([
    'bot.md',
    'MEMORY.state.md',
    'MEMORY.md.bak',
    'memory.md',
    'untrusted/bot.md',
    'projects/a/other.md',
    'projects/a/b/notes/c.md',
    'projects/a/daily/today.md',
    '2026-02-30.md',
    'daily/2026-03-01.md',
    'XMEMORY.md',
  ])('exclude other files: %s', (path) => {
    expect(isNotesPath(path)).toBe(false);
  });
});

describe('the name of a note', () => {
  it.each([
    ['auth', 'auth'],
    [' how to release.md ', 'how to release'],
    ['部署', '部署'],
    ['ملاحظات', 'ملاحظات'],
    ['リリース手順', 'リリース手順'],
    ['e\u0301te\u0301', 'été'],
    ['a'.repeat(100), 'a'.repeat(100)],
  ])('%j is %j', (given, name) => {
    expect(parseNoteName(given)).toEqual({ kind: 'name', name });
  });

  it.each([
    [undefined, 'no slashes or dots'],
    ['', 'no slashes or dots'],
    ['.md', 'no slashes or dots'],
    ['..', 'no slashes or dots'],
    ['../MEMORY', 'no slashes or dots'],
    ['C:\\x', 'no slashes or dots'],
    ['a\nb', 'no control or invisible characters'],
    ['a\0', 'no control or invisible characters'],
    ['\u202Ecod', 'no control or invisible characters'],
    ['half \ud800', 'no control or invisible characters'],
    ['au\u200Bth', 'no control or invisible characters'],
    ['auth\u00AD', 'no control or invisible characters'],
    ['CON\u2060', 'no control or invisible characters'],
    ['\u3164', 'no control or invisible characters'],
    ['plan 1\u200D', 'no control or invisible characters'],
    ['a:stream', 'none of < > : " | ? *'],
    ['あ'.repeat(34), 'more than 100 bytes'],
  ])('%j is invalid', (given, reason) => {
    expect(parseNoteName(given)).toEqual({ kind: 'invalid', message: `invalid note name (${reason})` });
  });

  it('never leads out of the folder of notes, whatever the input', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', 'md') }),
    );
    fc.assert(
      fc.property(text, (given) => {
        const parsed = parseNoteName(given);
        if (parsed.kind === 'invalid') return;
        const path = pathOf({ kind: 'note', name: parsed.name }, PLACES);
        expect(path.split('/').slice(0, -1).join('/')).toBe(`${PROJECT}/notes`);
        expect(isNotesPath(path)).toBe(true);
        expect(Buffer.byteLength(parsed.name)).toBeLessThanOrEqual(100);
        expect(parseNoteName(parsed.name)).toEqual(parsed);
      }),
    );
  });
});
