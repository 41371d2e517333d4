// Plain JavaScript: jest loads this file without its own rules.
import Sequencer from '@jest/test-sequencer';

/** Suites that wait for a minute, or work for half of one. */
const SLOW =
  /[\\/](?:a-save-that-hangs-ends-with-its-time|twenty-runs-at-once-lose-nothing|golden\.part-\d)\.test\.ts$/;

/**
 * Jest begins with the largest files where it does not know yet which are slow: one that begins
 * last is waited for alone.
 */
export default class SlowFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
}

function isSlow({ path }) {
  return SLOW.test(path);
}
