import { expect, it } from '@jest/globals';
import { memoryNotes } from '../../src/report/format-memory.js';
import { reportOf } from '../helpers/reports.js';
import { SCHEDULE } from '../helpers/triggers.js';

const PUBLIC = 'The repository is public, and so is the branch: everybody can read what is remembered.';
const TOLD = 'The branch `octocat/hello@axe-memory` was created to keep memory.';

it.each([
  ['a branch of a public repository', false, false, [], [PUBLIC]],
  ['a branch of a private one', true, false, [], []],
  ['a branch of another repository', false, true, [], []],
  ['a branch that was just created', false, false, [TOLD], []],
])('people are told of %s what they should know', async (_, isPrivate, isElsewhere, notices, remarks) => {
  const save = { kind: 'saved', location: 'somewhere', attempts: 1, notices } as const;
  const trigger = { ...SCHEDULE, repository: { ...SCHEDULE.repository, isPrivate } };
  const report = await reportOf('ran', { save }, { trigger });
  if (report.memory === undefined) throw new Error('the agent has no memory');
  const memory = { ...report.memory, store: { ...report.memory.store, kind: 'branch' } } as const;
  expect(memoryNotes({ ...report, memory }, isElsewhere)).toEqual({ notices, remarks });
});
