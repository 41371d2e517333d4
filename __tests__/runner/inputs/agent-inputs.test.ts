import { describe, expect, it } from '@jest/globals';
import { readAgentsRepo } from '../../../src/runner/inputs/inputs.js';

describe('the input about where agents come from', () => {
  it.each([
    ['', undefined],
    ['octocat/agents@v1', { owner: 'octocat', name: 'agents', ref: 'v1' }],
    ['octocat/.github@feature/a-b', { owner: 'octocat', name: '.github', ref: 'feature/a-b' }],
    [`octocat/agents@${'a'.repeat(40)}`, { owner: 'octocat', name: 'agents', ref: 'a'.repeat(40) }],
  ])('accepts the repository %j', (value, repository) => {
    expect(readAgentsRepo(value)).toEqual(repository);
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
  ])('refuses the repository %j and shows the correct form', (value) => {
    expect(() => readAgentsRepo(value)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('`agents-repo` must be `owner/name@ref`'),
        remedy: expect.stringContaining('`octocat/agents@v1`'),
      }),
    );
  });
});
