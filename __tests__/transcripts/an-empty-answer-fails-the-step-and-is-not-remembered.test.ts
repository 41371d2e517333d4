import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { expectNoEntry, expectTranscript, seen, setStage } from './stage.js';

it.each(['', ' \n\t'])(
  'the answer %j is a failure, since nobody would see that it is empty',
  async (answer) => {
    const stage = await setStage({ model: [text(answer, { inputTokens: 812, outputTokens: 1 })] });
    const step = await stage.run({ inputs: { model: 'openai/gpt-4o' } });
    expect(step.exitCode).toBe(1);
    expect(stage.repo.comments).toEqual([]);
    expectNoEntry(step);
    expectTranscript('an-empty-answer-fails-the-step-and-is-not-remembered', seen(step, stage));
  },
);
