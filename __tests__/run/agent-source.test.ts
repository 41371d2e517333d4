import { beforeEach, describe, expect, it } from '@jest/globals';
import { openCheckedAgents } from '../../src/action/validate-mode.js';
import type { Trigger } from '../../src/event/trigger.js';
import { createFakeGitHubClient, failure, noAbort } from '../helpers/github-client-fake.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { issue, pullRequest, SCHEDULE } from '../helpers/triggers.js';

const CONTENTS = 'GET /repos/{owner}/{repo}/contents/{path}';
const SHA = 'c'.repeat(40);
const TEXT = 'name = "a"\nmodel = "a/m"\n';
let workspace: string;

beforeEach(() => {
  workspace = tempDir('workspace');
});

/** Opens the files, and says which commits were asked for. */
async function open(trigger: Trigger, sha = SHA, agentsDir = '') {
  const refs = new Set<unknown>();
  const client = createFakeGitHubClient({
    [CONTENTS]: ({ params }) => {
      refs.add(params['ref']);
      if (params['path'] !== (agentsDir || 'axe/agents')) throw failure(404, CONTENTS);
      return [{ name: 'remote.toml' }];
    },
  });
  const { agents, where } = await openCheckedAgents({
    trigger,
    sha,
    workspace,
    agentsDir,
    connect: async () => client,
    signal: noAbort(),
  });
  const names = (await agents.listFiles()).map(({ name }) => name);
  return { names, refs: [...refs], where };
}

describe('the files that a check uses', () => {
  it('are those that are checked out, whatever the event', async () => {
    writeFiles(workspace, { '.git/HEAD': `${SHA}\n`, 'axe/agents/local.toml': TEXT });
    expect(await open(pullRequest())).toEqual({
      names: ['local'],
      refs: [],
      where: 'the checkout of ccccccc',
    });
  });

  it.each([
    ['a pull request', pullRequest(), pullRequest().head.sha],
    ['a fork', pullRequest({ isFork: true }), pullRequest().head.sha],
    ['a schedule', SCHEDULE, SHA],
    ['an issue', issue(), SHA],
  ])('are those of the head of %s without a checkout', async (_, trigger, ref) => {
    expect(await open(trigger)).toMatchObject({ names: ['remote'], refs: [ref] });
  });

  it('are missing without a checkout and a token', async () => {
    const opened = openCheckedAgents({
      trigger: pullRequest(),
      sha: SHA,
      workspace,
      agentsDir: '',
      connect: async () => undefined,
      signal: noAbort(),
    });
    await expect(opened).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('nothing is checked out, and there is no token'),
    });
  });
});
