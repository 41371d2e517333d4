import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import type { SaveResult, StoreKind } from '../../src/memory/store.js';
import { memoryNotes } from '../../src/report/format-memory.js';
import { reportOf } from '../helpers/reports.js';
import { SCHEDULE } from '../helpers/triggers.js';

const PUBLIC = 'The repository is public, and so is the branch: everybody can read what is remembered.';

const PRIVATE = { ...SCHEDULE.repository, isPrivate: true };

/** The notes of a run whose entry came to this end. */
async function notesOf([kind, save]: Saved, trigger: Trigger = SCHEDULE, isElsewhere = false) {
  const report = await reportOf('ran', { save }, { trigger });
  return memoryNotes(onStore(kind, report), isElsewhere);
}

function onStore(kind: StoreKind, report: Awaited<ReturnType<typeof reportOf<'ran'>>>) {
  const { memory } = report;
  if (memory === undefined) throw new Error('the agent has no memory');
  return { ...report, memory: { ...memory, store: { ...memory.store, kind } } };
}

type Saved = readonly [StoreKind, SaveResult];

const saved = (store: StoreKind, notices?: readonly string[]): Saved => [
  store,
  { kind: 'saved', location: 'somewhere', attempts: 1, ...(notices === undefined ? {} : { notices }) },
];

describe('the notes for people about a store', () => {
  it('state that a branch of a public repository can be read by everybody', async () => {
    expect(await notesOf(saved('branch'))).toEqual({ notices: [], remarks: [PUBLIC] });
    expect(await notesOf(saved('branch'), { ...SCHEDULE, repository: PRIVATE })).toEqual({
      notices: [],
      remarks: [],
    });
  });

  it('say nothing for a branch of another repository, since the event is about this one', async () => {
    expect(await notesOf(saved('branch'), SCHEDULE, true)).toEqual({ notices: [], remarks: [] });
  });

  it('repeat as an annotation what a store reported when it created its branch', async () => {
    const told = ['The branch `octocat/hello@axe-memory` was created to keep memory.'];
    expect(await notesOf(saved('branch', told))).toEqual({ notices: told, remarks: [] });
    expect(await notesOf(saved('branch', told), SCHEDULE, true)).toEqual({ notices: told, remarks: [] });
  });
});
