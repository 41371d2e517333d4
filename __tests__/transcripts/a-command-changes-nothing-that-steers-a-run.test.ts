import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { waysHere } from '../helpers/jail.js';
import { text, toolCall } from '../helpers/model-server.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { BAD_SERVER } from '../tools/mcp/scene.js';
import { filesBelow } from './notes-scene.js';
import { setStage, told, troubles } from './stage.js';
import { type AgentParts, checkout, resultsOf, scheduledStage } from './tool-scene.js';

const ROOT = join(import.meta.dirname, '../..');
const CANARY = 'canary-of-the-step-7f3a9c';
const WORKER: AgentParts = { tools: ['run_command', 'read_file'] };
const command = (line: string) => toolCall('run_command', { command: line });

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
  const look = command('mv axe moved; ls -A . ../temp ../file-commands; cat made.txt');
  const stage = await scheduledStage(
    [WORKER],
    { model: [command(ATTACK), look, text('Done.')] },
    setStage,
  );
  const step = await stage.run({
    inputs: { agent: 'worker', 'tools-allowed': 'execute' },
    env: { DEPLOY_TOKEN: CANARY, UNREMARKABLE: `${CANARY}-too` },
  });
  expect(step.exitCode).toBe(0);
  expect(told(step)).toEqual([]);
  const folder = join(step.workspace, '..');
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  expect([read('file-commands/env'), read('file-commands/path')]).toEqual(['', '']);
  expect(JSON.parse(read('file-commands/event.json'))).toEqual(stage.payload);
  expect(step.outputs).toMatchObject({ conclusion: 'success' });
  expect([step.outputs['X'], step.state['X']]).toEqual([undefined, undefined]);
  expect(step.summary).not.toMatch(/^X=1$/m);
  expect(existsSync(join(folder, 'temp/new'))).toBe(false);
  expect(readdirSync(step.workspace)).toEqual(['made.txt']);
  for (const { bytes } of stage.model.requests())
    expect(bytes.toString('utf8')).not.toContain(CANARY);
  expect(step.stdout + step.summary).not.toContain(CANARY);
});

/**
 * Plants a program that writes down what the process that starts it has in its environment, then
 * does its work.
 */
function plant(name: string): string {
  const script = `#!/bin/sh\\ntr "\\\\0" "\\\\n" </proc/$PPID/environ >"$0.loot"\\nexec /usr/bin/${name} "$@"\\n`;
  return `printf '${script}' >${name}.new; chmod +x ${name}.new; mkdir -p "$PLACE"; cp ${name}.new "$PLACE/${name}"`;
}

inJail.each(['file', 'cache'])(
  'that plants programs on PATH has none of them started (%s)',
  async (store) => {
    const home = tempDir('home');
    const bin = join(home, '.local/bin');
    writeFiles(home, {
      '.local/bin/harmless': '',
      '.aws/credentials': CANARY,
      '.cargo/bin/cargo': '',
    });
    const programs = ['unshare', 'sh', 'setpriv', 'env', 'mount', 'findmnt', 'git', 'tar', 'zstd'];
    const places = [bin, '.venv/bin', join(home, '.cargo/bin')];
    const plants = places.flatMap((place) => [`PLACE='${place}'`, ...programs.map(plant)]);
    const use = `cat '${home}/.aws/credentials'; ls -A "$HOME"; echo "it runs" | tee ran`;
    const model = [command(plants.join('\n')), command(use), text('Done.')];
    const stage = await scheduledStage([{ ...WORKER, memory: true }], { model }, setStage);
    const workspace = checkout({ '.venv/bin/harmless': '' });
    const PATH = [
      bin,
      join(home, '.cargo/bin'),
      join(workspace, '.venv/bin'),
      process.env['PATH'],
    ].join(':');
    const step = await stage.run({
      workspace,
      inputs: { agent: 'worker', 'tools-allowed': 'execute', 'memory-store': store },
      env: { DEPLOY_TOKEN: CANARY, HOME: home, PATH },
    });
    const loot = [home, workspace]
      .flatMap((folder) => Object.keys(filesBelow(folder)))
      .filter((file) => file.endsWith('.loot'));
    expect({ exitCode: step.exitCode, troubles: troubles(step), loot }).toEqual({
      exitCode: 0,
      troubles: [],
      loot: [],
    });
    expect(step.outputs['memory-saved']).toBe('true');
    expect(readFileSync(join(workspace, 'ran'), 'utf8')).toBe('it runs\n');
    for (const { bytes } of stage.model.requests())
      expect(bytes.toString('utf8')).not.toContain(CANARY);
  },
);

inJail('that overwrites the program of a server comes too late', async () => {
  const args = JSON.stringify(['tools/server.mjs', 'plain']);
  const tables = `[[mcp_servers]]\nname = "odd"\ntransport = "stdio"\ncommand = "node"\nargs = ${args}\n`;
  const agents = [
    { tools: ['run_command'], subAgents: ['helper'] },
    { name: 'helper', tables },
  ];
  const model = [
    command('echo "process.exit()" > tools/server.mjs && echo changed'),
    toolCall('call_agent', { agent: 'helper', task: 'Work.' }),
    toolCall('work', {}),
    text('Helped.'),
    text('Done.'),
  ];
  const stage = await scheduledStage(agents, { model }, setStage);
  const workspace = checkout({
    'tools/server.mjs': `await import(${JSON.stringify(BAD_SERVER)});`,
  });
  const step = await stage.run({
    workspace,
    inputs: { agent: 'worker', 'tools-allowed': 'execute' },
  });
  expect({ exitCode: step.exitCode, troubles: troubles(step) }).toEqual({
    exitCode: 0,
    troubles: [],
  });
  expect(stage.model.prompts().map(({ tools }) => tools)[2]).toEqual(['work']);
  expect(readFileSync(join(workspace, 'tools/server.mjs'), 'utf8')).toBe('process.exit()\n');
});

describe('an action that lies in the workspace', () => {
  inJail.each([
    [
      'a command',
      'run_command',
      {
        command:
          'for f in dist/post.js action.yml new; do echo mine > tools/axe/$f; done; mv tools/axe x',
      },
    ],
    ['a tool', 'write_file', { path: 'tools/axe/dist/post.js', content: 'mine' }],
  ])('is not changed by %s', async (_, tool, input) => {
    const model = [toolCall(tool, input), text('Done.')];
    const stage = await scheduledStage([{ tools: [tool] }], { model }, setStage);
    const workspace = checkout({});
    const actionPath = join(workspace, 'tools/axe');
    for (const part of ['dist', 'action.yml'])
      cpSync(join(ROOT, part), join(actionPath, part), { recursive: true });
    const before = readFileSync(join(actionPath, 'dist/post.js'), 'utf8');
    const inputs = { agent: 'worker', 'tools-allowed': tool };
    const step = await stage.run({ workspace, actionPath, inputs });
    expect({ exitCode: step.exitCode, troubles: troubles(step) }).toEqual({
      exitCode: 0,
      troubles: [],
    });
    expect(resultsOf(stage.model.prompts().at(-1)).join()).toMatch(
      /Read-only file system|cannot be written/,
    );
    expect(readFileSync(join(actionPath, 'dist/post.js'), 'utf8')).toBe(before);
    expect(readdirSync(actionPath)).toEqual(['action.yml', 'dist']);
  });
});

it.each(['execute, run_command', 'run_command(home)'])(
  'a command without a jail is refused whatever is allowed: %s',
  async (toolsAllowed) => {
    const stage = await scheduledStage(
      [WORKER],
      { model: [command('echo it ran'), text('Done.')] },
      setStage,
    );
    const inputs = { agent: 'worker', 'tools-allowed': toolsAllowed };
    const step = await stage.run({ inputs, env: { PATH: tempDir('bin') } });
    expect(step.exitCode).toBe(0);
    expect(told(step)).toEqual([
      expect.stringContaining('was withheld: this machine has no process jail'),
    ]);
    expect(resultsOf(stage.model.prompts().at(-1)).join()).not.toContain('it ran');
  },
);
