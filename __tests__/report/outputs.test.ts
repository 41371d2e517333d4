import { describe, expect, it } from '@jest/globals';
import { DEFAULT_FAIL_ON } from '../../src/lib/defaults.js';
import { CONCLUSIONS, type Conclusion } from '../../src/lib/outcome.js';
import { failsStep, type Outputs } from '../../src/report/run-summary.js';

describe('whether the step fails', () => {
  const SAVED: Outputs = { 'memory-entry-id': 'e', 'memory-saved': 'true' };
  const NOWHERE: Outputs = { 'memory-entry-id': 'e', 'memory-saved': 'false' };
  const UNSAVED: Outputs = { ...NOWHERE, 'memory-save-error': 'no permission' };
  const NO_ENTRY: Outputs = { 'memory-saved': 'false' };

  it.each(CONCLUSIONS)('is decided by `fail-on` for %s (D27)', (conclusion) => {
    const ends = (failOn: readonly Conclusion[]) =>
      failsStep({ conclusion, ...NO_ENTRY }, { conclusions: failOn, memory: false, findings: [] });
    expect(ends([])).toBe(false);
    expect(ends([conclusion])).toBe(true);
    expect(ends(CONCLUSIONS.filter((other) => other !== conclusion))).toBe(false);
    expect(ends(DEFAULT_FAIL_ON)).toBe(conclusion !== 'success' && conclusion !== 'skipped');
  });

  it.each<[string, Outputs, boolean, boolean]>([
    ['saved', SAVED, true, false],
    ['not saved', UNSAVED, true, true],
    ['not saved, and not required', UNSAVED, false, false],
    ['without anything to save', NO_ENTRY, true, false],
    ['without a place to save it', NOWHERE, true, false],
  ])('is decided by `fail-on: memory` for an entry %s', (_, memory, failOnMemory, fails) => {
    const failOn = { conclusions: DEFAULT_FAIL_ON, memory: failOnMemory, findings: [] };
    expect(failsStep({ conclusion: 'success', ...memory }, failOn)).toBe(fails);
  });
});
