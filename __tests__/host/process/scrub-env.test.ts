import { describe, expect, it } from '@jest/globals';
import { scrubEnv } from '../../../src/host/process/scrub-env.js';

describe('a scrubbed environment', () => {
  it('holds what programs need and nothing else', () => {
    const kept = {
      PATH: '/bin',
      HOME: '/home/x',
      LANG: 'C.UTF-8',
      LC_ALL: 'C',
      TZ: 'UTC',
      TMPDIR: '/tmp',
      TERM: 'dumb',
    };
    const dropped = {
      ANTHROPIC_API_KEY: 'k',
      GITHUB_TOKEN: 'k',
      GH_TOKEN: 'k',
      GITHUB_ENV: '/x',
      ACTIONS_RUNTIME_TOKEN: 'k',
      ACTIONS_RESULTS_URL: 'k',
      RUNNER_TEMP: '/x',
      INPUT_API_KEY: 'k',
      'INPUT_API-KEY': 'k',
      AWS_SECRET_ACCESS_KEY: 'k',
      DATABASE_URL: 'k',
      NODE_OPTIONS: '--require /x',
      LD_PRELOAD: '/x',
      BASH_ENV: '/x',
      ENV: '/x',
      SSH_AUTH_SOCK: '/x',
      PATH_TOKEN: 'k',
      LC_: 'k',
      lc_all: 'k',
    };
    expect(scrubEnv({ ...dropped, ...kept, USER: undefined })).toEqual(kept);
  });
});
