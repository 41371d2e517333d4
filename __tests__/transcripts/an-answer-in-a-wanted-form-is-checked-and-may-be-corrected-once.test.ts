import { expect, it } from '@jest/globals';
import { type ModelReply, text } from '../helpers/model-server.js';
import { told } from './stage.js';
import { type AgentParts, scheduledStage } from './tool-scene.js';

const SCHEMA = JSON.stringify({
  type: 'object',
  properties: { kind: { enum: ['bug', 'question'] }, count: { type: 'integer', minimum: 0 } },
  required: ['kind', 'count'],
  additionalProperties: false,
});
const GOOD = '{"kind": "bug", "count": 2}';
const FENCED = `\`\`\`json\n${GOOD}\n\`\`\``;

async function ask(script: readonly ModelReply[], schema = SCHEMA, parts: AgentParts = { memory: true }) {
  const stage = await scheduledStage([parts], { model: script });
  const inputs = { agent: 'worker', 'memory-store': 'file', 'output-schema': schema };
  const step = await stage.run({ inputs });
  return { step, prompts: stage.model.prompts() };
}

it.each([
  ['valid', [text(GOOD)]],
  ['valid, in a code fence', [text(FENCED)]],
  ['corrected', [text('It is a bug, twice.'), text(GOOD)]],
  ['corrected after a wrong value', [text('{"kind": "bug", "count": -1}'), text(GOOD)]],
] as const)('an answer that is %s is passed on', async (_what, script) => {
  const { step, prompts } = await ask(script);
  expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
  expect(step.outputs).toMatchObject({
    conclusion: 'success',
    'structured-output': '{"kind":"bug","count":2}',
    response: '{"kind":"bug","count":2}',
    'memory-saved': 'true',
  });
  expect(prompts[0]?.messages[0]).toContain(`valid against this JSON schema:\n${SCHEMA}`);
  if (script.length === 2) {
    expect(prompts[1]?.messages.at(-1)).toMatch(
      /^user: Your last answer could not be used: .*count|not JSON/,
    );
  }
});

it('a second wrong answer fails the run, and nothing is remembered', async () => {
  const { step, prompts } = await ask([
    text('{"kind": "bug"}'),
    text('{"kind": "wish", "count": 1}'),
    text(GOOD),
  ]);
  expect(prompts).toHaveLength(2);
  expect(step).toMatchObject({ exitCode: 1, stderr: '' });
  expect(step.outputs).toMatchObject({ conclusion: 'failure', 'memory-saved': 'false' });
  expect(step.outputs['structured-output']).toBeUndefined();
  expect(told(step)).toEqual([
    expect.stringMatching(/^error: the answer is not the JSON that was asked for: .*kind/),
  ]);
});

it.each([
  ['is not JSON', '{"type": ', '`output-schema` is not JSON'],
  ['is no schema', '{"type": "objekt"}', '`output-schema`'],
  ['refers to somewhere else', '{"$ref": "https://example.com/schema.json"}', 'refers to another document'],
])('a schema that %s is refused before the first request', async (_what, schema, message) => {
  const { step, prompts } = await ask([text(GOOD)], schema);
  expect(prompts).toEqual([]);
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(told(step)).toEqual([expect.stringContaining(message)]);
});

it("the agent's own format is used if the workflow sets none", async () => {
  const tables = '[params]\nresponse_format = "json_object"\n';
  const { step } = await ask([text(`${FENCED}\n`)], '', { tables });
  expect(step.outputs).toMatchObject({
    conclusion: 'success',
    'structured-output': '{"kind":"bug","count":2}',
  });
});
