import { describe, expect, it } from '@jest/globals';
import { type NoteChange, versionId } from '../../../src/memory/change.js';
import type { NoteEdit } from '../../../src/memory/note-edit.js';
import type { MemoryStore } from '../../../src/memory/store.js';
import type { StorePlace } from './contract.js';
import { never } from './entries.js';
import { numbered } from './fake-clock.js';

/** Since when a change may have been saved. */
const AT = new Date('2026-02-03T04:00:00Z');
const FACTS = 'MEMORY.md';
const PROJECT = 'projects/hello-world-3ccd7a60/';
const DAY = `${PROJECT}daily/2026-03-01.md`;
const NOTE = `${PROJECT}notes/auth.md`;
const UNDER = [FACTS, `${PROJECT}SCRATCHPAD.md`, `${PROJECT}daily/`, `${PROJECT}notes/`];

const newId = numbered('n');

/** A change to a note with an id of its own. */
export function note(path: string, edit: NoteEdit, { backup = false } = {}): NoteChange {
  return { kind: 'note', path, edit, backup, id: newId() };
}

/** The change that adds text to the end of a note. */
export function adding(path: string, text: string, dedup = false): NoteChange {
  return note(path, { kind: 'append', text, dedup });
}

/** The change that writes a note anew, and keeps the version before. */
export function overwriting(path: string, text: string): NoteChange {
  return note(path, { kind: 'overwrite', text }, { backup: true });
}

/** The files that a store shows of some places. */
export async function shown(
  store: MemoryStore,
  under: readonly string[] = UNDER,
): Promise<Readonly<Record<string, string>>> {
  const result = await store.readTree(never, under);
  if (result.kind === 'failed') throw new Error(result.message);
  return Object.fromEntries([...result.tree].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** What every memory store keeps to with notes (D10, D12). */
export function describeNotesStore(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(`${name} with notes`, () => {
    it('gives the next run what a run wrote, and only the files of the requested places', async () => {
      const { open, put } = await makePlace();
      await put('bot.md', 'no note\n');
      await put(`projects/other-12345678/notes/auth.md`, 'of another project\n');
      await put(`${PROJECT}notes/deeper/x.md`, 'in a folder of a folder\n');
      const result = await open().write(
        [adding(FACTS, 'use tabs'), adding(DAY, '日本語と العربية'), overwriting(NOTE, 'exactly')],
        never,
      );
      expect(result).toMatchObject({ kind: 'saved' });
      expect(await shown(open())).toEqual({
        [FACTS]: 'use tabs\n',
        [DAY]: '日本語と العربية\n',
        [NOTE]: 'exactly',
      });
      expect(await shown(open(), [FACTS])).toEqual({ [FACTS]: 'use tabs\n' });
      expect(await shown(open(), [`${PROJECT}daily/`])).toEqual({ [DAY]: '日本語と العربية\n' });
    });

    it('applies changes in their order to the newest version', async () => {
      const { open, text } = await makePlace();
      const [first, second] = [open(), open()];
      await shown(first);
      await second.write([adding(FACTS, 'of the other run')], never);
      const edits = [
        adding(FACTS, 'a'),
        adding(FACTS, 'b'),
        adding(FACTS, 'of the other run\nc', true),
      ];
      expect(await first.write(edits, never)).toMatchObject({ kind: 'saved' });
      expect(await text(FACTS)).toBe('of the other run\na\nb\nc\n');
    });

    it('keeps one former version of an overwritten note, and none of an appended one', async () => {
      const { open, text } = await makePlace();
      for (const version of ['one', 'two', 'three'])
        expect(await open().write([overwriting(NOTE, version)], never)).toMatchObject({
          kind: 'saved',
        });
      await open().write([adding(FACTS, 'x')], never);
      await open().write([adding(FACTS, 'y')], never);
      expect([await text(NOTE), await text(`${PROJECT}notes/auth.bak`)]).toEqual(['three', 'two']);
      expect([await text('MEMORY.bak'), await text('MEMORY.md.bak')]).toEqual([
        undefined,
        undefined,
      ]);
      expect(Object.keys(await shown(open()))).toEqual([FACTS, NOTE]);
    });

    it('deletes a note, keeps its last version, and can write it again', async () => {
      const { open, text } = await makePlace();
      await open().write([overwriting(NOTE, 'secret plan'), adding(FACTS, 'stays')], never);
      const gone = note(NOTE, { kind: 'delete' }, { backup: true });
      expect(await open().write([gone], never)).toMatchObject({ kind: 'saved' });
      expect(await shown(open())).toEqual({ [FACTS]: 'stays\n' });
      expect([await text(NOTE), await text(`${PROJECT}notes/auth.bak`)]).toEqual([
        undefined,
        'secret plan',
      ]);
      await open().write([note(NOTE, { kind: 'delete' })], never);
      await open().write([overwriting(NOTE, 'secret plan')], never);
      expect(await shown(open())).toEqual({ [FACTS]: 'stays\n', [NOTE]: 'secret plan' });
    });

    it('does not add again what might have been added before', async () => {
      const { open, text } = await makePlace();
      const change = adding(DAY, '### 14:05 — done\nall of it\n');
      await open().write([change], never);
      await open().write([adding(DAY, 'of another run')], never);
      expect(await open().write([{ ...change, again: AT }], never)).toMatchObject({
        kind: 'saved',
      });
      expect(await text(DAY)).toBe('### 14:05 — done\nall of it\nof another run\n');
      await open().write([{ ...adding(DAY, 'not yet there'), again: AT }], never);
      expect(await text(DAY)).toContain('not yet there\n');
      // Part of a line is not the line.
      await open().write([{ ...adding(DAY, 'yet there'), again: AT }], never);
      expect(await text(DAY)).toContain('not yet there\nyet there\n');
    });

    it('keeps a line that was added after the note was written anew, where both come again', async () => {
      const { open, text } = await makePlace();
      await open().write([overwriting(NOTE, '# Old\n- use pnpm\n')], never);
      const changes = [overwriting(NOTE, '# New\n'), adding(NOTE, '- use pnpm')];
      await open().write(
        changes.map((change) => ({ ...change, again: AT })),
        never,
      );
      expect(await text(NOTE)).toBe('# New\n- use pnpm\n');
    });

    it('applies no change twice, and keeps the version that a run had found', async () => {
      const { open, text } = await makePlace();
      await open().write([adding(FACTS, 'use npm'), overwriting(NOTE, 'of another run')], never);
      const changes = [
        { ...adding(FACTS, 'use npm'), makes: versionId('use npm\nuse npm\n') },
        note(NOTE, { kind: 'delete' }, { backup: true }),
        { ...overwriting(NOTE, 'mine'), makes: versionId('mine') },
      ];
      const expectSaved = async () =>
        expect([
          await text(FACTS),
          await text(NOTE),
          await text(`${PROJECT}notes/auth.bak`),
        ]).toEqual(['use npm\nuse npm\n', 'mine', 'of another run']);
      await open().write(changes, never);
      await expectSaved();
      const again = changes.map((change) => ({ ...change, again: AT }));
      expect(await open().write(again, never)).toMatchObject({ kind: 'saved' });
      await expectSaved();
    });

    it('keeps what another run had written into a day before a run overwrites it', async () => {
      const { open, text } = await makePlace();
      await open().write([adding(DAY, 'of another run')], never);
      const anew = ['one', 'two'].map((version) => overwriting(DAY, version));
      await open().write([adding(DAY, 'mine'), ...anew], never);
      expect(await text(DAY)).toBe('two');
      expect(await text(DAY.replace(/md$/, 'bak'))).toMatch(/^of another run\n/);
    });

    it('loses none of a hundred lines that twenty runs add to facts and a day at once', async () => {
      const { open, text } = await makePlace();
      const runs = Array.from({ length: 20 }, (_, run) =>
        Array.from({ length: 5 }, (_, index) => `line ${index} of run ${run}`),
      );
      const saves = runs.map((lines, run) =>
        open().write(
          lines.map((line) => adding(run % 2 === 0 ? FACTS : DAY, line, true)),
          never,
        ),
      );
      expect((await Promise.all(saves)).filter(({ kind }) => kind !== 'saved')).toEqual([]);
      const all = `${await text(FACTS)}${await text(DAY)}`
        .split('\n')
        .filter((line) => line !== '');
      expect(all.sort()).toEqual(runs.flat().sort());
    });

    it.each(['../out/', '/etc/', 'a//b.md', '../MEMORY.md', 'projects/../../'])(
      'refuses to read the place %j',
      async (place) => {
        const { open } = await makePlace();
        expect(await open().readTree(never, [place])).toMatchObject({ kind: 'failed' });
      },
    );
  });
}
