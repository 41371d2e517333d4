import { expect, it } from '@jest/globals';
import { routesOf } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

it('the log has a debug line for each request, whether or not debug logging is on', async () => {
  for (const debugging of ['0', '1']) {
    const stage = await setStageInProcess({ event: { name: 'pull_request', action: 'opened' } });
    const { exitCode, debug, log } = await stage.run({ env: { RUNNER_DEBUG: debugging } });
    expect(exitCode).toBe(0);
    expect(debug.filter((line) => !LINE.test(line))).toEqual([]);
    const ofModel = debug.filter((line) => line.includes('/v1/messages'));
    expect(ofModel).toHaveLength(stage.model.requests().length);
    expect(debug).toHaveLength(routesOf(stage).length + ofModel.length);
    expect(log).not.toContain(' ms, ');
  }
});

const LINE = /^[A-Z]+ \/\S+: \d{3} in [\d,]+ ms(?:, \d+ (?:points|requests) remaining)?$/;
