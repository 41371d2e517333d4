import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import type { SaveResult, StoreKind } from '../../src/memory/store.js';
import { memoryNotes } from '../../src/report/format-memory.js';
import { reportOf } from '../helpers/reports.js';
import { comment, pullRequest, SCHEDULE } from '../helpers/triggers.js';

const KEEP_IT =
  'With `permissions: contents: write`, `memory-store: branch` keeps it on a branch, for every run and for good.';
const EVICTED = `Memory is in the Actions cache. GitHub removes cache entries that were not used for 7 days, so a schedule that runs less often loses its memory. ${KEEP_IT}`;
const ONE_PULL_REQUEST = `Memory is in the Actions cache. What a pull request keeps there, no other pull request can read. ${KEEP_IT}`;
const PUBLIC = 'The repository is public, and so is the branch: everybody can read what is remembered.';

const ON_PULL_REQUEST = { on: 'pull_request', number: 42, isFork: false } as const;
const PRIVATE = { ...SCHEDULE.repository, isPrivate: true };

const ENTRY = '## 2026-02-21T10:01:00Z\n**Task:** Review\n**Result:** Fine.\n\n';

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
  it.each<[string, Trigger, readonly string[]]>([
    ['a schedule (C3 44)', SCHEDULE, [EVICTED]],
    ['a pull request', pullRequest(), [ONE_PULL_REQUEST]],
    ['a review', comment({ ...ON_PULL_REQUEST, event: 'pull_request_review' }), [ONE_PULL_REQUEST]],
    [
      'a comment on a line',
      comment({ ...ON_PULL_REQUEST, event: 'pull_request_review_comment' }),
      [ONE_PULL_REQUEST],
    ],
    ['a comment on a pull request, which runs on the default branch', comment(ON_PULL_REQUEST), []],
  ])(
    'state, for the cache after %s, how long or how widely it keeps memory (D15)',
    async (_, trigger, notices) => {
      expect(await notesOf(saved('cache'), trigger)).toEqual({ notices, remarks: [] });
    },
  );

  it('add a line to the summary once the cache holds memory', async () => {
    const [kind, save] = saved('cache');
    const report = await reportOf('ran', { save, memory: { 'bot.md': ENTRY } }, { trigger: pullRequest() });
    expect(memoryNotes(onStore(kind, report), false)).toEqual({
      notices: [],
      remarks: [ONE_PULL_REQUEST],
    });
  });

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
