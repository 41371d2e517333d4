import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Ajv2020 from 'ajv/dist/2020.js';
import { type ModelReply, text } from '../helpers/model-server.js';
import { sarifFaults } from '../helpers/sarif-schema.js';
import { loadWebhook } from '../helpers/webhooks.js';
import {
  CHANGE,
  CLEAR,
  calls,
  DOCS,
  LOGGED,
  push,
  QUIET,
  reviewStage,
  SECOND,
  settleFirst,
  submit,
  TAKEN_OUT,
  TIMING,
  withSecondLook,
} from './review-scene.js';
import {
  HEAD,
  type Stage,
  type StageEvent,
  type StageOptions,
  setStage,
  told,
  troubles,
} from './stage.js';

const CLEAN: readonly ModelReply[] = [calls(submit('I found nothing wrong.')), text('Reviewed.')];
const CHECK = { 'check-run': 'true' };

/** The checks of all runs are these. */
function expectChecks({ repo }: Stage, ...checks: object[]): void {
  expect(repo.talk.checkRuns).toMatchObject(checks);
}

describe('the check', () => {
  const REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
  const WRITE = 'POST /repos/{owner}/{repo}/check-runs';
  const DENIED = {
    status: 403,
    body: { message: 'Resource not accessible by integration' },
  } as const;

  const FINDINGS = [
    calls(TIMING, LOGGED, submit('Two things to fix.')),
    text('I have reviewed the change.'),
  ];

  it('a check holds the findings on their lines if nothing is commented, and blocks nothing', async () => {
    const stage = await reviewStage(FINDINGS);
    const step = await stage.run({ inputs: { comment: 'never', 'check-run': 'true' } });
    expect(step.exitCode).toBe(0);
    expect(troubles(step)).toEqual([]);
    expect(stage.repo.talk.reviews).toEqual([]);
    expect(step.summary).toMatch(/^\[Check of the commit\]\(https:\S+\)\n/m);
    expect(step.summary).toContain('**Findings not posted as comments**');
    expect(stage.repo.talk.checkRuns).toMatchObject([
      {
        headSha: HEAD,
        name: 'reviewer',
        conclusion: 'neutral',
        title: '2 open: 1 critical, 1 major · all files read',
        summary: expect.stringContaining('Two things to fix.'),
        annotations: [
          {
            path: 'src/auth.ts',
            start_line: 11,
            title: 'The token is written to the log',
            message: expect.stringMatching(/The token ends up in the log\.$/),
          },
          {
            path: 'src/auth.ts',
            start_line: 12,
            end_line: 12,
            annotation_level: 'warning',
            title: 'The comparison of tokens leaks by time',
          },
        ],
      },
    ]);
  });

  it('a check repeats nothing from the review, and the next step writes the one that is there', async () => {
    const stage = await reviewStage([...FINDINGS, ...FINDINGS]);
    for (const _ of [1, 2]) await stage.run({ inputs: CHECK });
    expect(stage.repo.talk.reviews).toHaveLength(1);
    const check = {
      conclusion: 'neutral',
      title: '2 open: 1 critical, 1 major · all files read',
      annotations: [],
    };
    expectChecks(stage, check);
  });

  it('a check that cannot be written causes one warning, and the summary has the findings', async () => {
    const stage = await reviewStage(FINDINGS);
    stage.github.fail({ route: REVIEW, ...DENIED });
    stage.github.fail({ route: WRITE, ...DENIED, times: 99 });
    const step = await stage.run({ inputs: CHECK });
    // Nothing could be published, so the run is not a success (`fail-on`).
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
    expect(told(step).join('\n')).toMatch(/the check was not written: .*`checks: write`/);
    expect(step.summary).toContain('**Findings not posted as comments**');
  });

  it('a check shows what is being read, and is completed by the same run', async () => {
    const stage = await reviewStage(CLEAN, {}, setStage);
    const seen: unknown[] = [];
    stage.model.onRequest(() => seen.push(stage.repo.talk.checkRuns.map((run) => ({ ...run }))));
    const step = await stage.run({ inputs: CHECK });
    expect(seen.at(-1)).toMatchObject([
      {
        headSha: HEAD,
        name: 'reviewer',
        status: 'in_progress',
        title: expect.stringMatching(/^Reading \d files?$/),
      },
    ]);
    expectChecks(stage, { status: 'completed', ...CLEAR });
    expect(step.summary).toMatch(/^\[Check of the commit\]\(https:\S+\)\n/m);
  });

  it('a check is ended by the post step of a run that was killed', async () => {
    const stage = await reviewStage([{ kind: 'stall' }], {}, setStage);
    const options = { inputs: CHECK };
    const running = stage.start(options);
    stage.github.onRequest(({ method, path }) => {
      if (method === 'POST' && path.endsWith('/check-runs')) running.kill('SIGKILL');
    });
    const main = await running.finished;
    expect(main.signal).toBe('SIGKILL');
    expectChecks(stage, { status: 'in_progress' });
    const post = await stage.post(main, options);
    expect(post).toMatchObject({ exitCode: 0, stderr: '' });
    expectChecks(stage, {
      status: 'completed',
      conclusion: 'cancelled',
      title: 'Stopped before its end',
    });
    await stage.post(main, options);
    expect(stage.repo.talk.checkRuns).toHaveLength(1);
  });

  it('a check is shared by the jobs of a matrix that run one agent, and none hides what another found', async () => {
    const stage = await reviewStage([calls(TIMING, submit('No.')), text('Reviewed.'), ...CLEAN]);
    const inputs = { ...CHECK, 'block-on': 'major' };
    await stage.run({ inputs });
    await stage.run({ inputs });
    expectChecks(stage, {
      status: 'completed',
      conclusion: 'failure',
      title: '1 open: 1 major · all files read',
    });
  });

  it('a check shows that a run failed, or that one was cancelled', async () => {
    const failed = await reviewStage([
      { kind: 'raw', status: 401, body: { error: { message: 'no' } } },
    ]);
    await failed.run({ inputs: CHECK });
    expectChecks(failed, { status: 'completed', conclusion: 'neutral', title: 'The run failed' });
    const cancelled = await reviewStage([{ kind: 'stall' }], {}, setStage);
    const running = cancelled.start({ inputs: CHECK });
    cancelled.model.onRequest(() => running.kill('SIGTERM'));
    const step = await running.finished;
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'cancelled' } });
    expectChecks(cancelled, { status: 'completed', conclusion: 'cancelled', title: 'Cancelled' });
  });
});

describe('a run that is skipped', () => {
  function stageWith(options: StageOptions = {}) {
    return reviewStage([...CLEAN, ...CLEAN], options);
  }

  function event(action: string, patch: StageEvent['patch'] = {}): StageEvent {
    const payload = loadWebhook('pull_request', 'opened', patch);
    return { name: 'pull_request', payload: { ...payload, action } };
  }

  const CLOSED = { 'pull_request.state': 'closed' };

  it.each<[string, StageOptions, Readonly<Record<string, string>>, string]>([
    ['closed', { event: event('closed', CLOSED) }, {}, 'is closed or merged'],
    ['closed', { event: event('labeled', CLOSED) }, {}, 'is closed or merged'],
    ['no-change', { event: event('edited') }, {}, 'changes nothing in the diff'],
    [
      'no-change',
      { event: event('assigned') },
      {},
      'Remove `assigned` from the `types:` of the event.',
    ],
    ['nothing-to-review', { diff: '' }, {}, 'it changes no file'],
    [
      'nothing-to-review',
      {},
      { paths: 'docs/**' },
      '`paths` leaves out every file that it changes',
    ],
  ])('nothing is asked, and the reason told: %s, %#', async (reason, options, inputs, why) => {
    const stage = await stageWith(options);
    const step = await stage.run({ inputs });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'skipped', reason } });
    expect(stage.model.requests()).toEqual([]);
    expect(stage.repo.talk.reviews).toEqual([]);
    expect(told(step)).toEqual([expect.stringContaining(why)]);
  });

  it('a label reviews no commit again', async () => {
    const stage = await stageWith();
    await stage.run();
    const asked = stage.model.requests().length;
    const { payload = {} } = event('labeled');
    const labeled = { name: 'pull_request', payload: { ...payload, label: { name: 'bug' } } };
    const again = await stage.run({ event: labeled });
    expect(again.outputs).toMatchObject({ conclusion: 'skipped', reason: 'nothing-new' });
    const why = 'Commit ec26c3e of pull request #2 has already been reviewed.';
    expect(told(again)).toEqual([expect.stringContaining(why)]);
    expect(stage.model.requests()).toHaveLength(asked);
  });

  it('a merge of the base that brings no file is not reviewed, and its check holds the earlier findings', async () => {
    const stage = await stageWith();
    await stage.run({ inputs: CHECK });
    const asked = stage.model.requests().length;
    const step = await stage.run({
      ...push(stage, SECOND, { diff: CHANGE, fresh: '' }),
      inputs: CHECK,
    });
    expect(step.outputs).toMatchObject({ conclusion: 'skipped', reason: 'nothing-new' });
    expect(stage.model.requests()).toHaveLength(asked);
    expect(stage.repo.talk.reviews).toHaveLength(1);
    const summary = expect.stringMatching(/^Nothing to review has changed .* since ec26c3e\.$/);
    expectChecks(stage, { headSha: HEAD, ...CLEAR }, { headSha: SECOND, ...CLEAR, summary });
  });
});

describe('programs', () => {
  const SCHEMA = join(resolve(import.meta.dirname, '../..'), 'schema/findings.schema.json');
  const AFTER = { path: 'src/auth.ts', line: 11, code: '  return expected == token;' };
  const TWO = [calls(LOGGED, TIMING, submit('Two things.')), text('Reviewed.')];

  it('programs can read JSON that matches the published schema, and SARIF 2.1.0', async () => {
    const stage = await reviewStage(TWO, {}, setStage);
    const step = await stage.run();
    expect(troubles(step)).toEqual([]);
    const outputs = { 'findings-open': '2', 'findings-worst': 'critical', coverage: 'whole' };
    expect(step).toMatchObject({ outputs });
    const findings = JSON.parse(readFileSync(step.outputs['findings-file'] ?? '', 'utf8'));
    const isValid = new Ajv2020.default().compile(JSON.parse(readFileSync(SCHEMA, 'utf8')));
    expect([isValid(findings), isValid.errors]).toEqual([true, null]);
    expect(findings).toMatchObject({
      head: HEAD,
      pull: 2,
      findings: [
        {
          severity: 'critical',
          path: 'src/auth.ts',
          line: 11,
          state: 'open',
          isNew: true,
          url: expect.stringContaining('#'),
        },
        { severity: 'major', line: 12 },
      ],
    });

    const sarif = JSON.parse(readFileSync(step.outputs['sarif-file'] ?? '', 'utf8'));
    expect(sarifFaults(sarif)).toEqual([]);
    expect(sarif.runs[0].results).toMatchObject([
      {
        ruleId: 'axe/security',
        level: 'error',
        partialFingerprints: { 'axeFindingId/v1': findings.findings[0].id },
      },
      { ruleId: 'axe/security', level: 'error' },
    ]);
  });

  it.each([
    ['findings:major', 1, 'findings'],
    ['findings:critical', 0, 'success'],
    ['coverage', 0, 'success'],
  ])('the gate `fail-on: %s` ends with %i', async (gate, exitCode, conclusion) => {
    const stage = await reviewStage([calls(TIMING, submit('One thing.')), text('Reviewed.')]);
    const step = await stage.run({ inputs: { 'fail-on': gate } });
    expect(step).toMatchObject({ exitCode, outputs: { conclusion } });
    expect(told({ annotations: troubles(step) })).toEqual(
      exitCode === 0 ? [] : [expect.stringContaining('1 major finding is open')],
    );
  });

  it('a gate is also failed by earlier findings, until they are settled', async () => {
    const gone = { path: 'src/auth.ts', line: 11, code: '-  console.log(token);' };
    const settled = settleFirst('Nothing logs the token now.', gone);
    const over = { verdict: 'refuted', reason: 'Nothing logs it.', evidence: [AFTER] };
    const replies = [
      calls(LOGGED, submit('One thing.')),
      calls(submit('Nothing new.')),
      calls(submit('Nothing new.')),
      calls(settled, submit('It is fixed.')),
    ];
    const script = replies.flatMap((reply) => [reply, text('Reviewed.')]);
    const stage = await reviewStage(withSecondLook(script, over));
    const inputs = { 'fail-on': 'findings:major' };
    await stage.run({ inputs });
    const second = await stage.run({
      ...push(stage, SECOND, { diff: CHANGE + DOCS, fresh: DOCS }),
      inputs,
    });
    expect(second).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: 'findings', 'findings-open': '1' },
    });
    // A line that is gone says nothing by itself.
    const third = await stage.run({
      ...push(stage, 'd'.repeat(40), { diff: QUIET + DOCS, fresh: TAKEN_OUT }),
      inputs,
    });
    expect(third).toMatchObject({ exitCode: 1, outputs: { 'findings-open': '1' } });
    const fourth = await stage.run({
      ...push(stage, 'e'.repeat(40), { diff: QUIET + DOCS, fresh: TAKEN_OUT }),
      inputs,
    });
    expect(fourth).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: 'success', 'findings-worst': '' },
    });
  });
});
