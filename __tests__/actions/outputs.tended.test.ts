import { describe, expect, it } from '@jest/globals';
import { isMistaken, outputsOf, problemsIn } from '../../src/actions/outputs.js';
import type { LogFinding } from '../../src/core/memory/commands/finding.js';
import { done, refused, tended } from '../helpers/tended.js';

const SIZE: LogFinding = {
  code: 'size',
  severity: 'information',
  lane: 'trusted',
  path: 'bot.md',
  line: undefined,
  message: '',
};
const ORDER: LogFinding = {
  code: 'order',
  severity: 'problem',
  lane: 'trusted',
  path: 'bot.md',
  line: 3,
  message: '',
};
const URL = 'https://github.com/octocat/hello/issues/7#issuecomment-1';

describe('the outputs of a command over memory', () => {
  it('that was done have what it says, and whether memory is another now', () => {
    expect(outputsOf(tended(done('Forgotten.', { changed: true }), { store: 'cache' }), false)).toEqual({
      conclusion: 'success',
      response: 'Forgotten.',
      'memory-store': 'cache',
      'memory-saved': 'true',
    });
  });

  it('that was answered name the comment', () => {
    const published = { line: 'Posted a comment on #7.', url: URL };
    expect(outputsOf(tended(done('Forgotten.'), { published }), false)).toMatchObject({ 'comment-url': URL });
  });

  it.each([
    ['workflow', 'not-found', 'failure'],
    ['workflow', 'ambiguous', 'failure'],
    ['workflow', 'refused', 'failure'],
    ['workflow', 'unreadable', 'failure'],
    ['workflow', 'not-saved', 'failure'],
    ['comment', 'not-found', 'skipped'],
    ['comment', 'ambiguous', 'skipped'],
    ['comment', 'refused', 'skipped'],
    ['comment', 'unreadable', 'failure'],
    ['comment', 'not-saved', 'failure'],
  ] as const)('that a %s asked for and that was not done, %s, are a %s', (askedIn, reason, conclusion) => {
    const report = tended(refused(reason), { askedIn });
    expect(isMistaken(report)).toBe(conclusion === 'skipped');
    expect(outputsOf(report, false)).toEqual({
      conclusion,
      response: '',
      'memory-store': 'repo',
      'memory-saved': 'false',
      ...(conclusion === 'skipped' ? { 'skip-reason': reason } : {}),
      ...(reason === 'not-saved' ? { 'memory-save-error': 'it is so' } : {}),
    });
  });

  it('that did half of it say that memory is another', () => {
    expect(outputsOf(tended(refused('not-saved', { changed: true })), false)).toMatchObject({
      conclusion: 'failure',
      'memory-saved': 'true',
    });
  });

  it.each([
    [[], 0, 'success'],
    [[SIZE], 0, 'success'],
    [[SIZE, ORDER, ORDER], 2, 'failure'],
  ])('that found %j are of %d problems, and a %s', (findings, problems, conclusion) => {
    const report = tended(done('Looked.', { findings }), { command: 'verify' });
    expect(problemsIn(report)).toBe(problems);
    expect(outputsOf(report, false)).toMatchObject({ conclusion, response: 'Looked.' });
  });
});
