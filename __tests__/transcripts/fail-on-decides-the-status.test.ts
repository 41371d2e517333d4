import { expect, it } from '@jest/globals';
import { type ModelReply, text } from '../helpers/model-server.js';
import { setStageInProcess } from './stage-in-process.js';

const BROKEN: ModelReply = { kind: 'raw', status: 500, body: '' };
const REFUSED: ModelReply = { kind: 'text', text: 'I will not.', finishReason: 'content_filter' };
const CUT: ModelReply = { kind: 'text', text: 'So f', finishReason: 'length' };
const NO_CACHE = { ACTIONS_RESULTS_URL: '' };

const STEPS: readonly (readonly [string, Step, number])[] = [
  ['failure by default', { reply: BROKEN }, 1],
  ['failure that is not listed', { reply: BROKEN, 'fail-on': 'timeout, refused' }, 0],
  [
    'failure before the model is asked, not listed',
    { reply: BROKEN, agent: 'nobody', 'fail-on': 'timeout' },
    0,
  ],
  [
    'failure before the model is asked',
    { reply: BROKEN, agent: 'nobody', 'fail-on': 'failure' },
    1,
  ],
  ['refused by default', { reply: REFUSED }, 1],
  ['refused that is not listed', { reply: REFUSED, 'fail-on': 'failure\ntimeout' }, 0],
  ['incomplete by default', { reply: CUT }, 1],
  ['incomplete that is not listed', { reply: CUT, 'fail-on': 'failure\nrefused' }, 0],
  ['success', { reply: text('Fine.') }, 0],
  ['success that is listed', { reply: text('Fine.'), 'fail-on': 'success' }, 1],
  ['success without memory', { reply: text('Fine.'), env: NO_CACHE, 'memory-store': 'cache' }, 0],
  [
    'success without the memory that is listed',
    { reply: text('Fine.'), env: NO_CACHE, 'memory-store': 'cache', 'fail-on': 'failure, memory' },
    1,
  ],
  ['success with the memory that is listed', { reply: text('Fine.'), 'fail-on': 'memory' }, 0],
  [
    'success where nothing is to be saved',
    { reply: text('Fine.'), 'memory-store': 'none', 'fail-on': 'memory' },
    0,
  ],
];

interface Step {
  readonly reply: ModelReply;
  readonly env?: Readonly<Record<string, string>>;
  readonly agent?: string;
  readonly 'fail-on'?: string;
  readonly 'memory-store'?: string;
}

it('the step fails for what is listed and nothing else', async () => {
  const ends = await Promise.all(
    STEPS.map(async ([name, { reply, env, ...inputs }, status]) => {
      const stage = await setStageInProcess({ model: [reply] });
      const step = await stage.run({
        inputs: { model: 'openai/gpt-4o', ...inputs },
        ...(env && { env }),
      });
      expect([name, step.outputs['conclusion']]).toEqual([name, name.split(' ')[0]]);
      const hasError = step.annotations.some(({ level }) => level === 'error');
      if (status === 1) expect([name, hasError]).toEqual([name, true]);
      return [name, step.exitCode, status];
    }),
  );
  expect(ends.map(([name, exitCode]) => [name, exitCode])).toEqual(
    ends.map(([name, , status]) => [name, status]),
  );
});
