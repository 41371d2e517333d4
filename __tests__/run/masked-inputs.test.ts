import { expect, it } from '@jest/globals';
import { withMaskedInputs } from '../../src/run/masked-inputs.js';
import { runPipeline } from '../../src/run/run.js';
import { AGENT, createFakeDependencies, makeRequest } from '../helpers/dependencies-fake.js';
import { createFakeModel, says } from '../helpers/model-fake.js';
import { issue } from '../helpers/triggers.js';

const PUBLIC = 'sk-ant-api03-';
const KEY = `${PUBLIC}q7Zk2Pv9Xw4Lm8Rt3Ns6Bd1Fh5Jc0Gy`;

it('an input of a run is masked when it is read', async () => {
  const deps = createFakeDependencies({
    agents: { bot: AGENT },
    skills: { s: `skill ${KEY}` },
    files: [{ path: 'a.md', content: `file ${KEY}` }],
    secrets: [KEY],
  });
  const original = makeRequest({
    trigger: issue({ title: `title ${KEY}`, body: `body ${KEY}` }),
    readStdin: async () => `stdin ${KEY}`,
    readChange: async () => ({
      range: 'main',
      diff: `diff ${KEY}`,
      readBase: async () => [{ path: 'AGENTS.md', content: `rules ${KEY}` }],
    }),
  });
  const masked = withMaskedInputs(original, deps);
  const change = await masked.request.readChange();
  const agent = await masked.deps.agents.loadAgent('bot');
  expect([
    masked.request.trigger,
    await masked.request.readStdin(),
    change?.diff,
    await change?.readBase?.([]),
    await masked.deps.agents.loadSkill('s'),
    await masked.deps.agents.loadContextFiles(['*'], '.', agent),
  ]).toMatchObject([
    { title: 'title ***', body: 'body ***' },
    'stdin ***',
    'diff ***',
    [{ content: 'rules ***' }],
    'skill ***',
    { files: [{ content: 'file ***' }] },
  ]);
});

it('a request to a model has no part of a key of a stranger’s text, wherever the text is cut', async () => {
  const cut = 32 * 1024;
  for (let offset = cut - KEY.length - 2; offset <= cut + 2; offset += 1) {
    const body = `${'.'.repeat(offset)}${KEY}${'.'.repeat(1000)}`;
    const model = createFakeModel([says('ok')]);
    const deps = createFakeDependencies({
      agents: { bot: AGENT },
      model,
      secrets: [KEY],
      permissions: { octocat: { kind: 'known', permission: 'write' } },
    });
    await runPipeline(makeRequest({ trigger: issue({ body }), inWorkflow: true }), deps);
    const sent = JSON.stringify(model.asked);
    expect(sent).toContain('.........');
    for (let start = PUBLIC.length; start + 8 <= KEY.length; start += 1)
      expect(sent).not.toContain(KEY.slice(start, start + 8));
  }
});

it('a stranger’s guess at a secret is shown as it is', async () => {
  const title = `Is it ${KEY.slice(0, -1)}?`;
  const model = createFakeModel([says('ok')]);
  const deps = createFakeDependencies({
    agents: { bot: AGENT },
    model,
    secrets: [KEY],
    permissions: { octocat: { kind: 'known', permission: 'write' } },
  });
  await runPipeline(makeRequest({ trigger: issue({ title }), inWorkflow: true }), deps);
  expect(JSON.stringify(model.asked)).toContain(title);
});
