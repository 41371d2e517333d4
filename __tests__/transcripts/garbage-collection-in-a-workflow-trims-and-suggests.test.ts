import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { expect, it } from '@jest/globals';
import { parseLog } from '../../src/memory/units.js';
import type { FileTree } from '../helpers/github-state.js';
import { type ModelReply, text } from '../helpers/model-server.js';
import type { StepOptions } from '../helpers/run-action.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import {
  BRANCH,
  idOf,
  idsOnBranch,
  nameOf,
  onBranch,
  onSchedule,
  rememberOnBranch,
  review,
} from './memory-command-scene.js';
import { AGENT, expectTranscript, type Stage, seen, setStage, steady, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const ENTRIES = [2, 3, 3, 4, 9].map((day, index) =>
  review(day, {
    id: `01kg${index}`,
    task: `Review pull request #${40 + index}: Change auth`,
    result: `src/auth.ts:${index + 10} compares tokens with ==; tests are missing.`,
  }),
);

const KEEPING = `${AGENT}last_n = 2\nskill = "reviewing"\n`.replace(
  /(\[memory\][\s\S]*last_n = 2\n)(skill = .*\n)/,
  '$2\n$1',
);

const SKILL = '# Reviewing\n\nLook at every change.\n';

const ANALYSIS = [
  '## Patterns Found',
  'Tokens are compared with `==` in 5 of 5 entries.',
  '',
  '## Repeated Work',
  'No repeated work detected.',
  '',
  '## Recommendations',
  'Say in the skill that tokens are compared in constant time. @octocat should know.',
].join('\n');

const PROPOSAL = JSON.stringify({
  title: 'Tell the reviewer how tokens are compared',
  reason: 'Every review found the same comparison.',
  edits: [
    {
      path: 'axe/skills/reviewing/SKILL.md',
      find: 'Look at every change.',
      replace: 'Look at every change. Tokens are compared in constant time.',
    },
  ],
});

const COLLECTING: Partial<StepOptions> = { inputs: { mode: 'gc', 'memory-store': 'branch' } };

const USED = { inputTokens: 1200, outputTokens: 34 };

async function scheduled(
  replies: readonly ModelReply[] | ((stage: () => Stage) => ModelReply),
  base: FileTree = { 'axe/agents/reviewer.toml': KEEPING, 'axe/skills/reviewing/SKILL.md': SKILL },
  set = setStageInProcess,
): Promise<Stage> {
  let made: Stage | undefined;
  const stage = await set({
    event: { name: 'workflow_dispatch' },
    base,
    model: (_request, index) => {
      if (Array.isArray(replies)) return replies[index] ?? text('');
      if (made === undefined) throw new Error('the stage is not set yet');
      const current = made;
      return (replies as (stage: () => Stage) => ModelReply)(() => current);
    },
  });
  made = stage;
  rememberOnBranch(stage, { 'reviewer.md': ENTRIES.join('') });
  return stage;
}

function collect(stage: Stage, inputs: Readonly<Record<string, string>> = {}) {
  return stage.run({ ...onSchedule(stage), inputs: { ...COLLECTING.inputs, ...inputs } });
}

it('a run analyzes, trims, and opens a pull request that the next run updates', async () => {
  const replies = [ANALYSIS, PROPOSAL].map((reply) => text(reply, { inputTokens: 812, outputTokens: 96 }));
  const stage = await scheduled([...replies, ...replies], undefined, setStage);
  const step = await collect(stage, { 'report-to': 'pull-request' });
  expect(step).toMatchObject({ exitCode: 0, stderr: '' });
  expect(troubles(step)).toEqual([]);
  expect(step.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': 'true', response: ANALYSIS });
  expect(idsOnBranch(stage)).toEqual([idOf('01kg3'), idOf('01kg4')]);
  expect(parseLog(onBranch(stage, 'reviewer.md.bak')).units.map(({ id }) => id)).toEqual(
    ['01kg0', '01kg1', '01kg2'].map(idOf),
  );
  const [pull] = [...stage.repo.pulls.values()];
  expect(pull?.base.ref).toBe(stage.repo.defaultBranch);
  expect(pull?.body).toMatch(/^<!-- axe-action \{"kind":"gc","agent":"reviewer"/);
  const proposed = stage.github.files(nameOf(stage), 'axe-gc/reviewer');
  expect(proposed['axe/skills/reviewing/SKILL.md']).toContain('compared in constant time');
  expect(proposed['axe/agents/reviewer.toml']).toBe(KEEPING);
  const before = stage.github.files(nameOf(stage), stage.repo.defaultBranch);
  expect(before['axe/skills/reviewing/SKILL.md']).toBe(SKILL);
  const shown = [seen(step, stage), `=== pull request\n${pull?.title}\n\n${pull?.body}`];
  expectTranscript('garbage-collection-in-a-workflow', steady(shown.join('\n')));

  const again = await collect(stage, { 'report-to': 'pull-request' });
  expect(troubles(again)).toEqual([]);
  expect(stage.repo.pulls.size).toBe(1);
  expect(again.summary).toContain('Updated: [the suggestions](http');
  expect(again.outputs['memory-saved']).toBe('false');
});

/** What an agent is made of: its TOML, its skill, a context file. */
const OWN_FILES = {
  'axe/agents/reviewer.toml': KEEPING.replace('skill =', 'files = ["AGENTS.md"]\nskill ='),
  'axe/skills/reviewing/SKILL.md': SKILL,
  'AGENTS.md': 'Be brief.\n',
};

const CHANGES_BOTH = JSON.stringify({
  title: 'Tell the reviewer how tokens are compared',
  reason: 'Every review found the same comparison.',
  edits: [
    {
      path: 'axe/agents/reviewer.toml',
      find: 'You review changes.',
      replace: 'You review changes of tokens.',
    },
    { path: 'axe/skills/reviewing/SKILL.md', find: 'Look at every change.', replace: 'Look at tokens.' },
  ],
});

it.each<[string, readonly ModelReply[], readonly string[], number]>([
  ['', [text(ANALYSIS)], [], 0],
  ['issue', [text(ANALYSIS)], [], 1],
  ['pull-request', [text(ANALYSIS), text(CHANGES_BOTH)], ['axe-gc/reviewer'], 0],
])("the agent's own files stay unchanged with `report-to: %s`", async (value, replies, made, issues) => {
  const stage = await scheduled(replies, OWN_FILES);
  const workspace = tempDir('workspace');
  writeFiles(workspace, OWN_FILES);
  const before = new Map(stage.repo.branches);
  const step = await stage.run({
    ...onSchedule(stage),
    workspace,
    inputs: { ...COLLECTING.inputs, 'report-to': value },
  });
  expect([step.exitCode, troubles(step), step.outputs['memory-saved']]).toEqual([0, [], 'true']);
  expect(stage.model.requests()).toHaveLength(replies.length);
  expect(filesIn(workspace)).toEqual(OWN_FILES);
  const trunk = stage.repo.defaultBranch;
  expect(stage.repo.branches.get(trunk)).toBe(before.get(trunk));
  expect([...stage.repo.branches.keys()]).toEqual([...before.keys(), ...made]);
  expect(stage.repo.pulls.size).toBe(made.length);
  expect(stage.repo.issues.size).toBe(issues);
  expect(stage.repo.comments).toEqual([]);
  for (const branch of made) {
    const proposed = stage.github.files(nameOf(stage), branch);
    expect(proposed['axe/agents/reviewer.toml']).toContain('You review changes of tokens.');
    expect(proposed['axe/skills/reviewing/SKILL.md']).toContain('Look at tokens.');
    expect(proposed['AGENTS.md']).toBe(OWN_FILES['AGENTS.md']);
  }
});

function filesIn(folder: string): Readonly<Record<string, string>> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return Object.fromEntries(
    found.map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      return [relative(folder, file).split(sep).join('/'), readFileSync(file, 'utf8')];
    }),
  );
}

it('an entry is kept that a run appends during the analysis', async () => {
  const late = review(10, { id: '01kg9', task: 'Review pull request #50: Late', result: 'Fine.' });
  const stage = await scheduled((current) => {
    current().github.commit(
      nameOf(current()),
      { 'reviewer.md': ENTRIES.join('') + late },
      { branch: BRANCH },
    );
    return text(ANALYSIS);
  });
  const step = await collect(stage);
  expect(step.outputs['memory-saved']).toBe('true');
  expect(idsOnBranch(stage)).toEqual(['01kg3', '01kg4', '01kg9'].map(idOf));
});

it.each([
  ['an empty analysis', text('  ', USED), 'the analysis is empty, so nothing was trimmed', ''],
  [
    'one that was cut off, which it shows',
    { kind: 'text', text: ANALYSIS, finishReason: 'length', usage: USED } as const,
    'the analysis was cut off, so nothing was trimmed',
    ANALYSIS,
  ],
])('nothing is trimmed after %s', async (_what, reply, message, response) => {
  const stage = await scheduled([reply]);
  const step = await collect(stage);
  expect(step.exitCode).toBe(1);
  expect(step.outputs).toMatchObject({ conclusion: 'failure', 'memory-saved': 'false', response });
  expect(step.outputs['memory-save-error']).toBeUndefined();
  expect(troubles(step).map((one) => one.message)).toEqual([expect.stringContaining(message)]);
  expect(onBranch(stage)).toBe(ENTRIES.join(''));
  expect(step.outputs).toMatchObject({ 'input-tokens': '1200', 'cost-usd': '0.004110' });
  expect(step.summary).toContain('| 1 | 1,200 | 34 | $0.0041 |');
  expect(onBranch(stage, 'reviewer.state.md')).toContain('"usd":0.00411,');
});

it('a suggestion is refused that gives the agent more than it had, and reported once', async () => {
  const raising = JSON.stringify({
    title: 'More tools',
    reason: 'They would help.',
    edits: [
      {
        path: 'axe/agents/reviewer.toml',
        find: 'name = "reviewer"',
        replace: 'name = "reviewer"\ntools = ["run_command"]',
      },
    ],
  });
  const stage = await scheduled([text(ANALYSIS), text(raising)]);
  const step = await collect(stage, { 'report-to': 'pull-request' });
  expect(step.exitCode).toBe(0);
  expect(troubles(step).map(({ message }) => message)).toEqual([
    'the suggestions of gc were not published: it would change more of the agent than its description, its prompt and how much is remembered. Change the agent by hand if you agree with the analysis; it is in the job summary.',
  ]);
  expect(stage.repo.pulls.size).toBe(0);
  expect(step.summary).toContain('## Recommendations');
  expect(step.summary).toContain('Suggestions not published: it would change more of the agent');
});

it('one issue is opened instead on request, and brought up to date', async () => {
  const stage = await scheduled([text(ANALYSIS), text(`${ANALYSIS} Write tests.`)]);
  expect(troubles(await collect(stage, { 'report-to': 'issue' }))).toEqual([]);
  const again = await collect(stage, { 'report-to': 'issue' });
  expect(again.summary).toContain('Updated: [the suggestions](http');
  const issues = [...stage.repo.issues.values()];
  expect(issues.map(({ title }) => title)).toEqual(['What the memory of reviewer suggests']);
  expect(issues[0]?.body).toContain('Write tests.');
});

it('a dry run changes nothing, and sends no request', async () => {
  const stage = await scheduled([]);
  const step = await collect(stage, { 'dry-run': 'true', 'report-to': 'pull-request' });
  expect(step.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': 'false' });
  expect(step.outputs['cost-usd']).toBeUndefined();
  expect(step.summary).toMatch(
    /Dry run: no entries trimmed\. No model was asked, and 3 entries would be removed, 2 entries kept\./,
  );
  expect(stage.model.requests()).toEqual([]);
  expect(onBranch(stage)).toBe(ENTRIES.join(''));
  expect(stage.repo.pulls.size).toBe(0);
});

it('an event that anybody can trigger starts no collection', async () => {
  const stage = await setStageInProcess();
  const step = await stage.run({ inputs: { mode: 'gc' } });
  expect(step.exitCode).toBe(1);
  expect(stage.model.requests()).toEqual([]);
  expect(troubles(step)[0]?.message).toContain('`mode: gc` does not run on the event `pull_request`');
});
