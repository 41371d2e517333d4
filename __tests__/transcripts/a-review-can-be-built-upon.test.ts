import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import Ajv2020 from 'ajv/dist/2020.js';
import type { RecordedRequest } from '../helpers/loopback.js';
import { promptOf, type ScriptedToolCall, text } from '../helpers/model-server.js';
import { sarifFaults } from '../helpers/sarif-schema.js';
import { loadWebhook } from '../helpers/webhooks.js';
import { handleIn } from './handle-scene.js';
import {
  CHANGE,
  calls,
  DOCS,
  LOGGED,
  push,
  QUIET,
  REVIEWER,
  SECOND,
  submit,
  TAKEN_OUT,
  TIMING,
} from './review-scene.js';
import { HEAD, type StageOptions, setStage, told, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const SCHEMA = join(resolve(import.meta.dirname, '../..'), 'schema/findings.schema.json');
const AFTER = { path: 'src/auth.ts', line: 11, code: '  return expected == token;' };
const TWO = [calls(LOGGED, TIMING, submit('Two things.')), text('Reviewed.')];

function stageWith(options: StageOptions = {}, set = setStageInProcess) {
  return set({ base: { 'axe/agents/reviewer.toml': REVIEWER }, diff: CHANGE, model: TWO, ...options });
}

it('programs can read JSON that matches the published schema, and SARIF 2.1.0', async () => {
  const stage = await stageWith({}, setStage);
  const step = await stage.run();
  expect(troubles(step)).toEqual([]);
  expect(step.outputs).toMatchObject({
    'findings-open': '2',
    'findings-worst': 'critical',
    coverage: 'whole',
  });
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
  const stage = await stageWith({ model: [calls(TIMING, submit('One thing.')), text('Reviewed.')] });
  const step = await stage.run({ inputs: { 'fail-on': gate } });
  expect(step).toMatchObject({ exitCode, outputs: { conclusion } });
  expect(told({ annotations: troubles(step) })).toEqual(
    exitCode === 0 ? [] : [expect.stringContaining('1 major finding is open')],
  );
});

it('a gate is also failed by earlier findings, until they are settled', async () => {
  const evidence = [{ path: 'src/auth.ts', line: 11, code: '-  console.log(token);' }];
  const settled = (finding: string): ScriptedToolCall => ({
    name: 'settle_finding',
    input: { finding, how: 'fixed', reason: 'Nothing logs the token now.', evidence },
  });
  const over = { verdict: 'refuted', reason: 'Nothing logs it.', evidence: [AFTER] };
  const replies = [
    () => calls(LOGGED, submit('One thing.')),
    () => text('Reviewed.'),
    () => calls(submit('Nothing new.')),
    () => text('Reviewed.'),
    () => calls(submit('Nothing new.')),
    () => text('Reviewed.'),
    () => calls(settled(handles[0] ?? ''), submit('It is fixed.')),
    () => text('Reviewed.'),
  ];
  let handles: readonly string[] = [];
  let turn = 0;
  const model = (request: RecordedRequest) => {
    if (promptOf(request).tools.includes('give_verdict')) return calls({ name: 'give_verdict', input: over });
    turn += 1;
    return replies[turn - 1]?.() ?? text('There is no more.');
  };
  const stage = await stageWith({ model });
  const inputs = { 'fail-on': 'findings:major' };
  await stage.run({ inputs });
  const second = await stage.run({ ...push(stage, SECOND, CHANGE + DOCS, DOCS), inputs });
  expect(second).toMatchObject({
    exitCode: 1,
    outputs: { conclusion: 'findings', 'findings-open': '1' },
  });
  // A line that is gone says nothing by itself.
  const third = await stage.run({ ...push(stage, 'd'.repeat(40), QUIET + DOCS, TAKEN_OUT), inputs });
  expect(third).toMatchObject({ exitCode: 1, outputs: { 'findings-open': '1' } });
  handles = stage.repo.talk.reviewComments.map(handleIn);
  const fourth = await stage.run({ ...push(stage, 'e'.repeat(40), QUIET + DOCS, TAKEN_OUT), inputs });
  expect(fourth).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success', 'findings-worst': '' } });
});

it('a gate is failed by what is open where the model says nothing of findings', async () => {
  const model = [calls(LOGGED, submit('One thing.')), text('Reviewed.'), text('All is well.')];
  const stage = await stageWith({ model });
  const inputs = { 'fail-on': 'findings:major', 'check-run': 'true' };
  await stage.run({ inputs });
  const step = await stage.run({ ...push(stage, SECOND, CHANGE + DOCS, DOCS), inputs });
  expect(step).toMatchObject({
    exitCode: 1,
    outputs: { conclusion: 'findings', 'findings-open': '1', 'findings-worst': 'critical' },
  });
  expect(stage.repo.talk.checkRuns.at(-1)).toMatchObject({
    conclusion: 'neutral',
    title: expect.stringContaining('1 critical open'),
  });
});

it('a gate works on a change from outside, and another one checks how much was read', async () => {
  const patch = { 'pull_request.user.login': 'hubot' };
  const stage = await stageWith({
    event: { name: 'pull_request', action: 'opened', patch },
    roles: { hubot: 'read' },
  });
  const payload = loadWebhook('pull_request', 'opened', patch);
  const outside = await stage.run({
    event: { name: 'pull_request', payload },
    inputs: { 'fail-on': 'findings:major' },
  });
  expect(outside).toMatchObject({ exitCode: 1, outputs: { conclusion: 'findings' } });

  const part = await stageWith({ diff: CHANGE + DOCS });
  const step = await part.run({ inputs: { 'fail-on': 'coverage', paths: 'src/**' } });
  expect(step).toMatchObject({ exitCode: 1, outputs: { coverage: 'part' } });
  expect(told({ annotations: troubles(step) })).toEqual([expect.stringContaining('1 of 2 files reviewed')]);
});
