import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { type ModelReply, promptOf, text } from '../helpers/model-server.js';
import { countEntries, memoryIn, resultsIn } from './memory-scene.js';
import { expectTranscript, seen, steady } from './stage.js';
import { resultsOf, scheduledStage } from './tool-scene.js';

const NAME = 'a-parent-asks-two-sub-agents-at-once-and-each-remembers';
const USAGE = { inputTokens: 100, outputTokens: 10 };

const BOTH: ModelReply = {
  kind: 'tools',
  text: 'I ask both.',
  calls: [
    { name: 'call_agent', input: { agent: 'north', task: 'Look north.' } },
    { name: 'call_agent', input: { agent: 'south', task: 'Look south.', context: 'It is dark.' } },
  ],
  usage: USAGE,
};

it('a parent runs both at the same time, answers in order, counts their tokens and keeps three memories', async () => {
  const together = meeting(2);
  const stage = await scheduledStage(
    [
      { subAgents: ['north', 'south'], memory: true },
      { name: 'north', memory: true },
      { name: 'south', memory: true },
    ],
    {
      async model(request) {
        const { system, messages } = promptOf(request);
        const who = /^You are (\w+)\./.exec(system)?.[1] ?? '';
        if (who === 'worker')
          return messages.length === 1 ? BOTH : text('Nothing on either side.', USAGE);
        // Neither is answered before the other has asked.
        await together();
        return text(`Nothing in the ${who}.`, USAGE);
      },
    },
  );
  const first = await stage.run({ inputs: { agent: 'worker', 'memory-store': 'file' } });
  expect(first).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
  expect(resultsOf(stage.model.prompts().at(-1))).toEqual([
    'Nothing in the north.',
    'Nothing in the south.',
  ]);
  const south = stage.model.prompts().find(({ system }) => system.startsWith('You are south.'));
  expect(south?.messages).toEqual(['user: Task: Look south.\n\nContext:\nIt is dark.']);

  const { workspace } = first;
  const second = await stage.run({
    workspace,
    inputs: { agent: 'worker', 'memory-store': 'file' },
  });
  expect(second).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
  for (const [agent, result] of [
    ['worker', 'Nothing on either side.'],
    ['north', 'Nothing in the north.'],
    ['south', 'Nothing in the south.'],
  ] as const) {
    const log = memoryIn(workspace, `${agent}.md`);
    expect([agent, countEntries(log), resultsIn(log)]).toEqual([agent, 2, [result, result]]);
    const systems = stage.model
      .prompts()
      .filter(({ system }) => system.startsWith(`You are ${agent}.`));
    const known = systems.map(({ system }) => countEntries(system));
    expect([agent, known]).toEqual([
      agent,
      known.map((_, index) => (index < known.length / 2 ? 0 : 1)),
    ]);
  }
  const [entry = ''] = memoryIn(workspace, 'north.md').split(/(?<=-->\n)/);
  const ended = [...steady(first.log).matchAll(ENDED)].map(([line]) => line.trimEnd());
  expect(ended.toSorted()).toEqual([
    '  Sub-agent north answered after <milliseconds>',
    '  Sub-agent south answered after <milliseconds>',
  ]);
  const transcript = steady(`${seen(first, stage)}\n=== .axe/memory/north.md\n${entry}`);
  expectTranscript(NAME, transcript.replaceAll(ENDED, '').replace(SOUTH_FIRST, '$2$1'));
});

it('an entry of a sub-agent that cannot be saved is in the summary and the output, and counts as not saved', async () => {
  const stage = await scheduledStage(
    [
      { subAgents: ['north'], memory: true },
      { name: 'north', memory: true },
    ],
    {
      model: (request) => {
        const { system, messages } = promptOf(request);
        if (system.startsWith('You are north.')) return text('A wolf in the north.', USAGE);
        const calls = [{ name: 'call_agent', input: { agent: 'north', task: 'Look north.' } }];
        return messages.length === 1
          ? { kind: 'tools', text: 'I ask.', calls, usage: USAGE }
          : text('A wolf.', USAGE);
      },
    },
  );
  const inputs = { agent: 'worker', 'memory-store': 'file', 'fail-on': 'memory' };
  const { workspace } = await stage.run({ inputs });
  const log = join(workspace, '.axe/memory/north.md');
  rmSync(log);
  mkdirSync(log);
  const { summary, outputs, exitCode } = await stage.run({ workspace, inputs });
  expect(summary).toMatch(
    /\*\*Not saved for sub-agents:\*\*.*\*\*Result:\*\* A wolf in the north\./s,
  );
  expect(outputs['memory-entry']).toContain('A wolf in the north.');
  expect(outputs).toMatchObject({
    'memory-saved': 'false',
    'memory-save-error': expect.stringContaining('north.md'),
  });
  expect(exitCode).toBe(1);
});

/** Which sub-agent is ready first is not known. */
const SOUTH_FIRST = /(\| south \|.*\n)(\| north \|.*\n)/;
const ENDED = /^ {2}Sub-agent \w+ answered .*\n/gm;

/** Lets those through who come, once so many of them are there. */
function meeting(size: number): () => Promise<void> {
  let waiting: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length < size) return;
      for (const go of waiting) go();
      waiting = [];
    });
}
