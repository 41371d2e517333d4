import { describe, expect, it } from '@jest/globals';
import { memoryNotes } from '../../../src/actions/memory/memory-notes.js';
import { reporterOf } from '../../../src/actions/report/reporters.js';
import type { Trigger } from '../../../src/core/event/trigger.js';
import type { SaveResult, StoreKind } from '../../../src/core/memory/store.js';
import { reportOf } from '../../helpers/reports.js';
import { comment, issue, pullRequest, SCHEDULE } from '../../helpers/triggers.js';

const KEEP_IT =
  'With `permissions: contents: write`, `memory-store: repo` keeps it on a branch, for every run and for good.';
const EVICTED = `Memory is in the Actions cache. GitHub removes cache entries that were not used for 7 days, so a schedule that runs less often loses its memory. ${KEEP_IT}`;
const ONE_PULL_REQUEST = `Memory is in the Actions cache. What a pull request keeps there, no other pull request can read. ${KEEP_IT}`;
const PUBLIC = 'The repository is public, and so is the branch: everybody can read what is remembered.';

const ON_PULL_REQUEST = { on: 'pull_request', number: 42, isFork: false } as const;
const PRIVATE = { ...SCHEDULE.repository, isPrivate: true };

const ENTRY = '## 2026-02-21T10:01:00Z\n**Task:** Review\n**Result:** Fine.\n\n';

/** The notes of a run whose entry came to this end. */
async function notesOf(save: SaveResult, trigger: Trigger = SCHEDULE, isElsewhere = false) {
  const report = await reportOf('ran', { save }, { trigger });
  return memoryNotes({ report, isElsewhere });
}

const saved = (store: StoreKind, notices?: readonly string[]): SaveResult => ({
  kind: 'saved',
  location: 'somewhere',
  store,
  attempts: 1,
  ...(notices === undefined ? {} : { notices }),
});

describe('what people should know of a store', () => {
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
    ['a pull request that runs on its base', pullRequest({ event: 'pull_request_target' }), []],
    ['an issue', issue(), []],
  ])('that is the cache, after %s, is how long or how far it keeps (D15)', async (_, trigger, notices) => {
    expect(await notesOf(saved('cache'), trigger)).toEqual({ notices, remarks: [] });
  });

  it('that is the cache, because another did not take it, is why, without an annotation', async () => {
    const told = ['Memory went to the Actions cache, since …'];
    expect(await notesOf(saved('cache', told), issue())).toEqual({ notices: [], remarks: told });
    const [limit = ''] = EVICTED.split(' With `permissions');
    const after = limit.replace('Memory is in the Actions cache. ', '');
    expect(await notesOf(saved('cache', told))).toEqual({ notices: [`${told[0]} ${after}`], remarks: [] });
  });

  it('that is the cache is a line of the summary once there is memory in it', async () => {
    const save = saved('cache');
    const report = await reportOf('ran', { save, memory: { 'bot.md': ENTRY } }, { trigger: pullRequest() });
    expect(memoryNotes({ report, isElsewhere: false })).toEqual({
      notices: [],
      remarks: [ONE_PULL_REQUEST],
    });
  });

  it('that is a branch of a public repository is that everybody can read it', async () => {
    expect(await notesOf(saved('repo'))).toEqual({ notices: [], remarks: [PUBLIC] });
    expect(await notesOf(saved('repo'), { ...SCHEDULE, repository: PRIVATE })).toEqual({
      notices: [],
      remarks: [],
    });
  });

  it('that is a branch is not said to be public where the event does not tell', async () => {
    const repository = { ...SCHEDULE.repository, defaultBranch: '' };
    expect((await notesOf(saved('repo'), { ...SCHEDULE, repository })).remarks).toEqual([]);
  });

  it('that is a branch of another repository is nothing, since the event is about this one', async () => {
    expect(await notesOf(saved('repo'), SCHEDULE, true)).toEqual({ notices: [], remarks: [] });
  });

  it('that has just made its branch is what it told, as an annotation', async () => {
    const told = ['The branch `octocat/hello@axe-memory` was created to keep memory.'];
    expect(await notesOf(saved('repo', told))).toEqual({ notices: told, remarks: [] });
    expect(await notesOf(saved('repo', told), SCHEDULE, true)).toEqual({ notices: told, remarks: [] });
  });

  it('that is a file is what it told', async () => {
    expect(await notesOf(saved('file'))).toEqual({ notices: [], remarks: [] });
    expect(await notesOf(saved('file', ['Look.']))).toEqual({ notices: ['Look.'], remarks: [] });
  });

  it.each<SaveResult>([
    { kind: 'failed', reason: 'denied', message: 'no' },
    { kind: 'failed', reason: 'denied', message: 'no', kept: { location: 'cache k', store: 'cache' } },
  ])('that did not save is nothing, since a failed save is one annotation (D14): %j', async (save) => {
    expect(await notesOf(save)).toEqual({ notices: [], remarks: [] });
  });

  it('is nothing where nothing was remembered', async () => {
    const agents = { bot: 'name = "bot"\nmodel = "openai/m"\n' };
    const report = await reportOf('ran', { agents }, { trigger: SCHEDULE });
    expect(memoryNotes({ report, isElsewhere: false })).toEqual({ notices: [], remarks: [] });
    const others = [
      await reportOf('planned', {}, { trigger: SCHEDULE }),
      await reportOf('skipped', {}, { trigger: pullRequest({ isFork: true }) }),
    ];
    for (const other of others) expect(reporterOf(other).memoryNotes).toBeUndefined();
  });
});
