// Plain JavaScript: jest loads this file without its own rules.
import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/** The line of a suite that waits for a minute, or works for a quarter of one. */
const SLOW = /^\/\/ slow$/m;

/**
 * Jest begins with the largest files where it does not know yet which are slow: one that begins
 * last is waited for alone.
 */
export default class SlowFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const slow = new Set(sorted.filter(({ path }) => SLOW.test(readFileSync(path, 'utf8'))));
    return [...slow, ...sorted.filter((test) => !slow.has(test))];
  }
}
