import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { text, toolCall } from '../helpers/model-server.js';
import { CLI } from '../helpers/run-cli.js';
import { type LineOptions, lineScene, runLine } from './cli-scene.js';
import { agentToml } from './tool-scene.js';

const AGENT = 'name = "worker"\nsystem_prompt = "You work."\nmodel = "openai/gpt-4o"\n';
const CHILD = 'name = "child"\nmodel = "openai/gpt-4o"\n';

/** A folder with an agent `worker`, in which the command line is run. */
function run(
  words: readonly string[],
  { agent = AGENT, files, env, ...more }: LineOptions & { readonly agent?: string } = {},
) {
  const all = { 'axe/agents/worker.toml': agent, ...files };
  return runLine(words, { ...more, files: all, env: { PLACE: 'docs', ...env } });
}

it('`-p` is the task, and `--stream` and `stream` are accepted', async () => {
  const words = ['run', 'worker', '-p', 'ping', '--stream'];
  const { stdout, stderr, prompts } = await run(words, { agent: `${AGENT}stream = true\n` });
  expect({ stdout, stderr }).toEqual({ stdout: 'Done.', stderr: '' });
  expect(prompts[0]?.messages).toEqual(['user: ping']);
});

it('a dry run shows limits, message, tools and MCP servers', async () => {
  const server = 'name = "docs"\nurl = "https://mcp.example.com/mcp"\ntransport = "sse"\n';
  const agent = `${AGENT}tools = ["read_file"]\n[[mcp_servers]]\n${server}`;
  const { stdout } = await run(
    ['run', 'worker', '--dry-run', '-p', 'ping', '--max-tokens', '900'],
    {
      agent,
    },
  );
  expect(stdout).toContain('\nBudget:   900 tokens (0 = unlimited)\nStream:   no\n');
  expect(stdout).toContain(
    '\n--- User Message ---\nping\n\n--- Tools ---\nread_file\n\n--- MCP Servers ---\ndocs: https://mcp.example.com/mcp (sse)\n',
  );
});

it.each([
  ['an agent names', `${AGENT}workdir = "~/$PLACE"\nskill = "~/\${PLACE}/SKILL.md"\n`, []],
  ['flags name', AGENT, ['--workdir', '~/$PLACE', '--skill', '~/${PLACE}/SKILL.md']],
])(
  '`~` and variables are replaced in the workdir and the skill that %s',
  async (_, toml, flags) => {
    const agent = toml.replace(/\n/, '\nfiles = ["*.txt"]\n');
    const files = { 'docs/SKILL.md': 'Be brief.', 'docs/a.txt': 'Alpha.' };
    const { prompts, stderr } = await run(['run', 'worker', ...flags], { agent, files });
    expect(stderr).toBe('');
    for (const part of ['Be brief.', 'Alpha.']) expect(prompts[0]?.system).toContain(part);
  },
);

it.each<[string, readonly string[], string, Readonly<Record<string, string>>, number, RegExp]>([
  [
    'a missing key',
    [],
    '',
    { OPENAI_API_KEY: '' },
    2,
    /^API key for provider "openai" is not configured/,
  ],
  [
    'an unknown tool',
    [],
    'tools = ["read_fil"]\n',
    {},
    2,
    /^failed to resolve tools: unknown tool "read_fil"\n {2}Did you mean `read_file`\?/,
  ],
  ['no such folder', ['--workdir', 'nowhere'], '', {}, 2, /^the folder "nowhere" of `--workdir`/],
  [
    'no such rules',
    ['--model', 'offline/rulez'],
    '',
    {},
    1,
    /^there is no model "offline\/rulez"\n/,
  ],
])(
  '%s ends the run before a model is asked',
  async (_, ...[flags, more, env, exitCode, message]) => {
    const result = await run(['run', 'worker', ...flags], { agent: `${AGENT}${more}`, env });
    expect(result).toMatchObject({ exitCode, stdout: '', prompts: [] });
    expect(result.stderr).toMatch(message);
  },
);

it('a sub-agent without a word has ended well', async () => {
  const { prompts } = await run(['run', 'worker'], {
    agent: `${AGENT}sub_agents = ["child"]\n`,
    files: { 'axe/agents/child.toml': CHILD },
    model: [toolCall('call_agent', { agent: 'child', task: 'Look.' }), text(''), text('Done.')],
  });
  expect(prompts.at(-1)?.messages.at(-1)).toBe(
    'tool: [Sub-agent "child" ended with an empty answer.]',
  );
});

it('a sub-agent reads what its caller wrote into the folder of artifacts', async () => {
  const { prompts, cwd } = await run(['run', 'worker'], {
    agent: `${AGENT}tools = ["write_file", "list_directory"]\nsub_agents = ["child"]\n[artifacts]\nenabled = true\n`,
    files: {
      'axe/agents/child.toml': `${CHILD}tools = ["read_file"]\n[artifacts]\nenabled = true\ndir = "\${AXE_ARTIFACT_DIR}"\n`,
    },
    model: [
      toolCall('write_file', { path: 'notes/a.txt', content: 'alpha', artifact: 'true' }),
      toolCall('list_directory', { path: 'notes', artifact: 'true' }),
      toolCall('call_agent', { agent: 'child', task: 'Read.' }),
      toolCall('read_file', { path: 'notes/a.txt', artifact: 'true' }),
      text('Alpha.'),
      text('Done.'),
    ],
  });
  const answers = prompts.map(({ messages }) => messages.at(-1));
  expect(answers.slice(1, 3)).toEqual([
    'tool: wrote 5 bytes to notes/a.txt (artifact)',
    'tool: a.txt',
  ]);
  expect(answers[4]).toBe('tool: 1: alpha');
  expect(existsSync(join(cwd, 'notes'))).toBe(false);
});

const REPORT = toolCall('write_file', { path: 'report.md', content: 'Fine.' });
const WRITER = `${AGENT}tools = ["write_file"]\n[artifacts]\n`;

it('`--artifact-dir` takes the place of `[artifacts]`, and `--json` lists what was written there', async () => {
  const draft = toolCall('write_file', { path: 'draft.md', content: 'Hm.', artifact: 'false' });
  const { cwd, stdout, stderr } = await run(
    ['run', 'worker', '--artifact-dir', '~/$PLACE/out', '--json'],
    {
      agent: `${WRITER}default_write = true\n`,
      model: [REPORT, draft, text('Done.')],
    },
  );
  expect(stderr).toBe('');
  expect(JSON.parse(stdout).artifacts).toEqual([{ path: 'report.md', agent: 'worker', size: 5 }]);
  expect(readFileSync(join(cwd, 'docs/out/report.md'), 'utf8')).toBe('Fine.');
  expect(readFileSync(join(cwd, 'draft.md'), 'utf8')).toBe('Hm.');
});

it('`--keep-artifacts` names the folder that the run made', async () => {
  const { stdout, stderr } = await run(['run', 'worker', '--keep-artifacts'], {
    agent: `${WRITER}enabled = true\ndefault_write = true\n`,
    model: [REPORT, text('Done.')],
  });
  const [, folder = ''] = /^artifacts preserved: (\/.*)\n$/.exec(stderr) ?? [];
  expect(stdout).toBe('Done.');
  expect(readFileSync(join(folder, 'report.md'), 'utf8')).toBe('Fine.');
  rmSync(folder, { recursive: true });
});

it.each([
  ['flag', ['-p', 'ping'], 'log'],
  ['stdin', [], 'log'],
  ['default', [], ' \n'],
])('`-v` says that the task is from %s', async (from, words, stdin) => {
  const { stderr } = await runLine(['run', 'worker', '--model', 'offline/rules', '-v', ...words], {
    files: { 'axe/agents/worker.toml': agentToml({}) },
    stdin,
  });
  expect(stderr).toContain(`\nPrompt:   ${from}\n`);
});

/**
 * What the dry-run job of axe's own smoke test asks for (github.com/jrswab/axe,
 * .github/workflows/smoke-test.yml), of an agent such as its own.
 */
it("as in axe's smoke test, `./axe` shows message, tools, skill, memory and files in a dry run", async () => {
  const more =
    'tools = ["read_file", "list_directory"]\nfiles = ["smoke/a.txt"]\n[memory]\nenabled = true\nlast_n = 5\n';
  const { cwd } = await lineScene({
    files: {
      'smoke/dry.toml': `${AGENT.replace('worker', 'dry')}${more}`,
      'smoke/a.txt': 'Alpha.',
      'smoke/SKILL.md': 'Be brief.',
    },
  });
  symlinkSync(CLI, join(cwd, 'axe'));
  const line =
    './axe run --agents-dir smoke dry --skill "$(pwd)/smoke/SKILL.md" --dry-run -p "ping"';
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd };
  const result = await startChild({ command: 'sh', args: ['-c', line], env, cwd }).finished;
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  for (const part of [
    /^=== Dry Run ===\n/,
    /^--- User Message ---\nping\n/m,
    /^--- Tools ---\nread_file, list_directory\n/m,
    /^--- Skill ---\nBe brief\.\n/m,
    /^--- Memory ---\n\(none\)\n/m,
    /^--- Files \(1\) ---\nsmoke\/a\.txt\n/m,
  ])
    expect(result.stdout).toMatch(part);
});
