import { expect, it } from '@jest/globals';
import { assign } from '../../../../src/adapters/github/posting/assignees.js';
import { createFakeGitHubClient, noAbort } from '../../../helpers/github-client-fake.js';
import { BAD_GATEWAY_AFTER_EFFECT } from '../../../helpers/github-faults.js';
import { denied, startHello } from '../hello-fixture.js';

const POST = 'POST /repos/{owner}/{repo}/issues/{issue_number}/assignees';

it('people who can be assigned are assigned, and the others are reported', async () => {
  const { client, repo, place } = await startHello();
  const assignment = { ...place, logins: ['Hubot', 'hubot', 'monalisa'] };
  repo.roles.set('Hubot', 'none');
  expect(await assign(client, assignment, noAbort())).toEqual({
    kind: 'assigned',
    assigned: ['Hubot', 'hubot'],
    refused: ['monalisa'],
  });
  expect(repo.talk.assigneesOf.get(42)).toEqual(['hubot']);
});

it('C5 70: the assignment is repeated if the answer was lost', async () => {
  const { client, github, repo, place } = await startHello();
  github.fail({ route: POST, ...BAD_GATEWAY_AFTER_EFFECT });
  expect(await assign(client, { ...place, logins: ['hubot'] }, noAbort())).toMatchObject({
    assigned: ['hubot'],
  });
  expect(repo.talk.assigneesOf.get(42)).toEqual(['hubot']);
});

it('no request is sent for an empty list', async () => {
  const { place } = await startHello();
  const client = createFakeGitHubClient({});
  expect(await assign(client, { ...place, logins: [] }, noAbort())).toMatchObject({ kind: 'assigned' });
  expect(client.requests).toEqual([]);
});

it('the missing permission is reported', async () => {
  const { client, github, place } = await startHello();
  github.fail(denied(POST, 'issues=write; pull_requests=write'));
  expect(await assign(client, { ...place, logins: ['hubot'] }, noAbort())).toMatchObject({
    kind: 'failed',
    remedy: expect.stringContaining('`issues: write`'),
  });
});
