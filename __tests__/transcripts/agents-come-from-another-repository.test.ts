import { describe, expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { calls } from './review-scene.js';
import { AGENT, BASE, type Stage, setStage, told } from './stage.js';

const SHARED = 'octocat/agents';
const TOKEN = 'ghs_ABCDEFGHIJ0123456789abcdefghij0123456';
const V1 = '6113728f27ae82c7b1a177c8d03f9e96e0adf246';

const LEADER = AGENT.replace('You review changes.', 'You lead.').replace(
  '[memory]',
  'skill = "law"\nfiles = ["GUIDE.md"]\nsub_agents = ["checker"]\n\n[memory]',
);
const CHECKER = AGENT.replace('name = "reviewer"', 'name = "checker"').replace('You review', 'You check');

/** A private repository with agents, whose token the workflow has; the run's own repository has an agent too. */
async function withShared(options: Parameters<typeof setStage>[0] = {}): Promise<Stage> {
  const stage = await setStage({ base: { ...BASE, 'GUIDE.md': 'Be kind.' }, ...options });
  stage.github.addRepo(SHARED, { isPrivate: true, contents: { [TOKEN]: 'read' } });
  const files = {
    'axe/agents/reviewer.toml': LEADER,
    'axe/agents/checker.toml': CHECKER,
    'axe/skills/law/SKILL.md': 'Law of the house.',
    'GUIDE.md': 'Be strict.',
  };
  stage.github.commit(SHARED, files, { branch: 'v1', sha: V1 });
  return stage;
}

const INPUTS = { 'agents-repo': `${SHARED}@v1`, 'repositories-token': TOKEN };

describe('an agent of `agents-repo`', () => {
  it('runs in place of the repository’s own, with its skill and sub-agents, and the repository’s context files', async () => {
    const delegate = calls({ name: 'call_agent', input: { agent: 'checker', task: 'Check it.' } });
    const stage = await withShared({ model: [delegate, text('Checked.'), text('Led.')] });
    const step = await stage.run({ inputs: INPUTS });
    expect(told(step).filter((line) => line.startsWith('error'))).toEqual([]);
    expect(step.outputs).toMatchObject({ conclusion: 'success', response: 'Led.' });
    expect(step.log).toContain('Agent:  reviewer (octocat/agents@6113728:axe/agents/reviewer.toml)');
    const [leader, checker] = stage.model.prompts();
    expect(leader?.system).toMatch(/^You lead\..*Law of the house\..*Be kind\./s);
    expect(leader?.system).not.toContain('Be strict.');
    expect(checker?.system).toMatch(/^You check/);
    expect(step.masks).toContain(TOKEN);
  });

  it('leaves the built-in ones available, and no other', async () => {
    const stage = await withShared({
      base: { 'axe/agents/mine.toml': AGENT.replace('name = "reviewer"', 'name = "mine"') },
    });
    const own = await stage.run({ inputs: { ...INPUTS, agent: 'mine' } });
    expect(own.annotations[0]?.message).toContain('agent config not found: mine');
    const builtIn = await stage.run({ inputs: { ...INPUTS, agent: 'builtin/ask' } });
    expect(builtIn.log).toContain('Agent:  builtin/ask (built-in)');
  });

  it.each([
    ['no token of its own', { 'agents-repo': `${SHARED}@v1` }],
    ['a ref that is not there', { ...INPUTS, 'agents-repo': `${SHARED}@v2` }],
    ['a repository that is not there', { ...INPUTS, 'agents-repo': 'octocat/nothing@v1' }],
  ])('ends the run with %s, and never runs another of the same name', async (_, inputs) => {
    const stage = await withShared();
    const step = await stage.run({ inputs });
    expect(step.exitCode).toBe(1);
    expect(stage.model.requests()).toEqual([]);
    expect(step.annotations.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^`agents-repo: .*` cannot be read: .*\n.*`repositories-token`.*`contents: read`/s,
      ),
    ]);
  });

  it('that is missing is reported with where it was searched', async () => {
    const stage = await withShared();
    const step = await stage.run({ inputs: { ...INPUTS, agent: 'nobody' } });
    expect(step.annotations.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /There are: `checker`, `reviewer`, (?:`builtin\/\S+`[,.] ){3}Searched in .* of octocat\/agents@\w+\.$/,
      ),
    ]);
  });
});
