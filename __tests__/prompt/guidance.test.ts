import { describe, expect, it } from '@jest/globals';
import type { AgentLibrary } from '../../src/agent/agent-source.js';
import type { ContextFile } from '../../src/agent/context-files.js';
import { parseAgent } from '../../src/agent/inspect.js';
import type { TriggerContext } from '../../src/event/context.js';
import type { Trigger } from '../../src/event/trigger.js';
import { AxeError } from '../../src/lib/errors.js';
import {
  guidancePaths,
  pickGuidance,
  readGuidance,
  warnOfOwnChanges,
} from '../../src/prompt/guidance.js';
import { pullRequest } from '../helpers/triggers.js';

const file = (path: string, content = `Words of ${path}.`) => ({ path, content });

it.each<[string, readonly string[], boolean, readonly string[]]>([
  ['at the root', ['a.ts'], false, []],
  ['for reviews too', ['a.ts'], true, ['REVIEW.md']],
  [
    'in each folder of the change',
    ['src/a/b.ts', 'src/c.ts'],
    false,
    ['src/AGENTS.md', 'src/a/AGENTS.md'],
  ],
])('guidance is looked for %s', (_, changed, isReview, more) => {
  const general = ['AGENTS.md', 'CLAUDE.md', '.github/copilot-instructions.md'];
  const all = guidancePaths(changed, isReview);
  expect(all).toContain('.github/instructions/');
  expect(all.filter((path) => !path.endsWith('/'))).toEqual([...general, ...more]);
});

const LOCAL: Trigger = { kind: 'local' };

async function read(
  toml: string,
  {
    trigger = pullRequest() as Trigger,
    changedPaths = [] as readonly string[] | null,
    source = 'bot.toml',
  } = {},
  loadGuidance: (paths: readonly string[]) => Promise<readonly ContextFile[]> = async (paths) =>
    paths.map((path) => file(path)),
) {
  const text = `name = "bot"\nmodel = "openai/m"\n${toml}`;
  const agent = { name: 'bot', source, ...parseAgent(text, { name: 'bot', file: source }) };
  const about = { trigger, change: undefined, isReview: true };
  const paths = changedPaths ?? undefined;
  const guidance = await readGuidance(agent, { ...about, changedPaths: paths }, {
    loadGuidance,
  } as unknown as AgentLibrary);
  const { files, warnings, checks } = guidance;
  return { paths: files.map(({ path }) => path), warnings, checks, lookedFor: guidance.paths };
}

it.each([
  ['tools = ["submit_review"]', '## A\nText.', ['A'], []],
  ['tools = ["submit_review"]', '## A\nText.\n## a\nText.', ['A'], ['checks-invalid']],
  ['tools = ["submit_review"]\nguidance = false', '## A\nText.', [], []],
  ['tools = ["add_review_comment"]', '## A\nText.', [], []],
])('checks are read for an agent that reviews: %j', async (toml, text, names, codes) => {
  const path = '.axe/checks.md';
  const { checks, paths, lookedFor, warnings } = await read(toml, {}, async (wanted) =>
    wanted.filter((name) => name === path).map((name) => file(name, text)),
  );
  expect(checks).toMatchObject(names.map((name) => ({ name })));
  expect(warnings.map(({ code }) => code)).toEqual(codes);
  expect(paths).toEqual([]);
  expect(lookedFor.includes(path)).toBe(toml.includes('submit_review') && !toml.includes('false'));
});

it.each<[string, string, Parameters<typeof read>[1], readonly string[]]>([
  ['in a workflow', '', {}, ['AGENTS.md', 'REVIEW.md']],
  ['unless the agent wants none', 'guidance = false', {}, []],
  ['never where it may be the head', '', { changedPaths: null }, []],
  ['on a terminal by no agent of axe', '', { trigger: LOCAL, changedPaths: null }, []],
  [
    'on a terminal if the agent wants it',
    'guidance = true',
    { trigger: LOCAL },
    ['AGENTS.md', 'REVIEW.md'],
  ],
  ['by a built-in agent', '', { trigger: LOCAL, source: 'built-in' }, ['AGENTS.md', 'REVIEW.md']],
  ['but for context files', 'files = ["AG*.md"]', {}, ['REVIEW.md']],
  ['but for instructions', '[review]\ninstructions = "REVIEW.md"', {}, ['AGENTS.md']],
])('guidance is read %s', async (_, toml, scene, paths) => {
  expect(await read(toml, scene)).toMatchObject({ paths, warnings: [] });
});

const OF_BASE = '---\napplyTo: "src/**"\n---\nAs the base has it.';

it.each<[string, readonly string[], readonly string[]]>([
  ['adds', [], []],
  ['changes', [OF_BASE], ['For `src/**`:\n\nAs the base has it.']],
])(
  'a pull request that %s instructions for paths is reviewed by those of the base, and is told',
  async (_, ofBase, expected) => {
    const path = '.github/instructions/code.instructions.md';
    const changed = { path, status: 'modified', additions: 1, deletions: 1 };
    const context = { kind: 'pull_request', files: [changed] } as unknown as TriggerContext;
    const parsed = parseAgent('name = "bot"\nmodel = "openai/m"\n', {
      name: 'bot',
      file: 'bot.toml',
    });
    const agent = { name: 'bot', source: 'bot.toml', ...parsed };
    const about = {
      trigger: pullRequest(),
      changedPaths: [path, 'src/a.ts'],
      change: undefined,
      isReview: true,
    };
    const existing = ofBase.map((content) => ({ path, content }));
    const library = { loadGuidance: async () => existing } as unknown as AgentLibrary;
    const { files, paths } = await readGuidance(agent, about, library);
    expect(files.map(({ content }) => content)).toEqual(expected);
    const warning = warnOfOwnChanges({ agent, skill: '', files: [], guidance: paths }, context);
    expect(warning?.message).toContain(`the pull request changes \`${path}\``);
  },
);

it('guidance is read with a warning where that fails, unless it is a bug', async () => {
  const refused = new AxeError('no', { remedy: 'Add `contents: read`.' });
  expect(await read('', {}, () => Promise.reject(refused))).toMatchObject({
    paths: [],
    warnings: [{ code: 'context-unread', remedy: 'Add `contents: read`.' }],
  });
  for (const [toml, checks] of [
    ['', []],
    ['tools = ["submit_review"]', 'unread'],
    ['tools = ["submit_review"]\nguidance = false', []],
  ] as const) {
    const unread = await read(toml, {}, () => Promise.reject(refused));
    expect(unread.checks).toEqual(checks);
    expect((await read(toml, { changedPaths: null })).checks).toEqual(checks);
  }
  await expect(read('', {}, () => Promise.reject(new TypeError('bug')))).rejects.toThrow('bug');
});

describe('guidance in a prompt', () => {
  it.each<[string, readonly string[], boolean, readonly string[]]>([
    ['is the first of the general files', ['CLAUDE.md', 'AGENTS.md'], false, ['AGENTS.md']],
    ['is the second', ['.github/copilot-instructions.md', 'CLAUDE.md'], false, ['CLAUDE.md']],
    [
      'has what is nearest last',
      ['a/b/AGENTS.md', 'AGENTS.md', 'a/AGENTS.md'],
      false,
      ['AGENTS.md', 'a/AGENTS.md', 'a/b/AGENTS.md'],
    ],
    ['of reviews is besides', ['REVIEW.md', 'CLAUDE.md'], true, ['CLAUDE.md', 'REVIEW.md']],
    ['of reviews is for reviews', ['REVIEW.md', 'CLAUDE.md'], false, ['CLAUDE.md']],
  ])('%s', (_, paths, isReview, expected) => {
    const found = paths.map((path) => file(path));
    const { files, warnings } = pickGuidance(found, { changed: [], isReview });
    expect([files.map(({ path }) => path), warnings]).toEqual([expected, []]);
  });

  it.each([
    ['without a word', ' \n'],
    ['that is binary', 'a\0 b'],
    ['that is a link, of which the text is its target', 'docs/CLAUDE.md'],
  ])('is not a file %s', (_, content) => {
    const { files } = pickGuidance([file('AGENTS.md', content), file('CLAUDE.md')], {
      changed: [],
      isReview: false,
    });
    expect(files).toEqual([file('CLAUDE.md')]);
  });

  it.each<[string, string, string]>([
    [
      'its section',
      '# A\nx\n## Review guidelines\ny\n### More\nz\n## B\nw',
      '## Review guidelines\ny\n### More\nz',
    ],
    ['its section at the end', '# A\nx\n# review Guidelines #\r\ny', '# review Guidelines #\r\ny'],
    ['all of it where there is none', '# A\nReview guidelines\n', '# A\nReview guidelines\n'],
  ])('for a review is %s', (_, content, expected) => {
    const files = ['AGENTS.md', 'a/AGENTS.md'].map((path) => file(path, content));
    const wanted = ['AGENTS.md', 'a/AGENTS.md'].map((path) => file(path, expected));
    expect(pickGuidance(files, { changed: [], isReview: true }).files).toEqual(wanted);
    expect(pickGuidance(files, { changed: [], isReview: false }).files).toEqual(files);
  });

  it('is cut where there is too much, what is nearest last', () => {
    const found = [file('AGENTS.md', 'g g'.repeat(3000)), file('a/AGENTS.md', 'n n'.repeat(3000))];
    const { files, warnings } = pickGuidance(found, { changed: [], isReview: false });
    const left = 16 * 1024 - 9000;
    const lost = (9000 - left).toLocaleString('en');
    const note = `\n\n[The last ${lost} bytes of this file are left out.]`;
    expect(files.map(({ content }) => content.length)).toEqual([left + note.length, 9000]);
    expect(files[0]?.content.endsWith(note)).toBe(true);
    expect(warnings.map(({ message }) => message)).toEqual([
      `the last ${lost} bytes of \`AGENTS.md\`, since a prompt holds 16 KiB of guidance`,
    ]);
  });
});

const TOML =
  'name = "bot"\nmodel = "openai/m"\nsystem_prompt = "You help."\nfiles = ["docs/*.md"]\n';
const AGENT = {
  name: 'bot',
  source: 'octocat/hello@main:axe/agents/bot.toml',
  ...parseAgent(TOML, { name: 'bot', file: 'bot.toml' }),
};
const INSTRUCTIONS = {
  agent: AGENT,
  skill: 'reviewing',
  files: [{ path: 'STYLE.md', content: '' }],
  guidance: ['AGENTS.md', 'src/AGENTS.md'],
};

function changing(...files: readonly { path: string; previousPath?: string }[]): TriggerContext {
  return {
    kind: 'pull_request',
    diff: '',
    filesTotal: files.length,
    warnings: [],
    files: files.map((file) => ({ status: 'modified', additions: 1, deletions: 1, ...file })),
  } as TriggerContext;
}

describe('a pull request that changes its own reviewer', () => {
  it.each([
    ['the guidance of the project', 'src/AGENTS.md'],
    ['the agent', 'axe/agents/bot.toml'],
    ['the agent, which it renames', 'axe/agents/bot.toml', 'x.toml'],
    ['its skill', 'axe/skills/reviewing/SKILL.md'],
    ['a file it is given', 'STYLE.md'],
    ['a file it will be given', 'docs/new.md'],
  ])('causes a warning about %s (memory-and-security C6 81)', (_, named, renamed = named) => {
    const change = { path: renamed, previousPath: named };
    const warning = warnOfOwnChanges(INSTRUCTIONS, changing({ path: 'src/a.ts' }, change));
    expect(warning).toMatchObject({
      code: 'agent-changed-in-pull-request',
      message: expect.stringContaining(`changes \`${named}\`, which`),
    });
  });

  it('causes no warning about a file that only has the path of another repository’s agent or skill', () => {
    const changed = changing(
      { path: 'axe/agents/bot.toml' },
      { path: 'axe/skills/reviewing/SKILL.md' },
    );
    const repository = { owner: 'octocat', name: 'hello' };
    expect(warnOfOwnChanges({ ...INSTRUCTIONS, repository }, changed)).toBeDefined();
    const agent = { ...AGENT, source: 'octocat/agents@6113728:axe/agents/bot.toml' };
    expect(warnOfOwnChanges({ ...INSTRUCTIONS, agent, repository }, changed)).toBeUndefined();
  });

  it.each<[string, TriggerContext | undefined]>([
    [
      'other files',
      changing({ path: 'src/a.ts' }, { path: 'bot.toml' }, { path: 'axe/agents/bot.toml.md' }),
    ],
    ['nothing', changing()],
    ['what is not known', undefined],
    ['no pull request', { kind: 'none', warnings: [] } as TriggerContext],
  ])('causes no warning about %s', (_, context) => {
    expect(warnOfOwnChanges(INSTRUCTIONS, context)).toBeUndefined();
  });

  it('is detected for a skill by its path too', () => {
    const instructions = { ...INSTRUCTIONS, skill: './skills/x/HOW.md' };
    expect(warnOfOwnChanges(instructions, changing({ path: 'axe/skills/x/HOW.md' }))).toBeDefined();
    expect(warnOfOwnChanges(instructions, changing({ path: 'skills/x/OTHER.md' }))).toBeUndefined();
  });
});
