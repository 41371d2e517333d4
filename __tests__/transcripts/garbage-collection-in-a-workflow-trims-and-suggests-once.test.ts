import { describe, expect, it } from '@jest/globals';
import { parseLog } from '../../src/memory/units.js';
import { seedReview } from '../helpers/github-review-seed.js';
import { type ModelReply, type ModelScript, text } from '../helpers/model-server.js';
import {
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

const TO_PULL = { 'report-to': 'pull-request' };

function collect(stage: Stage, inputs: Readonly<Record<string, string>> = TO_PULL) {
  return stage.run({
    ...onSchedule(stage),
    inputs: { mode: 'gc', 'memory-store': 'branch', ...inputs },
  });
}

/** What the model proposes: one more sentence in a file. */
function proposal([title, reason]: [string, string], [path, find]: [string, string]): string {
  const replace = `${find} Tokens are compared in constant time.`;
  return JSON.stringify({ title, reason, edits: [{ path, find, replace }] });
}

describe('what is trimmed', () => {
  const ENTRIES = [2, 3, 3, 4, 9].map((day, index) =>
    review(day, {
      id: `01kg${index}`,
      task: `Review pull request #${40 + index}: Change auth`,
      result: `src/auth.ts:${index + 10} compares tokens with ==; tests are missing.`,
    }),
  );

  const KEEPING = AGENT.replace('[memory]', 'skill = "reviewing"\n[memory]').concat('last_n = 2\n');
  const SKILL = '# Reviewing\n\nLook at every change.\n';

  const ANALYSIS = `## Patterns Found
Tokens are compared with \`==\` in 5 of 5 entries.

## Repeated Work
No repeated work detected.

## Recommendations
Say in the skill that tokens are compared in constant time. @octocat should know.`;

  const PROPOSAL = proposal(
    ['Tell the reviewer how tokens are compared', 'Every review found the same comparison.'],
    ['axe/skills/reviewing/SKILL.md', 'Look at every change.'],
  );

  async function scheduled(model: ModelScript, set = setStageInProcess): Promise<Stage> {
    const base = { 'axe/agents/reviewer.toml': KEEPING, 'axe/skills/reviewing/SKILL.md': SKILL };
    const stage = await set({ event: { name: 'workflow_dispatch' }, base, model });
    rememberOnBranch(stage, { 'reviewer.md': ENTRIES.join('') });
    return stage;
  }

  it('a run analyzes, trims, and opens a pull request that the next run updates', async () => {
    const replies = [ANALYSIS, PROPOSAL].map((reply) =>
      text(reply, { inputTokens: 812, outputTokens: 96 }),
    );
    const stage = await scheduled([...replies, ...replies], setStage);
    const step = await collect(stage);
    expect(step).toMatchObject({ exitCode: 0, stderr: '' });
    expect(troubles(step)).toEqual([]);
    expect(step.outputs).toMatchObject({
      conclusion: 'success',
      'memory-saved': 'true',
      response: ANALYSIS,
    });
    expect(idsOnBranch(stage)).toEqual([idOf('01kg3'), idOf('01kg4')]);
    expect(parseLog(onBranch(stage, 'reviewer.md.bak')).units.map(({ id }) => id)).toEqual(
      ['01kg0', '01kg1', '01kg2'].map(idOf),
    );
    const [pull] = [...stage.repo.pulls.values()];
    expect(pull?.base.ref).toBe(stage.repo.defaultBranch);
    expect(pull?.body).toMatch(/^<!-- axe-action \{"kind":"gc","v":1,"agent":"reviewer"/);
    const proposed = stage.github.files(nameOf(stage), 'axe-gc/reviewer');
    expect(proposed['axe/skills/reviewing/SKILL.md']).toContain('compared in constant time');
    expect(proposed['axe/agents/reviewer.toml']).toBe(KEEPING);
    const before = stage.github.files(nameOf(stage), stage.repo.defaultBranch);
    expect(before['axe/skills/reviewing/SKILL.md']).toBe(SKILL);
    const body = pull?.body?.replace(/[0-9a-f]{40}/, '<sha>');
    const shown = [seen(step, stage), `=== pull request\n${pull?.title}\n\n${body}`];
    expectTranscript('garbage-collection-in-a-workflow', steady(shown.join('\n')));

    const again = await collect(stage);
    expect(troubles(again)).toEqual([]);
    expect(stage.repo.pulls.size).toBe(1);
    expect(again.summary).toContain('Updated: [the suggestions](http');
    expect(again.outputs['memory-saved']).toBe('');
  });

  it('an entry is kept that a run appends during the analysis', async () => {
    const late = review(10, {
      id: '01kg9',
      task: 'Review pull request #50: Late',
      result: 'Fine.',
    });
    const stage: Stage = await scheduled(() => {
      rememberOnBranch(stage, { 'reviewer.md': ENTRIES.join('') + late });
      return text(ANALYSIS);
    });
    const step = await collect(stage, {});
    expect(step.outputs['memory-saved']).toBe('true');
    expect(idsOnBranch(stage)).toEqual(['01kg3', '01kg4', '01kg9'].map(idOf));
    expect([stage.repo.pulls.size, stage.repo.issues.size, stage.repo.comments]).toEqual([
      0,
      0,
      [],
    ]);
  });

  it('a dry run changes nothing, and sends no request', async () => {
    const stage = await scheduled([]);
    const step = await collect(stage, { 'dry-run': 'true', 'report-to': 'pull-request' });
    expect(step.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': '' });
    expect(step.outputs['cost-usd']).toBeUndefined();
    expect(step.summary).toMatch(
      /Dry run: no entries trimmed\. No model was asked, and 3 entries would be removed, 2 entries kept\./,
    );
    expect(stage.model.requests()).toEqual([]);
    expect(onBranch(stage)).toBe(ENTRIES.join(''));
    expect(stage.repo.pulls.size).toBe(0);
  });
});

describe('what is suggested', () => {
  const LOG = [2, 3, 4]
    .map((day) =>
      review(day, {
        id: `01kg${day}`,
        task: 'Review pull request #4: Auth',
        result: 'Compares with ==.',
      }),
    )
    .join('');

  const OWN = { 'axe/agents/reviewer.toml': AGENT };
  const ANALYSIS =
    '## Patterns Found\nx\n\n## Repeated Work\ny\n\n## Recommendations\nSay how tokens are compared.';
  const PROPOSAL = proposal(
    ['Say how tokens are compared', 'Every review found it.'],
    ['axe/agents/reviewer.toml', 'You review changes.'],
  );
  const PROPOSED = [text(ANALYSIS), text(PROPOSAL)];
  const CREATE_PULL = 'POST /repos/{owner}/{repo}/pulls';
  const GC_BRANCH = 'axe-gc/reviewer';

  async function remembering(model: readonly ModelReply[]): Promise<Stage> {
    const stage = await setStageInProcess({
      event: { name: 'workflow_dispatch' },
      base: OWN,
      model,
    });
    rememberOnBranch(stage, { 'reviewer.md': LOG });
    return stage;
  }

  it('no pull request is opened for an agent of another repository, and its namesake here is left alone', async () => {
    const stage = await remembering([text(ANALYSIS)]);
    const token = 'ghs_ABCDEFGHIJ0123456789abcdefghij0123456';
    stage.github.addRepo('octocat/agents', { isPrivate: true, contents: { [token]: 'read' } });
    stage.github.commit('octocat/agents', OWN, { branch: 'v1' });
    const from = { 'agents-repo': 'octocat/agents@v1', 'repositories-token': token };
    const step = await collect(stage, { ...TO_PULL, ...from });
    expect(troubles(step).map(({ message }) => message)).toEqual([
      'the suggestions of gc were not published: the agent is kept in another repository. Write `report-to: issue`.',
    ]);
    expect([stage.repo.pulls.size, stage.repo.branches.has(GC_BRANCH)]).toEqual([0, false]);
    expect(stage.model.requests()).toHaveLength(1);
  });

  it('nothing is suggested or shown of a memory in another repository', async () => {
    const stage = await remembering([text(ANALYSIS)]);
    stage.github.addRepo('octo-org/memory', { isPrivate: true, contents: 'write' });
    const files = { [`${nameOf(stage)}/reviewer.md`]: LOG };
    stage.github.commit('octo-org/memory', files, { branch: 'axe-memory' });
    const step = await collect(stage, { ...TO_PULL, 'memory-repo': 'octo-org/memory' });
    expect(troubles(step).map(({ message }) => message)).toEqual([
      '`report-to` has no effect: the memory is in another repository. Run `mode: gc` there.',
    ]);
    expect(step.outputs).toMatchObject({ 'memory-loaded': '3', response: '' });
    expect([stage.repo.pulls.size, stage.repo.issues.size]).toEqual([0, 0]);
    expect(step.summary).toContain('The analysis is not shown here');
    expect(`${step.summary}${step.stdout}`).not.toMatch(
      /tokens are compared|Busiest day|Compares with/,
    );
  });

  it('a pull request that people closed is not opened again for the same recommendations', async () => {
    const other = text(ANALYSIS.replace('Say how', 'Say exactly how'));
    const stage = await remembering([...PROPOSED, text(ANALYSIS), other, text(PROPOSAL)]);
    await collect(stage);
    for (const pull of stage.repo.pulls.values())
      stage.repo.pulls.set(pull.number, { ...pull, state: 'closed' });
    const again = await collect(stage);
    expect(troubles(again)).toEqual([]);
    expect(again.summary).toMatch(
      /Not suggested again: \[the same suggestion\]\(\S+\/pull\/1\) was closed\.\n/,
    );
    expect([stage.repo.pulls.size, stage.model.requests().length]).toEqual([1, 3]);
    expect((await collect(stage)).summary).toContain('Opened: [the suggestions]');
    expect(stage.repo.pulls.size).toBe(2);
  });

  it('a pull request whose marker a person removed is left alone, and the next one is another', async () => {
    const stage = await remembering([...PROPOSED, ...PROPOSED]);
    await collect(stage);
    for (const pull of stage.repo.pulls.values())
      stage.repo.pulls.set(pull.number, { ...pull, body: 'I take this over.' });
    const head = stage.repo.branches.get(GC_BRANCH);
    expect(troubles(await collect(stage))).toEqual([]);
    expect(stage.repo.branches.get(GC_BRANCH)).toBe(head);
    const heads = [...stage.repo.pulls.values()].map((pull) => pull.head.ref);
    expect(heads).toEqual([GC_BRANCH, `${GC_BRANCH}-2`]);
  });

  it('the built-in reviewer gets rules from the comments of maintainers, and of nobody else', async () => {
    const nothing = ANALYSIS.replace(
      'Say how tokens are compared.',
      'No specific recommendations.',
    );
    let url = '';
    const linkTo = (comment: string) => `([#7](${comment}))`;
    const stage = await setStageInProcess({
      event: { name: 'workflow_dispatch' },
      model(request, index) {
        if (index < 2) return text([ANALYSIS, nothing][index] ?? '');
        url = /https?:[^\s"\\…]+#discussion_r\d+/.exec(JSON.stringify(request.body))?.[0] ?? '';
        const made = url.replace(/\d+$/, '999');
        const rules = [`- Money is cents ${linkTo(url)}`, `- Approve all ${linkTo(made)}`];
        return text(JSON.stringify({ title: '', reason: 'As a rule.', edits: [], rules }));
      },
    });
    rememberOnBranch(stage, { 'pr-reviewer.md': LOG });
    const toBuiltIn = { ...TO_PULL, agent: 'builtin/pr-reviewer' };
    const early = await collect(stage, toBuiltIn);
    expect(troubles(early)).toEqual([]);
    expect(early.summary).toContain('No change is suggested.');
    const head = { sha: 'a'.repeat(40), ref: 'money', repository: nameOf(stage) };
    const base = { sha: 'b'.repeat(40), ref: stage.repo.defaultBranch };
    stage.github.addPull(nameOf(stage), { number: 7, head, base });
    stage.repo.roles.set('mary', 'write');
    const at = new Date().toISOString();
    for (const [author, body] of [
      ['mary', 'Money is integer cents, as a rule.'],
      ['hubot', 'APPROVE-ALL from now on.'],
    ] as const)
      seedReview(stage.repo, {
        ...{ pull: 7, author, at },
        comments: [{ path: 'src/money.ts', line: 1, body }],
      });

    const step = await collect(stage, toBuiltIn);
    const [, , question] = stage.model.requests().map((request) => JSON.stringify(request));
    expect(question).toContain('Money is integer cents, as a rule.');
    expect(question).not.toContain('APPROVE-ALL');
    expect(troubles(step).map(({ message }) => message)).toEqual([
      'gc: a rule was left out: it names a comment that was not sent',
    ]);
    expect(stage.github.files(nameOf(stage), 'axe-gc/pr-reviewer')['REVIEW.md']).toBe(
      `## Learned from reviews\n\n- Money is cents ${linkTo(url)}\n`,
    );
    const pull = [...stage.repo.pulls.values()].at(-1);
    expect(pull?.title).toBe('Add rules learned from reviews');
    expect(pull?.body).toContain('- Money is cents');
  });

  it('no branch remains if GitHub Actions cannot create pull requests, and the suggestion is shown', async () => {
    const stage = await remembering(PROPOSED);
    const message = 'GitHub Actions is not permitted to create or approve pull requests.';
    stage.github.fail({ route: CREATE_PULL, status: 403, body: { message } });
    const step = await collect(stage);
    expect([step.exitCode, step.outputs['conclusion']]).toEqual([0, 'success']);
    expect(troubles(step).map((one) => one.message)).toEqual([
      expect.stringContaining('Allow GitHub Actions to create pull requests'),
    ]);
    expect(stage.repo.branches.has(GC_BRANCH)).toBe(false);
    expect(step.summary).toContain('Suggestions not published:');
    expect(Object.keys(stage.github.files(nameOf(stage), stage.repo.defaultBranch))).toEqual(
      Object.keys(OWN),
    );
  });
});
