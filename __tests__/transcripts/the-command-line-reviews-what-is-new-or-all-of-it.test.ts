import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';
import { gitHubEnv } from './memory-scene.js';
import { CHANGE, push, reviewStage, SECOND, THIRD } from './review-scene.js';
import { setStage } from './stage.js';

const OTHER = CHANGE.replaceAll('src/auth.ts', 'src/queue.ts');
const LAST = CHANGE.replaceAll('src/auth.ts', 'src/stack.ts');

it('`--review-scope` selects the scope, and `--language` the language', async () => {
  const stage = await reviewStage(() => text('Gelesen.'), {}, setStage);
  const cwd = tempDir('laptop');
  const env = { ...stage.model.env, ...gitHubEnv(stage.github), XDG_DATA_HOME: tempDir('data') };
  async function review(payload: unknown, ...words: readonly string[]): Promise<string> {
    writeFileSync(join(cwd, 'event.json'), JSON.stringify(payload));
    const cli = await runCli(['run', 'reviewer', '--event', 'event.json', ...words], { cwd, env });
    expect({ exitCode: cli.exitCode, stderr: cli.stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { system, messages } = stage.model.prompts().at(-1) ?? { system: '', messages: [] };
    return [system, ...messages].join('\n');
  }

  const first = await review(stage.payload, '--language', 'German');
  expect(first).toContain('in this language: German.');
  const second = push(stage, SECOND, CHANGE + OTHER, OTHER).event.payload;
  const all = await review(second, '--review-scope', 'full');
  expect(all).not.toContain('in this language');
  expect(all).toContain('You are shown the whole pull request again');
  const third = push(stage, THIRD, CHANGE + OTHER + LAST, LAST).event.payload;
  const fresh = await review(third);
  expect(fresh).toContain('Changed since your last review of 6dcb09b: 1 of 3 files of the pull request.');
});
