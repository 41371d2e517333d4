import { describe, expect, it } from '@jest/globals';
import { inNotesFolder, notesFolderOf, outOfNotesFolder } from '../../../../src/core/memory/notes/folder.js';

describe('notes in a folder', () => {
  it.each([
    ['MEMORY.md', '', 'MEMORY.md'],
    ['MEMORY.md', 'offline/', 'offline/MEMORY.md'],
    ['untrusted/MEMORY.md', 'offline/', 'untrusted/offline/MEMORY.md'],
    ['projects/x/notes/', 'offline/', 'offline/projects/x/notes/'],
  ])('%s in %j is %s, and back', (path, folder, inside) => {
    expect(inNotesFolder(path, folder)).toBe(inside);
    expect(outOfNotesFolder(inside, folder)).toBe(path);
  });

  it('are all that is visible of the tree', () => {
    const tree = new Map([
      ['MEMORY.md', 'a'],
      ['offline/MEMORY.md', 'b'],
      ['untrusted/offline/x.md', 'c'],
    ]);
    expect([...notesFolderOf(tree, 'offline/')]).toEqual([
      ['MEMORY.md', 'b'],
      ['untrusted/x.md', 'c'],
    ]);
    expect(notesFolderOf(tree, '')).toBe(tree);
  });
});
