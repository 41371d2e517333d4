import { describe, expect, it } from '@jest/globals';
import { scrubEnv } from '../../../src/tools/process/programs.js';

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
      HTTPS_PROXY: 'http://proxy:3128',
      http_proxy: 'http://proxy:3128',
      NO_PROXY: '10.0.0.0/8',
      no_proxy: '10.0.0.0/8',
      SSL_CERT_FILE: '/etc/ca.pem',
      SSL_CERT_DIR: '/etc/certs',
      NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
      REQUESTS_CA_BUNDLE: '/etc/ca.pem',
      GIT_SSL_CAINFO: '/etc/ca.pem',
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
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
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
