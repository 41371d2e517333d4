import { describe, expect, it } from '@jest/globals';
import { mergeWarnings, type Warning, type WarningCode, warningTitle } from '../../src/core/warning.js';

/** A value for each code; the type keeps it complete. */
const ALL: Record<WarningCode, true> = {
  'agent-unknown-key': true,
  'agent-unused-key': true,
  'memory-file-large': true,
  'agent-changed-in-pull-request': true,
  'tool-not-available': true,
  'no-process-jail': true,
  'mcp-server': true,
  'context-file-skipped': true,
  'context-truncated': true,
  'context-incomplete': true,
  'context-unread': true,
  'memory-load-failed': true,
  'memory-truncated': true,
  'memory-max-entries': true,
  'memory-save-failed': true,
  'memory-store-notice': true,
  'memory-signature': true,
  'model-warning': true,
  'answer-truncated': true,
  'publish-failed': true,
  'input-invalid': true,
};
const CODES = Object.keys(ALL) as WarningCode[];

describe('warnings merged for the runner', () => {
  it('are one per code, with each message once, at the first place', () => {
    const warnings: Warning[] = [
      { code: 'agent-unknown-key', message: 'a', at: { file: 'bot.toml', line: 2 } },
      { code: 'context-truncated', message: 'long' },
      { code: 'agent-unknown-key', message: 'b', at: { file: 'bot.toml', line: 5 } },
      { code: 'agent-unknown-key', message: 'a', at: { file: 'bot.toml', line: 9 } },
    ];
    expect(mergeWarnings(warnings)).toEqual([
      { code: 'agent-unknown-key', message: 'a\nb', at: { file: 'bot.toml', line: 2 } },
      { code: 'context-truncated', message: 'long' },
    ]);
  });

  it('say a sentence once, in whichever message it is', () => {
    const add = 'Add `issues: write` under `permissions:` of the job.';
    const messages = [
      `the labels were not set: GitHub answered 403. ${add}`,
      `nobody was assigned: GitHub answered 403. ${add} Then run it again.`,
      `it was not saved. ${add} ${add}`,
      add,
    ];
    const [group] = mergeWarnings(messages.map((message) => ({ code: 'publish-failed', message })));
    expect(group?.message.split('\n')).toEqual([
      `the labels were not set: GitHub answered 403. ${add}`,
      'nobody was assigned: GitHub answered 403. Then run it again.',
      'it was not saved.',
    ]);
  });

  it('are nine at most, and a failed save is never left out (D35)', () => {
    const others = CODES.filter((code) => code !== 'memory-save-failed');
    const warnings = [...others, 'memory-save-failed' as const].map((code) => ({ code, message: code }));
    const merged = mergeWarnings(warnings);
    expect(merged).toHaveLength(9);
    expect(merged.map(({ code }) => code)).toEqual(['memory-save-failed', ...others.slice(0, 8)]);
  });

  it('are none for none', () => {
    expect(mergeWarnings([])).toEqual([]);
  });

  it('have a title of their own for each code', () => {
    expect(new Set(CODES.map(warningTitle)).size).toBe(CODES.length);
    expect(CODES.map(warningTitle)).not.toContain('');
  });
});
