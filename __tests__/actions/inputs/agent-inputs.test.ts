import { describe, expect, it } from '@jest/globals';
import { AGENT_INPUT_DEFAULTS, readAgentInputs } from '../../../src/actions/inputs/agent-inputs.js';

function read(given: Partial<Record<keyof typeof AGENT_INPUT_DEFAULTS, string>>) {
  return readAgentInputs((name) => given[name] ?? AGENT_INPUT_DEFAULTS[name]);
}

describe('the inputs about where agents come from', () => {
  it.each([
    ['octocat/agents@v1', { owner: 'octocat', name: 'agents', ref: 'v1' }],
    ['octocat/.github@feature/a-b', { owner: 'octocat', name: '.github', ref: 'feature/a-b' }],
    [`octocat/agents@${'a'.repeat(40)}`, { owner: 'octocat', name: 'agents', ref: 'a'.repeat(40) }],
  ])('accept the repository %s', (value, repository) => {
    expect(read({ 'agents-repo': value, 'agents-token': 't', 'agent-ref': 'head' })).toEqual({
      repository,
      token: 't',
      ref: 'head',
    });
  });

  it.each([
    'octocat/agents',
    'octocat/agents@',
    'agents@v1',
    'octocat/..@v1',
    'octocat/a/b@v1',
    'octocat/agents@v1..v2',
    'octocat/agents@a b',
    'octocat/agents@../../x',
    'https://github.com/octocat/agents@v1',
  ])('refuse the repository %j and show the correct form', (value) => {
    expect(() => read({ 'agents-repo': value })).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('`agents-repo` must be `owner/name@ref`'),
        remedy: expect.stringContaining('`octocat/agents@v1`'),
      }),
    );
  });

  it('refuse an unknown side of a pull request', () => {
    expect(() => read({ 'agent-ref': 'main' })).toThrow('`agent-ref` cannot be "main"');
  });

  it('refuse a token without a repository', () => {
    expect(() => read({ 'agents-token': 't' })).toThrow('`agents-token` is for `agents-repo` only');
  });
});
