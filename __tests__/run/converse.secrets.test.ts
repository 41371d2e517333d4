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

const SECRET = 'correct-horse-battery-9fK2';
const TOKEN = `ghp_${'aB3'.repeat(12)}`;

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
    tool('look', { description: `echoes <${btoa(SECRET)}>`, inputSchema: schema }),
    tool(SECRET),
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
      description: 'echoes <***I=>',
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

it("a request to a model begins as the one before it, and has the model's own words as they came", async () => {
  const thought = {
    type: 'reasoning' as const,
    text: `I saw ${TOKEN}, ${SECRET.slice(1)}`,
    providerMetadata: { p: { s: '1' } },
  };
  const replies = [
    reply([thought, call('1', 'look', { at: SECRET.slice(0, -1), token: TOKEN })]),
    reply([call('2', 'look', {})]),
    says('ok'),
  ];
  const { asked } = await run(replies, [
    tool('look', { execute: async () => ({ text: SECRET, isError: false }) }),
  ]);
  const [first, second, third] = asked.map(({ prompt }) => prompt);
  expect(second?.slice(0, first?.length)).toEqual(first);
  expect(third?.slice(0, second?.length)).toEqual(second);
  expect(third?.[2]?.content).toMatchObject([
    { type: 'reasoning', text: thought.text },
    { type: 'tool-call', input: { at: SECRET.slice(0, -1), token: TOKEN } },
  ]);
  expect(JSON.stringify(third?.[3])).toContain('"***"');
});

it.each<[ToolEffect, string]>([
  ['read', `***, ${TOKEN}`],
  ['write', `***, ${TOKEN}`],
  ['memory', `***, ${TOKEN}`],
  ['execute', '***, ***'],
  ['network', '***, ***'],
])(
  'a result of a tool with the effect %s has no secret, and a well-known token only if it is of the repository',
  async (effect, shown) => {
    const used = tool('use', {
      effect,
      execute: async () => ({ text: `${SECRET}, ${TOKEN}`, isError: false }),
    });
    const { asked } = await run([reply([call('1', 'use', {})]), says('ok')], [used]);
    expect(JSON.stringify(asked[1]?.prompt)).toContain(shown);
  },
);

it('a request to a model has the tokens of the repository as they are', async () => {
  const { asked } = await run([says('ok')], [], { prompt: `What is ${TOKEN}?` });
  expect(JSON.stringify(asked[0]?.prompt)).toContain(TOKEN);
});

const LEAKS: readonly (readonly [string, FakeReply])[] = [
  ['in its answer', says(`it is ${SECRET}`)],
  ['in base64', says(`it is ${btoa(`x:${SECRET}`)}`)],
  [
    'in its thoughts',
    reply([
      { type: 'reasoning', text: SECRET },
      { type: 'text', text: 'ok' },
    ]),
  ],
  ['in an argument', reply([call('1', 'use', { deep: [{ url: `https://x.test/?q=${SECRET}` }] })])],
  ['in the name of an argument', reply([call('1', 'use', { [SECRET]: 1 })])],
  [
    'in an escape of JSON',
    reply([
      {
        type: 'tool-call',
        toolCallId: '1',
        toolName: 'use',
        input: JSON.stringify({ a: SECRET }).replace('c', '\\u0063'),
      },
    ]),
  ],
];

it.each(LEAKS)(
  'a model that writes a secret %s ends the run: nothing is called, asked, posted or remembered',
  async (_, leak) => {
    const model = createFakeModel([reply([call('1', 'use', {})]), leak, says('never')]);
    let calls = 0;
    const used = tool('use', {
      execute: async () => {
        calls += 1;
        return { text: 'done', isError: false };
      },
    });
    const deps = createFakeDependencies({
      agents: { bot: `${AGENT}[retry]\nmax_retries = 3\n[memory]\nenabled = true\n` },
      boxes: { bot: { tools: [used] } },
      model,
      secrets: [SECRET],
    });
    const running = runPipeline(makeRequest({ fallbackModels: ['other/model'] }), deps);
    await expect(running).rejects.toMatchObject({
      name: 'SecretLeakError',
      exitCode: 1,
      message:
        'the model wrote the secret in `A_SECRET`, so the run was ended and nothing of it was posted',
      remedy: expect.stringContaining('replace the secret'),
    });
    expect(model.asked).toHaveLength(2);
    expect(calls).toBe(1);
    expect(deps.requests).toEqual([]);
    expect([...deps.memory.keys()]).toEqual([]);
    expect(deps.steps).toContain('journal forget');
    expect(JSON.stringify(deps.events)).not.toContain(SECRET);
  },
);
