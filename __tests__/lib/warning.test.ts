import { describe, expect, it } from '@jest/globals';
import { mergeWarnings, warningText } from '../../src/lib/errors.js';

describe('warnings merged for the runner', () => {
  it('contain a remedy once, whichever messages have it', () => {
    const add = 'Add `issues: write` under `permissions:` of the job.';
    const warnings = [
      { message: 'the labels were not set: GitHub answered 403', remedy: add },
      { message: 'no one was assigned: GitHub answered 403', remedy: add },
      { message: 'no one was assigned: GitHub answered 403', remedy: add },
      { message: 'the reaction was not added: GitHub answered 500', remedy: 'Run it again.' },
      { message: 'it was not saved.', remedy: add },
      { message: 'one has no remedy' },
    ];
    const [group] = mergeWarnings(warnings.map((warning) => ({ code: 'publish-failed', ...warning })));
    expect(group?.message.split('\n')).toEqual([
      `the labels were not set: GitHub answered 403. ${add}`,
      'no one was assigned: GitHub answered 403.',
      'the reaction was not added: GitHub answered 500. Run it again.',
      'it was not saved.',
      'one has no remedy',
    ]);
  });

  it.each([
    ['axe ends a message without a full stop', 'it failed', 'it failed. Try again.'],
    ['a message can be a whole sentence', 'It failed.', 'It failed. Try again.'],
  ])('have one full stop before the remedy: %s', (_, message, text) => {
    expect(warningText({ message })).toBe(message);
    expect(warningText({ message, remedy: 'Try again.' })).toBe(text);
  });
});
