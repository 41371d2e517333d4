import { expect, it } from '@jest/globals';
import { type ModelReply, text } from '../helpers/model-server.js';
import { told } from './stage.js';
import { scheduledStage } from './tool-scene.js';

function limited(retryAfter: string): ModelReply {
  const error = { type: 'rate_limit_error', message: 'Too many requests' };
  return { kind: 'raw', status: 429, body: { type: 'error', error }, headers: { 'retry-after': retryAfter } };
}

it('C4 59: a run waits and continues', async () => {
  const stage = await scheduledStage([{}], { model: [limited('1'), text('Here I am.')] });
  const step = await stage.run({ inputs: { agent: 'worker' } });
  expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { response: 'Here I am.' } });
  expect(step.log).toMatch(/rate_limit: Too many requests; trying again in 1\.0 s \(attempt 1 of 2\)/);
  expect(stage.model.requests()).toHaveLength(2);
});

it('C4 59: a run accepts a date as well', async () => {
  const stage = await scheduledStage([{}], {
    model: [limited('Wed, 21 Oct 2015 07:28:00 GMT'), text('Here.')],
  });
  const step = await stage.run({ inputs: { agent: 'worker' } });
  expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { response: 'Here.' } });
});

it('C4 59: a run ends at once if its time would not suffice', async () => {
  const stage = await scheduledStage([{}], { model: [limited('3600'), text('Too late.')] });
  const step = await stage.run({ inputs: { agent: 'worker' } });
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(told(step)).toEqual([expect.stringContaining('rate_limit: Too many requests')]);
  expect(stage.model.requests()).toHaveLength(1);
});
