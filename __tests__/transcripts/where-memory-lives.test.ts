import { expect, it } from '@jest/globals';
import { markedTable } from '../helpers/documents.js';
import { expectNotSavedReported, resultsIn, titles } from './memory-scene.js';
import { openDependencies } from './memory-world.js';

/** A row of the table in docs/memory.md. */
interface Row {
  readonly event: string;
  readonly store: string;
  readonly reads: string;
  readonly saves: string;
  readonly otherwise: string;
}

const ROWS = rowsOfTable();

/** What a run is given, by what the column "Reads" says. */
const READS: Readonly<Record<string, readonly string[]>> = {
  'the branch': ['branch'],
  "the default branch's": ['trunk cache'],
  "its own, which begins with the default branch's": ['own cache'],
  'the checkout': ['checkout'],
  'the base branch': ['base branch'],
};

/** For "any": one that anybody can cause, so that its cache is read-only, one of a pull request, and one of neither. */
const ANY = ['schedule', 'pull_request', 'issues'];

it('docs/memory.md has a table of seven events on three stores', () => {
  expect(ROWS.flatMap(eventsOf)).toHaveLength(7 * 3 + ANY.length);
});

it.each(ROWS)('docs/memory.md is right about $event on $store: $reads; $saves; $otherwise', async (row) => {
  await Promise.all(eventsOf(row).map((event) => checkRow(row, event)));
});

async function checkRow(row: Row, event: string): Promise<void> {
  const { store, reads, saves, otherwise } = row;
  const deps = await openDependencies(event, { mayWriteContents: !row.event.includes('`contents: read`') });
  const step = await deps.run({ 'memory-store': store });
  expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { conclusion: 'success' } });
  expect([...resultsIn(deps.given()[0] ?? '')].sort()).toEqual([...(READS[reads] ?? [])].sort());

  // A push is told its commits' messages, so its run has an entry in the untrusted lane, too.
  const [entry = ''] = (step.outputs['memory-entry'] ?? '').split(/(?<=\n\n)(?=## )/);
  const places = deps.placesOf(entry);
  switch (saves) {
    case 'yes':
    case 'yes, for this pull request only':
      expect(step.outputs).toMatchObject({ 'memory-saved': 'true' });
      expect(places).toEqual([
        store === 'branch' ? 'branch' : `${event === 'pull_request' ? 'own' : 'trunk'} cache`,
      ]);
      expect(otherwise).toBe('');
      return;
    case 'yes, in the workspace':
      expect(step.outputs).toMatchObject({ 'memory-saved': 'true' });
      expect(places).toEqual(['checkout']);
      expect(otherwise).toBe('');
      return;
    case 'no':
      expectNotSavedReported(step, 'new');
      // What the event's surroundings lack is told as well.
      expect(titles(step).filter((title) => title !== 'Context cut to fit')).toEqual(['Memory not saved']);
      expect([otherwise, places]).toEqual(['the summary', []]);
      return;
    default:
      throw new Error(`"Saves" says what nobody checks: ${saves}`);
  }
}

function eventsOf({ event }: Row): readonly string[] {
  return event.startsWith('any') ? ANY : [...event.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
}

function rowsOfTable(): readonly Row[] {
  const [, ...rows] = markedTable('docs/memory.md', 'where');
  return rows.map(([event = '', store = '', reads = '', saves = '', otherwise = '']) => ({
    event,
    store: store.replaceAll('`', ''),
    reads,
    saves,
    otherwise,
  }));
}
