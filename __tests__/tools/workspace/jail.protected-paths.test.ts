import { describe, expect, it } from '@jest/globals';
import { protectedPaths } from '../../../src/tools/workspace/jail.js';

describe('the protected paths', () => {
  it('are those the environment names', () => {
    const { denied, readOnly } = protectedPaths({
      RUNNER_TEMP: '/runner/_temp',
      GITHUB_ENV: '/runner/_temp/_runner_file_commands/set_env_1',
      GITHUB_ACTION_PATH: '/runner/_actions/x',
      HOME: '/home/runner',
    });
    expect(denied).toEqual(['/runner/_temp', '/runner/_temp/_runner_file_commands/set_env_1']);
    expect(readOnly).toEqual(['/runner/_actions/x']);
  });

  it('are none if the environment names none, or nothing absolute', () => {
    expect(protectedPaths({})).toEqual({ denied: [], readOnly: [] });
    expect(protectedPaths({ RUNNER_TEMP: '', GITHUB_ENV: 'relative', HOME: '.' })).toEqual({
      denied: [],
      readOnly: [],
    });
  });
});
