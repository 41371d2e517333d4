import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../src/lib/errors.js';
import { runPipeline } from '../../src/run/run.js';
import { AGENT, createFakeDependencies, makeRequest } from '../helpers/dependencies-fake.js';
import { call, createFakeModel, reply, says } from '../helpers/model-fake.js';
import { prepare } from '../helpers/prepare.js';
import { SCHEDULE } from '../helpers/triggers.js';

async function confine(path: string, what: string): Promise<string> {
  if (path.startsWith('..')) throw new ConfigError(`${what} leads out of the workspace`);
  return `/work/${path}`;
}

describe('the working folder of an agent', () => {
  it('is the one that the guard returns', async () => {
    const deps = {
      ...createFakeDependencies({ agents: { bot: `${AGENT}workdir = "docs"\n` } }),
      resolveWorkdir: confine,
    };
    const prepared = await prepare(makeRequest({ trigger: SCHEDULE }), deps);
    expect(prepared).toMatchObject({ plan: { workdir: '/work/docs' } });
  });

  it('ends the run if it leads out of the workspace', async () => {
    const deps = {
      ...createFakeDependencies({ agents: { bot: `${AGENT}workdir = "../out"\n` } }),
      resolveWorkdir: confine,
    };
    await expect(runPipeline(makeRequest({ trigger: SCHEDULE }), deps)).rejects.toThrow(
      '`workdir` of the agent "bot" leads out of the workspace',
    );
  });

  it('is used unchanged on a person’s own machine', async () => {
    const deps = createFakeDependencies({ agents: { bot: `${AGENT}workdir = "../out"\n` } });
    expect(await prepare(makeRequest({}), deps)).toMatchObject({ plan: { workdir: '../out' } });
  });

  it('fails only the sub-agent that names one outside', async () => {
    const model = createFakeModel([
      reply([call('a', 'call_agent', { agent: 'helper', task: 'help' })]),
      says('done'),
    ]);
    const agents = {
      bot: `${AGENT}sub_agents = ["helper"]\n`,
      helper: 'name = "helper"\nmodel = "openai/m"\nworkdir = "../out"\n',
    };
    const deps = { ...createFakeDependencies({ agents, model }), resolveWorkdir: confine };
    expect(await runPipeline(makeRequest({ trigger: SCHEDULE }), deps)).toMatchObject({
      kind: 'ran',
      outcome: {
        stats: { calls: [{ isError: true, output: expect.stringContaining('leads out of the workspace') }] },
      },
    });
  });
});
