import { expect, it } from '@jest/globals';
import type { FileTree } from '../helpers/github-state.js';
import { type ModelReply, text } from '../helpers/model-server.js';
import {
  CAREFUL_REVIEWER,
  calls,
  discussion,
  LOGGED,
  reviewStage,
  submit,
  TIMING,
  usageIn,
} from './review-scene.js';
import { type Stage, troubles } from './stage.js';

const REVIEW = [
  calls(TIMING, LOGGED, submit('Two things to fix.')),
  text('I have reviewed the change.'),
];
const LOOKS = ['github_diff', 'github_file', 'github_history', 'github_search', 'give_verdict'];

function verdict(claim: number, verdict: string, more: object = {}) {
  return { name: 'give_verdict', input: { verdict, claim, reason: 'I followed it.', ...more } };
}

/** The review, by an agent with these further lines, and then the replies of a verifier. */
function stageWith(
  verifier: readonly ModelReply[],
  more = '',
  files: FileTree = {},
): Promise<Stage> {
  const base = { 'axe/agents/reviewer.toml': `${CAREFUL_REVIEWER}${more}`, ...files };
  return reviewStage([...REVIEW, ...verifier], { base });
}

it('a finding that holds is posted as confirmed, with the corrected reach, and a refuted one is not posted', async () => {
  const refuting = [{ path: 'src/auth.ts', line: 10, code: '  const expected = readToken();' }];
  const verdicts = [
    verdict(1, 'refuted', { evidence: refuting }),
    verdict(2, 'holds', { reach: 'always' }),
  ];
  const stage = await stageWith([calls(...verdicts)]);
  const step = await stage.run();
  expect(step.exitCode).toBe(0);
  expect(troubles(step)).toEqual([]);
  const [, , look] = stage.model.prompts();
  expect(look?.system).toContain('Try to refute it.');
  expect(look?.system).not.toContain('You review changes.');
  expect(look?.tools).toEqual(LOOKS);
  expect(look?.messages).toHaveLength(1);
  expect(look?.messages[0]).not.toMatch(/critical|major|severity|likely/);
  expect(stage.model.prompts()).toHaveLength(3);
  expect(stage.repo.talk.reviewComments.map(({ line }) => line)).toEqual([12]);
  const posted = discussion(stage);
  expect(posted).toContain('🔴 **Critical · security** — The comparison of tokens leaks by time');
  expect(posted).toContain('An independent second check confirmed it.');
  expect(posted).toContain('1 finding is left out after a second check');
  expect(posted).not.toContain('The token is written to the log');
  expect(step.outputs['memory-entry']).toContain('Refuted by a second check: 1.');
  expect(step.log).toContain('Second check of 2 findings: 1 confirmed, 1 refuted');
});

it('everything is posted if the verifier fails, and the review reports it', async () => {
  const error = { type: 'invalid_request_error', message: 'no' };
  const stage = await stageWith([{ kind: 'raw', status: 400, body: { type: 'error', error } }]);
  const step = await stage.run();
  expect(step.exitCode).toBe(0);
  expect(step.outputs['conclusion']).toBe('success');
  expect(stage.repo.talk.reviewComments.map(({ line }) => line)).toEqual([11, 12]);
  expect(discussion(stage)).toContain('Not verified by a second check: 2 findings.');
  const message = expect.stringContaining('2 findings had no second check');
  expect(troubles(step)).toMatchObject([{ message }]);
});

const HOLD = calls(verdict(1, 'holds'), verdict(2, 'holds'));

it('another model is called if the agent names one, and none at the depth quick', async () => {
  const stage = await stageWith([HOLD], '\n[review]\nverify_model = "openai/gpt-4o"\n');
  await stage.run();
  const asked = stage.model.prompts().map(({ model }) => model);
  expect(asked.slice(1)).toEqual(['claude-sonnet-4-5', 'gpt-4o']);
  const quick = await stageWith([], '\n[review]\ndepth = "quick"\n');
  await quick.run();
  expect(quick.model.prompts()).toHaveLength(2);
});

const OWN_VERIFIER = {
  'axe/agents/skeptic.toml': `name = "skeptic"
model = "openai/gpt-4o"
system_prompt = "You doubt what is said of this bank's code."
skill = "money"
files = ["docs/rules.md"]
tools = ["run_command"]

[params]
temperature = 0.3
`,
  'axe/skills/money/SKILL.md': 'Amounts are cents.',
  'docs/rules.md': 'Tokens may be logged in tests.',
};

it('asks an agent of the repository where the reviewer names one, with the tools of a second look', async () => {
  const stage = await stageWith([HOLD], '\n[review]\nverifier = "skeptic"\n', OWN_VERIFIER);
  const step = await stage.run();
  expect(troubles(step)).toEqual([]);
  const [, , look] = stage.model.prompts();
  expect(look?.model).toBe('gpt-4o');
  const own = [
    "You doubt what is said of this bank's code.",
    'Amounts are cents.',
    'Tokens may be logged',
  ];
  for (const said of own) expect(look?.system).toContain(said);
  expect(look?.system).not.toContain('Try to refute it.');
  expect(look?.tools).toEqual(LOOKS);
  expect(usageIn(step)).toContainEqual(
    expect.objectContaining({ name: 'skeptic', modelId: 'gpt-4o', turns: 1 }),
  );
  expect(discussion(stage)).toContain('An independent second check confirmed it.');
});
