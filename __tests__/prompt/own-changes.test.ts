import { describe, expect, it } from '@jest/globals';
import { parseAgent } from '../../src/agent/inspect.js';
import type { TriggerContext } from '../../src/prompt/context.js';
import { type Instructions, warnOfOwnChanges } from '../../src/prompt/guidance.js';

const TOML = 'name = "bot"\nmodel = "openai/m"\nsystem_prompt = "You help."\nfiles = ["docs/*.md"]\n';
const AGENT = {
  name: 'bot',
  source: 'octocat/hello@main:axe/agents/bot.toml',
  ...parseAgent(TOML, { name: 'bot', file: 'bot.toml' }),
};
const INSTRUCTIONS: Instructions = {
  agent: AGENT,
  skill: 'reviewing',
  files: [{ path: 'STYLE.md', content: '' }],
  guidance: ['AGENTS.md', 'src/AGENTS.md'],
};

interface Change {
  readonly path: string;
  readonly previousPath?: string;
}

function changing(...files: readonly Change[]): TriggerContext {
  return {
    kind: 'pull_request',
    diff: '',
    filesTotal: files.length,
    warnings: [],
    files: files.map((file) => ({ status: 'modified', additions: 1, deletions: 1, ...file })),
  } as TriggerContext;
}

describe('a pull request that changes its own reviewer', () => {
  it.each<[string, Change, string]>([
    ['the guidance of the project', { path: 'src/AGENTS.md' }, 'src/AGENTS.md'],
    ['the agent', { path: 'axe/agents/bot.toml' }, 'axe/agents/bot.toml'],
    [
      'the agent by another name',
      { path: 'x.toml', previousPath: 'axe/agents/bot.toml' },
      'axe/agents/bot.toml',
    ],
    ['its skill', { path: 'axe/skills/reviewing/SKILL.md' }, 'axe/skills/reviewing/SKILL.md'],
    ['a file it is given', { path: 'STYLE.md' }, 'STYLE.md'],
    ['a file it will be given', { path: 'docs/new.md' }, 'docs/new.md'],
  ])('causes a warning about %s (memory-and-security C6 81)', (_, change, named) => {
    const warning = warnOfOwnChanges(INSTRUCTIONS, changing({ path: 'src/a.ts' }, change));
    expect(warning).toMatchObject({
      code: 'agent-changed-in-pull-request',
      message: expect.stringContaining(`changes \`${named}\`, which`),
    });
  });

  it('causes no warning about a file that only has the path of another repository’s agent or skill', () => {
    const changed = changing({ path: 'axe/agents/bot.toml' }, { path: 'axe/skills/reviewing/SKILL.md' });
    const repository = { owner: 'octocat', name: 'hello' };
    expect(warnOfOwnChanges({ ...INSTRUCTIONS, repository }, changed)).toBeDefined();
    const agent = { ...AGENT, source: 'octocat/agents@6113728:axe/agents/bot.toml' };
    expect(warnOfOwnChanges({ ...INSTRUCTIONS, agent, repository }, changed)).toBeUndefined();
  });

  it.each<[string, TriggerContext | undefined]>([
    ['other files', changing({ path: 'src/a.ts' }, { path: 'bot.toml' }, { path: 'axe/agents/bot.toml.md' })],
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
