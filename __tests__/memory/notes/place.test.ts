import { describe, expect, it } from '@jest/globals';
import {
  backupPath,
  isNotesPath,
  type NoteTarget,
  noteKind,
  notesPlaces,
  pathOf,
} from '../../../src/memory/notes/place.js';

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
    ['MEMORY.md', 'MEMORY.bak'],
    ['projects/a/notes/b.md', 'projects/a/notes/b.bak'],
  ])('of the former version of %s', (path, backup) => {
    expect(backupPath(path)).toBe(backup);
    expect(isNotesPath(backup)).toBe(false);
  });

  it.each([
    'untrusted/MEMORY.md',
    'untrusted/projects/a-1/daily/2026-03-01.md',
    'packages/api/untrusted/projects/a-1/notes/b.md',
    'packages/api/2026-03-01.md',
  ])('are in a lane or a folder of their own: %s', (path) => {
    expect(isNotesPath(path)).toBe(true);
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
