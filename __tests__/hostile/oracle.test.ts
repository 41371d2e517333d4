import { expect, it } from '@jest/globals';
import { runPipeline } from '../../src/run/run.js';
import { createMaskedWorkspace } from '../../src/tools/workspace/masked-workspace.js';
import {
  AGENT,
  createFakeDependencies,
  fakeTool,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { call, createFakeModel, reply, says } from '../helpers/model-fake.js';
import { issue } from '../helpers/triggers.js';
import { createTestWorkspace, toolsOver } from '../tools/workspace-scene.js';

const PUBLIC = 'sk-ant-api03-';
const UNKNOWN = 'q7Zk2Pv9Xw4Lm8Rt3Ns6Bd1F';
const KEY = PUBLIC + UNKNOWN;
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
const WRITER = { octocat: { kind: 'known', permission: 'write' } } as const;

/** The guesses at one letter of somebody who knows all letters before it. */
function guessesAt(place: number): readonly string[] {
  return LETTERS.map((letter) => `${PUBLIC}${UNKNOWN.slice(0, place)}${letter}`);
}

const PLACES = Array.from({ length: UNKNOWN.length - 1 }, (_, place) => place);

/** A run in which a model makes these calls, and the text of its second request. */
async function secondRequest(inputs: readonly object[]): Promise<string> {
  const calls = inputs.map((input, index) => call(`${index}`, 'echo', input));
  const model = createFakeModel([reply(calls), says('ok')]);
  const echo = {
    ...fakeTool('echo', 'read'),
    execute: async (input: unknown) => ({ text: JSON.stringify(input), isError: false }),
  };
  const deps = createFakeDependencies({
    agents: { bot: AGENT },
    boxes: { bot: { tools: [echo] } },
    model,
    secrets: [KEY],
  });
  await runPipeline(makeRequest(), deps);
  return JSON.stringify(model.asked[1]?.prompt);
}

it('C6 120: 64 guesses in one turn are answered alike, at each letter of a key', async () => {
  for (const place of PLACES) {
    const guesses = guessesAt(place);
    const shown = await secondRequest(guesses.map((guess) => ({ guess })));
    for (const guess of guesses) expect(shown.split(`${guess}\\"`).length).toBe(2);
    expect(shown.includes('***')).toBe(false);
  }
});

it('C6 120: 64 guesses in one call are answered alike, at each letter of a key', async () => {
  for (const place of PLACES) {
    const guesses = guessesAt(place);
    const shown = await secondRequest([{ guess: guesses.join(' ') }]);
    expect(shown.split(guesses.join(' ')).length).toBe(3);
    expect(shown.includes('***')).toBe(false);
  }
});

it('C6 120: 64 guesses in the title of a stranger’s issue are shown as they are', async () => {
  for (const place of PLACES) {
    const title = guessesAt(place).join(' ').slice(0, 250);
    const model = createFakeModel([says('ok')]);
    const deps = createFakeDependencies({
      agents: { bot: AGENT },
      model,
      secrets: [KEY],
      permissions: WRITER,
    });
    await runPipeline(
      makeRequest({ trigger: issue({ title, body: title }), inWorkflow: true }),
      deps,
    );
    const shown = JSON.stringify(model.asked);
    expect(shown).toContain(title);
    expect(shown).not.toContain('***');
  }
});

it('C6 120: guesses at the key in a file are answered alike by every tool for files', async () => {
  const folder = createTestWorkspace({ 'deploy.txt': `key: ${KEY}\n` });
  const use = toolsOver(createMaskedWorkspace(folder, [KEY]));
  for (const place of PLACES) {
    const answers = new Set<string>();
    for (const guess of guessesAt(place)) {
      const results = [
        await use('search_files', { text: guess }),
        await use('search_files', { glob: `*${guess}*` }),
        await use('edit_file', { path: 'deploy.txt', old_string: guess, new_string: 'x' }),
      ];
      answers.add(JSON.stringify(results));
    }
    expect(answers.size).toBe(1);
  }
});
