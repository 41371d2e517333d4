import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { waysHere } from '../helpers/jail.js';
import { text, toolCall } from '../helpers/model-server.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { schedulePayload } from '../helpers/webhooks.js';
import { setStage, told } from './stage.js';
import { agentToml, resultsOf } from './tool-scene.js';

const EVENT = { name: 'schedule', payload: schedulePayload('0 6 * * 1') };
const CANARY = 'canary-of-the-step-7f3a9c';
const AGENT = agentToml({ tools: ['run_command', 'read_file'] });

// A missing jail is not a failure of what runs in one.
const inJail = waysHere().length > 0 ? it : it.skip;

/** Writes to the files of the runner and to what configures a run, and looks into every process. */
const ATTACK = [
  'cat "$GITHUB_ENV"',
  'echo X=1 >> "$GITHUB_ENV"',
  'cat /proc/*/environ',
  'for file in ../file-commands/*; do cat "$file"; echo X=1 >> "$file"; rm -f "$file"; done',
  'cat ../temp/*; echo mine > ../temp/new',
  'for file in .github/workflows/x.yml axe/agents/x.toml axe/agents/worker.toml axe/skills/x/SKILL.md',
  'do mkdir -p "$(dirname "$file")"; echo mine >> "$file"; done',
  'echo made > made.txt',
].join('\n');

inJail('in a jail, and learns no secret', async () => {
  const stage = await setStage({
    event: EVENT,
    base: { 'axe/agents/worker.toml': AGENT },
    model: [
      toolCall('run_command', { command: ATTACK }),
      toolCall('run_command', { command: 'mv axe moved; ls -A . ../temp ../file-commands; cat made.txt' }),
      text('Done.'),
    ],
  });
  const step = await stage.run({
    inputs: { agent: 'worker', 'tools-allowed': 'execute' },
    env: { DEPLOY_TOKEN: CANARY, UNREMARKABLE: `${CANARY}-too` },
  });
  expect(step.exitCode).toBe(0);
  expect(told(step)).toEqual([]);
  expect(step.log).toContain('Commands run in a process jail');
  const folder = join(step.workspace, '..');
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  expect([read('file-commands/env'), read('file-commands/path')]).toEqual(['', '']);
  expect(JSON.parse(read('file-commands/event.json'))).toEqual(EVENT.payload);
  expect(step.outputs).toMatchObject({ conclusion: 'success' });
  expect([step.outputs['X'], step.state['X'], /^X=1$/m.test(step.summary)]).toEqual([
    undefined,
    undefined,
    false,
  ]);
  expect(existsSync(join(folder, 'temp/new'))).toBe(false);
  expect(readdirSync(step.workspace)).toEqual(['made.txt']);
  for (const { bytes } of stage.model.requests()) expect(bytes.toString('utf8')).not.toContain(CANARY);
  expect(step.stdout + step.summary).not.toContain(CANARY);
});

/** A folder with a shell, and programs that refuse to build a jail. */
function withoutJail(): string {
  const folder = tempDir('bin');
  const shell = ['/bin/sh', '/usr/bin/sh'].find(existsSync) ?? 'sh';
  symlinkSync(shell, join(folder, 'sh'));
  for (const name of ['unshare', 'sudo']) {
    writeFiles(folder, { [name]: `#!/bin/sh\necho '${name}: Operation not permitted' >&2\nexit 1\n` });
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

it.each([
  ['is refused if only its effect is allowed', 'execute', 'was withheld: this machine has no process jail'],
  ['runs with a warning if it is named', 'execute, run_command', 'Commands run without a process jail'],
])('a command without a jail %s', async (_, toolsAllowed, warning) => {
  const stage = await setStage({
    event: EVENT,
    base: { 'axe/agents/worker.toml': AGENT },
    model: [toolCall('run_command', { command: 'echo it ran' }), text('Done.')],
  });
  const step = await stage.run({
    inputs: { agent: 'worker', 'tools-allowed': toolsAllowed },
    env: { PATH: withoutJail() },
  });
  expect(step.exitCode).toBe(0);
  expect(told(step)).toEqual([expect.stringContaining(warning)]);
  const isNamed = toolsAllowed.includes('run_command');
  const [result = ''] = resultsOf(stage.model.prompts().at(-1));
  expect(result.includes('it ran')).toBe(isNamed);
  expect(step.log.includes('Commands run without a process jail')).toBe(isNamed);
  expect(told(step).join()).toContain(
    isNamed ? 'unshare: Operation not permitted' : '`tools-allowed: execute, run_command`',
  );
});
