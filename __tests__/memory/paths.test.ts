import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  isNotesPath,
  type NoteTarget,
  noteKind,
  notePath,
  notesPlaces,
  parseNoteName,
} from '../../src/memory/paths.js';
import { createMemoryFilter } from '../../src/safety/path-rules.js';
import { PLACES, PROJECT } from './notes/notes-scene.js';

const isMemory = createMemoryFilter(['.axe/memory', 'docs/mem/', '']);

it.each([
  '.axe/memory',
  '.axe/memory/bot.md',
  '.axe/memory/apart/bot.md',
  './.axe//memory/bot.md',
  '.AXE/Memory/bot.md',
  'docs/mem/web/apart/bot.md',
])('a path of the repository is memory: %s', (path) => expect(isMemory(path)).toBe(true));

it.each([
  '',
  '.',
  'README.md',
  '.axe/agents/bot.toml',
  'docs/memory.md',
  'docs/mem.md',
  'src/docs/mem/a.md',
])('a path of the repository is not memory: %s', (path) => expect(isMemory(path)).toBe(false));

const TARGETS: readonly NoteTarget[] = [
  { kind: 'long_term' },
  { kind: 'scratchpad' },
  { kind: 'daily', date: '2026-03-01' },
  { kind: 'note', name: 'auth' },
];

describe('places of notes', () => {
  it.each([
    [
      'project',
      `${PROJECT}/SCRATCHPAD.md`,
      `${PROJECT}/daily/2026-03-01.md`,
      `${PROJECT}/notes/auth.md`,
    ],
    ['shared', 'SCRATCHPAD.md', '2026-03-01.md', 'notes/auth.md'],
  ] as const)('of the scope %s', (scope, ...own) => {
    const paths = ['MEMORY.md', ...own];
    const places = notesPlaces(scope, 'octo-org/hello.world');
    expect(TARGETS.map((target) => notePath(target, places))).toEqual(paths);
    expect(paths.map(noteKind)).toEqual(TARGETS.map(({ kind }) => kind));
  });

  it.each([
    'bot.md',
    'MEMORY.state.md',
    'MEMORY.md.bak',
    'memory.md',
    'apart/bot.md',
    'projects/a/other.md',
    'projects/a/b/notes/c.md',
    'projects/a/daily/today.md',
    '2026-02-30.md',
    'daily/2026-03-01.md',
    'XMEMORY.md',
  ])('exclude other files: %s', (path) => expect(isNotesPath(path)).toBe(false));
});

it.each([
  ['auth', 'auth'],
  [' how to release.md ', 'how to release'],
  ['部署', '部署'],
  ['ملاحظات', 'ملاحظات'],
  ['リリース手順', 'リリース手順'],
  ['e\u0301te\u0301', 'été'],
  ['a'.repeat(100), 'a'.repeat(100)],
])('the name of a note %j is %j', (given, name) =>
  expect(parseNoteName(given)).toEqual({ kind: 'name', name }),
);

it.each([
  ['no slashes or dots', undefined, '', '.md', '..', '../MEMORY', 'C:\\x'],
  ['no control or invisible characters', 'a\nb', 'a\0', '\u202Ecod', 'half \ud800'],
  [
    'no control or invisible characters',
    'au\u200Bth',
    'auth\u00AD',
    'CON\u2060',
    '\u3164',
    'plan 1\u200D',
  ],
  ['none of < > : " | ? *', 'a:stream'],
  ['more than 100 bytes', 'あ'.repeat(34)],
])('the name of a note is invalid with %s', (reason, ...names) => {
  const message = `invalid note name (${reason})`;
  for (const given of names) expect(parseNoteName(given)).toEqual({ kind: 'invalid', message });
});

it('the name of a note never leads out of the folder of notes, whatever the input', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', 'md') }),
  );
  fc.assert(
    fc.property(text, (given) => {
      const parsed = parseNoteName(given);
      if (parsed.kind === 'invalid') return;
      const path = notePath({ kind: 'note', name: parsed.name }, PLACES);
      expect(path.split('/').slice(0, -1).join('/')).toBe(`${PROJECT}/notes`);
      expect(isNotesPath(path)).toBe(true);
      expect(Buffer.byteLength(parsed.name)).toBeLessThanOrEqual(100);
      expect(parseNoteName(parsed.name)).toEqual(parsed);
    }),
  );
});
