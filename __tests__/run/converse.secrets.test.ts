import { expect, it } from '@jest/globals';
import { runPipeline } from '../../src/run/run.js';
import type { Tool, ToolEffect } from '../../src/tools/tool.js';
import {
  AGENT,
  createFakeDependencies,
  fakeTool,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { call, createFakeModel, type FakeReply, reply, says } from '../helpers/model-fake.js';

const SECRET = 'correct-horse-battery';

function tool(name: string, more: Partial<Tool> = {}): Tool {
  return { ...fakeTool(name, 'execute'), ...more };
}

/** A run of an agent with these tools and this secret, and what its model was asked. */
async function run(
  replies: readonly FakeReply[],
  tools: readonly Tool[],
  { prompt = 'go', secrets = [SECRET] }: { prompt?: string; secrets?: readonly string[] } = {},
) {
  const model = createFakeModel(replies);
  const agent = `${AGENT.replace('You help.', `You help, ${SECRET}.`)}skill = "s"\nfiles = ["*.md"]\n`;
  const deps = createFakeDependencies({
    agents: { bot: agent },
    skills: { s: `The skill ${SECRET}.` },
    files: [{ path: 'a.md', content: `The file ${SECRET}.` }],
    boxes: { bot: { tools } },
    model,
    secrets,
  });
  const report = await runPipeline(makeRequest({ prompt }), deps);
  if (report.kind !== 'ran') throw new Error(`the run was ${report.kind}`);
  return { asked: model.asked, outcome: report.outcome };
}

it('a request to a model holds no secret: not in prompt, skill, context files, names, descriptions and schemas of tools', async () => {
  const schema = {
    type: 'object' as const,
    description: SECRET,
    properties: { [SECRET]: { type: 'string' as const, enum: [SECRET, 'x'] } },
  };
  const tools = [
    tool('look', { description: `echoes ${btoa(SECRET)}`, inputSchema: schema }),
    tool(SECRET.replaceAll('-', '_')),
  ];
  const { asked } = await run([says('ok')], tools, { prompt: `What is ${SECRET}?` });
  expect(JSON.stringify(asked)).not.toMatch(/correct.horse|Y29ycmVjdC/);
  expect(JSON.stringify(asked[0]?.prompt)).toMatch(
    /help, \*\*\*.*skill \*\*\*.*file \*\*\*.*What is \*\*\*/s,
  );
  expect(asked[0]?.tools).toEqual([
    {
      type: 'function',
      name: 'look',
      description: 'echoes ***',
      inputSchema: {
        type: 'object',
        description: '***',
        properties: { '***': { type: 'string', enum: ['***', 'x'] } },
      },
    },
  ]);
});

it('a request to a model holds no result of a tool with a secret that was learnt during the run', async () => {
  const secrets: string[] = [];
  const learning = tool('look', {
    execute: async () => {
      secrets.push(SECRET);
      return { text: `it is ${SECRET}`, isError: false };
    },
  });
  const { asked } = await run([reply([call('1', 'look', {})]), says('ok')], [learning], {
    secrets,
  });
  expect(JSON.stringify(asked[0])).toContain(SECRET);
  expect(JSON.stringify(asked[1])).not.toContain(SECRET);
});

it('a request to a model begins as the one before it, and keeps the reasoning of the model as it came', async () => {
  const thought = {
    type: 'reasoning' as const,
    text: `I saw ${SECRET}`,
    providerMetadata: { p: { s: '1' } },
  };
  const replies = [
    reply([thought, call('1', 'look', {})]),
    reply([call('2', 'look', {})]),
    says('ok'),
  ];
  const { asked } = await run(replies, [
    tool('look', { execute: async () => ({ text: SECRET, isError: false }) }),
  ]);
  const [first, second, third] = asked.map(({ prompt }) => prompt);
  expect(second?.slice(0, first?.length)).toEqual(first);
  expect(third?.slice(0, second?.length)).toEqual(second);
  expect(third?.[2]?.content[0]).toMatchObject({ type: 'reasoning', text: `I saw ${SECRET}` });
  expect(JSON.stringify(third?.[3])).toContain('"***"');
});

it.each<[string, ToolEffect, object, boolean]>([
  ['an address', 'network', { url: `https://example.com/?q=${SECRET}` }, true],
  ['a command, in base64', 'execute', { command: `echo ${btoa(`x:${SECRET}`)}` }, true],
  [
    'two arguments, a half each',
    'network',
    { a: SECRET.slice(0, 12), b: [SECRET.slice(12)] },
    true,
  ],
  ['the name of an argument', 'network', { deep: { [SECRET]: 1 } }, true],
  ['a file that is written', 'write', { content: SECRET }, false],
  ['an address without it', 'network', { url: 'https://example.com' }, false],
])(
  'a call whose arguments hold a secret %s: refused by effect (%s)',
  async (_, effect, input, isRefused) => {
    let calls = 0;
    const used = tool('use', {
      effect,
      execute: async () => {
        calls += 1;
        return { text: 'done', isError: false };
      },
    });
    const { outcome } = await run([reply([call('1', 'use', input)]), says('ok')], [used]);
    expect(calls).toBe(isRefused ? 0 : 1);
    expect(outcome.stats.calls[0]).toMatchObject({
      isError: isRefused,
      output: isRefused
        ? expect.stringMatching(/^use was not run: its arguments hold a secret/)
        : 'done',
    });
  },
);
