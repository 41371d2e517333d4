import { describe, expect, it } from '@jest/globals';
import { AxeError, ConfigError, ProviderError } from '../../src/lib/errors.js';
import {
  AGENT,
  broken,
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { WRITER } from '../helpers/reports.js';
import { comment, issue, OCTOCAT, pullRequest, STRANGER } from '../helpers/triggers.js';
import { prepare } from './prepare.js';

async function planOf(parts: FakeDependenciesParts, patch: Parameters<typeof makeRequest>[0] = {}) {
  const prepared = await prepare(makeRequest(patch), createFakeDependencies(parts));
  if (prepared.kind === 'skipped') throw new Error(`skipped: ${prepared.decision.message}`);
  return prepared.plan;
}

it('the plan of a run prefers the request to the agent’s settings', async () => {
  const toml = `${AGENT}skill = "own.md"\nworkdir = "own"\ntimeout = 30\n`;
  const skills = { 'own.md': 'own skill', 'other.md': 'other skill' };
  const own = await planOf({ agents: { bot: toml }, skills });
  expect(own).toMatchObject({
    model: { provider: 'openai', model: 'm' },
    workdir: 'own',
    skill: { path: 'own.md', content: 'own skill' },
    timeoutSeconds: 30,
  });
  const asked = { model: 'anthropic/c', workdir: 'here', skill: 'other.md' };
  expect(await planOf({ agents: { bot: toml }, skills }, asked)).toMatchObject({
    model: { provider: 'anthropic', model: 'c' },
    workdir: 'here',
    skill: { path: 'other.md', content: 'other skill' },
  });
});

it('the plan of a run collects the warnings of all its parts', async () => {
  const plan = await planOf(
    {
      agents: { bot: `${AGENT}systemprompt = "x"\n` },
      permissions: WRITER,
      context: { kind: 'none', warnings: [{ code: 'context-truncated', message: 'too long' }] },
    },
    { trigger: pullRequest() },
  );
  expect(plan.warnings.map(({ code }) => code)).toEqual(['agent-unknown-key', 'context-truncated']);
});

describe('the first error in axe’s order (axe-behaviour §4)', () => {
  const noSkill = `${AGENT}skill = "missing.md"\n`;
  const steps: readonly [
    string,
    FakeDependenciesParts,
    Parameters<typeof makeRequest>[0],
    string,
    number,
  ][] = [
    ['the agent', { fails: { loadAgent: new ConfigError('no agent') } }, {}, 'no agent', 2],
    ['the model', {}, { model: 'm' }, 'invalid model format "m": expected provider/model-name', 1],
    ['config.toml', { fails: { configure: new ConfigError('no config') } }, {}, 'no config', 2],
    ['files', { fails: { files: new ConfigError('no files') } }, {}, 'no files', 2],
    ['the skill', { agents: { bot: noSkill } }, {}, 'skill not found: missing.md', 2],
    [
      'standard input',
      {},
      { readStdin: () => Promise.reject(broken('stdin')) },
      'stdin is broken',
      1,
    ],
    ['the change', {}, { readChange: () => Promise.reject(broken('git')) }, 'git is broken', 1],
    ['the context', { fails: { context: broken('context') } }, {}, 'context is broken', 1],
  ];

  it.each(steps.map((step, index) => [step[0], index] as const))(
    'is about %s before what follows',
    async (_, at) => {
      // Everything from this step on is broken; what comes before it is not.
      const rest = steps.slice(at);
      const fails = Object.assign({}, ...rest.map(([, own]) => own.fails ?? {}));
      const parts = Object.assign({}, ...rest.map(([, own]) => own), {
        permissions: WRITER,
        fails,
      });
      const patch = Object.assign({ trigger: pullRequest() }, ...rest.map(([, , own]) => own));
      const [, , , message, exitCode] = steps[at] ?? [];
      const prepared = prepare(makeRequest(patch), createFakeDependencies(parts));
      await expect(prepared).rejects.toMatchObject({ message, exitCode });
    },
  );

  it('leaves standard input unread', async () => {
    let isRead = false;
    const readStdin = async () => {
      isRead = true;
      return '';
    };
    const prepared = prepare(makeRequest({ model: 'x', readStdin }), createFakeDependencies());
    await expect(prepared).rejects.toThrow('invalid');
    expect(isRead).toBe(false);
  });

  it('is the reason of the stop when the run is stopped while it waits for input', async () => {
    const deps = createFakeDependencies();
    const reason = new ProviderError('timeout', 'context deadline exceeded');
    const readStdin = () =>
      new Promise<string>((_resolve, reject) => {
        deps.deadline.signal.addEventListener('abort', () => reject(deps.deadline.signal.reason));
        deps.abort(reason);
      });
    await expect(prepare(makeRequest({ readStdin }), deps)).rejects.toBe(reason);
  });
});

it('admission is reported even if everything after it fails', async () => {
  const fails = { loadAgent: new ConfigError('no agent'), context: broken('context') };
  const permissions = { octocat: { kind: 'known', permission: 'read' } } as const;
  const deps = createFakeDependencies({ fails, permissions });
  expect(await prepare(makeRequest({ trigger: issue() }), deps)).toMatchObject({
    kind: 'skipped',
    decision: { reason: 'permission' },
  });
});

it.each([
  ['nobody else', OCTOCAT, {}, 'own'],
  ['a stranger', STRANGER, { hubot: { kind: 'known', permission: 'read' } }, 'mixed'],
  ['somebody unknown', STRANGER, {}, 'mixed'],
  ['another writer', STRANGER, { hubot: { kind: 'known', permission: 'admin' } }, 'own'],
] as const)('trust (D18, D19) is set for text by %s', async (_, author, others, word) => {
  const trigger = comment({ subjectAuthor: author });
  const plan = await planOf({ permissions: { ...WRITER, ...others } }, { trigger });
  expect(plan.reading.begun).toBe(word);
  expect(plan.memory?.path).toBe('bot.md');
});

describe('an agent that is missing on the base', () => {
  const trigger = pullRequest();

  it('is an error if the head breaks it', async () => {
    const headAgents = { bot: 'name = "bot"\n' };
    const deps = createFakeDependencies({ agents: {}, headAgents, permissions: WRITER });
    await expect(prepare(makeRequest({ trigger }), deps)).rejects.toMatchObject({
      name: 'ConfigError',
      message: 'agent config missing required field: model',
      at: { file: 'octocat/hello@head' },
    });
  });

  it.each([
    ['the head has none either', {}],
    ['the head cannot be read', { bot: new AxeError('GitHub is away') }],
  ])('is missing if %s', async (_, headAgents) => {
    const deps = createFakeDependencies({ agents: {}, headAgents, permissions: WRITER });
    await expect(prepare(makeRequest({ trigger }), deps)).rejects.toThrow(
      'agent config not found: bot',
    );
  });
});
