import { describe, expect, it } from '@jest/globals';
import { makeGitRepo } from '../helpers/git-repo.js';
import { type ModelReply, startModelServer, text, toolCall } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { writeFiles } from '../helpers/temp.js';
import { nameOf } from './memory-command-scene.js';
import { blockIn, calmNotes, keeperToml, laptop, newResults, notesStage } from './notes-scene.js';
import { expectTranscript, seen, troubles } from './stage.js';

const LINES = [
  'export function open(token) {',
  '  if (!token) return',
  '  return session(token)',
  '}',
  '',
];
const AUTH = LINES.join('\n');
const MOVED = ['// Opens sessions.', '', ...LINES].join('\n');
const GONE = MOVED.replace('if (!token) return', "if (!token) throw new Error('no token')");
const TOML = keeperToml({ tools: ['read_file'] });

const KEEPS: readonly ModelReply[] = [
  toolCall('memory_write', {
    target: 'long_term',
    content: 'Nobody opens without a token (src/auth.ts:2)',
  }),
  toolCall('read_file', { path: 'src/auth.ts' }),
  toolCall('memory_write', { target: 'long_term', content: 'It ends there (src/auth.ts:4)' }),
  toolCall('memory_write', {
    target: 'long_term',
    content: '- Nobody opens without a token (`src/auth.ts:2`).\n- Ask before a release.',
  }),
  text('Noted.'),
];

it('a note that names a line is given with its number of today, and not at all once the line is gone', async () => {
  const stage = await notesStage({
    toml: TOML,
    base: { 'src/auth.ts': AUTH },
    model: [
      ...KEEPS,
      text('Moved.'),
      text('Gone.'),
      ...Array.from({ length: 2 }, () => text(`## Recommendations\nNo specific recommendations.`)),
    ],
    validate: true,
  });
  const [base] = stage.github.history(nameOf(stage));
  const noted = await stage.runOn('branch');
  const results = stage.model.requests().map((request) => newResults(request).join('\n'));
  const [, unseen, , brace, written] = results;
  expect(unseen).toContain('line 2 of src/auth.ts was not shown to you in this run');
  expect(brace).toContain('line 4 of "src/auth.ts" is too short to rest on');
  expect(written).toMatch(/^Wrote \d+ bytes to MEMORY\.md$/);
  const memory = `- Nobody opens without a token (src/auth.ts:2 \`"if (!token) return"\`) <!-- ${nameOf(stage)}@${base?.sha} -->.\n- Ask before a release.\n`;
  expect(stage.memoryOf('branch')['MEMORY.md']).toBe(memory);

  stage.github.commit(nameOf(stage), { 'src/auth.ts': MOVED });
  const moved = await stage.runOn('branch');
  stage.github.commit(nameOf(stage), { 'src/auth.ts': GONE });
  const gone = await stage.runOn('branch');
  const collect = (to: string) =>
    stage.runOn('branch', { inputs: { agent: 'keeper', prompt: '', mode: 'gc', 'report-to': to } });
  const collected = await collect('issue');
  const asked = stage.model.requests().length;
  // Nothing in the agent's own files is to be changed for that.
  const proposed = await collect('pull-request');
  expect(stage.model.requests()).toHaveLength(asked + 1);

  for (const step of [noted, moved, gone, collected, proposed]) {
    expect(step).toMatchObject({ exitCode: 0, stderr: '' });
    expect(troubles(step)).toEqual([]);
  }
  const systems = stage.model.prompts().map(({ system }) => system);
  expect(blockIn(systems[5] ?? '')).toContain(
    '- Nobody opens without a token (src/auth.ts:4 "if (!token) return").\n- Ask before a release.\n',
  );
  expect(blockIn(systems[6] ?? '')).toContain(
    '## Long-term memory (MEMORY.md)\n- Ask before a release.\n',
  );
  expect(systems[6]).not.toContain('Nobody opens');
  expect(stage.memoryOf('branch')['MEMORY.md']).toBe(memory);
  const [issue] = [...stage.repo.issues.values()];
  expect(issue?.body).toContain(
    '`MEMORY.md`, line 1: `- Nobody opens without a token (src/auth.ts:2',
  );
  expectTranscript(
    'a-note-is-no-longer-given-once-its-line-is-gone',
    calmNotes([moved, gone, collected].map((step) => seen(step, stage)).join('\n')),
  );
});

describe('on the command line', () => {
  it('the checkout is the base, whatever its working tree says', async () => {
    const model = await startModelServer([...KEEPS, text('Moved.'), text('Gone.')]);
    const { cwd, env, memory } = laptop(model.env, TOML);
    const repo = makeGitRepo(cwd);
    const sha = repo.commit('Add auth', { 'src/auth.ts': AUTH });
    const run = () => runCli(['run', 'keeper'], { env, cwd, stdin: 'Look.' });
    await run();
    expect(memory()['MEMORY.md']).toMatch(
      new RegExp(`\\(src/auth\\.ts:2 \`"if \\(!token\\) return"\`\\) <!-- [\\w-]+@${sha} -->`),
    );
    repo.commit('Explain', { 'src/auth.ts': MOVED });
    writeFiles(cwd, { 'src/auth.ts': GONE });
    expect(await run()).toMatchObject({ exitCode: 0, stderr: '' });
    expect(model.prompts().at(-1)?.system).toContain('token (src/auth.ts:4 "if (!token) return")');
    repo.commit('Throw', { 'src/auth.ts': GONE });
    expect((await run()).stderr).toContain(
      'the code that notes rest on is gone, so the model was not given MEMORY.md:1',
    );
    expect(model.prompts().at(-1)?.system).not.toContain('Nobody opens');
  });

  it('a person names a line, and the program reads it at HEAD', async () => {
    const model = await startModelServer([]);
    const { cwd, env, memory } = laptop(model.env, TOML);
    const remember = (said: string) => runCli(['memory', 'remember', 'keeper', said], { env, cwd });
    makeGitRepo(cwd).commit('Add auth', { 'src/auth.ts': AUTH });
    writeFiles(cwd, { 'src/auth.ts': GONE });
    const { stdout } = await remember('Nobody opens without a token (src/auth.ts:2)');
    expect(stdout).toContain(`Remembered in \`MEMORY.md\``);
    expect(memory()['MEMORY.md']).toMatch(
      /^Nobody opens without a token \(src\/auth\.ts:2 `"if \(!token\) return"`\) <!-- /,
    );
    expect((await remember('A typing mistake (src/aut.ts:2)')).stderr).toContain(
      '`src/aut.ts` is not a file at',
    );
    expect((await remember('The host (example.com:443)')).stdout).toContain('Remembered as `');
    expect(Object.keys(memory()).sort()).toEqual(
      expect.arrayContaining(['MEMORY.md', 'keeper.md']),
    );
  });
});
