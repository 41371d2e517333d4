import { describe, expect, it } from '@jest/globals';
import { secretValues } from '../../../src/axe/outbound/secret-names.js';

describe('the values of an environment that must never leave', () => {
  it.each([
    'ANTHROPIC_API_KEY',
    'MY_OWN_API_KEY',
    'GITHUB_TOKEN',
    'GH_TOKEN',
    'ACTIONS_RUNTIME_TOKEN',
    'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
    'WEBHOOK_SECRET',
    'DB_PASSWORD',
    'AWS_SECRET_ACCESS_KEY',
    'APP_PRIVATE_KEY',
    'GPG_PASSPHRASE',
    'TOKEN',
    'API_KEY',
    'PASSWORD',
    'SECRET',
    'npm_token',
    'INPUT_API-KEY',
    'INPUT_GITHUB-TOKEN',
    'INPUT_MEMORY-TOKEN',
    'INPUT_AGENTS-TOKEN',
    'INPUT_MEMORY-SIGNING-KEY',
  ])('are those of names such as %s', (name) => {
    expect(secretValues({ [name]: 'hunter2-hunter2' })).toEqual(['hunter2-hunter2']);
  });

  it.each([
    'PATH',
    'HOME',
    'API_KEY_FILE',
    'TOKENIZER',
    'INPUT_MAX-TOKENS',
    'SECRET_SANTA',
    'PASSWORD_STORE_DIR',
    'MONKEY',
    'ACTIONS_ID_TOKEN_REQUEST_URL',
    'INPUT_PROMPT',
  ])('are not those of names such as %s', (name) => {
    expect(secretValues({ [name]: 'hunter2-hunter2' })).toEqual([]);
  });

  it('are trimmed, each once, the longest first, so that none hides part of another', () => {
    const env = {
      A_TOKEN: 'abc',
      B_TOKEN: ' abcdef\n',
      C_TOKEN: 'abc',
      D_TOKEN: '',
      E_TOKEN: ' ',
      F_TOKEN: undefined,
    };
    expect(secretValues(env)).toEqual(['abcdef', 'abc']);
  });

  it('are none of nothing', () => {
    expect(secretValues({})).toEqual([]);
  });
});
